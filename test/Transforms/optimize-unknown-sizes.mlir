// RUN: shard-opt %s --shard-spmd 2>&1 | FileCheck %s --implicit-check-not=error:
//
// What is not known of a grid with an axis of unknown size is no error of the program.

// CHECK: shard.all_reduce
shard.grid @g(shape = ?)
func.func @matmul(%a: tensor<8x12xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>}, %b: tensor<12x8xf32>) -> tensor<8x8xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<8x12xf32>, tensor<12x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
