// A layer of 64 experts and its gradients, without hints: %dy is the gradient of the result.
// The tokens are already sorted by expert (experts.mlir).

func.func @main(%x: tensor<64x256x4096xbf16>, %w_in: tensor<64x4096x14336xbf16>,
                %w_out: tensor<64x14336x4096xbf16>, %dy: tensor<64x256x4096xbf16>)
    -> (tensor<64x256x4096xbf16>, tensor<64x256x4096xbf16>,
        tensor<64x4096x14336xbf16>, tensor<64x14336x4096xbf16>) {
  %zero = arith.constant 0.0 : bf16
  %ones = arith.constant dense<1.0> : tensor<64x256x14336xbf16>
  %product_empty = tensor.empty() : tensor<64x256x14336xbf16>
  %product_zero = linalg.fill ins(%zero : bf16) outs(%product_empty : tensor<64x256x14336xbf16>) -> tensor<64x256x14336xbf16>
  %product = linalg.batch_matmul
      ins(%x, %w_in : tensor<64x256x4096xbf16>, tensor<64x4096x14336xbf16>)
      outs(%product_zero : tensor<64x256x14336xbf16>) -> tensor<64x256x14336xbf16>
  %hidden = math.tanh %product : tensor<64x256x14336xbf16>
  %result_empty = tensor.empty() : tensor<64x256x4096xbf16>
  %result_zero = linalg.fill ins(%zero : bf16) outs(%result_empty : tensor<64x256x4096xbf16>) -> tensor<64x256x4096xbf16>
  %result = linalg.batch_matmul
      ins(%hidden, %w_out : tensor<64x256x14336xbf16>, tensor<64x14336x4096xbf16>)
      outs(%result_zero : tensor<64x256x4096xbf16>) -> tensor<64x256x4096xbf16>
  %dhidden_empty = tensor.empty() : tensor<64x256x14336xbf16>
  %dhidden_zero = linalg.fill ins(%zero : bf16) outs(%dhidden_empty : tensor<64x256x14336xbf16>) -> tensor<64x256x14336xbf16>
  %dhidden = linalg.batch_matmul
      indexing_maps = [
        affine_map<(b, m, n, k) -> (b, m, k)>,
        affine_map<(b, m, n, k) -> (b, n, k)>,
        affine_map<(b, m, n, k) -> (b, m, n)>]
      ins(%dy, %w_out : tensor<64x256x4096xbf16>, tensor<64x14336x4096xbf16>)
      outs(%dhidden_zero : tensor<64x256x14336xbf16>) -> tensor<64x256x14336xbf16>
  %square = arith.mulf %hidden, %hidden : tensor<64x256x14336xbf16>
  %slope = arith.subf %ones, %square : tensor<64x256x14336xbf16>
  %dproduct = arith.mulf %dhidden, %slope : tensor<64x256x14336xbf16>
  %dw_out_empty = tensor.empty() : tensor<64x14336x4096xbf16>
  %dw_out_zero = linalg.fill ins(%zero : bf16) outs(%dw_out_empty : tensor<64x14336x4096xbf16>) -> tensor<64x14336x4096xbf16>
  %dw_out = linalg.batch_matmul
      indexing_maps = [
        affine_map<(b, m, n, k) -> (b, k, m)>,
        affine_map<(b, m, n, k) -> (b, k, n)>,
        affine_map<(b, m, n, k) -> (b, m, n)>]
      ins(%hidden, %dy : tensor<64x256x14336xbf16>, tensor<64x256x4096xbf16>)
      outs(%dw_out_zero : tensor<64x14336x4096xbf16>) -> tensor<64x14336x4096xbf16>
  %dw_in_empty = tensor.empty() : tensor<64x4096x14336xbf16>
  %dw_in_zero = linalg.fill ins(%zero : bf16) outs(%dw_in_empty : tensor<64x4096x14336xbf16>) -> tensor<64x4096x14336xbf16>
  %dw_in = linalg.batch_matmul
      indexing_maps = [
        affine_map<(b, m, n, k) -> (b, k, m)>,
        affine_map<(b, m, n, k) -> (b, k, n)>,
        affine_map<(b, m, n, k) -> (b, m, n)>]
      ins(%x, %dproduct : tensor<64x256x4096xbf16>, tensor<64x256x14336xbf16>)
      outs(%dw_in_zero : tensor<64x4096x14336xbf16>) -> tensor<64x4096x14336xbf16>
  %dx_empty = tensor.empty() : tensor<64x256x4096xbf16>
  %dx_zero = linalg.fill ins(%zero : bf16) outs(%dx_empty : tensor<64x256x4096xbf16>) -> tensor<64x256x4096xbf16>
  %dx = linalg.batch_matmul
      indexing_maps = [
        affine_map<(b, m, n, k) -> (b, m, k)>,
        affine_map<(b, m, n, k) -> (b, n, k)>,
        affine_map<(b, m, n, k) -> (b, m, n)>]
      ins(%dproduct, %w_in : tensor<64x256x14336xbf16>, tensor<64x4096x14336xbf16>)
      outs(%dx_zero : tensor<64x256x4096xbf16>) -> tensor<64x256x4096xbf16>
  return %result, %dx, %dw_in, %dw_out : tensor<64x256x4096xbf16>, tensor<64x256x4096xbf16>,
      tensor<64x4096x14336xbf16>, tensor<64x14336x4096xbf16>
}
