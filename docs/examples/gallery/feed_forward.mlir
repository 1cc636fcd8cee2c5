// The feed-forward of PaLM-540B, without hints: 512 tokens, 18432 features, 73728 in the
// hidden layer. README.md beside this file lays it out by options.

func.func @main(%x: tensor<512x18432xbf16>, %w_in: tensor<18432x73728xbf16>,
                %w_out: tensor<73728x18432xbf16>) -> tensor<512x18432xbf16> {
  %zero = arith.constant 0.0 : bf16
  %hidden_empty = tensor.empty() : tensor<512x73728xbf16>
  %hidden_zero = linalg.fill ins(%zero : bf16)
      outs(%hidden_empty : tensor<512x73728xbf16>) -> tensor<512x73728xbf16>
  %product = linalg.matmul
      ins(%x, %w_in : tensor<512x18432xbf16>, tensor<18432x73728xbf16>)
      outs(%hidden_zero : tensor<512x73728xbf16>) -> tensor<512x73728xbf16>
  %hidden = math.tanh %product : tensor<512x73728xbf16>
  %result_empty = tensor.empty() : tensor<512x18432xbf16>
  %result_zero = linalg.fill ins(%zero : bf16)
      outs(%result_empty : tensor<512x18432xbf16>) -> tensor<512x18432xbf16>
  %result = linalg.matmul
      ins(%hidden, %w_out : tensor<512x73728xbf16>, tensor<73728x18432xbf16>)
      outs(%result_zero : tensor<512x18432xbf16>) -> tensor<512x18432xbf16>
  return %result : tensor<512x18432xbf16>
}
