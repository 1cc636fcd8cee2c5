// RUN: shard-opt %s --shard-hoist-collectives --split-input-file | FileCheck %s
// RUN: shard-opt %s --pass-pipeline='builtin.module(func.func(shard-hoist-collectives))' --split-input-file | FileCheck %s

shard.grid @grid(shape = 2x2)

// The chain that a collective needs moves with it, through both loops; nothing else.
// CHECK-LABEL: func.func @nested
// CHECK: math.tanh
// CHECK-NEXT: shard.all_gather
// CHECK-NEXT: shard.all_slice
// CHECK-NEXT: scf.for
// CHECK: scf.for
// CHECK-NEXT: math.exp
func.func @nested(%x: tensor<8xf32>, %w: tensor<4xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<8xf32> {
    %s = scf.for %j = %c0 to %n step %c1 iter_args(%b = %a) -> tensor<8xf32> {
      %t = math.tanh %w : tensor<4xf32>
      %e = math.exp %x : tensor<8xf32>
      %g = shard.all_gather %t on @grid grid_axes = [0] gather_axis = 0 : tensor<4xf32> -> tensor<8xf32>
      %h = shard.all_slice %g on @grid grid_axes = [1] slice_axis = 0 : tensor<8xf32> -> tensor<4xf32>
      %k = tensor.insert_slice %h into %e[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
      %u = arith.addf %b, %k : tensor<8xf32>
      scf.yield %u : tensor<8xf32>
    }
    scf.yield %s : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

shard.grid @grid(shape = 2)

// What changes in the loop stays, and so does what depends on it.
// CHECK-LABEL: func.func @carried
// CHECK: scf.for
// CHECK-NEXT: shard.all_reduce
func.func @carried(%x: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<8xf32> {
    %s = shard.all_reduce %a on @grid grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
    scf.yield %s : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

shard.grid @grid(shape = 2)

// A branch that is never taken would pay for what it does not use.
// CHECK-LABEL: func.func @branch
// CHECK: scf.if
// CHECK-NEXT: shard.all_reduce
func.func @branch(%x: tensor<8xf32>, %n: index, %c: i1) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<8xf32> {
    %s = scf.if %c -> tensor<8xf32> {
      %t = shard.all_reduce %x on @grid grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
      scf.yield %t : tensor<8xf32>
    } else {
      scf.yield %a : tensor<8xf32>
    }
    scf.yield %s : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

shard.grid @grid(shape = 2)

// CHECK-LABEL: func.func @never
// CHECK: scf.for
// CHECK-NEXT: shard.all_reduce
func.func @never(%x: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c1 to %c0 step %c1 iter_args(%a = %x) -> tensor<8xf32> {
    %s = shard.all_reduce %x on @grid grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
    scf.yield %s : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

shard.grid @grid(shape = 2)

// A division may trap: it stays with what needs it.
// CHECK-LABEL: func.func @traps
// CHECK: scf.while
// CHECK: arith.divsi
// CHECK-NEXT: shard.all_reduce
func.func @traps(%x: tensor<8xi32>, %y: tensor<8xi32>, %c: i1) -> tensor<8xi32> {
  %r = scf.while (%a = %x) : (tensor<8xi32>) -> tensor<8xi32> {
    scf.condition(%c) %a : tensor<8xi32>
  } do {
  ^bb0(%a: tensor<8xi32>):
    %q = arith.divsi %x, %y : tensor<8xi32>
    %s = shard.all_reduce %q on @grid grid_axes = [0] : tensor<8xi32> -> tensor<8xi32>
    scf.yield %s : tensor<8xi32>
  }
  return %r : tensor<8xi32>
}

// -----

shard.grid @grid(shape = 2)

// Buffers change: a collective on them stays.
// CHECK-LABEL: func.func @buffers
// CHECK: scf.for
// CHECK-NEXT: shard.all_reduce
func.func @buffers(%x: memref<8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %0 = shard.all_reduce %x on @grid grid_axes = [0] : memref<8xf32> -> memref<8xf32>
  }
  return
}
