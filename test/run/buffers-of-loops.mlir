// What an iteration makes and does not hand on is freed at its end: memory does not grow
// with the number of iterations, and what is handed on, in any order, is not freed. The
// results are Fibonacci numbers, ones, and a count.
//
// RUN: shard-run %s --output %t.0.npy --output %t.1.npy --output %t.2.npy --output %t.3.npy | FileCheck %s
// RUN: %python %S/Inputs/print_npy.py %t.0.npy %t.1.npy %t.2.npy %t.3.npy | FileCheck %s --check-prefix=VALUES
// VALUES: (1024,) 12586269025.0 12586269025.0
// VALUES: (1024,) 20365011074.0 20365011074.0
// VALUES: (8, 128) 1 1 1
// VALUES: (1024,) 120.0 120.0
//
// All loops together, of buffers of 8 KiB; without releases it would be megabytes.
// CHECK: temporaries at most {{[0-9]+}}.{{[0-9]}} KiB
//
// RUN: shard-run %s --verify --grid 3 --hint 'result0=[[0]]' --hint 'result3=[[0]]' | FileCheck %s --check-prefix=PASS
// PASS: temporaries at most {{[0-9]*}}.{{[0-9]}} KiB
// PASS: PASS

func.func @main() -> (tensor<1024xf64>, tensor<1024xf64>, tensor<8x128xi64>, tensor<1024xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c50 = arith.constant 50 : index
  %c300 = arith.constant 300 : index
  %zero = arith.constant dense<0.0> : tensor<1024xf64>
  %one = arith.constant dense<1.0> : tensor<1024xf64>
  // The values change places.
  %fib:2 = scf.for %i = %c0 to %c50 step %c1 iter_args(%a = %zero, %b = %one) -> (tensor<1024xf64>, tensor<1024xf64>) {
    %s = arith.addf %a, %b : tensor<1024xf64>
    scf.yield %b, %s : tensor<1024xf64>, tensor<1024xf64>
  }
  // A view is handed on, of a value that every second iteration makes.
  %ones = arith.constant dense<1> : tensor<128x8xi64>
  %turned = scf.for %i = %c0 to %c300 step %c1 iter_args(%a = %ones) -> (tensor<128x8xi64>) {
    %r = arith.remui %i, %c2 : index
    %even = arith.cmpi eq, %r, %c0 : index
    %v = scf.if %even -> (tensor<128x8xi64>) {
      %e = tensor.empty() : tensor<8x128xi64>
      %t = linalg.transpose ins(%a : tensor<128x8xi64>) outs(%e : tensor<8x128xi64>) permutation = [1, 0]
      %f = tensor.collapse_shape %t [[0, 1]] : tensor<8x128xi64> into tensor<1024xi64>
      %x = tensor.expand_shape %f [[0, 1]] output_shape [128, 8] : tensor<1024xi64> into tensor<128x8xi64>
      scf.yield %x : tensor<128x8xi64>
    } else {
      scf.yield %a : tensor<128x8xi64>
    }
    scf.yield %v : tensor<128x8xi64>
  }
  %flat = tensor.collapse_shape %turned [[0, 1]] : tensor<128x8xi64> into tensor<1024xi64>
  %rows = tensor.expand_shape %flat [[0, 1]] output_shape [8, 128] : tensor<1024xi64> into tensor<8x128xi64>
  // A loop in a loop, with a condition, and a function that makes what it returns.
  %count = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %zero) -> (tensor<1024xf64>) {
    %limit = arith.addf %a, %one : tensor<1024xf64>
    %n:2 = scf.while (%k = %c0, %w = %a) : (index, tensor<1024xf64>) -> (index, tensor<1024xf64>) {
      %go = arith.cmpi ult, %k, %c50 : index
      scf.condition(%go) %k, %w : index, tensor<1024xf64>
    } do {
    ^bb0(%k: index, %w: tensor<1024xf64>):
      %next = arith.addi %k, %c1 : index
      %more = func.call @increase(%w) : (tensor<1024xf64>) -> tensor<1024xf64>
      scf.yield %next, %more : index, tensor<1024xf64>
    }
    %s = arith.subf %n#1, %limit : tensor<1024xf64>
    %t = arith.addf %s, %limit : tensor<1024xf64>
    %ten = arith.constant dense<10.0> : tensor<1024xf64>
    %u = arith.addf %t, %ten : tensor<1024xf64>
    scf.yield %u : tensor<1024xf64>
  }
  return %fib#0, %fib#1, %rows, %count : tensor<1024xf64>, tensor<1024xf64>, tensor<8x128xi64>, tensor<1024xf64>
}
func.func private @increase(%a: tensor<1024xf64>) -> tensor<1024xf64> {
  %one = arith.constant dense<1.0> : tensor<1024xf64>
  %0 = arith.addf %a, %one : tensor<1024xf64>
  return %0 : tensor<1024xf64>
}
