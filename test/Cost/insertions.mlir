// An insertion into a destination that nothing else uses reads and writes its source alone; one
// into an argument of the function, a constant or a tensor that is used again copies all of it.

// RUN: shard-opt %s --shard-report="json" -o /dev/null 2>&1 | FileCheck %s

shard.grid @g(shape = 2)

// CHECK: "bytes_touched": 32,
// CHECK: "name": "tensor.insert_slice"
// CHECK: "program": "own"
func.func @own(%a: tensor<4xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %f = tensor.collapse_shape %e [[0, 1]] : tensor<4x4xf32> into tensor<16xf32>
  %0 = tensor.insert_slice %a into %f[0] [4] [1] : tensor<4xf32> into tensor<16xf32>
  return %0 : tensor<16xf32>
}

// CHECK: "bytes_touched": 144,
// CHECK: "name": "tensor.insert_slice"
// CHECK: "program": "of_caller"
func.func @of_caller(%a: tensor<4xf32>, %b: tensor<16xf32>) -> tensor<16xf32> {
  %0 = tensor.insert_slice %a into %b[0] [4] [1] : tensor<4xf32> into tensor<16xf32>
  return %0 : tensor<16xf32>
}

// CHECK: "bytes_touched": 144,
// CHECK: "name": "tensor.insert_slice"
// CHECK: "program": "constant"
func.func @constant(%a: tensor<4xf32>) -> tensor<16xf32> {
  %c = arith.constant dense<1.0> : tensor<16xf32>
  %0 = tensor.insert_slice %a into %c[0] [4] [1] : tensor<4xf32> into tensor<16xf32>
  return %0 : tensor<16xf32>
}

// CHECK: "bytes_touched": 144,
// CHECK: "name": "tensor.insert_slice"
// CHECK: "program": "used_again"
func.func @used_again(%a: tensor<4xf32>, %b: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %c = arith.addf %b, %b : tensor<16xf32>
  %0 = tensor.insert_slice %a into %c[0] [4] [1] : tensor<4xf32> into tensor<16xf32>
  return %0, %c : tensor<16xf32>, tensor<16xf32>
}

// Each of three iterations writes one row.
// CHECK: "bytes_touched": 96,
// CHECK: "name": "tensor.insert_slice"
// CHECK: "program": "loop"
func.func @loop(%a: tensor<4xf32>, %b: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %0 = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %b) -> tensor<4x4xf32> {
    %1 = tensor.insert_slice %a into %x[%i, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<4x4xf32>
    scf.yield %1 : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
}
