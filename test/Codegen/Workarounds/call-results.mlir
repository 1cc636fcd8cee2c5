// MLIR does not know that a call's result is a constant, and writes into it; nor
// that two results of a call are one buffer, and overwrites one by the other. If
// this test fails, MLIR is mended: delete lib/Codegen/Workarounds/CallResults.cpp,
// as far as programs with a host need it, and this file.

// RUN: mlir-opt %s --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" | FileCheck %s --implicit-check-not=memref.copy

// CHECK-LABEL: func private @one
// CHECK: %[[CONSTANT:.*]] = memref.get_global
// CHECK: return %[[CONSTANT]]
// CHECK-LABEL: func private @twice
// CHECK: return %[[BUFFER:.*]], %[[BUFFER]]
// CHECK-LABEL: func @constant
// CHECK: %[[ONE:.*]] = call @one()
// CHECK: memref.store %{{.*}}, %[[ONE]]
// CHECK-LABEL: func @same
// CHECK: %[[TWICE:.*]]:2 = call @twice
// CHECK: memref.store %{{.*}}, %[[TWICE]]#0
// CHECK: return %[[TWICE]]#0, %[[TWICE]]#1
func.func private @one() -> tensor<1xf32> {
  %c = arith.constant dense<1.0> : tensor<1xf32>
  return %c : tensor<1xf32>
}
func.func private @twice(%x: f32) -> (tensor<1xf32>, tensor<1xf32>) {
  %c = tensor.from_elements %x : tensor<1xf32>
  return %c, %c : tensor<1xf32>, tensor<1xf32>
}
func.func @constant(%x: f32) -> tensor<1xf32> {
  %c0 = arith.constant 0 : index
  %0 = call @one() : () -> tensor<1xf32>
  %1 = tensor.insert %x into %0[%c0] : tensor<1xf32>
  return %1 : tensor<1xf32>
}
func.func @same(%x: f32, %y: f32) -> (tensor<1xf32>, tensor<1xf32>) {
  %c0 = arith.constant 0 : index
  %0:2 = call @twice(%x) : (f32) -> (tensor<1xf32>, tensor<1xf32>)
  %1 = tensor.insert %y into %0#0[%c0] : tensor<1xf32>
  return %1, %0#1 : tensor<1xf32>, tensor<1xf32>
}
