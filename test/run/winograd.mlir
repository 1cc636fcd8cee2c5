// A convolution by Winograd's method, F(4x4, 3x3), whose op has no sharding model: sums of 9
// elements in each place.
//
// RUN: shard-run %s --verify --output %t.npy | FileCheck %s
// RUN: %python -c "import numpy as n; a = n.load('%t.npy'); print(a.shape, n.allclose(a, 18.0, atol=1e-3))" | FileCheck %s --check-prefix=VALUES
// CHECK: PASS
// VALUES: (1, 4, 4, 1) True

shard.grid @g(shape = 2)
func.func @main(%unused: tensor<2xf32> {shard.sharding = #shard.sharding<@g, [[0]]>}) -> tensor<1x4x4x1xf32> {
  %x = arith.constant dense<2.0> : tensor<1x6x6x1xf32>
  %k = arith.constant dense<1.0> : tensor<1x3x3x1xf32>
  %split = shard.constraint %x to <@g, [[], [0], [], []]> : tensor<1x6x6x1xf32>
  %ke = tensor.empty() : tensor<6x6x1x1xf32>
  %xe = tensor.empty() : tensor<6x6x1x1x1x1xf32>
  %oe = arith.constant dense<0.0> : tensor<1x4x4x1xf32>
  %kt = linalg.winograd_filter_transform fmr(F_4_3) ins(%k : tensor<1x3x3x1xf32>) outs(%ke : tensor<6x6x1x1xf32>) -> tensor<6x6x1x1xf32>
  %xt = linalg.winograd_input_transform fmr(F_4_3) ins(%split : tensor<1x6x6x1xf32>) outs(%xe : tensor<6x6x1x1x1x1xf32>) -> tensor<6x6x1x1x1x1xf32>
  %ks = tensor.expand_shape %kt [[0], [1], [2], [3, 4, 5]] output_shape [6, 6, 1, 1, 1, 1] : tensor<6x6x1x1xf32> into tensor<6x6x1x1x1x1xf32>
  %p = arith.mulf %xt, %ks : tensor<6x6x1x1x1x1xf32>
  %0 = linalg.winograd_output_transform fmr(F_4_3) ins(%p : tensor<6x6x1x1x1x1xf32>) outs(%oe : tensor<1x4x4x1xf32>) -> tensor<1x4x4x1xf32>
  return %0 : tensor<1x4x4x1xf32>
}
