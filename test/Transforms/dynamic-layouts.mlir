// Halos and offsets that depend on what the program computes.

// RUN: shard-opt %s --sharding-propagation --split-input-file --verify-diagnostics -o /dev/null

shard.grid @grid(shape = 2)
func.func @offset(%a: tensor<8xf32>, %i: i64) -> tensor<8xf32> {
  %s = shard.sharding @grid split_axes = [[0]] sharded_dims_offsets = [0, %i, 8] : !shard.sharding
  // expected-error @+1 {{offsets that are not known before the program runs; give numbers, or values that fold to constants}}
  %0 = shard.shard %a to %s : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

shard.grid @grid(shape = 2)
func.func @halo(%a: tensor<8xf32>, %i: i64) -> tensor<8xf32> {
  %s = shard.sharding @grid split_axes = [[0]] halo_sizes = [1, %i] : !shard.sharding
  // expected-error @+1 {{halo sizes that are not known before the program runs}}
  %0 = shard.shard %a to %s : tensor<8xf32>
  return %0 : tensor<8xf32>
}
