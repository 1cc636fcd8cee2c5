// Collectives in control flow of manual computations: devices that they connect take
// one way together; where none connects them, each takes its own.

// RUN: split-file %s %t
// RUN: shard-run %t/regions.mlir --verify | FileCheck %s
// RUN: shard-run %t/regions.mlir --verify --seed 3 | FileCheck %s
// RUN: shard-run %t/blocks.mlir --verify | FileCheck %s
// CHECK: PASS
// RUN: not shard-run %t/other-way.mlir --verify 2>&1 | FileCheck %s --check-prefix=WAY
// WAY: other-way.mlir:{{[0-9:]+}} error: 'scf.for' op takes another way on device 1 than on device 0, but a collective inside connects them
// RUN: not shard-run %t/one-branch.mlir --verify 2>&1 | FileCheck %s --check-prefix=BRANCH
// BRANCH: one-branch.mlir:{{[0-9:]+}} error: 'shard.all_reduce' op {{.*}}device 1, which belongs to its group, does not reach it together with the others
// RUN: not shard-run %t/recursion.mlir --verify 2>&1 | FileCheck %s --check-prefix=RECURSION
// RECURSION: recursion.mlir:{{[0-9:]+}} error: calls, in a recursion, a function with collectives

//--- regions.mlir
shard.grid @grid(shape = 2x3)
func.func private @step(%v: tensor<4xf32>) -> tensor<4xf32> {
  %c = arith.constant dense<0.25> : tensor<4xf32>
  %1 = shard.all_reduce %v on @grid grid_axes = [1] : tensor<4xf32> -> tensor<4xf32>
  %2 = arith.mulf %1, %c : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func @main(%x: tensor<8x3xf32>, %n: index, %t: i1) -> (tensor<8x3xf32>) {
  %0 = shard.manual_computation(%x) on @grid
    in = [<@grid, [[0],[1]]>] out=[<@grid, [[0],[1]]>] axes = [0, 1] (%w : tensor<4x1xf32>) {
    %v = tensor.collapse_shape %w [[0, 1]] : tensor<4x1xf32> into tensor<4xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %i:2 = shard.process_multi_index on @grid : index, index
    %r = scf.for %k = %c0 to %c3 step %c1 iter_args(%a = %v) -> tensor<4xf32> {
      %b = shard.all_reduce %a on @grid grid_axes = [0] reduction = max : tensor<4xf32> -> tensor<4xf32>
      %d = arith.addf %b, %v : tensor<4xf32>
      %q = func.call @step(%d) : (tensor<4xf32>) -> tensor<4xf32>
      scf.yield %q : tensor<4xf32>
    }
    // trip count depends on axis 0, collective along axis 1
    %m = arith.addi %i#0, %c1 : index
    %r2 = scf.for %k = %c0 to %m step %c1 iter_args(%a = %r) -> tensor<4xf32> {
      %b = shard.shift %a on @grid grid_axes = [1] shift_axis = 1 offset = 1 rotate : tensor<4xf32> -> tensor<4xf32>
      %d = arith.addf %b, %v : tensor<4xf32>
      scf.yield %d : tensor<4xf32>
    }
    %r3 = scf.if %t -> tensor<4xf32> {
      %b = shard.all_reduce %r2 on @grid grid_axes = [0, 1] : tensor<4xf32> -> tensor<4xf32>
      scf.yield %b : tensor<4xf32>
    } else {
      %b = shard.broadcast %r2 on @grid grid_axes = [1] root = [2] : (tensor<4xf32>) -> tensor<4xf32>
      scf.yield %b : tensor<4xf32>
    }
    %z:2 = scf.while (%k = %c0, %a = %r3) : (index, tensor<4xf32>) -> (index, tensor<4xf32>) {
      %b = shard.all_reduce %a on @grid grid_axes = [0] reduction = average : tensor<4xf32> -> tensor<4xf32>
      %g = arith.cmpi slt, %k, %c3 : index
      scf.condition(%g) %k, %b : index, tensor<4xf32>
    } do {
     ^bb0(%k: index, %a: tensor<4xf32>):
      %k1 = arith.addi %k, %c1 : index
      %b = shard.all_gather %a on @grid grid_axes = [1] gather_axis = 0 : tensor<4xf32> -> tensor<12xf32>
      %e = tensor.extract_slice %b[%i#1] [4] [2] : tensor<12xf32> to tensor<4xf32>
      scf.yield %k1, %e : index, tensor<4xf32>
    }
    %s = scf.index_switch %n -> tensor<4xf32>
    case 1 {
      %b = shard.all_reduce %z#1 on @grid grid_axes = [0] : tensor<4xf32> -> tensor<4xf32>
      scf.yield %b : tensor<4xf32>
    }
    default {
      %b = shard.all_reduce %z#1 on @grid grid_axes = [1] : tensor<4xf32> -> tensor<4xf32>
      scf.yield %b : tensor<4xf32>
    }
    %o = tensor.expand_shape %s [[0, 1]] output_shape [4, 1] : tensor<4xf32> into tensor<4x1xf32>
    shard.return %o : tensor<4x1xf32>
  } : (tensor<8x3xf32>) -> tensor<8x3xf32>
  return %0 : tensor<8x3xf32>
}

//--- blocks.mlir
shard.grid @grid(shape = 4)
func.func private @steps(%v: tensor<2xf32>, %n: index) -> tensor<2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cf.br ^head(%c0, %v : index, tensor<2xf32>)
^head(%i: index, %a: tensor<2xf32>):
  %more = arith.cmpi slt, %i, %n : index
  cf.cond_br %more, ^body, ^exit
^body:
  %r = shard.shift %a on @grid grid_axes = [0] shift_axis = 0 offset = 1 rotate : tensor<2xf32> -> tensor<2xf32>
  %s = arith.addf %r, %v : tensor<2xf32>
  %next = arith.addi %i, %c1 : index
  cf.br ^head(%next, %s : index, tensor<2xf32>)
^exit:
  return %a : tensor<2xf32>
}
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %c3 = arith.constant 3 : index
  %m = shard.manual_computation(%x) on @grid in = [<@grid, [[0]]>] out = [<@grid, [[0]]>] axes = [0] (%v: tensor<2xf32>) {
    %r = func.call @steps(%v, %c3) : (tensor<2xf32>, index) -> tensor<2xf32>
    %q = scf.execute_region -> tensor<2xf32> {
      %b = shard.all_reduce %r on @grid grid_axes = [0] reduction = max : tensor<2xf32> -> tensor<2xf32>
      scf.yield %b : tensor<2xf32>
    }
    %t = arith.subf %q, %r : tensor<2xf32>
    shard.return %t : tensor<2xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %m : tensor<8xf32>
}

//--- other-way.mlir
shard.grid @grid(shape = 4)
func.func @main(%x: tensor<16xf32>, %j: index) -> (tensor<16xf32>) {
  %0 = shard.manual_computation(%x) on @grid
    in = [<@grid, [[0]]>] out=[<@grid, [[0]]>] axes = [0] (%v : tensor<4xf32>) {
    %i = shard.process_linear_index on @grid : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r = scf.for %k = %c0 to %i step %c1 iter_args(%a = %v) -> tensor<4xf32> {
      %got = shard.all_reduce %a on @grid grid_axes = [0] : tensor<4xf32> -> tensor<4xf32>
      scf.yield %got : tensor<4xf32>
    }
    shard.return %r : tensor<4xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

//--- one-branch.mlir
shard.grid @grid(shape = 4)
func.func @main(%x: tensor<16xf32>, %j: index) -> (tensor<16xf32>) {
  %0 = shard.manual_computation(%x) on @grid
    in = [<@grid, [[0]]>] out=[<@grid, [[0]]>] axes = [0] (%v : tensor<4xf32>) {
    %i = shard.process_linear_index on @grid : index
    %c0 = arith.constant 0 : index
    %c = arith.cmpi eq, %i, %c0 : index
    %r = scf.if %c -> tensor<4xf32> {
      %got = shard.all_reduce %v on @grid grid_axes = [0] : tensor<4xf32> -> tensor<4xf32>
      scf.yield %got : tensor<4xf32>
    } else {
      scf.yield %v : tensor<4xf32>
    }
    shard.return %r : tensor<4xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

//--- recursion.mlir
shard.grid @grid(shape = 4)
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = shard.all_reduce %x on @grid grid_axes = [0] : tensor<4xf32> -> tensor<4xf32>
  %1 = call @f(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>, %j: index) -> (tensor<4xf32>) {
  %0 = call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
