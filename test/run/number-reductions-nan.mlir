// What maxima and minima that skip NaN give where a row, the initial value or both are
// NaN. The numbers stand here because the reference of --verify is lowered alike.

// RUN: shard-run %s --output %t.max.npy --output %t.min.npy
// RUN: %python %S/Inputs/floats.py %t.max.npy | FileCheck %s --check-prefix=MAX
// RUN: %python %S/Inputs/floats.py %t.min.npy | FileCheck %s --check-prefix=MIN
// MAX: {{^}}nan -3.0 -inf{{$}}
// MIN: {{^}}1.0 -3.0 -inf{{$}}

func.func @main() -> (tensor<3xf32>, tensor<3xf32>) {
  %a = arith.constant dense<[[0x7FC00000, 0x7FC00000, 0x7FC00000], [0x7FC00000, -3.0, 0x7FC00000], [0xFF800000, 0x7FC00000, 0xFF800000]]> : tensor<3x3xf32>
  %n = arith.constant dense<0x7FC00000> : tensor<3xf32>
  %o = arith.constant dense<1.0> : tensor<3xf32>
  %m = linalg.reduce { arith.maxnumf } ins(%a : tensor<3x3xf32>) outs(%n : tensor<3xf32>) dimensions = [1]
  %p = linalg.reduce { arith.minnumf } ins(%a : tensor<3x3xf32>) outs(%o : tensor<3xf32>) dimensions = [1]
  return %m, %p : tensor<3xf32>, tensor<3xf32>
}
