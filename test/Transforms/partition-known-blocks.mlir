// RUN: shard-opt %s --shard-partition 2>/dev/null | FileCheck %s

// A function computes once which elements of an uneven dimension a device has, also for the
// body of a loop, and each constant once.

shard.grid @g(shape = 3)

// CHECK-LABEL: func @f
// CHECK: shard.process_multi_index
// CHECK: arith.constant 17 : index
// CHECK: arith.constant 6 : index
// CHECK-NOT: shard.process_multi_index
// CHECK-NOT: arith.constant
// CHECK: scf.for
// CHECK-NOT: shard.process_multi_index
// CHECK-NOT: arith.constant
// CHECK: return
func.func @f(%a: tensor<4x17xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>},
             %b: tensor<17x4xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}, %n: index)
    -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x4xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x4xf32>) -> tensor<4x4xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<4x17xf32>, tensor<17x4xf32>) outs(%fill : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = linalg.matmul ins(%a, %b : tensor<4x17xf32>, tensor<17x4xf32>) outs(%fill : tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %fill) -> tensor<4x4xf32> {
    %3 = linalg.matmul ins(%a, %b : tensor<4x17xf32>, tensor<17x4xf32>) outs(%fill : tensor<4x4xf32>) -> tensor<4x4xf32>
    %4 = arith.addf %3, %x : tensor<4x4xf32>
    scf.yield %4 : tensor<4x4xf32>
  }
  return %0, %1, %2 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}
