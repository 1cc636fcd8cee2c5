// An integer becomes the nearest bf16: it is rounded once, although neither f32 nor f64
// holds it. Each is next to the middle of two neighbours.
//
// RUN: shard-run %s --output %t.0.npy --output %t.1.npy --output %t.2.npy
// RUN: %python %S/Inputs/print_npy.py %t.0.npy %t.1.npy %t.2.npy | FileCheck %s
// CHECK: (3,) 658505728.0 662700032.0 -658505728.0
// CHECK: (4,) 9.295429630892704e+18 9.223372036854776e+18 9.223372036854776e+18 3.0
// CHECK: (4,) -9.187343239835812e+18 -9.223372036854776e+18 3.5353257074858394e+17 -3.0
func.func @main() -> (tensor<3xf64>, tensor<4xf64>, tensor<4xf64>) {
  %a = arith.constant dense<[660602879, 660602881, -660602879]> : tensor<3xi32>
  %0 = arith.sitofp %a : tensor<3xi32> to tensor<3xbf16>
  // 2^63 + 2^55 + 1, + 0, - 1.
  %b = arith.constant dense<[9259400833873739777, 9259400833873739776, 9259400833873739775, 3]> : tensor<4xi64>
  %1 = arith.uitofp %b : tensor<4xi64> to tensor<4xbf16>
  // -2^63 + 2^54 + 1, + 0, 315 * 2^50 - 1.
  %c = arith.constant dense<[-9205357638345293823, -9205357638345293824, 354658470655426559, -3]> : tensor<4xi64>
  %2 = arith.sitofp %c : tensor<4xi64> to tensor<4xbf16>
  %x = arith.extf %0 : tensor<3xbf16> to tensor<3xf64>
  %y = arith.extf %1 : tensor<4xbf16> to tensor<4xf64>
  %z = arith.extf %2 : tensor<4xbf16> to tensor<4xf64>
  return %x, %y, %z : tensor<3xf64>, tensor<4xf64>, tensor<4xf64>
}
