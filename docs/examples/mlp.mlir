// A two-layer perceptron with the hints of Megatron-LM: the first weight is split
// by columns, the second by rows. Each device computes its share of the hidden
// layer, and its product with the second weight is one summand of the result:
// one all_reduce, and no other collective.
//
// Source of the scheme: Shoeybi et al., "Megatron-LM: Training Multi-Billion
// Parameter Language Models Using Model Parallelism", 2019, section 3.

shard.grid @grid(shape = 4) axes ["model"]

func.func @main(
    %input: tensor<64x256xf32>,
    %w1: tensor<256x512xf32> {shard.sharding = #shard.sharding<@grid, [[], ["model"]]>},
    %b1: tensor<512xf32> {shard.sharding = #shard.sharding<@grid, [["model"]]>},
    %w2: tensor<512x256xf32> {shard.sharding = #shard.sharding<@grid, [["model"], []]>})
    -> tensor<64x256xf32> {
  %zero = arith.constant 0.0 : f32
  %hidden_empty = tensor.empty() : tensor<64x512xf32>
  %hidden_zero = linalg.fill ins(%zero : f32)
      outs(%hidden_empty : tensor<64x512xf32>) -> tensor<64x512xf32>
  %product = linalg.matmul
      ins(%input, %w1 : tensor<64x256xf32>, tensor<256x512xf32>)
      outs(%hidden_zero : tensor<64x512xf32>) -> tensor<64x512xf32>
  %hidden = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                       affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%product, %b1 : tensor<64x512xf32>, tensor<512xf32>)
      outs(%hidden_empty : tensor<64x512xf32>) {
  ^bb0(%x: f32, %bias: f32, %out: f32):
    %sum = arith.addf %x, %bias : f32
    %relu = arith.maximumf %sum, %zero : f32
    linalg.yield %relu : f32
  } -> tensor<64x512xf32>
  %result_empty = tensor.empty() : tensor<64x256xf32>
  %result_zero = linalg.fill ins(%zero : f32)
      outs(%result_empty : tensor<64x256xf32>) -> tensor<64x256xf32>
  %result = linalg.matmul
      ins(%hidden, %w2 : tensor<64x512xf32>, tensor<512x256xf32>)
      outs(%result_zero : tensor<64x256xf32>) -> tensor<64x256xf32>
  return %result : tensor<64x256xf32>
}
