// A step of a pipeline of 8 stages, without hints: each stage computes on its microbatch of
// 128 tokens, and hands the result to the next one.

func.func @main(%x: tensor<8x128x256xf32>, %w: tensor<8x256x256xf32>)
    -> tensor<8x128x256xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x128x256xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x128x256xf32>)
      -> tensor<8x128x256xf32>
  %y = linalg.batch_matmul
      ins(%x, %w : tensor<8x128x256xf32>, tensor<8x256x256xf32>)
      outs(%init : tensor<8x128x256xf32>) -> tensor<8x128x256xf32>
  %last = tensor.extract_slice %y[7, 0, 0] [1, 128, 256] [1, 1, 1]
      : tensor<8x128x256xf32> to tensor<1x128x256xf32>
  %others = tensor.extract_slice %y[0, 0, 0] [7, 128, 256] [1, 1, 1]
      : tensor<8x128x256xf32> to tensor<7x128x256xf32>
  %next = tensor.concat dim(0) %last, %others
      : (tensor<1x128x256xf32>, tensor<7x128x256xf32>) -> tensor<8x128x256xf32>
  return %next : tensor<8x128x256xf32>
}
