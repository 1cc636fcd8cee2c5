// A loop yields a view from outside, into which the program writes after the loop: the
// result of the loop keeps what the view held.
// The partitioned program has no loop, which the partition's simplification removes:
// the program on one device is what this tests.
//
// RUN: shard-run %s --verify --grid 3 --hint 'result0=[[0]]' | FileCheck %s --check-prefix=PASS
// RUN: shard-run %s --verify --grid 3 --hint 'result1=[[0]]' | FileCheck %s --check-prefix=PASS
// PASS: PASS

func.func @main(%a: tensor<1x5xi64>) -> (tensor<5xi64>, tensor<5xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : i64
  %t = tensor.collapse_shape %a [[0, 1]] : tensor<1x5xi64> into tensor<5xi64>
  %0 = scf.for %i = %c0 to %c1 step %c1 iter_args(%x = %t) -> (tensor<5xi64>) {
    scf.yield %t : tensor<5xi64>
  }
  %w = tensor.insert %c7 into %t[%c1] : tensor<5xi64>
  return %0, %w : tensor<5xi64>, tensor<5xi64>
}
