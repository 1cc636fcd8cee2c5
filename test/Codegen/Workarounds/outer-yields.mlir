// MLIR yields the buffer of a view that it has copied from a loop as it is, and writes
// into it after the loop. If this test fails, MLIR is mended: delete
// lib/Codegen/Workarounds/OuterYields.cpp and this file.

// RUN: mlir-opt %s --one-shot-bufferize="bufferize-function-boundaries allow-return-allocs-from-loops function-boundary-type-conversion=identity-layout-map" | FileCheck %s

// CHECK: %[[COPY:.*]] = memref.alloc() {{.*}} : memref<5xi64>
// CHECK: %[[LOOP:.*]] = scf.for
// CHECK-NEXT: scf.yield %[[COPY]]
// CHECK: memref.store %{{.*}}, %[[COPY]]
// CHECK: memref.load %[[LOOP]]
func.func @f(%a: tensor<1x5xi64> {bufferization.writable = false}, %v: i64) -> (i64, tensor<5xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = tensor.collapse_shape %a [[0, 1]] : tensor<1x5xi64> into tensor<5xi64>
  %0 = scf.for %i = %c0 to %c1 step %c1 iter_args(%x = %t) -> (tensor<5xi64>) {
    scf.yield %t : tensor<5xi64>
  }
  %w = tensor.insert %v into %t[%c1] : tensor<5xi64>
  %r = tensor.extract %0[%c1] : tensor<5xi64>
  return %r, %w : i64, tensor<5xi64>
}
