// RUN: shard-opt %s --sharding-propagation --verify-diagnostics --split-input-file

// Two open hints on one value that use one axis in two dimensions.

shard.grid @grid(shape = 2)
// expected-note@+1 {{the other one, #shard.sharding<@grid, }}
func.func @main(%a: tensor<2x12xf32> {shard.sharding = #shard.sharding<@grid, [[0, ?], [?]]>}) {
  // expected-error@+1 {{contradicts another one of the same value in dimension 1}}
  %0 = shard.constraint %a to <@grid, [[?], [0, ?]]> : tensor<2x12xf32>
  return
}

// -----

// An axis of one device is no exception.

shard.grid @grid(shape = 1)
// expected-note@+1 {{the other one, #shard.sharding<@grid, }}
func.func @main(%a: tensor<2x12xf32> {shard.sharding = #shard.sharding<@grid, [[0, ?], [?]]>}) {
  // expected-error@+1 {{contradicts another one of the same value in dimension 1}}
  %0 = shard.constraint %a to <@grid, [[?], [0, ?]]> : tensor<2x12xf32>
  return
}
