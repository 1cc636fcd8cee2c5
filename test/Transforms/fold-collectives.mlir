// What canonicalize and cse do, in one pass, on modules and on functions.
//
// RUN: shard-opt %s --split-input-file --shard-fold-collectives | FileCheck %s
// RUN: shard-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(shard-fold-collectives))' | FileCheck %s

// CHECK-LABEL: func.func @fold
// CHECK: %[[S:.*]] = shard.reduce_scatter
// CHECK: %[[N:.*]] = arith.negf %[[S]]
// CHECK: return %[[N]], %[[N]]
shard.grid @grid(shape = 4)
func.func @fold(%x: tensor<8xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %a = shard.all_reduce %x on @grid grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %s = shard.all_slice %a on @grid grid_axes = [0] slice_axis = 0 : tensor<8xf32> -> tensor<2xf32>
  %t = arith.negf %s : tensor<2xf32>
  %u = arith.negf %s : tensor<2xf32>
  return %t, %u : tensor<2xf32>, tensor<2xf32>
}

// -----

// Blocks that are never reached go away, with what they send.
// CHECK-LABEL: func.func @branches
// CHECK-NOT: shard.all_reduce
// CHECK: return %{{.*}} : tensor<8xf32>
shard.grid @grid(shape = 4)
func.func @branches(%x: tensor<8xf32>) -> tensor<8xf32> {
  %true = arith.constant true
  cf.cond_br %true, ^bb1(%x : tensor<8xf32>), ^bb2
^bb1(%r: tensor<8xf32>):
  return %r : tensor<8xf32>
^bb2:
  %a = shard.all_reduce %x on @grid grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  cf.br ^bb1(%a : tensor<8xf32>)
}

// -----

// A function without a body, and a program that has nothing to fold: it stays as it is.
// CHECK-LABEL: func.func @nothing
// CHECK: shard.all_reduce
shard.grid @grid(shape = 4)
func.func private @declared(tensor<8xf32>)
func.func @nothing(%x: tensor<8xf32>) -> tensor<8xf32> {
  %a = shard.all_reduce %x on @grid grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  return %a : tensor<8xf32>
}

// -----

// An index that may be out of range stays one of the tensor: it is moved into it later.
// CHECK-LABEL: func.func @generated
// CHECK: tensor.generate
// CHECK: tensor.extract
func.func @generated(%n: i32, %i: index) -> i32 {
  %t = tensor.generate {
  ^bb0(%j: index):
    %c = arith.index_cast %j : index to i32
    %s = arith.ori %n, %c : i32
    tensor.yield %s : i32
  } : tensor<3xi32>
  %e = tensor.extract %t[%i] : tensor<3xi32>
  return %e : i32
}

// -----

// Of 24 elements in blocks of 8 each second one carries data. 26 iterations in blocks of 9 read
// the element two in front of them: no device needs one of another, and nothing is exchanged.
// Where each element counts, the exchange stays.
// CHECK-LABEL: func.func @silent
// CHECK-NEXT: %[[ALL:.*]] = shard.update_halo %arg0
// CHECK-NEXT: return %arg0, %[[ALL]]
shard.grid @grid(shape = 3)
func.func @silent(%x: tensor<9xf32>) -> (tensor<9xf32>, tensor<9xf32>) {
  %a = shard.update_halo %x on @grid split_axes = [[0]] halo_sizes = [1, 0]
      {shard.windows = [array<i64: 26, 1, -2, 1, 0, 24, 2>]} : tensor<9xf32>
  %b = shard.update_halo %x on @grid split_axes = [[0]] halo_sizes = [1, 0]
      {shard.windows = [array<i64: 26, 1, -2, 1, 0, 24>]} : tensor<9xf32>
  return %a, %b : tensor<9xf32>, tensor<9xf32>
}
