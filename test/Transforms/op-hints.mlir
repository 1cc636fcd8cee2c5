// RUN: shard-opt %s --shard-spmd --split-input-file | FileCheck %s

// The loops of an op, m, n and k here, say how all its tensors are to be.

shard.grid @grid(shape = 2x2)
// CHECK-LABEL: func.func @loops(
// CHECK-SAME: %[[A:[a-z0-9_]+]]: tensor<4x4xf32>
// CHECK-SAME: %[[B:[a-z0-9_]+]]: tensor<4x8xf32>
// CHECK: %[[P:[a-z0-9_]+]] = linalg.matmul ins(%[[A]], %[[B]] : tensor<4x4xf32>, tensor<4x8xf32>)
// CHECK: %[[R:[a-z0-9_]+]] = shard.all_reduce %[[P]] on @grid grid_axes = [1]
// CHECK: return %[[R]] : tensor<4x8xf32>
func.func @loops(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %z = arith.constant dense<0.0> : tensor<8x8xf32>
  %0 = linalg.matmul {shard.loops = #shard.sharding<@grid, [[0], [], [1]]>}
      ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%z : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

// A sharding on an op is a wish about its result.

shard.grid @grid(shape = 2) axes ["x"]
// CHECK-LABEL: func.func @wish(
// CHECK-SAME: tensor<4xf32>
// CHECK: math.exp %{{.*}} : tensor<4xf32>
func.func @wish(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = math.exp %a {shard.sharding = #shard.sharding<@grid, [["x", ?]]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// A function result that is to be partial takes the summands as they are.

shard.grid @grid(shape = 4)
// CHECK-LABEL: func.func @partial_result(
// CHECK-NOT: shard.all_reduce
// CHECK: %[[P:[a-z0-9_]+]] = linalg.matmul
// CHECK-NEXT: return %[[P]]
func.func @partial_result(
    %a: tensor<8x16xf32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>}, %b: tensor<16x8xf32>)
    -> (tensor<8x8xf32> {shard.sharding = #shard.sharding<@grid, [[], []], partial = sum [0]>}) {
  %z = arith.constant dense<0.0> : tensor<8x8xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<8x16xf32>, tensor<16x8xf32>) outs(%z : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
