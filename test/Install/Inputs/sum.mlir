// A program of a user, without a grid.
func.func @main(%x: tensor<8x6xf32>) -> tensor<8x6xf32> {
  %y = arith.addf %x, %x : tensor<8x6xf32>
  return %y : tensor<8x6xf32>
}
