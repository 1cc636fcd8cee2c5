// A kind that is for integers cannot be that of partial floats: not by a hint, and not by
// a group with integers.
// RUN: shard-opt %s --split-input-file --sharding-propagation --verify-diagnostics

shard.grid @g(shape = 2)
// expected-error@+1 {{a value of 'f32' is partial by umin, which is for integers, by its hint or that of a value that has the same sharding (shard.group); use another kind, or take it out of the group}}
func.func @hint(%x: tensor<4xf32> {shard.sharding = #shard.sharding<@g, [[]], partial = umin [0]>}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

shard.grid @g(shape = 2)
func.func @group(%x: tensor<4xi32> {shard.sharding = #shard.sharding<@g, [[]], partial = bitwise_and [0]>}, %y: tensor<4xf32>) -> (tensor<4xi32>, tensor<4xf32>) {
  // expected-error@+1 {{a value of 'f32' is partial by bitwise_and, which is for integers}}
  %e = math.exp %y : tensor<4xf32>
  shard.group %x, %e id = 0 : tensor<4xi32>, tensor<4xf32>
  return %x, %e : tensor<4xi32>, tensor<4xf32>
}
