// REQUIRES: numpy

// Constants in resources that MLIR does not translate to LLVM IR: without dimensions, without
// elements, of bits and of complex numbers.

// RUN: shard-run %s --entry all --verify --grid 2 --hint 'arg0=[[0]]' | FileCheck %s
// CHECK: PASS

// MLIR writes no bytecode of resources without elements that it reads again, so that they are not
// in the file itself.
// RUN: sed 's|^// EMPTY:||' %s > %t.mlir
// RUN: shard-run %t.mlir --entry empty --verify --grid 2 | FileCheck %s

// RUN: shard-run %s --entry parts --output %t.0.npy --output %t.1.npy --output %t.2.npy
// RUN: %numpy_python -c "import numpy as n; print([n.load('%t.%%d.npy' % i).tolist() for i in range(3)])" \
// RUN:   | FileCheck %s --check-prefix=VALUES
// VALUES: {{^}}[2.5, [True, False, True], [1.0, 2.0]]

// RUN: not shard-run %s --entry short 2>&1 | FileCheck %s --check-prefix=SHORT
// SHORT: resources.mlir:[[@LINE+44]]:8: error: has a resource of 3 bytes; a 'tensor<2xi1>' takes 2

// EMPTY: func.func @empty() -> (tensor<2x0xi64>, tensor<0xf32>) {
// EMPTY:   %none = arith.constant dense_resource<none> : tensor<2x0xi64>
// EMPTY:   %floats = arith.constant dense_resource<none_of_floats> : tensor<0xf32>
// EMPTY:   return %none, %floats : tensor<2x0xi64>, tensor<0xf32>
// EMPTY: }

// RUN: not shard-run %s --entry vectors 2>&1 | FileCheck %s --check-prefix=VECTORS
// VECTORS: error: has elements of type 'vector<2xf32>' in a resource, which is for numbers

func.func @all(%x: tensor<4xf32>) -> tensor<4xf32> {
  %scalar = arith.constant dense_resource<scalar> : tensor<f32>
  %bits = arith.constant dense_resource<bits> : tensor<3xi1>
  %c2 = arith.constant 2 : index
  %bit = tensor.extract %bits[%c2] : tensor<3xi1>
  %number = tensor.extract %scalar[] : tensor<f32>
  %numbers = tensor.splat %number : tensor<4xf32>
  %sum = arith.addf %x, %numbers : tensor<4xf32>
  %result = arith.select %bit, %sum, %x : tensor<4xf32>
  return %result : tensor<4xf32>
}

func.func @parts() -> (tensor<f32>, tensor<3xi1>, tensor<2xf32>) {
  %scalar = arith.constant dense_resource<scalar> : tensor<f32>
  %bits = arith.constant dense_resource<bits> : tensor<3xi1>
  %complex = arith.constant dense_resource<complex> : tensor<1xcomplex<f32>>
  %c0 = arith.constant 0 : index
  %one = tensor.extract %complex[%c0] : tensor<1xcomplex<f32>>
  %re = complex.re %one : complex<f32>
  %im = complex.im %one : complex<f32>
  %both = tensor.from_elements %re, %im : tensor<2xf32>
  return %scalar, %bits, %both : tensor<f32>, tensor<3xi1>, tensor<2xf32>
}

func.func @vectors() -> tensor<f32> {
  %c = arith.constant dense_resource<complex> : tensor<vector<2xf32>>
  %vector = tensor.extract %c[] : tensor<vector<2xf32>>
  %element = vector.extract %vector[0] : f32 from vector<2xf32>
  %result = tensor.from_elements %element : tensor<f32>
  return %result : tensor<f32>
}

func.func @short() -> tensor<2xi1> {
  %c = arith.constant dense_resource<bits> : tensor<2xi1>
  return %c : tensor<2xi1>
}

{-#
  dialect_resources: {
    builtin: {
      scalar: "0x0400000000002040",
// EMPTY:       none: "0x00000000",
// EMPTY:       none_of_floats: "0x04000000",
      bits: "0x01000000010001",
      complex: "0x040000000000803F00000040"
    }
  }
#-}
