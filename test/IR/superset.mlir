// What the dialect adds to LLVM's: custom and generic form, both ways.
//
// RUN: shard-opt %s --split-input-file | FileCheck %s
// RUN: shard-opt %s --split-input-file -o %t.once
// RUN: shard-opt %t.once --split-input-file -o %t.twice
// RUN: diff %t.once %t.twice
// RUN: shard-opt %s --split-input-file --mlir-print-op-generic \
// RUN:   | shard-opt --split-input-file -o %t.generic
// RUN: diff %t.once %t.generic

// names of axes, refinement, costs, physical devices
// CHECK: shard.grid @mesh(shape = 2x4) axes ["data", "model"]
shard.grid @mesh(shape = 2x4) axes ["data", "model"]
// CHECK: shard.grid @fine(shape = 2x2x2) {refines = @mesh}
shard.grid @fine(shape = 2x2x2) {refines = @mesh}
// CHECK: shard.grid @unit_axes(shape = 1x2x1x4x1) {refines = @mesh}
shard.grid @unit_axes(shape = 1x2x1x4x1) {refines = @mesh}
// CHECK: shard.grid @links(shape = 2x4) axes ["a", "b"] {bandwidth = array<f64: 1.000000e+09, 1.000000e+11>, latency = array<f64: 1.000000e-03, 0.000000e+00>, vendor.x}
shard.grid @links(shape = 2x4) axes ["a", "b"] {bandwidth = array<f64: 1.0e9, 1.0e11>, latency = array<f64: 1.0e-3, 0.0>, vendor.x}
// CHECK: shard.grid @columns(shape = 2x2) axes ["a", "b"] device_ids = [0, 2, 1, 3] {vendor.x}
shard.grid @columns(shape = 2x2) axes ["a", "b"] device_ids = [0, 2, 1, 3] {vendor.x}
// CHECK: shard.grid @one(shape = 1) device_ids = [7]
shard.grid @one(shape = 1) device_ids = [7]

// -----

// blocks to blocks
shard.grid @g(shape = 2x4)
func.func @redistribute(%x: tensor<4x2xf32>, %y: tensor<2x6x3xi32>) -> (tensor<2x4xf32>, tensor<2x6x3xi32>) {
  // CHECK: shard.redistribute %{{.*}} on @g grid_axes = [0, 1] from = {{\[\[}}0], [1]] to = {{\[\[}}1], [0]] extents = [8, 8] : tensor<4x2xf32> -> tensor<2x4xf32>
  %0 = shard.redistribute %x on @g grid_axes = [0, 1] from = [[0], [1]] to = [[1], [0]] extents = [8, 8] : tensor<4x2xf32> -> tensor<2x4xf32>
  // Lists may end before the last dimension.
  // CHECK: shard.redistribute %{{.*}} on @g grid_axes = [1] from = {{\[\[}}], [], [1]] to = {{\[\[}}]] extents = [2, 6, 10]
  %1 = shard.redistribute %y on @g grid_axes = [1] from = [[], [], [1]] to = [[]] extents = [2, 6, 10] : tensor<2x6x3xi32> -> tensor<2x6x10xi32>
  // CHECK: shard.redistribute %{{.*}} on @g grid_axes = [0] from = {{\[\[}}0]] to = {{\[\[}}], [], [0]] extents = [4, 6, 3]
  %2 = shard.redistribute %y on @g grid_axes = [0] from = [[0]] to = [[], [], [0]] extents = [4, 6, 3] : tensor<2x6x3xi32> -> tensor<4x6x2xi32>
  return %0, %y : tensor<2x4xf32>, tensor<2x6x3xi32>
}

// -----

