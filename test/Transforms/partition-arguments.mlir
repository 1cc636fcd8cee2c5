// An argument without a sharding of its own arrives as all its users want it, if
// all of them are annotations that agree (LLVM's partition does so); else whole.

// RUN: shard-opt %s --shard-partition --split-input-file | FileCheck %s

shard.grid @g(shape = 2)
// CHECK-LABEL: func.func @agree(
// CHECK-SAME: %{{.*}}: tensor<4x4xf32> {shard.local = #shard.local<tensor<8x4xf32>, <@g, {{\[\[}}0], []]>>}
// CHECK-NOT: all_slice
// CHECK: math.exp {{.*}} : tensor<4x4xf32>
func.func @agree(%a: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %0 = shard.shard %a to %s annotate_for_users : tensor<8x4xf32>
  %1 = math.exp %0 : tensor<8x4xf32>
  %2 = shard.shard %a to %s annotate_for_users : tensor<8x4xf32>
  %3 = arith.addf %1, %2 : tensor<8x4xf32>
  %4 = shard.shard %3 to %s : tensor<8x4xf32>
  return %4 : tensor<8x4xf32>
}

// -----

shard.grid @g(shape = 2)
// CHECK-LABEL: func.func @disagree(
// CHECK-SAME: %{{.*}}: tensor<8x4xf32> {shard.local = #shard.local<tensor<8x4xf32>, <@g, {{\[\[}}], []]>>}
func.func @disagree(%a: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %t = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
  %0 = shard.shard %a to %s annotate_for_users : tensor<8x4xf32>
  %1 = shard.shard %a to %t annotate_for_users : tensor<8x4xf32>
  return %0, %1 : tensor<8x4xf32>, tensor<8x4xf32>
}

// -----

// A user that is no annotation takes the argument whole.

shard.grid @g(shape = 2)
// CHECK-LABEL: func.func @other(
// CHECK-SAME: %{{.*}}: tensor<8x4xf32> {shard.local
func.func @other(%a: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %0 = shard.shard %a to %s annotate_for_users : tensor<8x4xf32>
  return %0, %a : tensor<8x4xf32>, tensor<8x4xf32>
}

// -----

// No argument is partial.

shard.grid @g(shape = 2)
// CHECK-LABEL: func.func @partial(
// CHECK-SAME: %{{.*}}: tensor<8x4xf32> {shard.local = #shard.local<tensor<8x4xf32>, <@g, {{\[\[}}], []]>>}
func.func @partial(%a: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %s = shard.sharding @g split_axes = [[]] partial = sum [0] : !shard.sharding
  %0 = shard.shard %a to %s annotate_for_users : tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
