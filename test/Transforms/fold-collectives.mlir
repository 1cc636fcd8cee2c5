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

// -----

// Fills are one number on all devices, as constants are.
// CHECK-LABEL: func.func @fills
// CHECK-NOT: @grid
// CHECK-DAG: %[[C:.*]] = arith.constant dense<2.000000e+00> : tensor<8x1xf32>
// CHECK-DAG: %[[Z:.*]] = arith.constant dense<0.000000e+00> : tensor<2x4xf32>
// CHECK: %[[S:.*]] = shard.all_reduce %{{.*}} on @grid
// CHECK: %[[D:.*]] = shard.all_gather %{{.*}} on @grid
// CHECK: return %[[C]], %[[Z]], %[[S]], %[[D]]
shard.grid @grid(shape = 4)
func.func @fills(%n: index) -> (tensor<8x1xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<?x4xf32>) {
  %two = arith.constant 2.0 : f32
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x4xf32>
  %f = linalg.fill ins(%two : f32) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
  %g = linalg.fill ins(%zero : f32) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
  %0 = shard.redistribute %f on @grid grid_axes = [0] from = [[0], []] to = [[], [0]] extents = [8, 4] : tensor<2x4xf32> -> tensor<8x1xf32>
  %1 = shard.all_reduce %g on @grid grid_axes = [0] : tensor<2x4xf32> -> tensor<2x4xf32>
  // Sums of floats round.
  %2 = shard.all_reduce %f on @grid grid_axes = [0] : tensor<2x4xf32> -> tensor<2x4xf32>
  %d = tensor.empty(%n) : tensor<?x4xf32>
  %h = linalg.fill ins(%two : f32) outs(%d : tensor<?x4xf32>) -> tensor<?x4xf32>
  %3 = shard.all_gather %h on @grid grid_axes = [0] gather_axis = 0 : tensor<?x4xf32> -> tensor<?x4xf32>
  return %0, %1, %2, %3 : tensor<8x1xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<?x4xf32>
}

// -----

// A halo of equal elements is there already.
// CHECK-LABEL: func.func @halo_of_fill
// CHECK: %[[C:.*]] = arith.constant dense<1.000000e+00> : tensor<6xf32>
// CHECK: return %[[C]]
shard.grid @grid(shape = 4)
func.func @halo_of_fill() -> tensor<6xf32> {
  %c = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<6xf32>
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<6xf32>) -> tensor<6xf32>
  %u = shard.update_halo %f on @grid split_axes = [[0]] halo_sizes = [1, 1] : tensor<6xf32>
  return %u : tensor<6xf32>
}
