// What blocks-of-files-mpich.test runs with little memory.
shard.grid @grid(shape = 4)

func.func @main(%x: tensor<8192x16384xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>})
    -> tensor<8192xf32> {
  %zero = arith.constant dense<0.0> : tensor<8192xf32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<8192x16384xf32>)
      outs(%zero : tensor<8192xf32>) dimensions = [1]
  return %sum : tensor<8192xf32>
}
