// RUN: shard-opt %s --shard-explain -o /dev/null 2>&1 | FileCheck %s

// Reshards are told in the order of the program: before each op those of its
// operands, behind it those of its results. In the body of a manual computation
// they are planned without the manual axes.

// CHECK: reshard of %arg0 for linalg.matmul operand 0
// CHECK: reshard of %{{[0-9]+}} for linalg.matmul result 0
// CHECK: so: all_reduce over y
// CHECK: exchange by linalg.softmax operand 0
// CHECK: so: 2 all_reduce over y
// CHECK: reshard of %{{.*}} for shard.return operand 0
// CHECK: so: all_gather over y
// CHECK: reshard of %{{.*}} for tensor.concat operand 1
shard.grid @grid(shape = 2x2) axes ["x", "y"]
func.func @dot(
    %a: tensor<8x8xf32> {shard.sharding = #shard.sharding<@grid, [["x"], ["y"]]>},
    %b: tensor<8x8xf32> {shard.sharding = #shard.sharding<@grid, [["y"], ["x"]]>})
    -> (tensor<8x8xf32> {shard.sharding = #shard.sharding<@grid, [[], ["x"]]>}, tensor<8x8xf32>, tensor<16x8xf32>) {
  %z = arith.constant dense<0.0> : tensor<8x8xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%z : tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = math.exp %0 : tensor<8x8xf32>
  %m = shard.manual_computation(%a) on @grid
      in = [<@grid, [["x"], ["y"]]>] out = [<@grid, [["x"], []]>] axes = ["x"]
      (%p: tensor<4x8xf32>) {
    %e = tensor.empty() : tensor<4x8xf32>
    %s = linalg.softmax dimension(1) ins(%p : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
    shard.return %s : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %c = tensor.concat dim(0) %a, %m : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  return %1, %m, %c : tensor<8x8xf32>, tensor<8x8xf32>, tensor<16x8xf32>
}
