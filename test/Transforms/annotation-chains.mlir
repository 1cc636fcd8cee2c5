// An annotation of an annotated value that states something else reshards there;
// one that states the same is the same. The value itself keeps the first sharding.

// RUN: shard-opt %s --sharding-propagation --split-input-file | FileCheck %s
// RUN: shard-opt %s --shard-partition --split-input-file | FileCheck %s --check-prefix=ALONE

shard.grid @g(shape = 2x2)
// CHECK-LABEL: func.func @two(
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, {{\[\[}}0], []]>}
// CHECK: %[[T:[a-z0-9_]+]] = shard.sharding @g split_axes = {{\[\[}}], [1]]
// CHECK: %[[B:[a-z0-9_]+]] = shard.shard %[[A]] to %[[T]] annotate_for_users
// CHECK: math.exp %[[B]]
// ALONE-LABEL: func.func @two(
// ALONE-SAME: %[[A:[a-z0-9]+]]: tensor<4x8xf32>
// ALONE: shard.all_gather {{.*}} gather_axis = 0 : tensor<4x4xf32> -> tensor<8x4xf32>
// ALONE: math.exp {{.*}} : tensor<8x4xf32>
func.func @two(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %s = shard.sharding @g split_axes = [[0], []] : !shard.sharding
  %t = shard.sharding @g split_axes = [[], [1]] : !shard.sharding
  %0 = shard.shard %a to %s : tensor<8x8xf32>
  %1 = shard.shard %0 to %t : tensor<8x8xf32>
  %2 = math.exp %1 : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// -----

// Three, the middle one written with other text but stating the same.

shard.grid @g(shape = 2x2)
// CHECK-LABEL: func.func @three(
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, {{\[\[}}0], []]>}
// CHECK-COUNT-1: annotate_for_users
// CHECK-NOT: annotate_for_users
// ALONE-LABEL: func.func @three(
// ALONE-COUNT-1: shard.all_gather
// ALONE-NOT: shard.all_
func.func @three(%a: tensor<8x8xf32>) -> (tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, [[], []]>}) {
  %s = shard.sharding @g split_axes = [[0], []] : !shard.sharding
  %same = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %t = shard.sharding @g split_axes = [[]] : !shard.sharding
  %0 = shard.shard %a to %s : tensor<8x8xf32>
  %1 = shard.shard %0 to %same : tensor<8x8xf32>
  %2 = shard.shard %1 to %t : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// -----

// An annotation for users that is annotated otherwise, and one that nobody uses.

shard.grid @g(shape = 4)
// CHECK-LABEL: func.func @forUsers(
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, {{\[\[}}0], []]>}
// CHECK-NOT: partial
// CHECK: math.exp
// ALONE-LABEL: func.func @forUsers(
// ALONE-SAME: %[[A:[a-z0-9]+]]: tensor<2x8xf32>
// ALONE: math.exp {{.*}} : tensor<8x8xf32>
func.func @forUsers(%a: tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) -> tensor<8x8xf32> {
  %s = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
  %t = shard.sharding @g split_axes = [[]] : !shard.sharding
  %0 = shard.shard %a to %s annotate_for_users : tensor<8x8xf32>
  %1 = shard.shard %0 to %t : tensor<8x8xf32>
  %2 = math.exp %1 : tensor<8x8xf32>
  %unused = shard.shard %1 to %s : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}
