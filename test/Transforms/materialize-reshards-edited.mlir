// Programs with stated steps that were edited.

// RUN: shard-opt %s --shard-partition --split-input-file | FileCheck %s
// RUN: shard-opt %s --sharding-propagation --split-input-file | FileCheck %s --check-prefix=PROPAGATED

// shard-materialize-reshards put the gather in front of math.exp; it was moved behind.

shard.grid @g(shape = 4)
// CHECK-LABEL: func.func @moved
// CHECK: %[[E:.*]] = math.exp %arg0 : tensor<2x8xf32>
// CHECK: shard.all_gather %[[E]]
// PROPAGATED-LABEL: func.func @moved
// PROPAGATED: {shard.step = "all_gather"}
func.func @moved(%x: tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>})
    -> (tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, [[], []]>}) {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %r = shard.sharding @g split_axes = [[]] : !shard.sharding
  %0 = math.exp %x : tensor<8x8xf32>
  %1 = shard.shard %0 to %s : tensor<8x8xf32>
  %2 = shard.shard %1 to %r annotate_for_users {shard.step = "all_gather"} : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// -----

// A reduce_scatter and an all_gather in place of an all_reduce.

shard.grid @g(shape = 4)
// CHECK-LABEL: func.func @replaced
// CHECK: %[[M:.*]] = linalg.matmul
// CHECK-NEXT: %[[S:.*]] = shard.reduce_scatter %[[M]]
// CHECK-NEXT: shard.all_gather %[[S]]
// CHECK-NOT: shard.all_reduce
// PROPAGATED-LABEL: func.func @replaced
// PROPAGATED: {shard.step = "reduce_scatter"}
// PROPAGATED: {shard.step = "all_gather"}
func.func @replaced(%a: tensor<4x8xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>},
                    %b: tensor<8x4xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>},
                    %c: tensor<4x4xf32> {shard.sharding = #shard.sharding<@g, [[], []], partial = sum [0]>})
    -> (tensor<4x4xf32> {shard.sharding = #shard.sharding<@g, [[], []]>}) {
  %p = shard.sharding @g split_axes = [[]] partial = sum [0] : !shard.sharding
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %r = shard.sharding @g split_axes = [[]] : !shard.sharding
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = shard.shard %0 to %p : tensor<4x4xf32>
  %2 = shard.shard %1 to %s annotate_for_users {shard.step = "reduce_scatter"} : tensor<4x4xf32>
  %3 = shard.shard %2 to %r annotate_for_users {shard.step = "all_gather"} : tensor<4x4xf32>
  return %3 : tensor<4x4xf32>
}
