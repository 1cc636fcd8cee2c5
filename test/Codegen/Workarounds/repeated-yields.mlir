// MLIR yields one buffer for two carried values, and writes into the second of them in
// the next iteration before it reads the first. If this test fails, MLIR is mended: delete
// lib/Codegen/Workarounds/RepeatedYields.cpp and this file.

// RUN: mlir-opt %s --one-shot-bufferize="bufferize-function-boundaries allow-return-allocs-from-loops function-boundary-type-conversion=identity-layout-map" | FileCheck %s

// CHECK: scf.for {{.*}} iter_args(%[[X:.*]] = %{{.*}}, %[[Y:.*]] = %{{.*}})
// CHECK: %[[AS_X:.*]] = memref.cast %[[X]]
// CHECK: %[[AS_Y:.*]] = memref.cast %[[Y]]
// CHECK: memref.store %{{.*}}, %[[AS_Y]]
// CHECK: memref.load %[[AS_X]]
// CHECK: scf.yield %[[NEW:.*]], %[[NEW]]
func.func @f(%n: index) -> (tensor<4xi64>, tensor<4xi64>) {
  %a = arith.constant dense<1> : tensor<4xi64>
  %b = arith.constant dense<2> : tensor<4xi64>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %seven = arith.constant 7 : i64
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %b) -> (tensor<4xi64>, tensor<4xi64>) {
    %w = tensor.insert %seven into %y[%c1] : tensor<4xi64>
    %v = tensor.extract %x[%c1] : tensor<4xi64>
    %e = tensor.extract %w[%c0] : tensor<4xi64>
    %s = arith.addi %v, %e : i64
    %t = tensor.splat %s : tensor<4xi64>
    scf.yield %t, %t : tensor<4xi64>, tensor<4xi64>
  }
  return %r#0, %r#1 : tensor<4xi64>, tensor<4xi64>
}
