// Copies of a fill that end with one sharding are one op again, also where their users are
// on two grids, and the second propagation finds the same.
// RUN: shard-opt %s --sharding-propagation -o %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: shard-opt %t.once --sharding-propagation | diff %t.once -

shard.grid @grid(shape = 2x2)
shard.grid @other(shape = 4)

// CHECK-LABEL: func.func @fill
// CHECK-COUNT-1: tensor.empty
// CHECK-NOT: tensor.empty
func.func @fill(%a: tensor<2x1xf32> {shard.sharding = #shard.sharding<@grid, [[], []]>})
    -> (tensor<2x1xf32>, tensor<2x1xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x1xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x1xf32>) -> tensor<2x1xf32>
  %0 = arith.addf %a, %f : tensor<2x1xf32>
  %1 = math.exp %f : tensor<2x1xf32>
  %2 = shard.constraint %1 to <@other, [[], []]> : tensor<2x1xf32>
  return %0, %2 : tensor<2x1xf32>, tensor<2x1xf32>
}
