// Both matrices are split by both axes, crosswise: the left one is resharded to
// [[], ["y"]], and one sum over "y" remains, nothing else.

// RUN: shard-opt %s --sharding-propagation --shard-partition | FileCheck %s
// RUN: shard-run %s --verify | FileCheck %s --check-prefix=VERIFY

// VERIFY: PASS
// CHECK: %[[G:.*]] = shard.all_gather %arg0 on @grid grid_axes = [0] gather_axis = 0
// CHECK-NEXT: %[[P:.*]] = linalg.matmul ins(%[[G]], %arg1
// CHECK-NEXT: %[[R:.*]] = shard.all_reduce %[[P]] on @grid grid_axes = [1]
// CHECK-NEXT: return %[[R]]
shard.grid @grid(shape = 2x2) axes ["x", "y"]
func.func @main(%a: tensor<8x8xf32> {shard.sharding = #shard.sharding<@grid, [["x"], ["y"]]>}, %b: tensor<8x8xf32> {shard.sharding = #shard.sharding<@grid, [["y"], ["x"]]>}) -> (tensor<8x8xf32> {shard.sharding = #shard.sharding<@grid, [[], ["x"]]>}) {
  %z = arith.constant dense<0.0> : tensor<8x8xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%z : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
