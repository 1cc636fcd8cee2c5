shard.grid @grid(shape = 2x4)
func.func @f(%x: tensor<8x6xf32>) -> tensor<8x6xf32> {
  %0 = "demo.flip"(%x) : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}
