// Steps that do not lead from the one sharding to the other.

// RUN: shard-opt %s --shard-partition --split-input-file --verify-diagnostics

shard.grid @g(shape = 4)
func.func @other(%x: tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>})
    -> (tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, [[], []]>}) {
  %r = shard.sharding @g split_axes = [[]] : !shard.sharding
  // expected-error@+1 {{'shard.shard' op is to be the one step "all_reduce", but reshards from [[0], []] to [[], []] by all_gather}}
  %0 = shard.shard %x to %r annotate_for_users {shard.step = "all_reduce"} : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

shard.grid @g(shape = 4)
func.func @none(%x: tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>})
    -> (tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  // expected-error@+1 {{'shard.shard' op is to be the one step "all_gather", but reshards from [[0], []] to [[0], []] by no step}}
  %0 = shard.shard %x to %s annotate_for_users {shard.step = "all_gather"} : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

// The first one of two steps was deleted.

shard.grid @g(shape = 2x2)
func.func @two(%x: tensor<8x?xf32> {shard.sharding = #shard.sharding<@g, [[], [0, 1]]>})
    -> (tensor<8x?xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  // expected-error@+1 {{is to be the one step "all_gather", but reshards from [[], [0, 1]] to [[0], []] by all_to_all, all_gather}}
  %0 = shard.shard %x to %s annotate_for_users {shard.step = "all_gather"} : tensor<8x?xf32>
  return %0 : tensor<8x?xf32>
}

// -----

shard.grid @g(shape = 4)
func.func @unknown(%x: tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>})
    -> (tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, [[], []]>}) {
  %r = shard.sharding @g split_axes = [[]] : !shard.sharding
  // expected-error@+1 {{is to be the one step "gather_all", but reshards from [[0], []] to [[], []] by all_gather}}
  %0 = shard.shard %x to %r annotate_for_users {shard.step = "gather_all"} : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

shard.grid @g(shape = 4)
shard.grid @h(shape = 2x2)
func.func @grids(%x: tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>})
    -> (tensor<8x8xf32> {shard.sharding = #shard.sharding<@h, [[0], []]>}) {
  %s = shard.sharding @h split_axes = [[0]] : !shard.sharding
  // expected-error@+1 {{is to be the one step "all_gather", but moves the value to another grid}}
  %0 = shard.shard %x to %s annotate_for_users {shard.step = "all_gather"} : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
