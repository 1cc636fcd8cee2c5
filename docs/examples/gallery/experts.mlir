// A layer of 64 experts, without hints: each has 256 places for tokens of 4096 features,
// and weights of its own. The tokens are already sorted by expert.

func.func @main(%x: tensor<64x256x4096xbf16>, %w_in: tensor<64x4096x14336xbf16>,
                %w_out: tensor<64x14336x4096xbf16>) -> tensor<64x256x4096xbf16> {
  %zero = arith.constant 0.0 : bf16
  %hidden_empty = tensor.empty() : tensor<64x256x14336xbf16>
  %hidden_zero = linalg.fill ins(%zero : bf16)
      outs(%hidden_empty : tensor<64x256x14336xbf16>) -> tensor<64x256x14336xbf16>
  %product = linalg.batch_matmul
      ins(%x, %w_in : tensor<64x256x4096xbf16>, tensor<64x4096x14336xbf16>)
      outs(%hidden_zero : tensor<64x256x14336xbf16>) -> tensor<64x256x14336xbf16>
  %hidden = math.tanh %product : tensor<64x256x14336xbf16>
  %result_empty = tensor.empty() : tensor<64x256x4096xbf16>
  %result_zero = linalg.fill ins(%zero : bf16)
      outs(%result_empty : tensor<64x256x4096xbf16>) -> tensor<64x256x4096xbf16>
  %result = linalg.batch_matmul
      ins(%hidden, %w_out : tensor<64x256x14336xbf16>, tensor<64x14336x4096xbf16>)
      outs(%result_zero : tensor<64x256x4096xbf16>) -> tensor<64x256x4096xbf16>
  return %result : tensor<64x256x4096xbf16>
}
