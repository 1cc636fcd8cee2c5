// Each layer takes the number of rows from what the layer before has made. Where blocks may have
// different extents, devices tell each other of it once, not once for each layer.

// RUN: %python -c "import numpy as n; n.save('%t.npy', n.arange(88, dtype='f4').reshape(11, 8))"
// RUN: shard-run %s --grid 3 --uneven-dynamic --hint 'arg0=[[0],[]]' --input %t.npy --verify | FileCheck %s
// CHECK: all_reduce 0 1 10 B
// CHECK-NOT: all_
// CHECK: {{^}}PASS

func.func @main(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>) -> (tensor<?x8xf32>, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %z = arith.constant 0.0 : f32
  %n0 = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e0 = tensor.empty(%n0) : tensor<?x8xf32>
  %f0 = linalg.fill ins(%z : f32) outs(%e0 : tensor<?x8xf32>) -> tensor<?x8xf32>
  %y0 = linalg.matmul ins(%x, %w : tensor<?x8xf32>, tensor<8x8xf32>) outs(%f0 : tensor<?x8xf32>) -> tensor<?x8xf32>
  %t0 = math.tanh %y0 : tensor<?x8xf32>
  %n1 = tensor.dim %t0, %c0 : tensor<?x8xf32>
  %e1 = tensor.empty(%n1) : tensor<?x8xf32>
  %f1 = linalg.fill ins(%z : f32) outs(%e1 : tensor<?x8xf32>) -> tensor<?x8xf32>
  %y1 = linalg.matmul ins(%t0, %w : tensor<?x8xf32>, tensor<8x8xf32>) outs(%f1 : tensor<?x8xf32>) -> tensor<?x8xf32>
  %y2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%v = %y1) -> tensor<?x8xf32> {
    %n2 = tensor.dim %v, %c0 : tensor<?x8xf32>
    %e2 = tensor.empty(%n2) : tensor<?x8xf32>
    %f2 = linalg.fill ins(%z : f32) outs(%e2 : tensor<?x8xf32>) -> tensor<?x8xf32>
    %m = linalg.matmul ins(%v, %w : tensor<?x8xf32>, tensor<8x8xf32>) outs(%f2 : tensor<?x8xf32>) -> tensor<?x8xf32>
    %s = math.tanh %m : tensor<?x8xf32>
    scf.yield %s : tensor<?x8xf32>
  }
  %n3 = tensor.dim %y2, %c0 : tensor<?x8xf32>
  return %y2, %n3 : tensor<?x8xf32>, index
}
