// Propagation cuts axis "x" of size 4, on which a body has collectives, because a
// value outside is split by a part of it. The body must mean what it meant.
//
// RUN: split-file %s %t
// RUN: shard-opt %t/groups.mlir --sharding-propagation | FileCheck %s
// RUN: shard-run %t/groups.mlir --verify | FileCheck %s --check-prefix=PASS
// RUN: shard-run %t/stays.mlir --verify | FileCheck %s --check-prefix=PASS
// RUN: shard-run %t/whole.mlir --verify | FileCheck %s --check-prefix=PASS
// RUN: shard-run %t/nested.mlir --verify | FileCheck %s --check-prefix=PASS
// RUN: shard-opt %t/stays.mlir --sharding-propagation | FileCheck %s --check-prefix=STAYS
// RUN: shard-opt %t/whole.mlir --sharding-propagation | FileCheck %s --check-prefix=WHOLE
// PASS: PASS
//
// The result of propagation runs as well, and propagates to itself.
// RUN: shard-opt %t/stays.mlir --sharding-propagation -o %t/once.mlir
// RUN: shard-run %t/once.mlir --verify | FileCheck %s --check-prefix=PASS
// RUN: shard-opt %t/once.mlir --sharding-propagation | diff %t/once.mlir -
// RUN: shard-opt %t/stays.mlir --sharding-propagation --shard-partition --shard-verify-spmd
// RUN: shard-opt %t/rest.mlir --shard-spmd --shard-verify-spmd | FileCheck %s --check-prefix=REST

