// RUN: shard-opt %s --shard-partition | FileCheck %s

// What windows and uneven blocks compute of where they lie is computed once in a block of
// the program and not at all if nothing uses it. Ops of the program itself stay.

shard.grid @g(shape = 2)

// CHECK-LABEL: func @stencil
// CHECK-COUNT-1: shard.process_multi_index
// CHECK-NOT: shard.process_multi_index
// CHECK: tensor.dim
// CHECK-NOT: shard.process_multi_index
// CHECK: arith.addf
// CHECK: arith.addf
// CHECK-NOT: shard.process_multi_index
// CHECK: return
func.func @stencil(%x: tensor<16x?xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>})
    -> (tensor<16x?xf32>, index) {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<16x?xf32>
  %a = tensor.extract_slice %x[0, 0] [14, %n] [1, 1] : tensor<16x?xf32> to tensor<14x?xf32>
  %b = tensor.extract_slice %x[2, 0] [14, %n] [1, 1] : tensor<16x?xf32> to tensor<14x?xf32>
  %c = arith.addf %a, %b : tensor<14x?xf32>
  %d = arith.addf %a, %b : tensor<14x?xf32>
  %p = arith.mulf %c, %d : tensor<14x?xf32>
  %r = tensor.insert_slice %p into %x[1, 0] [14, %n] [1, 1] : tensor<14x?xf32> into tensor<16x?xf32>
  return %r, %n : tensor<16x?xf32>, index
}

// Each branch computes what only it needs: neither dominates the other.
// CHECK-LABEL: func @branches
// CHECK: scf.if
// CHECK-COUNT-1: shard.process_multi_index
// CHECK: else
// CHECK-COUNT-1: shard.process_multi_index
// CHECK: return
func.func @branches(%x: tensor<17xf32> {shard.sharding = #shard.sharding<@g, [[0]]>}, %if: i1)
    -> tensor<f32> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %0 = scf.if %if -> tensor<f32> {
    %1 = linalg.reduce { arith.addf } ins(%x : tensor<17xf32>) outs(%zero : tensor<f32>) dimensions = [0]
    scf.yield %1 : tensor<f32>
  } else {
    %1 = linalg.reduce { arith.maximumf } ins(%x : tensor<17xf32>) outs(%zero : tensor<f32>) dimensions = [0]
    scf.yield %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}
