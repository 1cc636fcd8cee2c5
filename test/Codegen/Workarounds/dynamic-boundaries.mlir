// MLIR returns a slice as a contiguous memref, without a copy, although its strides
// are those of the whole tensor. If this test fails, MLIR is mended: delete
// lib/Codegen/Workarounds/DynamicBoundaries.cpp and this file.

// RUN: mlir-opt %s --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" | FileCheck %s --implicit-check-not=memref.copy

// CHECK: %[[CAST:.*]] = memref.cast %{{.*}} : memref<2x1x?xf32, strided<[?, ?, 1]>> to memref<2x1x?xf32>
// CHECK: return %[[CAST]]
func.func @f(%a: tensor<2x2x?xf32>, %n: index) -> tensor<2x1x?xf32> {
  %0 = tensor.extract_slice %a[0, 0, 0] [2, 1, %n] [1, 1, 1] : tensor<2x2x?xf32> to tensor<2x1x?xf32>
  return %0 : tensor<2x1x?xf32>
}
