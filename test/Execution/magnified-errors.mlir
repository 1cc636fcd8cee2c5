// A program that magnifies the rounding of its sum: the program of one device and the reference
// add in another order. The error says how far they are apart, and blames not the compiler alone.
// RUN: not shard-run %s --grid 2 --hint 'arg0=[[0],[]]' --verify | FileCheck %s
// CHECK: error: result 0 on one device depends on whether the program is optimised: relative error {{[0-9.e+-]+}}, allowed {{[0-9.e+-]+}}; the program magnifies rounding errors, {{.*}}, or this is an error of the compiler
// CHECK: {{^}}FAIL
func.func @main(%x: tensor<4x1000xf32>) -> tensor<4xf32> {
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<4x1000xf32>) outs(%zero : tensor<4xf32>) dimensions = [1]
  %large = arith.constant dense<1.0e6> : tensor<4xf32>
  %product = arith.mulf %sum, %large : tensor<4xf32>
  %sine = math.sin %product : tensor<4xf32>
  return %sine : tensor<4xf32>
}