// partial in the SSA form
shard.grid @g(shape = 2x4x2)
func.func @partial() {
  // CHECK: shard.sharding @g split_axes = {{\[\[}}0]] partial = sum [1] : !shard.sharding
  %0 = shard.sharding @g split_axes = [[0]] partial = sum [1] : !shard.sharding
  // sorted: a set
  // CHECK: shard.sharding @g split_axes = {{\[\[}}]] partial = umax [1, 2] : !shard.sharding
  %1 = shard.sharding @g split_axes = [[]] partial = umax [2, 1] : !shard.sharding
  // CHECK: shard.sharding @g split_axes = {{\[\[}}0]] partial = max [1, 2] halo_sizes = [1, 1] : !shard.sharding
  %2 = shard.sharding @g split_axes = [[0]] partial = max [1, 2] halo_sizes = [1, 1] : !shard.sharding
  return
}

// -----

// the attribute form, in all its parts
shard.grid @g(shape = 2x8) axes ["x", "y"]
// CHECK-LABEL: func.func private @attributes(
// CHECK-SAME: tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, {{\[\[}}"x"], []]>}
// CHECK-SAME: tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, {{\[\[}}0]p1, ["y", ?]p0]>}
// CHECK-SAME: tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, {{\[\[}}?], [?]]>}
// CHECK-SAME: tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, {{\[\[}}"y":(2)4], ["y":(1)2]], partial = sum ["x"]>}
// CHECK-SAME: tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, {{\[\[}}1:(1)2, 1:(4)2, ?], []], replicated = ["x"]>}
// CHECK-SAME: tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, {{\[\[}}"x"], ["y"]], halo = [1, 2, 0, 1]>}
// CHECK-SAME: tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, {{\[\[}}"x"], []], offsets = [0, 3, 8]>}
// CHECK-SAME: tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, {{\[\[}}], []], partial = average [0], replicated = [1]>}
// CHECK-SAME: tensor<f32> {shard.sharding = #shard.sharding<@g, []>}
func.func private @attributes(
    tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, [["x"], []]>},
    tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, [[0]p1, ["y", ?]p0]>},
    tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, [[?], [?]]>},
    tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, [["y":(2)4], ["y":(1)2]], partial = sum ["x"]>},
    tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, [[1:(1)2, 1:(4)2, ?], []], replicated = ["x"]>},
    tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, [["x"], ["y"]], halo = [1, 2, 0, 1]>},
    tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, [["x"], []], offsets = [0, 3, 8]>},
    tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, [[], []], replicated = [1], partial = average [0]>},
    tensor<f32> {shard.sharding = #shard.sharding<@g, []>})
// CHECK: func.func private @results() -> (tensor<8xf32> {shard.sharding = #shard.sharding<@g, {{\[\[}}"x"]]>})
func.func private @results() -> (tensor<8xf32> {shard.sharding = #shard.sharding<@g, [["x"]]>})
// CHECK: func.func private @local(tensor<5x8xf32> {shard.local = #shard.local<tensor<9x8xf32>, <@g, {{\[\[}}"x"], []]>>})
func.func private @local(tensor<5x8xf32> {shard.local = #shard.local<tensor<9x8xf32>, <@g, [["x"], []]>>})
// with halos; with offsets, whose blocks differ
func.func private @halo(tensor<6x8xf32> {shard.local = #shard.local<tensor<8x8xf32>, <@g, [["x"], []], halo = [1, 1]>>})
func.func private @offsets(tensor<?x8xf32> {shard.local = #shard.local<tensor<8x8xf32>, <@g, [["x"], []], offsets = [0, 3, 8]>>})

// -----

// on ops: of the result, and of the loops
shard.grid @g(shape = 2x8) axes ["x", "y"]
func.func @ops(%t: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK: arith.negf %{{.*}} {shard.sharding = #shard.sharding<@g, {{\[\[}}"x"], [?]]>}
  %0 = arith.negf %t {shard.sharding = #shard.sharding<@g, [["x"], [?]]>} : tensor<8x8xf32>
  // CHECK: arith.negf %{{.*}} {shard.loops = #shard.sharding<@g, {{\[\[}}"x"], ["y"], []]>}
  %1 = arith.negf %0 {shard.loops = #shard.sharding<@g, [["x"], ["y"], []]>} : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// -----

// constraint and group
shard.grid @g(shape = 2x8) axes ["x", "y"]
func.func @wishes(%t: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK: %[[C:.*]] = shard.constraint %{{.*}} to <@g, {{\[\[}}"x"], [?]]> : tensor<8x8xf32>
  %0 = shard.constraint %t to <@g, [["x"], [?]]> : tensor<8x8xf32>
  // CHECK: shard.group %{{.*}}, %[[C]] id = 7 : tensor<8x8xf32>, tensor<8x8xf32>
  shard.group %t, %0 id = 7 : tensor<8x8xf32>, tensor<8x8xf32>
  // CHECK: shard.group %[[C]] id = -1 {vendor.x} : tensor<8x8xf32>
  shard.group %0 id = -1 {vendor.x} : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

// manual_computation: nested, free axes behind manual ones, no operands
shard.grid @g(shape = 2x4) axes ["x", "y"]
// CHECK-LABEL: func.func @manual
func.func @manual(%t: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8xf32>) {
  // CHECK: shard.manual_computation(%{{.*}}) on @g in = [<@g, {{\[\[}}"x", "y"], []]>] out = [<@g, {{\[\[}}"x"], ["y"]]>] axes = ["x"] (%[[A:.*]]: tensor<4x8xf32>) {
  %0 = shard.manual_computation(%t) on @g in = [<@g, [["x", "y"], []]>] out = [<@g, [["x"], ["y"]]>] axes = ["x"] (%a: tensor<4x8xf32>) {
    // CHECK: shard.all_reduce %[[A]] on @g grid_axes = [0]
    %1 = shard.all_reduce %a on @g grid_axes = [0] : tensor<4x8xf32> -> tensor<4x8xf32>
    // CHECK: shard.manual_computation(%{{.*}}) on @g in = [<@g, {{\[\[}}], ["y"]]>] out = [<@g, {{\[\[}}], ["y"]]>] axes = [1] (%{{.*}}: tensor<4x2xf32>) {
    %2 = shard.manual_computation(%1) on @g in = [<@g, [[], ["y"]]>] out = [<@g, [[], ["y"]]>] axes = [1] (%b: tensor<4x2xf32>) {
      %3 = shard.all_reduce %b on @g grid_axes = [0, 1] : tensor<4x2xf32> -> tensor<4x2xf32>
      shard.return %3 : tensor<4x2xf32>
    } : (tensor<4x8xf32>) -> tensor<4x8xf32>
    // CHECK: shard.return %{{.*}} : tensor<4x8xf32>
    shard.return %2 : tensor<4x8xf32>
  // CHECK: } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  // CHECK: shard.manual_computation() on @g in = [] out = [<@g, {{\[\[}}]], replicated = ["x"]>] axes = ["x"] () {
  %4 = shard.manual_computation() on @g in = [] out = [<@g, [[]], replicated = ["x"]>] axes = ["x"] () {
    %5 = arith.constant dense<1.0> : tensor<8xf32>
    shard.return %5 : tensor<8xf32>
  // CHECK: } {vendor.x} : () -> tensor<8xf32>
  } {vendor.x} : () -> tensor<8xf32>
  return %0, %4 : tensor<8x8xf32>, tensor<8xf32>
}

// -----

// no operands, no results
shard.grid @g(shape = 2)
func.func @nothing() {
  // CHECK: shard.manual_computation() on @g in = [] out = [] axes = [] () {
  shard.manual_computation() on @g in = [] out = [] axes = [] () {
    shard.return
  } : () -> ()
  return
}

// -----

// collectives
shard.grid @g(shape = 2x4)
func.func @collectives(%t: tensor<7x8xf32>, %i: tensor<8xi32>) {
  // uneven: extents are ceilings
  // CHECK: shard.all_slice {{.*}} : tensor<7x8xf32> -> tensor<2x8xf32>
  %0 = shard.all_slice %t on @g grid_axes = [1] slice_axis = 0 : tensor<7x8xf32> -> tensor<2x8xf32>
  // CHECK: shard.all_gather {{.*}} : tensor<2x8xf32> -> tensor<7x8xf32>
  %1 = shard.all_gather %0 on @g grid_axes = [1] gather_axis = 0 : tensor<2x8xf32> -> tensor<7x8xf32>
  // CHECK: shard.all_to_all {{.*}} : tensor<7x8xf32> -> tensor<4x15xf32>
  %2 = shard.all_to_all %t on @g grid_axes = [0] split_axis = 0 concat_axis = 1 : tensor<7x8xf32> -> tensor<4x15xf32>
  // CHECK: shard.reduce_scatter {{.*}} grid_axes = [0] scatter_axis = 0 : tensor<7x8xf32> -> tensor<4x8xf32>
  %3 = shard.reduce_scatter %t on @g grid_axes = [0] scatter_dim = 0 : tensor<7x8xf32> -> tensor<4x8xf32>
  // CHECK: shard.scatter {{.*}} grid_axes = [0] scatter_axis = 0 root = [1] : (tensor<7x8xf32>) -> tensor<4x8xf32>
  %4 = shard.scatter %t on @g grid_axes = [0] scatter_dim = 0 root = [1] : (tensor<7x8xf32>) -> tensor<4x8xf32>
  // CHECK: %permute = shard.permute %{{.*}} on @g from_axes = [0, 1] to_axes = [1, 0] : tensor<7x8xf32>
  %5 = shard.permute %t on @g from_axes = [0, 1] to_axes = [1, 0] : tensor<7x8xf32>
  // unsigned order
  // CHECK: shard.all_reduce {{.*}} reduction =  umax : tensor<8xi32> -> tensor<8xi32>
  %6 = shard.all_reduce %i on @g grid_axes = [0] reduction = umax : tensor<8xi32> -> tensor<8xi32>
  // CHECK: shard.reduce {{.*}} reduction =  umin root = [0]
  %7 = shard.reduce %i on @g grid_axes = [0] reduction = umin root = [0] : (tensor<8xi32>) -> tensor<8xi32>
  // what generic stands for
  // CHECK: shard.all_reduce {{.*}} reduction =  generic combiner {
  // CHECK-NEXT: ^bb0(%[[A:.*]]: f64, %[[B:.*]]: f64):
  // CHECK: shard.return
  // CHECK: } : tensor<7x8xf32> -> tensor<7x8xf64>
  %8 = shard.all_reduce %t on @g grid_axes = [0] reduction = generic combiner {
  ^bb0(%a: f64, %b: f64):
    %c = arith.mulf %a, %b : f64
    shard.return %c : f64
  } : tensor<7x8xf32> -> tensor<7x8xf64>
  // CHECK: shard.reduce {{.*}} reduction =  generic combiner {
  %9 = shard.reduce %i on @g grid_axes = [0] reduction = generic combiner {
  ^bb0(%a: i32, %b: i32):
    shard.return %b : i32
  } root = [1] : (tensor<8xi32>) -> tensor<8xi32>
  // CHECK: shard.reduce_scatter {{.*}} reduction =  generic combiner {
  %10 = shard.reduce_scatter %i on @g grid_axes = [0] reduction = generic combiner {
  ^bb0(%a: i32, %b: i32):
    shard.return %a : i32
  } scatter_axis = 0 : tensor<8xi32> -> tensor<4xi32>
  return
}

// -----

// the attributes on their own
// CHECK: func.func private @alone() attributes {a = #shard.partial_axes<sum [0, 1]>, b = #shard.axis<"x":(2)4>, c = #shard.dim<[0, ?]p2>, d = #shard.axis<3>}
func.func private @alone() attributes {a = #shard.partial_axes<sum [1, 0]>, b = #shard.axis<"x":(2)4>, c = #shard.dim<[0, ?]p2>, d = #shard.axis<3>}
