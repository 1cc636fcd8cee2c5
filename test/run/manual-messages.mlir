// Messages between devices, halos, dynamic coordinates and reductions by a region in
// manual computations.

// RUN: split-file %s %t
// RUN: shard-run %t/ring.mlir --verify | FileCheck %s
// RUN: shard-run %t/send.mlir --verify | FileCheck %s
// RUN: shard-run %t/branches.mlir --verify | FileCheck %s
// RUN: shard-run %t/halos.mlir --verify | FileCheck %s
// RUN: shard-run %t/run-time.mlir --verify | FileCheck %s
// RUN: shard-run %t/run-time.mlir --verify --seed 1 | FileCheck %s
// RUN: shard-run %t/combiners.mlir --verify | FileCheck %s
// CHECK: PASS
// RUN: not shard-run %t/nobody-sends.mlir --verify 2>&1 | FileCheck %s --check-prefix=NOBODY
// NOBODY: nobody-sends.mlir:{{[0-9:]+}} error: receives a message that no send in the same block is for
// RUN: not shard-run %t/before.mlir --verify 2>&1 | FileCheck %s --check-prefix=BEFORE
// BEFORE: before.mlir:{{[0-9:]+}} error: 'shard.recv' op {{.*}}no send before it in this block can be the one that it receives from
// RUN: not shard-run %t/no-such.mlir --verify 2>&1 | FileCheck %s --check-prefix=SUCH
// SUCH: no-such.mlir:{{[0-9:]+}} error: 'shard.send' op names coordinate 4 of an axis of 4 devices

