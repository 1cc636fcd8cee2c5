// RUN: shard-opt %s --shard-spmd -verify-diagnostics -split-input-file

func.func @no_grid(%t: tensor<8xf32>, %i: index) -> index {
  // expected-error @below {{asks for a sharding in a function that uses no grid; annotate a value of the function}}
  %s = shard.get_sharding %t : tensor<8xf32> -> !shard.sharding
  %n = shard.shard_shape dims = [8] sharding = %s device = [%i] : index
  return %n : index
}

// -----

func.func @unknown(%s: !shard.sharding, %i: index) -> index {
  // expected-error @below {{asks about a sharding that is not known here; state it by shard.sharding in the same function}}
  %n = shard.shard_shape dims = [8] sharding = %s device = [%i] : index
  return %n : index
}
