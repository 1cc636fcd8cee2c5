// RUN: shard-opt %s --sharding-propagation -verify-diagnostics -split-input-file

shard.grid @g(shape = 4)

func.func @argument(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@g, [[0]]>}, %s: !shard.sharding) -> tensor<8xf32> {
  // expected-error @+1 {{the sharding of this annotation is not known here}}
  %1 = shard.shard %a to %s : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

shard.grid @g(shape = 4)

func.func @shapes(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@g, [[0]]>}, %b: tensor<4xf32>) -> tensor<4xf32> {
  %s = shard.get_sharding %a : tensor<8xf32> -> !shard.sharding
  // expected-error @+1 {{takes the sharding of a value of another shape}}
  %1 = shard.shard %b to %s : tensor<4xf32>
  return %1 : tensor<4xf32>
}
