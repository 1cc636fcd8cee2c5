// Shardings pass a constraint with shard.propagate in the stated direction only.

// RUN: shard-opt %s --sharding-propagation --split-input-file | FileCheck %s
// RUN: shard-opt %s --sharding-propagation --split-input-file -o %t.once
// RUN: shard-opt %t.once --sharding-propagation --split-input-file | diff %t.once -
// RUN: shard-opt %s --shard-explain --split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY

shard.grid @g(shape = 2x4) axes ["x", "y"]

// Neither end learns of the other one.
// CHECK-LABEL: func.func @none(
// CHECK-DAG: %[[X:.*]] = shard.sharding @g split_axes = {{\[\[}}0]]
// CHECK-DAG: %[[Y:.*]] = shard.sharding @g split_axes = {{\[\[}}], [1]]
// CHECK: %[[E:.*]] = math.exp
// CHECK: %[[S:.*]] = shard.shard %[[E]] to %[[X]] :
// CHECK: %[[T:.*]] = shard.shard %[[S]] to %[[Y]] annotate_for_users
// CHECK: math.sin %[[T]]
func.func @none(%a: tensor<8x16xf32> {shard.sharding = #shard.sharding<@g, [["x", ?], [?]]>})
    -> (tensor<8x16xf32> {shard.sharding = #shard.sharding<@g, [[?], ["y", ?]]>}) {
  %0 = math.exp %a : tensor<8x16xf32>
  %1 = shard.constraint %0 to <@g, [[?], [?]]> {shard.propagate = "none"} : tensor<8x16xf32>
  %2 = math.sin %1 : tensor<8x16xf32>
  return %2 : tensor<8x16xf32>
}

// The result takes x, the input does not take y.
// CHECK-LABEL: func.func @forward(
// CHECK-DAG: %[[X:.*]] = shard.sharding @g split_axes = {{\[\[}}0]]
// CHECK-DAG: %[[XY:.*]] = shard.sharding @g split_axes = {{\[\[}}0], [1]]
// CHECK: %[[S:.*]] = shard.shard %{{.*}} to %[[X]] :
// CHECK: shard.shard %[[S]] to %[[XY]] annotate_for_users
// WHY: reshard of %0 for shard.constraint operand 0 at {{.*}}: {{\[\[}}x], []] -> {{\[\[}}x], [y]]
// WHY: against axis x in dimension 0: through shard.constraint
func.func @forward(%a: tensor<8x16xf32> {shard.sharding = #shard.sharding<@g, [["x", ?], [?]]>})
    -> (tensor<8x16xf32> {shard.sharding = #shard.sharding<@g, [[?], ["y", ?]]>}) {
  %0 = math.exp %a : tensor<8x16xf32>
  %1 = shard.constraint %0 to <@g, [[?], [?]]> {shard.propagate = "forward"} : tensor<8x16xf32>
  %2 = math.sin %1 : tensor<8x16xf32>
  return %2 : tensor<8x16xf32>
}

// The input takes y, the result does not take x.
// CHECK-LABEL: func.func @backward(
// CHECK-DAG: %[[XY:.*]] = shard.sharding @g split_axes = {{\[\[}}0], [1]]
// CHECK-DAG: %[[Y:.*]] = shard.sharding @g split_axes = {{\[\[}}], [1]]
// CHECK: %[[S:.*]] = shard.shard %{{.*}} to %[[XY]] :
// CHECK: shard.shard %[[S]] to %[[Y]] annotate_for_users
func.func @backward(%a: tensor<8x16xf32> {shard.sharding = #shard.sharding<@g, [["x", ?], [?]]>})
    -> (tensor<8x16xf32> {shard.sharding = #shard.sharding<@g, [[?], ["y", ?]]>}) {
  %0 = math.exp %a : tensor<8x16xf32>
  %1 = shard.constraint %0 to <@g, [[?], [?]]> {shard.propagate = "backward"} : tensor<8x16xf32>
  %2 = math.sin %1 : tensor<8x16xf32>
  return %2 : tensor<8x16xf32>
}

// -----

shard.grid @g(shape = 2x4) axes ["x", "y"]

// An argument does not take what a user behind the barrier wants, whatever it costs.
// CHECK-LABEL: func.func @argument(%arg0: tensor<8x16xf32> {shard.sharding = #shard.sharding<@g, {{\[\[}}], []]>})
// CHECK: shard.shard %arg0 to %{{.*}} annotate_for_users
func.func @argument(%a: tensor<8x16xf32>)
    -> (tensor<8x16xf32> {shard.sharding = #shard.sharding<@g, [["x"], ["y"]]>}) {
  %1 = shard.constraint %a to <@g, [[?], [?]]> {shard.propagate = "forward"} : tensor<8x16xf32>
  %2 = math.sin %1 : tensor<8x16xf32>
  return %2 : tensor<8x16xf32>
}

// -----

shard.grid @g(shape = 2x4) axes ["x", "y"]

// The hint of the constraint is about the result, also if nothing uses that.
// CHECK-LABEL: func.func @unused(
// CHECK-SAME: %arg0: tensor<8x16xf32> {shard.sharding = #shard.sharding<@g, {{\[\[}}0], [1]]>})
func.func @unused(%a: tensor<8x16xf32> {shard.sharding = #shard.sharding<@g, [["x"], ["y"]]>}) -> tensor<8x16xf32> {
  %1 = shard.constraint %a to <@g, [[], []]> {shard.propagate = "none"} : tensor<8x16xf32>
  %2 = math.sin %a : tensor<8x16xf32>
  return %2 : tensor<8x16xf32>
}

// -----

shard.grid @g(shape = 2x4) axes ["x", "y"]

// A partial sum is complete in front of a barrier.
// CHECK-LABEL: func.func @sums(
// CHECK: %[[M:.*]] = linalg.matmul
// CHECK: %[[W:.*]] = shard.shard %[[M]] to %{{.*}} : tensor<8x8xf32>
// CHECK: arith.addf %[[W]], %[[W]]
func.func @sums(%a: tensor<8x16xf32> {shard.sharding = #shard.sharding<@g, [[], ["y"]]>}, %w: tensor<16x8xf32>) -> tensor<8x8xf32> {
  %z = arith.constant 0.0 : f32
  %i = tensor.empty() : tensor<8x8xf32>
  %f = linalg.fill ins(%z : f32) outs(%i : tensor<8x8xf32>) -> tensor<8x8xf32>
  %m = linalg.matmul ins(%a, %w : tensor<8x16xf32>, tensor<16x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = shard.constraint %m to <@g, [[?], [?]]> {shard.propagate = "forward"} : tensor<8x8xf32>
  %2 = arith.addf %1, %1 : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}
