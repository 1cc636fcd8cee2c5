// Copies of constants that no hint reaches are not merged with copies that are stated on one of
// several grids: the product below would take operands from two.
//
// RUN: shard-opt %s --sharding-propagation -o %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: shard-opt %t.once --sharding-propagation | diff %t.once -

shard.grid @grid(shape = 2x2)
shard.grid @other(shape = 4)

// CHECK: arith.constant dense<2.000000e+00>
// CHECK: %[[C:.*]] = arith.constant dense<2.000000e+00>
// CHECK: linalg.fill
// CHECK: %[[F:.*]] = linalg.fill
// CHECK: linalg.batch_matmul ins(%{{.*}}, %[[C]] : {{.*}}) outs(%[[F]] :
func.func @main(%a: tensor<1x1x1xf32>, %b: tensor<1x4x8xf32>) -> (tensor<1x4x8xf32>, tensor<1x1x8xf32>, tensor<1x1x8xf32>) {
  %c = arith.constant dense<2.0> : tensor<1x1x8xf32>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x1x8xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x1x8xf32>) -> tensor<1x1x8xf32>
  %p = linalg.batch_matmul ins(%a, %c : tensor<1x1x1xf32>, tensor<1x1x8xf32>) outs(%f : tensor<1x1x8xf32>) -> tensor<1x1x8xf32>
  %o = shard.constraint %c to <@other, [[], [], []]> : tensor<1x1x8xf32>
  %n = arith.negf %o : tensor<1x1x8xf32>
  %g = shard.constraint %f to <@grid, [[], [], []]> : tensor<1x1x8xf32>
  %m = arith.negf %g : tensor<1x1x8xf32>
  %s = shard.constraint %b to <@grid, [[], [0], []]> : tensor<1x4x8xf32>
  return %s, %n, %m : tensor<1x4x8xf32>, tensor<1x1x8xf32>, tensor<1x1x8xf32>
}
