// Negative padding of tensor.pad cuts elements off: static, of both signs, more than
// there is, and of a width that comes from data.
//
// RUN: shard-run %s --output %t.0.npy --output %t.1.npy --output %t.2.npy --output %t.3.npy --output %t.4.npy --output %t.5.npy
// RUN: %python %S/Inputs/print_npy.py %t.0.npy %t.1.npy %t.2.npy %t.3.npy %t.4.npy %t.5.npy | FileCheck %s --check-prefix=VALUES
// VALUES: (2, 4) 7 5 6 7 7 7 7 7
// VALUES: (3,) 7 7 7
// VALUES: (4,) 3 4 7 7
// VALUES: (7,) 7 7 7 1 2 3 7
// VALUES: (4,) 7 7 1 2
// VALUES: (2, 1) 7 7
//
// An op of tosa: its lowering folds other ops too. Inlining does so as well.
// RUN: shard-run %s --entry tosa --output %t.tosa.npy
// RUN: %python %S/Inputs/print_npy.py %t.tosa.npy | FileCheck %s --check-prefix=TOSA
// RUN: shard-run %s --entry tosa --lift-constants --output %t.tosa.npy
// RUN: %python %S/Inputs/print_npy.py %t.tosa.npy | FileCheck %s --check-prefix=TOSA
// TOSA: (4,) 3 4 8 8
//
// So does the lowering of affine.
// RUN: shard-run %s --entry affine --output %t.affine.npy
// RUN: %python %S/Inputs/print_npy.py %t.affine.npy | FileCheck %s --check-prefix=AFFINE
// AFFINE: (4,) 7 1 2 3
//
// RUN: shard-run %s --verify --grid 3 --hint 'result0=[[],[0]]' --hint 'result4=[[0]]' | FileCheck %s
// RUN: shard-run %s --verify --grid 2x2 --hint 'result0=[[0],[1]]' --hint 'result1=[[0]]' | FileCheck %s
// RUN: shard-run %s --verify --grid 2 --hint 'tensor.pad#0:0=[[0],[]]' --hint 'tensor.pad#4:0=[[0]]' | FileCheck %s
// CHECK: PASS

func.func @main() -> (tensor<2x4xi32>, tensor<3xi32>, tensor<?xi32>, tensor<?xi32>, tensor<4xi32>, tensor<2x1xi32>) {
  %seven = arith.constant 7 : i32
  %x = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %both = tensor.pad %x low[-1, 0] high[1, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %seven : i32
  } : tensor<2x3xi32> to tensor<2x4xi32>
  %cut = tensor.pad %both low[0, -1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %seven : i32
  } : tensor<2x4xi32> to tensor<2x4xi32>
  %front = tensor.pad %cut low[0, 1] high[0, -1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %seven : i32
  } : tensor<2x4xi32> to tensor<2x4xi32>

  %y = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %all = tensor.pad %y low[-6] high[5] {
  ^bb0(%i: index):
    tensor.yield %seven : i32
  } : tensor<4xi32> to tensor<3xi32>
  %widths = arith.constant dense<[-2, 3, -1, 2]> : tensor<4xi64>
  %low, %high = call @widths(%widths) : (tensor<4xi64>) -> (index, index)
  %left = tensor.pad %y low[%low] high[2] {
  ^bb0(%i: index):
    tensor.yield %seven : i32
  } : tensor<4xi32> to tensor<?xi32>
  %c3 = arith.constant 3 : index
  %right = tensor.pad %y low[3] high[%high] {
  ^bb0(%i: index):
    tensor.yield %seven : i32
  } : tensor<4xi32> to tensor<?xi32>
  %more = tensor.pad %right low[0] high[1] {
  ^bb0(%i: index):
    tensor.yield %seven : i32
  } : tensor<?xi32> to tensor<?xi32>
  %positive = arith.subi %c3, %c3 : index
  %two = arith.subi %positive, %low : index
  %fixed = tensor.pad %y low[%two] high[%low] {
  ^bb0(%i: index):
    tensor.yield %seven : i32
  } : tensor<4xi32> to tensor<4xi32>
  %nothing = tensor.empty() : tensor<0x4xi32>
  %fresh = tensor.pad %nothing low[-1, 0] high[3, -3] {
  ^bb0(%i: index, %j: index):
    tensor.yield %seven : i32
  } : tensor<0x4xi32> to tensor<2x1xi32>
  return %front, %all, %left, %more, %fixed, %fresh : tensor<2x4xi32>, tensor<3xi32>, tensor<?xi32>, tensor<?xi32>, tensor<4xi32>, tensor<2x1xi32>
}
func.func private @widths(%t: tensor<4xi64>) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %a = tensor.extract %t[%c0] : tensor<4xi64>
  %b = tensor.extract %t[%c2] : tensor<4xi64>
  %low = arith.index_cast %a : i64 to index
  %high = arith.index_cast %b : i64 to index
  return %low, %high : index, index
}
func.func @tosa() -> tensor<4xi32> {
  %y = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %eight = arith.constant 8 : i32
  %0 = tensor.pad %y low[-2] high[2] {
  ^bb0(%i: index):
    tensor.yield %eight : i32
  } : tensor<4xi32> to tensor<4xi32>
  %1 = tosa.identity %0 : (tensor<4xi32>) -> tensor<4xi32>
  return %1 : tensor<4xi32>
}

func.func @affine() -> tensor<4xi32> {
  %seven = arith.constant 7 : i32
  %y = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %r = affine.for %i = 0 to 1 iter_args(%v = %y) -> tensor<4xi32> {
    %p = tensor.pad %v low[1] high[-1] {
    ^bb0(%j: index):
      tensor.yield %seven : i32
    } : tensor<4xi32> to tensor<4xi32>
    affine.yield %p : tensor<4xi32>
  }
  return %r : tensor<4xi32>
}