//--- groups.mlir
// The device groups are those of the axes that "x" is cut into.
// CHECK: shard.grid @grid_0(shape = 2x2x2) {refines = @grid}
// CHECK-LABEL: func.func @main(
// CHECK: on @grid_0 in = [<@grid_0, {{\[\[0, 1, 2\], \[\]\]}}>] out = {{.*}} axes = [0, 1, 2]
// CHECK: shard.all_reduce %{{.*}} on @grid_0 grid_axes = [2]
// CHECK: shard.all_reduce %{{.*}} on @grid_0 grid_axes = [2, 0, 1] reduction = max
// CHECK: shard.all_gather %{{.*}} on @grid_0 grid_axes = [0, 1] gather_axis = 0
// CHECK: shard.all_to_all %{{.*}} on @grid_0 grid_axes = [0, 1] split_axis = 1 concat_axis = 0
// CHECK: shard.all_slice %{{.*}} on @grid_0 grid_axes = [0, 1] slice_axis = 0
// CHECK: shard.reduce_scatter %{{.*}} on @grid_0 grid_axes = [0, 1] scatter_axis = 1
// CHECK: shard.permute %{{.*}} on @grid_0 from_axes = [0, 1, 2] to_axes = [2, 0, 1]
// CHECK: shard.shift %{{.*}} on @grid_0 grid_axes = [0, 1, 2] shift_axis = 2 offset = 1 rotate
// CHECK: shard.broadcast %{{.*}} on @grid_0 grid_axes = [2] root = [1]
// CHECK: shard.process_linear_index on @grid_0
// CHECK: shard.process_multi_index on @grid_0 axes = [2]
shard.grid @grid(shape = 4x2) axes ["x", "y"]
func.func @main(%a: tensor<16x8xi32>, %c: tensor<4x4xi32> {shard.sharding = #shard.sharding<@grid, [["x":(1)2], []]>})
    -> (tensor<16x8xi32>, tensor<4x4xi32>) {
  %m = shard.manual_computation(%a) on @grid
      in = [<@grid, [["x", "y"], []]>] out = [<@grid, [["x", "y"], []]>] axes = ["x", "y"]
      (%p: tensor<2x8xi32>) {
    %0 = shard.all_reduce %p on @grid grid_axes = [1] : tensor<2x8xi32> -> tensor<2x8xi32>
    %1 = shard.all_reduce %p on @grid grid_axes = [1, 0] reduction = max : tensor<2x8xi32> -> tensor<2x8xi32>
    %2 = shard.all_gather %p on @grid grid_axes = [0] gather_axis = 0 : tensor<2x8xi32> -> tensor<8x8xi32>
    %3 = shard.all_to_all %p on @grid grid_axes = [0] split_axis = 1 concat_axis = 0 : tensor<2x8xi32> -> tensor<8x2xi32>
    %4 = shard.all_slice %2 on @grid grid_axes = [0] slice_axis = 0 : tensor<8x8xi32> -> tensor<2x8xi32>
    %5 = shard.reduce_scatter %2 on @grid grid_axes = [0] scatter_axis = 1 : tensor<8x8xi32> -> tensor<8x2xi32>
    %6 = shard.permute %p on @grid from_axes = [0, 1] to_axes = [1, 0] : tensor<2x8xi32>
    %7 = shard.shift %p on @grid grid_axes = [0, 1] shift_axis = 1 offset = 1 rotate : tensor<2x8xi32> -> tensor<2x8xi32>
    %8 = shard.broadcast %p on @grid grid_axes = [1] root = [1] : (tensor<2x8xi32>) -> tensor<2x8xi32>
    %9 = arith.muli %3, %5 : tensor<8x2xi32>
    %10 = tensor.extract_slice %9[3, 0] [1, 2] [1, 1] : tensor<8x2xi32> to tensor<2xi32>
    %11 = linalg.broadcast ins(%10 : tensor<2xi32>) outs(%p : tensor<2x8xi32>) dimensions = [1]
    %12 = arith.addi %0, %1 : tensor<2x8xi32>
    %13 = arith.subi %12, %4 : tensor<2x8xi32>
    %14 = arith.muli %13, %6 : tensor<2x8xi32>
    %15 = arith.addi %14, %7 : tensor<2x8xi32>
    %16 = arith.subi %15, %8 : tensor<2x8xi32>
    %17 = arith.addi %16, %11 : tensor<2x8xi32>
    %k = shard.process_linear_index on @grid : index
    %y = shard.process_multi_index on @grid axes = [1] : index
    %n = arith.addi %k, %y : index
    %i = arith.index_cast %n : index to i32
    %s = tensor.splat %i : tensor<2x8xi32>
    %r = arith.addi %17, %s : tensor<2x8xi32>
    shard.return %r : tensor<2x8xi32>
  } : (tensor<16x8xi32>) -> tensor<16x8xi32>
  %d = arith.addi %c, %c : tensor<4x4xi32>
  return %m, %d : tensor<16x8xi32>, tensor<4x4xi32>
}

//--- stays.mlir
// What names coordinates on "x", or cuts unevenly by it, stays on the given grid:
// 5 falls into 2 2 1 0 by an axis of 4, into 2 1 1 1 by two of 2.
// STAYS-LABEL: func.func @main(
// STAYS: on @grid_0 in = {{.*}} axes = [0, 1]
// STAYS: shard.all_slice %{{.*}} on @grid grid_axes = [0] slice_axis = 0
// STAYS: shard.all_gather %{{.*}} on @grid grid_axes = [0] gather_axis = 0
// STAYS: shard.shift %{{.*}} on @grid_0 grid_axes = [0, 1] shift_axis = 0 minor_axes = [1] offset = 1 rotate
// STAYS: shard.broadcast %{{.*}} on @grid grid_axes = [0] root = [2]
// STAYS: shard.process_multi_index on @grid axes = [0]
// STAYS: shard.all_reduce %{{.*}} on @grid_0 grid_axes = [0, 1]
shard.grid @grid(shape = 4x2) axes ["x", "y"]
func.func @main(%a: tensor<20xi32> {shard.sharding = #shard.sharding<@grid, [["x", ?]]>},
                %c: tensor<4x4xi32> {shard.sharding = #shard.sharding<@grid, [["x":(1)2], ["x":(2)2]]>})
    -> (tensor<20xi32>, tensor<4x4xi32>) {
  %m = shard.manual_computation(%a) on @grid
      in = [<@grid, [["x", ?]]>] out = [<@grid, [["x", ?]]>] axes = ["x"]
      (%p: tensor<5xi32>) {
    %0 = shard.all_slice %p on @grid grid_axes = [0] slice_axis = 0 : tensor<5xi32> -> tensor<2xi32>
    %1 = shard.all_gather %0 on @grid grid_axes = [0] gather_axis = 0 : tensor<2xi32> -> tensor<5xi32>
    %2 = shard.shift %p on @grid grid_axes = [0] shift_axis = 0 offset = 1 rotate : tensor<5xi32> -> tensor<5xi32>
    %3 = shard.broadcast %p on @grid grid_axes = [0] root = [2] : (tensor<5xi32>) -> tensor<5xi32>
    %x = shard.process_multi_index on @grid axes = [0] : index
    %i = arith.index_cast %x : index to i32
    %s = tensor.splat %i : tensor<5xi32>
    %4 = shard.all_reduce %s on @grid grid_axes = [0] : tensor<5xi32> -> tensor<5xi32>
    %5 = arith.muli %1, %2 : tensor<5xi32>
    %6 = arith.addi %5, %3 : tensor<5xi32>
    %7 = arith.muli %s, %4 : tensor<5xi32>
    %8 = arith.addi %6, %7 : tensor<5xi32>
    shard.return %8 : tensor<5xi32>
  } : (tensor<20xi32>) -> tensor<20xi32>
  %d = arith.addi %c, %c : tensor<4x4xi32>
  return %m, %d : tensor<20xi32>, tensor<4x4xi32>
}

//--- whole.mlir
// An axis behind the one that is cut has another number.
// WHOLE-LABEL: func.func @main(
// WHOLE: on @grid_0 in = {{.*}} axes = [2]
// WHOLE: shard.all_gather %{{.*}} on @grid_0 grid_axes = [2] gather_axis = 0
// WHOLE: shard.all_slice %{{.*}} on @grid_0 grid_axes = [2] slice_axis = 0
// WHOLE: shard.process_multi_index on @grid_0 axes = [2]
shard.grid @grid(shape = 4x2) axes ["x", "y"]
func.func @main(%a: tensor<6x4xi32>, %c: tensor<8xi32> {shard.sharding = #shard.sharding<@grid, [["x"]]>})
    -> (tensor<6x4xi32>, tensor<2x4xi32>) {
  %m = shard.manual_computation(%a) on @grid
      in = [<@grid, [["y"], [?]]>] out = [<@grid, [["y"], [?]]>] axes = ["y"]
      (%p: tensor<3x4xi32>) {
    %w = shard.all_gather %p on @grid grid_axes = [1] gather_axis = 0 : tensor<3x4xi32> -> tensor<6x4xi32>
    %b = tensor.extract_slice %w[1, 0] [5, 4] [1, 1] : tensor<6x4xi32> to tensor<5x4xi32>
    %u = shard.all_slice %b on @grid grid_axes = [1] slice_axis = 0 : tensor<5x4xi32> -> tensor<3x4xi32>
    %g = shard.all_gather %u on @grid grid_axes = [1] gather_axis = 0 : tensor<3x4xi32> -> tensor<5x4xi32>
    %h = tensor.extract_slice %g[2, 0] [3, 4] [1, 1] : tensor<5x4xi32> to tensor<3x4xi32>
    %y = shard.process_multi_index on @grid axes = [1] : index
    %i = arith.index_cast %y : index to i32
    %s = tensor.splat %i : tensor<3x4xi32>
    %r = arith.addi %h, %s : tensor<3x4xi32>
    shard.return %r : tensor<3x4xi32>
  } : (tensor<6x4xi32>) -> tensor<6x4xi32>
  %d = tensor.expand_shape %c [[0, 1]] output_shape [2, 4] : tensor<8xi32> into tensor<2x4xi32>
  return %m, %d : tensor<6x4xi32>, tensor<2x4xi32>
}

//--- nested.mlir
// Both grids are named in the inner body.
shard.grid @grid(shape = 4x2) axes ["x", "y"]
func.func @main(%a: tensor<20x4xi32>, %c: tensor<4x4xi32> {shard.sharding = #shard.sharding<@grid, [["x":(1)2], ["x":(2)2]]>})
    -> (tensor<20x4xi32>, tensor<4x4xi32>) {
  %m = shard.manual_computation(%a) on @grid
      in = [<@grid, [["x", ?], [?]]>] out = [<@grid, [["x", ?], [?]]>] axes = ["x"]
      (%p: tensor<5x4xi32>) {
    %n = shard.manual_computation(%p) on @grid
        in = [<@grid, [[], ["y"]]>] out = [<@grid, [[], ["y"]]>] axes = ["y"]
        (%q: tensor<5x2xi32>) {
      %0 = shard.all_slice %q on @grid grid_axes = [0] slice_axis = 0 : tensor<5x2xi32> -> tensor<2x2xi32>
      %1 = shard.all_gather %0 on @grid grid_axes = [0] gather_axis = 0 : tensor<2x2xi32> -> tensor<5x2xi32>
      %2 = shard.shift %1 on @grid grid_axes = [1, 0] shift_axis = 0 offset = 3 rotate : tensor<5x2xi32> -> tensor<5x2xi32>
      %3 = shard.all_reduce %2 on @grid grid_axes = [1] : tensor<5x2xi32> -> tensor<5x2xi32>
      %k = shard.process_linear_index on @grid : index
      %x, %y = shard.process_multi_index on @grid : index, index
      %s = arith.muli %x, %k : index
      %t = arith.addi %s, %y : index
      %i = arith.index_cast %t : index to i32
      %f = tensor.splat %i : tensor<5x2xi32>
      %r = arith.addi %3, %f : tensor<5x2xi32>
      shard.return %r : tensor<5x2xi32>
    } : (tensor<5x4xi32>) -> tensor<5x4xi32>
    shard.return %n : tensor<5x4xi32>
  } : (tensor<20x4xi32>) -> tensor<20x4xi32>
  %d = arith.addi %c, %c : tensor<4x4xi32>
  return %m, %d : tensor<20x4xi32>, tensor<4x4xi32>
}

// A part of an axis is manual, and an annotation in the body uses the rest of it.
//--- rest.mlir
// REST: func.func @main(%{{.*}}: tensor<2x4xf32> {shard.local = #shard.local<tensor<8x8xf32>, <@{{.*}}, {{\[\[}}0, 1], [2]]>>})
// REST-NEXT: math.exp
// REST-NEXT: return
shard.grid @grid(shape = 4x2) axes ["x", "y"]
func.func @main(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %r = shard.manual_computation(%a) on @grid
      in = [<@grid, [["x":(1)2, ?], [?]]>] out = [<@grid, [["x":(1)2, ?], [?]]>] axes = ["x":(1)2]
      (%x: tensor<4x8xf32>) {
    %c = shard.constraint %x to <@grid, [["x":(2)2], ["y"]]> : tensor<4x8xf32>
    %e = math.exp %c : tensor<4x8xf32>
    shard.return %e : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
