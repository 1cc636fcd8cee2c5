// Physical devices of grids survive propagation and partition, on refinements too.
//
// RUN: shard-opt %s --shard-spmd | FileCheck %s
// RUN: sed '/@h(shape/s/\[0, 2, 1, 3\]/[0, 1, 2, 3]/' %s | not shard-opt --shard-spmd 2>&1 | FileCheck %s --check-prefix=OTHER

// CHECK: shard.grid @g(shape = 4) axes ["x"] device_ids = [0, 2, 1, 3]
// CHECK: shard.grid @g_0(shape = 2x2) {refines = @g}
shard.grid @g(shape = 4) axes ["x"] device_ids = [0, 2, 1, 3]
// CHECK: shard.grid @h(shape = 2x2) axes ["a", "b"] device_ids = [0, 2, 1, 3]
shard.grid @h(shape = 2x2) axes ["a", "b"] device_ids = [0, 2, 1, 3]

func.func @parts(%a: tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, [["x":(1)2], []]>})
    -> (tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, [[], ["x":(1)2]]>}) {
  %0 = math.exp %a : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// OTHER: error: moves a value from grid @g to grid @h, but they have other device_ids: give both the same
func.func @cross(%a: tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, [["x"], []]>}) -> tensor<8x8xf32> {
  %s = shard.sharding @h split_axes = [[], [0]] : !shard.sharding
  %0 = shard.shard %a to %s annotate_for_users : tensor<8x8xf32>
  %1 = math.exp %0 : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
