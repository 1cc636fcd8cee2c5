// Reshapes of more than 2^63 elements: products of extents are compared no further.
//
// RUN: shard-opt %s --shard-print-loops -o %t 2>&1 | FileCheck %s

// CHECK: tensor.reshape
// CHECK-NEXT: loops:
// CHECK-NEXT: operand 0: () -> (0, 0)
// CHECK: result 0: () -> (0, 0)
func.func @reshape(%a: tensor<2x9223372036854775807xf32>) -> tensor<9223372036854775807x2xf32> {
  %s = arith.constant dense<[9223372036854775807, 2]> : tensor<2xi64>
  %0 = tensor.reshape %a(%s) : (tensor<2x9223372036854775807xf32>, tensor<2xi64>) -> tensor<9223372036854775807x2xf32>
  return %0 : tensor<9223372036854775807x2xf32>
}
