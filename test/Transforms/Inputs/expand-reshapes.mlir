//--- attention.mlir
// As torch-mlir writes it: batch and heads are merged for the batched products, and batch
// and rows for the linear layer behind.
shard.grid @g(shape = 4)
func.func @main(%q: tensor<2x8x6x4xf32> {shard.sharding = #shard.sharding<@g, [[], [0], [], []]>},
                %k: tensor<2x8x4x6xf32>, %v: tensor<2x8x6x4xf32>,
                %o: tensor<32x10xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) -> tensor<2x6x10xf32> {
  %zero = arith.constant 0.0 : f32
  %qm = tensor.collapse_shape %q [[0, 1], [2], [3]] : tensor<2x8x6x4xf32> into tensor<16x6x4xf32>
  %km = tensor.collapse_shape %k [[0, 1], [2], [3]] : tensor<2x8x4x6xf32> into tensor<16x4x6xf32>
  %vm = tensor.collapse_shape %v [[0, 1], [2], [3]] : tensor<2x8x6x4xf32> into tensor<16x6x4xf32>
  %e0 = tensor.empty() : tensor<16x6x6xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<16x6x6xf32>) -> tensor<16x6x6xf32>
  %s = linalg.batch_matmul ins(%qm, %km : tensor<16x6x4xf32>, tensor<16x4x6xf32>) outs(%f0 : tensor<16x6x6xf32>) -> tensor<16x6x6xf32>
  %t = math.tanh %s : tensor<16x6x6xf32>
  %e1 = tensor.empty() : tensor<16x6x4xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<16x6x4xf32>) -> tensor<16x6x4xf32>
  %u = linalg.exp ins(%s : tensor<16x6x6xf32>) outs(%f0 : tensor<16x6x6xf32>) -> tensor<16x6x6xf32>
  %a = linalg.batch_matmul ins(%u, %vm : tensor<16x6x6xf32>, tensor<16x6x4xf32>) outs(%f1 : tensor<16x6x4xf32>) -> tensor<16x6x4xf32>
  %ah = tensor.expand_shape %a [[0, 1], [2], [3]] output_shape [2, 8, 6, 4] : tensor<16x6x4xf32> into tensor<2x8x6x4xf32>
  %et = tensor.empty() : tensor<2x6x8x4xf32>
  %at = linalg.transpose ins(%ah : tensor<2x8x6x4xf32>) outs(%et : tensor<2x6x8x4xf32>) permutation = [0, 2, 1, 3]
  %am = tensor.collapse_shape %at [[0, 1], [2, 3]] : tensor<2x6x8x4xf32> into tensor<12x32xf32>
  %e2 = tensor.empty() : tensor<12x10xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<12x10xf32>) -> tensor<12x10xf32>
  %r = linalg.matmul ins(%am, %o : tensor<12x32xf32>, tensor<32x10xf32>) outs(%f2 : tensor<12x10xf32>) -> tensor<12x10xf32>
  %rh = tensor.expand_shape %r [[0, 1], [2]] output_shape [2, 6, 10] : tensor<12x10xf32> into tensor<2x6x10xf32>
  return %rh : tensor<2x6x10xf32>
}

//--- linear.mlir
// Rows split, batch whole, rows uneven; integers must be the same in every bit.
shard.grid @g(shape = 3)
func.func @main(%x: tensor<2x7x5xi32> {shard.sharding = #shard.sharding<@g, [[], [0], []]>},
                %w: tensor<5x4xi32>, %b: tensor<4xi32>) -> tensor<2x7x4xi32> {
  %m = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x7x5xi32> into tensor<14x5xi32>
  %zero = arith.constant dense<0> : tensor<14x4xi32>
  %0 = linalg.matmul ins(%m, %w : tensor<14x5xi32>, tensor<5x4xi32>) outs(%zero : tensor<14x4xi32>) -> tensor<14x4xi32>
  %e = tensor.empty() : tensor<14x4xi32>
  %1 = linalg.broadcast ins(%b : tensor<4xi32>) outs(%e : tensor<14x4xi32>) dimensions = [0]
  %2 = linalg.add ins(%0, %1 : tensor<14x4xi32>, tensor<14x4xi32>) outs(%e : tensor<14x4xi32>) -> tensor<14x4xi32>
  %r = tensor.expand_shape %2 [[0, 1], [2]] output_shape [2, 7, 4] : tensor<14x4xi32> into tensor<2x7x4xi32>
  return %r : tensor<2x7x4xi32>
}
