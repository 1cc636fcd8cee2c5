//--- mlp.mlir
shard.grid @g(shape = 2)
func.func @main(%x: tensor<2x4x8xf32>, %w1: tensor<8x32xf32>, %w2: tensor<32x8xf32>) -> tensor<2x4x8xf32> {
  %last = shard.sharding @g split_axes = [[], [], [0]] : !shard.sharding
  %sum = shard.sharding @g split_axes = [[], [], []] partial = sum [0] : !shard.sharding
  %x1 = shard.shard %x to %last : tensor<2x4x8xf32>
  %flat = tensor.collapse_shape %x1 [[0, 1], [2]] : tensor<2x4x8xf32> into tensor<8x8xf32>
  %z = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<8x32xf32>
  %i1 = linalg.fill ins(%z : f32) outs(%e1 : tensor<8x32xf32>) -> tensor<8x32xf32>
  %h = linalg.matmul ins(%flat, %w1 : tensor<8x8xf32>, tensor<8x32xf32>) outs(%i1 : tensor<8x32xf32>) -> tensor<8x32xf32>
  %c = tensor.splat %z : tensor<8x32xf32>
  %r = arith.maximumf %h, %c : tensor<8x32xf32>
  %e2 = tensor.empty() : tensor<8x8xf32>
  %i2 = linalg.fill ins(%z : f32) outs(%e2 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = linalg.matmul ins(%r, %w2 : tensor<8x32xf32>, tensor<32x8xf32>) outs(%i2 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y3 = tensor.expand_shape %y [[0, 1], [2]] output_shape [2, 4, 8] : tensor<8x8xf32> into tensor<2x4x8xf32>
  %p = shard.shard %y3 to %sum : tensor<2x4x8xf32>
  %o = shard.shard %p to %last annotate_for_users : tensor<2x4x8xf32>
  return %o : tensor<2x4x8xf32>
}
//--- open.mlir
shard.grid @g(shape = 2)
func.func @main(%a: tensor<8x16xf32>, %b: tensor<16x8xf32>) -> tensor<8x8xf32> {
  %partial = shard.sharding @g split_axes = [[], []] partial = sum [0] : !shard.sharding
  %rows = shard.sharding @g split_axes = [[0], []] : !shard.sharding
  %z = arith.constant dense<0.0> : tensor<8x8xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<8x16xf32>, tensor<16x8xf32>) outs(%z : tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = shard.shard %0 to %partial : tensor<8x8xf32>
  %2 = shard.shard %1 to %rows annotate_for_users : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}
