// MLIR writes into a constant that a region of scf.index_switch yields. If this test
// fails, MLIR is mended: delete lib/Codegen/Workarounds/SwitchResults.cpp and this
// file.

// RUN: mlir-opt %s --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" | FileCheck %s --implicit-check-not=memref.copy

// CHECK: %[[CONSTANT:.*]] = memref.get_global
// CHECK: %[[SWITCH:.*]] = scf.index_switch
// CHECK: scf.yield %[[CONSTANT]]
// CHECK: memref.store %{{.*}}, %[[SWITCH]]
func.func @f(%i: index, %x: f32) -> (tensor<1xf32>, tensor<1xf32>) {
  %c0 = arith.constant 0 : index
  %c = arith.constant dense<1.0> : tensor<1xf32>
  %0 = scf.index_switch %i -> tensor<1xf32>
  default {
    scf.yield %c : tensor<1xf32>
  }
  %1 = tensor.insert %x into %0[%c0] : tensor<1xf32>
  return %1, %c : tensor<1xf32>, tensor<1xf32>
}
