// RUN: shard-opt %s --sharding-propagation --split-input-file --verify-diagnostics

shard.grid @grid(shape = 2)
func.func @count(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'shard.loops' has 2 entries, but the op has 1 loops (--shard-print-loops shows them)}}
  %0 = math.exp %a {shard.loops = #shard.sharding<@grid, [[0], []]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

shard.grid @grid(shape = 2)
func.func @window(%a: tensor<1x8x1xf32>, %b: tensor<3x1x1xf32>, %c: tensor<1x6x1xf32>) -> tensor<1x6x1xf32> {
  // expected-error @+1 {{'shard.loops' splits loop 3, which cannot be split}}
  %0 = linalg.conv_1d_nwc_wcf {shard.loops = #shard.sharding<@grid, [[], [], [], [0], []]>}
      ins(%a, %b : tensor<1x8x1xf32>, tensor<3x1x1xf32>) outs(%c : tensor<1x6x1xf32>) -> tensor<1x6x1xf32>
  return %0 : tensor<1x6x1xf32>
}