//--- ring.mlir
// The place that a device sends to depends on the loop's variable.
shard.grid @grid(shape = 4)
func.func @main(%x: tensor<16xf32>) -> (tensor<16xf32>) {
  %0 = shard.manual_computation(%x) on @grid
    in = [<@grid, [[0]]>] out=[<@grid, [[0]]>] axes = [0] (%v : tensor<4xf32>) {
    %i = shard.process_linear_index on @grid : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %r = scf.for %k = %c1 to %c4 step %c1 iter_args(%a = %v) -> tensor<4xf32> {
      %n = arith.addi %i, %k : index
      %d = arith.remui %n, %c4 : index
      %m0 = arith.addi %i, %c4 : index
      %m = arith.subi %m0, %k : index
      %s = arith.remui %m, %c4 : index
      %sent = shard.send %v on @grid grid_axes = [0] destination = [%d] : (tensor<4xf32>, index) -> tensor<4xf32>
      %got = shard.recv %v on @grid grid_axes = [0] source = [%s] : (tensor<4xf32>, index) -> tensor<4xf32>
      %kk = arith.index_cast %k : index to i32
      %f = arith.sitofp %kk : i32 to f32
      %sp = tensor.splat %f : tensor<4xf32>
      %g = arith.mulf %got, %sp : tensor<4xf32>
      %q = arith.addf %a, %g : tensor<4xf32>
      scf.yield %q : tensor<4xf32>
    }
    shard.return %r : tensor<4xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

//--- send.mlir
shard.grid @grid(shape = 4)
func.func @main(%x: tensor<16xf32>) -> (tensor<16xf32>) {
  %0 = shard.manual_computation(%x) on @grid
    in = [<@grid, [[0]]>] out=[<@grid, [[0]]>] axes = [0] (%v : tensor<4xf32>) {
    %i = shard.process_linear_index on @grid : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %n = arith.addi %i, %c1 : index
    %d = arith.remui %n, %c4 : index
    %m = arith.addi %i, %c3 : index
    %s = arith.remui %m, %c4 : index
    %sent = shard.send %v on @grid grid_axes = [0] destination = [%d] : (tensor<4xf32>, index) -> tensor<4xf32>
    %got = shard.recv %v on @grid grid_axes = [0] source = [%s] : (tensor<4xf32>, index) -> tensor<4xf32>
    %r = arith.addf %sent, %got : tensor<4xf32>
    shard.return %r : tensor<4xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

//--- branches.mlir
shard.grid @grid(shape = 3)
func.func @main(%x: tensor<12xf32>) -> (tensor<12xf32>) {
  %0 = shard.manual_computation(%x) on @grid
    in = [<@grid, [[0]]>] out=[<@grid, [[0]]>] axes = [0] (%v : tensor<4xf32>) {
    %i = shard.process_linear_index on @grid : index
    %r = scf.index_switch %i -> tensor<4xf32>
    case 0 {
      %got = shard.recv %v on @grid grid_axes = [0] source = [2] : (tensor<4xf32>) -> tensor<4xf32>
      scf.yield %got : tensor<4xf32>
    }
    case 1 {
      %sent = shard.send %v on @grid grid_axes = [0] destination = [2] : (tensor<4xf32>) -> tensor<4xf32>
      %got = shard.recv %v on @grid grid_axes = [0] source = [2] : (tensor<4xf32>) -> tensor<4xf32>
      %z = arith.addf %got, %v : tensor<4xf32>
      scf.yield %z : tensor<4xf32>
    }
    default {
      %got = shard.recv %v on @grid grid_axes = [0] : (tensor<4xf32>) -> tensor<4xf32>
      %sq = arith.mulf %got, %got : tensor<4xf32>
      %s1 = shard.send %sq on @grid grid_axes = [0] destination = [1] : (tensor<4xf32>) -> tensor<4xf32>
      %s2 = shard.send %got on @grid grid_axes = [0] destination = [0] : (tensor<4xf32>) -> tensor<4xf32>
      scf.yield %s1 : tensor<4xf32>
    }
    shard.return %r : tensor<4xf32>
  } : (tensor<12xf32>) -> tensor<12xf32>
  return %0 : tensor<12xf32>
}

//--- halos.mlir
shard.grid @grid(shape = 4)
func.func @main(%x: tensor<16x4xf32>) -> (tensor<16x4xf32>) {
  %0 = shard.manual_computation(%x) on @grid
    in = [<@grid, [[0],[]]>] out=[<@grid, [[0], []]>] axes = [0] (%v : tensor<4x4xf32>) {
    %z = arith.constant dense<0.0> : tensor<6x4xf32>
    %p = tensor.insert_slice %v into %z[1, 0][4, 4][1, 1] : tensor<4x4xf32> into tensor<6x4xf32>
    %h = shard.update_halo %p on @grid split_axes = [[0]] halo_sizes = [1, 1] : tensor<6x4xf32>
    %u = tensor.extract_slice %h[0, 0][4, 4][1, 1] : tensor<6x4xf32> to tensor<4x4xf32>
    %d = tensor.extract_slice %h[2, 0][4, 4][1, 1] : tensor<6x4xf32> to tensor<4x4xf32>
    %s = arith.addf %u, %d : tensor<4x4xf32>
    shard.return %s : tensor<4x4xf32>
  } : (tensor<16x4xf32>) -> tensor<16x4xf32>
  return %0 : tensor<16x4xf32>
}

//--- run-time.mlir
// dynamic halo widths in a manual body, dynamic roots
shard.grid @grid(shape = 2x2)
func.func @main(%x: tensor<4x8xi32>, %j: i64, %k: index) -> (tensor<4x8xi32>, tensor<4x8xi32>) {
  %0:2 = shard.manual_computation(%x) on @grid
    in = [<@grid, [[0],[1]]>] out=[<@grid, [[0],[1]]>, <@grid, [[0],[1]]>] axes = [0, 1] (%v : tensor<2x4xi32>) {
    %c1 = arith.constant 1 : i64
    %c2 = arith.constant 2 : i64
    %c1i = arith.constant 1 : index
    %a = arith.andi %j, %c1 : i64
    %h = shard.update_halo %v on @grid split_axes = [[0], [1]] halo_sizes = [0, 1, %a, 1] : tensor<2x4xi32>
    %r = arith.andi %k, %c1i : index
    %b = shard.broadcast %v on @grid grid_axes = [1] root = [%r] : (tensor<2x4xi32>, index) -> tensor<2x4xi32>
    %n0, %n1 = shard.neighbors_linear_indices on @grid[%r, %c1i] split_axes = [0] : index, index
    %n = arith.index_cast %n0 : index to i32
    %m = arith.index_cast %n1 : index to i32
    %q = arith.addi %n, %m : i32
    %sp = tensor.splat %q : tensor<2x4xi32>
    %bb = arith.addi %b, %sp : tensor<2x4xi32>
    shard.return %h, %bb : tensor<2x4xi32>, tensor<2x4xi32>
  } : (tensor<4x8xi32>) -> (tensor<4x8xi32>, tensor<4x8xi32>)
  return %0#0, %0#1 : tensor<4x8xi32>, tensor<4x8xi32>
}

//--- combiners.mlir
// Free axis 0 splits the dimensions that the combiner does not care about.
shard.grid @grid(shape = 2x3)
func.func @main(%x: tensor<4x6xf32> {shard.sharding = #shard.sharding<@grid, [[0],[1]]>}, %f: f64) -> (tensor<4x2xf64>, tensor<3x6xf32>) {
  %0:2 = shard.manual_computation(%x) on @grid
    in = [<@grid, [[?],[1]]>] out=[<@grid, [[?],[]], replicated = [1]>, <@grid, [[1],[?]]>] axes = [1] (%w : tensor<4x2xf32>) {
    %a = shard.all_reduce %w on @grid grid_axes = [1] reduction = generic combiner {
     ^bb0(%p: f64, %q: f64):
      %m = arith.maximumf %p, %q : f64
      %h = arith.addf %m, %f : f64
      %h2 = arith.subf %h, %f : f64
      shard.return %h2 : f64
    } : tensor<4x2xf32> -> tensor<4x2xf64>
    %e = tensor.empty() : tensor<6x4xf32>
    %cc = tensor.concat dim(1) %w, %w, %w : (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x6xf32>
    %t = linalg.transpose ins(%cc: tensor<4x6xf32>) outs(%e: tensor<6x4xf32>) permutation = [1, 0]
    %s = tensor.extract_slice %cc[0, 0][3, 6][1, 1] : tensor<4x6xf32> to tensor<3x6xf32>
    %b = shard.reduce_scatter %s on @grid grid_axes = [1] reduction = generic combiner {
     ^bb0(%p: f32, %q: f32):
      %m = arith.addf %p, %q : f32
      shard.return %m : f32
    } scatter_axis = 0 : tensor<3x6xf32> -> tensor<1x6xf32>
    shard.return %a, %b : tensor<4x2xf64>, tensor<1x6xf32>
  } : (tensor<4x6xf32>) -> (tensor<4x2xf64>, tensor<3x6xf32>)
  return %0#0, %0#1 : tensor<4x2xf64>, tensor<3x6xf32>
}

//--- nobody-sends.mlir
shard.grid @grid(shape = 3)
func.func @main(%x: tensor<12xf32>) -> (tensor<12xf32>) {
  %0 = shard.manual_computation(%x) on @grid
    in = [<@grid, [[0]]>] out=[<@grid, [[0]]>] axes = [0] (%v : tensor<4xf32>) {
    %i = shard.process_linear_index on @grid : index
    %r = scf.index_switch %i -> tensor<4xf32>
    case 0 {
      %got = shard.recv %v on @grid grid_axes = [0] source = [0] : (tensor<4xf32>) -> tensor<4xf32>
      scf.yield %got : tensor<4xf32>
    }
    case 1 {
      %sent = shard.send %v on @grid grid_axes = [0] destination = [2] : (tensor<4xf32>) -> tensor<4xf32>
      %got = shard.recv %v on @grid grid_axes = [0] source = [0] : (tensor<4xf32>) -> tensor<4xf32>
      %z = arith.addf %got, %v : tensor<4xf32>
      scf.yield %z : tensor<4xf32>
    }
    default {
      %got = shard.recv %v on @grid grid_axes = [0] : (tensor<4xf32>) -> tensor<4xf32>
      %sq = arith.mulf %got, %got : tensor<4xf32>
      %s1 = shard.send %sq on @grid grid_axes = [0] destination = [1] : (tensor<4xf32>) -> tensor<4xf32>
      %s2 = shard.send %got on @grid grid_axes = [0] destination = [0] : (tensor<4xf32>) -> tensor<4xf32>
      scf.yield %s1 : tensor<4xf32>
    }
    shard.return %r : tensor<4xf32>
  } : (tensor<12xf32>) -> tensor<12xf32>
  return %0 : tensor<12xf32>
}

//--- before.mlir
shard.grid @grid(shape = 4)
func.func @main(%x: tensor<16xf32>, %j: index) -> (tensor<16xf32>) {
  %0 = shard.manual_computation(%x) on @grid
    in = [<@grid, [[0]]>] out=[<@grid, [[0]]>] axes = [0] (%v : tensor<4xf32>) {
    %i = shard.process_linear_index on @grid : index
      %got = shard.recv %v on @grid grid_axes = [0] source = [%j] : (tensor<4xf32>, index) -> tensor<4xf32>
      %sent = shard.send %v on @grid grid_axes = [0] destination = [%j] : (tensor<4xf32>, index) -> tensor<4xf32>
    shard.return %got : tensor<4xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

//--- no-such.mlir
shard.grid @grid(shape = 4)
func.func @main(%x: tensor<16xf32>) -> (tensor<16xf32>) {
  %0 = shard.manual_computation(%x) on @grid
    in = [<@grid, [[0]]>] out=[<@grid, [[0]]>] axes = [0] (%v : tensor<4xf32>) {
    %i = shard.process_linear_index on @grid : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %n = arith.addi %c3, %c1 : index
    %d = arith.remui %n, %c4 : index
    %m = arith.addi %i, %c3 : index
    %s = arith.remui %m, %c4 : index
    %sent = shard.send %v on @grid grid_axes = [0] destination = [%n] : (tensor<4xf32>, index) -> tensor<4xf32>
    %got = shard.recv %v on @grid grid_axes = [0] source = [%s] : (tensor<4xf32>, index) -> tensor<4xf32>
    %r = arith.addf %sent, %got : tensor<4xf32>
    shard.return %r : tensor<4xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
