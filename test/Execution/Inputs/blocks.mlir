// What blocks-of-files-*.test run.
shard.grid @grid(shape = 2x2)

func.func @main(%even: tensor<8x6xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
                %columns: tensor<5x7xf64> {shard.sharding = #shard.sharding<@grid, [[], [1]]>},
                %both: tensor<3x4x5xi16> {shard.sharding = #shard.sharding<@grid, [[1], [], [0]]>},
                %mask: tensor<9xi1> {shard.sharding = #shard.sharding<@grid, [[0, 1]]>},
                %z: tensor<3x4xcomplex<f32>> {shard.sharding = #shard.sharding<@grid, [[], [0, 1]]>},
                %rows: tensor<?x3xf64> {shard.sharding = #shard.sharding<@grid, [[1], []]>})
    -> (tensor<8x6xf32> {shard.sharding = #shard.sharding<@grid, [[0], [1]]>},
        tensor<5x7xf64> {shard.sharding = #shard.sharding<@grid, [[], [1]]>},
        tensor<3x4x5xi16> {shard.sharding = #shard.sharding<@grid, [[1], [], [0]]>},
        tensor<9xi1> {shard.sharding = #shard.sharding<@grid, [[0, 1]]>},
        tensor<3x4xcomplex<f32>> {shard.sharding = #shard.sharding<@grid, [[], [0, 1]]>},
        tensor<?x3xf64> {shard.sharding = #shard.sharding<@grid, [[1], []]>},
        f32,
        tensor<6xf32> {shard.sharding = #shard.sharding<@grid, [[]], partial = sum [0]>}) {
  %zero = arith.constant dense<0.0> : tensor<6xf32>
  %sum = linalg.reduce { arith.addf } ins(%even : tensor<8x6xf32>)
      outs(%zero : tensor<6xf32>) dimensions = [0]
  %one = arith.constant 1.0 : f32
  return %even, %columns, %both, %mask, %z, %rows, %one, %sum : tensor<8x6xf32>, tensor<5x7xf64>,
      tensor<3x4x5xi16>, tensor<9xi1>, tensor<3x4xcomplex<f32>>, tensor<?x3xf64>, f32, tensor<6xf32>
}
