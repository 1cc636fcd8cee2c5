// Elements of a result that linalg.generic does not write are those of its init: off
// the diagonal, below an offset, where a loop is empty; beside another result that is
// written as a whole.
//
// RUN: shard-run %s --output %t.0.npy --output %t.1.npy --output %t.2.npy --output %t.3.npy --output %t.4.npy
// RUN: %python %S/Inputs/print_npy.py %t.0.npy %t.1.npy %t.2.npy %t.3.npy %t.4.npy | FileCheck %s --check-prefix=VALUES
// VALUES: (3, 3) 1.0 7.0 7.0 7.0 2.0 7.0 7.0 7.0 3.0
// VALUES: (5,) 10.0 20.0 1.0 2.0 3.0
// VALUES: (3,) 2.0 3.0 4.0
// VALUES: (3, 2) 7 0 7 1 7 2
// VALUES: (2,) 8.0 9.0
//
// RUN: shard-run %s --verify --grid 3 --hint 'result0=[[0],[]]' --hint 'result1=[[0]]' --hint 'result3=[[0],[]]' | FileCheck %s
// RUN: shard-run %s --verify --grid 2x2 --hint 'result0=[[],[0,1]]' --hint 'result2=[[1]]' --hint 'result3=[[],[0]]' | FileCheck %s
// RUN: shard-run %s --verify --grid 2 --hint 'linalg.generic#0:0=[[]], partial = sum [0]' | FileCheck %s
// CHECK: PASS

#id = affine_map<(i) -> (i)>
func.func @main() -> (tensor<3x3xf32>, tensor<5xf32>, tensor<3xf32>, tensor<3x2xi32>, tensor<2xf32>) {
  %x = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %seven = arith.constant dense<7.0> : tensor<3x3xf32>
  %diagonal = linalg.generic {indexing_maps = [#id, affine_map<(i) -> (i, i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<3xf32>) outs(%seven : tensor<3x3xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<3x3xf32>

  %tens = arith.constant dense<[10.0, 20.0, 30.0, 40.0, 50.0]> : tensor<5xf32>
  %zeros = arith.constant dense<0.0> : tensor<3xf32>
  %one = arith.constant 1.0 : f32
  %offset:2 = linalg.generic {indexing_maps = [#id, affine_map<(i) -> (i + 2)>, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<3xf32>) outs(%tens, %zeros : tensor<5xf32>, tensor<3xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.addf %a, %one : f32
    linalg.yield %a, %d : f32, f32
  } -> (tensor<5xf32>, tensor<3xf32>)

  %sevens = arith.constant dense<7> : tensor<3x2xi32>
  %column = linalg.generic {indexing_maps = [#id, affine_map<(i) -> (i, 1)>], iterator_types = ["parallel"]}
      ins(%x : tensor<3xf32>) outs(%sevens : tensor<3x2xi32>) {
  ^bb0(%a: f32, %b: i32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i32
    linalg.yield %j : i32
  } -> tensor<3x2xi32>

  %none = tensor.empty() : tensor<2x0xf32>
  %init = arith.constant dense<[8.0, 9.0]> : tensor<2xf32>
  %empty = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%none : tensor<2x0xf32>) outs(%init : tensor<2xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<2xf32>
  return %diagonal, %offset#0, %offset#1, %column, %empty : tensor<3x3xf32>, tensor<5xf32>, tensor<3xf32>, tensor<3x2xi32>, tensor<2xf32>
}
