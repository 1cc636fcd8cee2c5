// A kind that is for integers cannot be that of partial floats: not by a hint, and not by
// a group with integers.
// RUN: shard-opt %s --split-input-file --sharding-propagation --verify-diagnostics

shard.grid @g(shape = 2)
func.func @hint(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{a value of 'f32' is partial by umin, which is for integers, by its hint or that of a value that has the same sharding (shard.group); use another kind, or take it out of the group}}
  %e = math.exp %x : tensor<4xf32>
  %s = shard.sharding @g split_axes = [[]] partial = umin [0] : !shard.sharding
  %0 = shard.shard %e to %s : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

shard.grid @g(shape = 2)
func.func @group(%x: tensor<4xi32> {shard.sharding = #shard.sharding<@g, [[]], partial = bitwise_and [0]>}, %y: tensor<4xf32>) -> (tensor<4xi32>, tensor<4xf32>) {
  // expected-error@+1 {{a value of 'f32' is partial by bitwise_and, which is for integers}}
  %e = math.exp %y : tensor<4xf32>
  shard.group %x, %e id = 0 : tensor<4xi32>, tensor<4xf32>
  return %x, %e : tensor<4xi32>, tensor<4xf32>
}

// -----

// A generic kind has no neutral element: nothing becomes partial by it.

shard.grid @g(shape = 2)
func.func @generic(%x: tensor<4xf32>) -> (tensor<4xf32> {shard.sharding = #shard.sharding<@g, [[]], partial = generic [0]>}) {
  // expected-note@+1 {{the value}}
  %e = math.exp %x : tensor<4xf32>
  // expected-error@+1 {{a value is to become partial by generic, which has no neutral element, by a hint; use another kind, or none}}
  return %e : tensor<4xf32>
}

// -----

shard.grid @g(shape = 2)
// expected-note@+1 {{the value}}
func.func @generic_for_users(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{a value is to become partial by generic}}
  %0 = shard.constraint %x to <@g, [[]], partial = generic [0]> : tensor<4xf32>
  %e = tensor.cast %0 : tensor<4xf32> to tensor<?xf32>
  %f = tensor.cast %e : tensor<?xf32> to tensor<4xf32>
  return %f : tensor<4xf32>
}

// -----

// What comes so passes through.

shard.grid @g(shape = 2)
func.func @passes(%x: tensor<4xf32> {shard.sharding = #shard.sharding<@g, [[]], partial = generic [0]>}) -> (tensor<4xf32> {shard.sharding = #shard.sharding<@g, [[]], partial = generic [0]>}) {
  return %x : tensor<4xf32>
}
