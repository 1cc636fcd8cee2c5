// The example of README.md: one hint, on the first weight. Propagation splits the
// second one to fit, and one all_reduce is all the communication.

shard.grid @grid(shape = 4) axes ["model"]

func.func @main(
    %x: tensor<32x64xf32>,
    %a: tensor<64x128xf32> {shard.sharding = #shard.sharding<@grid, [[], ["model"]]>},
    %b: tensor<128x64xf32>) -> tensor<32x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<32x128xf32>
  %i0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<32x128xf32>) -> tensor<32x128xf32>
  %xa = linalg.matmul ins(%x, %a : tensor<32x64xf32>, tensor<64x128xf32>)
      outs(%i0 : tensor<32x128xf32>) -> tensor<32x128xf32>
  %h = math.tanh %xa : tensor<32x128xf32>
  %e1 = tensor.empty() : tensor<32x64xf32>
  %i1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<32x64xf32>) -> tensor<32x64xf32>
  %y = linalg.matmul ins(%h, %b : tensor<32x128xf32>, tensor<128x64xf32>)
      outs(%i1 : tensor<32x64xf32>) -> tensor<32x64xf32>
  return %y : tensor<32x64xf32>
}
