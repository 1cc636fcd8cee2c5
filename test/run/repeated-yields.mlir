// A loop yields one value for two results: what the next iteration writes into one of them
// does not change the other. The program on one device is lowered alike, so that the
// numbers are compared too: x and y as the text of the program says.
//
// RUN: shard-run %s --output %t.0.npy --output %t.1.npy --output %t.2.npy --output %t.3.npy
// RUN: %python %S/Inputs/print_npy.py %t.0.npy %t.1.npy %t.2.npy %t.3.npy | FileCheck %s --check-prefix=VALUES
// for: (1, 2), (3, 3), (6, 6), (12, 12)
// VALUES: (4,) 12 12 12 12
// VALUES: (4,) 12 12 12 12
// while: x, y in front of the body are 1, 2; 3, 3; 6, 6; and y is written in the condition
// VALUES: (4,) 6 6 6 6
// VALUES: (4,) 6 7 6 6
//
// RUN: shard-run %s --verify --grid 2 --hint 'result0=[[0]]' --hint 'result2=[[0]]' | FileCheck %s --check-prefix=PASS
// RUN: shard-run %s --verify --grid 3 --hint 'result1=[[0]]' --hint 'result3=[[0]]' | FileCheck %s --check-prefix=PASS
// PASS: PASS

func.func @main() -> (tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %seven = arith.constant 7 : i64
  %a = arith.constant dense<1> : tensor<4xi64>
  %b = arith.constant dense<2> : tensor<4xi64>
  %f:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %a, %y = %b) -> (tensor<4xi64>, tensor<4xi64>) {
    %w = tensor.insert %seven into %y[%c1] : tensor<4xi64>
    %v = tensor.extract %x[%c1] : tensor<4xi64>
    %e = tensor.extract %w[%c0] : tensor<4xi64>
    %s = arith.addi %v, %e : i64
    %t = tensor.splat %s : tensor<4xi64>
    scf.yield %t, %t : tensor<4xi64>, tensor<4xi64>
  }
  %l:3 = scf.while (%n = %c0, %x = %a, %y = %b) : (index, tensor<4xi64>, tensor<4xi64>) -> (index, tensor<4xi64>, tensor<4xi64>) {
    %more = arith.cmpi ult, %n, %c2 : index
    %w = tensor.insert %seven into %y[%c1] : tensor<4xi64>
    scf.condition(%more) %n, %x, %w : index, tensor<4xi64>, tensor<4xi64>
  } do {
  ^body(%n: index, %x: tensor<4xi64>, %y: tensor<4xi64>):
    %next = arith.addi %n, %c1 : index
    %v = tensor.extract %x[%c1] : tensor<4xi64>
    %e = tensor.extract %y[%c0] : tensor<4xi64>
    %s = arith.addi %v, %e : i64
    %t = tensor.splat %s : tensor<4xi64>
    scf.yield %next, %t, %t : index, tensor<4xi64>, tensor<4xi64>
  }
  return %f#0, %f#1, %l#1, %l#2 : tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>
}
