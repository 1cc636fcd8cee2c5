// An iteration of this loop swaps two elements. MLIR's bufferization overwrites %x
// before it reads %p from it. If this test fails, MLIR is mended: delete
// lib/Codegen/Workarounds/ForallOutputs.cpp and this file.

// RUN: mlir-opt %s --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" | FileCheck %s --implicit-check-not=memref.alloc

// CHECK-LABEL: func @f(%arg0: memref<2xf32>, %arg1: memref<2xf32>)
// CHECK: %[[P:.*]] = memref.subview %arg0
// CHECK: %[[Q:.*]] = memref.subview %arg1
// CHECK: %[[X:.*]] = memref.subview %arg0
// CHECK: memref.copy %[[Q]], %[[X]]
// CHECK: %[[Y:.*]] = memref.subview %arg1
// CHECK: memref.copy %[[P]], %[[Y]]
func.func @f(%a: tensor<2xf32>, %b: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0:2 = scf.forall (%i) in (2) shared_outs(%x = %a, %y = %b) -> (tensor<2xf32>, tensor<2xf32>) {
    %p = tensor.extract_slice %x[%i] [1] [1] : tensor<2xf32> to tensor<1xf32>
    %q = tensor.extract_slice %y[%i] [1] [1] : tensor<2xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %q into %x[%i] [1] [1] : tensor<1xf32> into tensor<2xf32>
      tensor.parallel_insert_slice %p into %y[%i] [1] [1] : tensor<1xf32> into tensor<2xf32>
    }
  }
  return %0#0, %0#1 : tensor<2xf32>, tensor<2xf32>
}
