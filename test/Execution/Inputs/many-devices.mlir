shard.grid @g(shape = @DEVICES@)
func.func @main(%x: tensor<8x16xf32>,
                %a: tensor<16x@HIDDEN@xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>},
                %b: tensor<@HIDDEN@x16xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>})
    -> (tensor<8x16xf32>, tensor<8x@HIDDEN@xf32>) {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<8x@HIDDEN@xf32>
  %i0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<8x@HIDDEN@xf32>) -> tensor<8x@HIDDEN@xf32>
  %p = linalg.matmul ins(%x, %a : tensor<8x16xf32>, tensor<16x@HIDDEN@xf32>)
      outs(%i0 : tensor<8x@HIDDEN@xf32>) -> tensor<8x@HIDDEN@xf32>
  %h = math.tanh %p : tensor<8x@HIDDEN@xf32>
  %e1 = tensor.empty() : tensor<8x16xf32>
  %i1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %y = linalg.matmul ins(%h, %b : tensor<8x@HIDDEN@xf32>, tensor<@HIDDEN@x16xf32>)
      outs(%i1 : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %y, %h : tensor<8x16xf32>, tensor<8x@HIDDEN@xf32>
}
