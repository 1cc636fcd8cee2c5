// A value becomes partial as the neutral element on all devices but one: elements without such an
// element get an error.

// RUN: shard-opt %s --shard-partition --split-input-file --verify-diagnostics

shard.grid @g(shape = 2)
func.func @sum(%x: tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>> {
  %r = shard.sharding @g split_axes = [[]] : !shard.sharding
  %s = shard.sharding @g split_axes = [[]] partial = sum [0] : !shard.sharding
  %0 = shard.shard %x to %r : tensor<8xcomplex<f32>>
  // expected-error @+1 {{a value of element type 'complex<f32>' cannot become partial under 'sum', which has no neutral element}}
  %1 = shard.shard %0 to %s annotate_for_users : tensor<8xcomplex<f32>>
  return %1 : tensor<8xcomplex<f32>>
}

// -----

shard.grid @g(shape = 2)
func.func @product(%x: tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>> {
  %r = shard.sharding @g split_axes = [[]] : !shard.sharding
  %s = shard.sharding @g split_axes = [[]] partial = product [0] : !shard.sharding
  %0 = shard.shard %x to %r : tensor<8xcomplex<f32>>
  // expected-error @+1 {{a value of element type 'complex<f32>' cannot become partial under 'product', which has no neutral element}}
  %1 = shard.shard %0 to %s annotate_for_users : tensor<8xcomplex<f32>>
  return %1 : tensor<8xcomplex<f32>>
}
