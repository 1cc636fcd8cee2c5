// Attention of 16 heads over 4096 tokens with 128 features a head, without hints.

func.func @main(%q: tensor<16x4096x128xf32>, %k: tensor<16x4096x128xf32>,
                %v: tensor<16x4096x128xf32>) -> tensor<16x4096x128xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<16x4096x4096xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<16x4096x4096xf32>)
      -> tensor<16x4096x4096xf32>
  %scores = linalg.batch_matmul
      indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>,
                       affine_map<(b, m, n, k) -> (b, n, k)>,
                       affine_map<(b, m, n, k) -> (b, m, n)>]
      ins(%q, %k : tensor<16x4096x128xf32>, tensor<16x4096x128xf32>)
      outs(%init : tensor<16x4096x4096xf32>) -> tensor<16x4096x4096xf32>
  %weights = linalg.softmax dimension(2) ins(%scores : tensor<16x4096x4096xf32>)
      outs(%empty : tensor<16x4096x4096xf32>) -> tensor<16x4096x4096xf32>
  %result_empty = tensor.empty() : tensor<16x4096x128xf32>
  %result_zero = linalg.fill ins(%zero : f32) outs(%result_empty : tensor<16x4096x128xf32>)
      -> tensor<16x4096x128xf32>
  %result = linalg.batch_matmul
      ins(%weights, %v : tensor<16x4096x4096xf32>, tensor<16x4096x128xf32>)
      outs(%result_zero : tensor<16x4096x128xf32>) -> tensor<16x4096x128xf32>
  return %result : tensor<16x4096x128xf32>
}
