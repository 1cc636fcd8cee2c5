// RUN: shard-opt %s --sharding-propagation --split-input-file | FileCheck %s
// RUN: shard-opt %s --sharding-propagation --split-input-file | shard-opt --sharding-propagation --split-input-file | FileCheck %s

// One annotation per sharded value, none for what stays replicated.

shard.grid @grid(shape = 4)
// CHECK-LABEL: func.func @mlp(
// CHECK-SAME: %[[X:[a-z0-9_]+]]: tensor<8x16xf32>,
// CHECK-SAME: %[[W1:[a-z0-9_]+]]: tensor<16x32xf32> {shard.sharding = #shard.sharding<@grid, {{\[\[\], \[0\]\]}}>}
// CHECK-SAME: %[[W2:[a-z0-9_]+]]: tensor<32x16xf32> {shard.sharding = #shard.sharding<@grid, {{\[\[0\], \[\]\]}}>}
// CHECK-SAME: -> tensor<8x16xf32> {
// CHECK: %[[S:[a-z0-9_]+]] = shard.sharding @grid split_axes = {{\[\[\], \[0\]\]}}
// CHECK: %[[H:[a-z0-9_]+]] = linalg.matmul ins(%[[X]], %[[W1]]
// CHECK: %[[HS:[a-z0-9_]+]] = shard.shard %[[H]] to %[[S]]
// CHECK: %[[T:[a-z0-9_]+]] = math.tanh %[[HS]]
// CHECK: %[[TS:[a-z0-9_]+]] = shard.shard %[[T]] to %[[S]]
// CHECK: %[[O:[a-z0-9_]+]] = linalg.matmul ins(%[[TS]], %[[W2]]
// CHECK-NEXT: return %[[O]]
func.func @mlp(%x: tensor<8x16xf32>,
    %w1: tensor<16x32xf32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>},
    %w2: tensor<32x16xf32>) -> tensor<8x16xf32> {
  %zero = arith.constant dense<0.0> : tensor<8x32xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<8x16xf32>, tensor<16x32xf32>) outs(%zero : tensor<8x32xf32>) -> tensor<8x32xf32>
  %t = math.tanh %h : tensor<8x32xf32>
  %zero2 = arith.constant dense<0.0> : tensor<8x16xf32>
  %o = linalg.matmul ins(%t, %w2 : tensor<8x32xf32>, tensor<32x16xf32>) outs(%zero2 : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %o : tensor<8x16xf32>
}

// -----

// A constant that two ops share does not carry the sharding of one to the other;
// copies with one sharding are one op again.

shard.grid @grid(shape = 2)
// CHECK-LABEL: func.func @shared_constant(
// CHECK-SAME: -> (tensor<8xf32> {shard.sharding = #shard.sharding<@grid, {{\[\[0\]\]}}>}, tensor<8xf32>)
// CHECK-COUNT-2: arith.constant dense<1.0
// CHECK-NOT: arith.constant
// CHECK: return
func.func @shared_constant(
    %a: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>},
    %b: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[]]>}) -> (tensor<8xf32>, tensor<8xf32>) {
  %c = arith.constant dense<1.0> : tensor<8xf32>
  %0 = arith.addf %a, %c : tensor<8xf32>
  %1 = arith.mulf %0, %c : tensor<8xf32>
  %2 = arith.addf %b, %c : tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}

// -----

// A use that wants another sharding than its value has is where a reshard
// happens, and is marked so.

shard.grid @grid(shape = 2)
// CHECK-LABEL: func.func @reshard(
// CHECK-SAME: %[[A:[a-z0-9_]+]]: tensor<8x8xf32> {shard.sharding = #shard.sharding<@grid, {{\[\[0\], \[\]\]}}>}
// CHECK: %[[T:[a-z0-9_]+]] = shard.shard %[[A]] to %{{.*}} annotate_for_users
func.func @reshard(
    %a: tensor<8x8xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>})
    -> (tensor<8x8xf32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>}) {
  return %a : tensor<8x8xf32>
}

// -----

// Sub-axes that survive refine the grid.

