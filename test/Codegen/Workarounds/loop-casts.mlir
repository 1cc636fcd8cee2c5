// MLIR gives what a loop carries the static type of the first value, and casts what the
// body yields to it, though the body may yield other extents. If this test fails, MLIR is
// mended: delete ForOpTensorCastFolder from lib/Transforms/Optimize/FoldCollectives.cpp,
// and this file.

// RUN: mlir-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func @grow
// CHECK: scf.for {{.*}} -> (tensor<1xf32>)
// CHECK: tensor.cast {{.*}} : tensor<?xf32> to tensor<1xf32>
func.func @grow(%row: tensor<1xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = tensor.cast %row : tensor<1xf32> to tensor<?xf32>
  %rows = scf.for %i = %c0 to %n step %c1 iter_args(%x = %first) -> tensor<?xf32> {
    %longer = tensor.concat dim(0) %x, %row : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>
    scf.yield %longer : tensor<?xf32>
  }
  return %rows : tensor<?xf32>
}