// CHECK: shard.grid @grid(shape = 4)
// CHECK-NEXT: shard.grid @grid_0(shape = 2x2) {refines = @grid}
shard.grid @grid(shape = 4)
// CHECK-LABEL: func.func @sub_axes(
// CHECK-SAME: %{{.*}}: tensor<8xf32> {shard.sharding = #shard.sharding<@grid_0, {{\[\[0, 1\]\]}}>}
// CHECK-SAME: -> (tensor<2x4xf32> {shard.sharding = #shard.sharding<@grid_0, {{\[\[0\], \[1\]\]}}>})
func.func @sub_axes(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}) -> tensor<2x4xf32> {
  %0 = tensor.expand_shape %a [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

// Manual axes stay outside the body; the other axes go through it.

shard.grid @grid(shape = 2x2) axes ["data", "model"]
// CHECK-LABEL: func.func @manual(
// CHECK: shard.manual_computation(%{{.*}}) on @grid in = [<@grid, {{\[\[0\], \[1\]\]}}>] out = [<@grid, {{\[\[0\], \[1\]\]}}>] axes = ["data"]
func.func @manual(%a: tensor<8x8xf32> {shard.sharding = #shard.sharding<@grid, [[?], ["model", ?]]>}) -> tensor<8x8xf32> {
  %m = shard.manual_computation(%a) on @grid
      in = [<@grid, [["data", ?], [?]]>] out = [<@grid, [["data", ?], [?]]>] axes = ["data"]
      (%x: tensor<4x8xf32>) {
    %y = math.exp %x : tensor<4x8xf32>
    %z = shard.all_reduce %y on @grid grid_axes = [0] : tensor<4x8xf32> -> tensor<4x8xf32>
    shard.return %z : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %m : tensor<8x8xf32>
}

// -----

// Constraints and groups are wishes: read and removed.

shard.grid @grid(shape = 2)
// CHECK-LABEL: func.func @wishes(
// CHECK-SAME: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, {{\[\[0\]\]}}>}
// CHECK-SAME: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, {{\[\[0\]\]}}>}
// CHECK-NOT: shard.constraint
// CHECK-NOT: shard.group
// CHECK: return
func.func @wishes(%a: tensor<8xf32>, %b: tensor<8xf32>) {
  %0 = shard.constraint %a to <@grid, [[0]]> : tensor<8xf32>
  shard.group %a, %b id = 0 : tensor<8xf32>, tensor<8xf32>
  return
}

// -----

// One callee per distinct calling sharding.

shard.grid @grid(shape = 2)
// CHECK-LABEL: func.func private @twice(
// CHECK-SAME: tensor<8x8xf32> {shard.sharding = #shard.sharding<@grid, {{\[\[0\], \[\]\]}}>}
// CHECK-LABEL: func.func private @twice_{{[0-9]+}}(
// CHECK-SAME: tensor<8x8xf32> {shard.sharding = #shard.sharding<@grid, {{\[\[\], \[0\]\]}}>}
func.func private @twice(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = arith.addf %a, %a : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
// CHECK-LABEL: func.func @calls(
// CHECK: %[[R:[a-z0-9_]+]] = call @twice(
// CHECK: call @twice(
// CHECK: call @twice_{{[0-9]+}}(
func.func @calls(%a: tensor<8x8xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
                 %b: tensor<8x8xf32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>})
    -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = call @twice(%a) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = call @twice(%0) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = call @twice(%b) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1, %2 : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// Conflicting operands: the way with the fewest bytes. One operand is gathered,
// one all_reduce over "y" remains; the zeros follow at no cost.

shard.grid @grid(shape = 2x2) axes ["x", "y"]
// CHECK-LABEL: func.func @dot(
// CHECK-SAME: %[[A:[a-z0-9_]+]]: tensor<8x8xf32>
// CHECK-DAG: %[[R:[a-z0-9_]+]] = shard.sharding @grid split_axes = {{\[\[\], \[0\]\]}}
// CHECK-DAG: %[[L:[a-z0-9_]+]] = shard.sharding @grid split_axes = {{\[\[\], \[1\]\]}}
// CHECK: %[[C:[a-z0-9_]+]] = arith.constant
// CHECK: %[[CS:[a-z0-9_]+]] = shard.shard %[[C]] to %[[R]]
// CHECK: %[[AL:[a-z0-9_]+]] = shard.shard %[[A]] to %[[L]] annotate_for_users
// CHECK: linalg.matmul ins(%[[AL]], %{{.*}}) outs(%[[CS]]
// CHECK-NOT: annotate_for_users
// CHECK: return
func.func @dot(
    %a: tensor<8x8xf32> {shard.sharding = #shard.sharding<@grid, [["x"], ["y"]]>},
    %b: tensor<8x8xf32> {shard.sharding = #shard.sharding<@grid, [["y"], ["x"]]>})
    -> (tensor<8x8xf32> {shard.sharding = #shard.sharding<@grid, [[], ["x"]]>}) {
  %z = arith.constant dense<0.0> : tensor<8x8xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%z : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
