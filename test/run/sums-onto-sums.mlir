// Products that are added to one another through their inits: one all_reduce, and each
// init counts once, be it a bias, a partial sum of the loop in front or a product of
// which another axis splits the sum.

// RUN: shard-run %s --verify --entry chain | FileCheck %s --check-prefix=CHAIN
// RUN: shard-run %s --verify --entry other_axis | FileCheck %s --check-prefix=AXES
// RUN: shard-run %s --verify --entry behind | FileCheck %s --check-prefix=BEHIND

shard.grid @grid(shape = 2x2)

// CHAIN: all_reduce 0 1 48 B
// CHAIN-NOT: all_reduce
// CHAIN: PASS
func.func @chain(%a: tensor<6x8xf32> {shard.sharding = #shard.sharding<@grid, [[1], [0]]>},
                 %b: tensor<8x4xf32>, %c: tensor<8x4xf32>, %d: tensor<8x4xf32>,
                 %bias: tensor<6x4xf32>) -> tensor<6x4xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<6x8xf32>, tensor<8x4xf32>) outs(%bias : tensor<6x4xf32>) -> tensor<6x4xf32>
  %1 = linalg.matmul ins(%a, %c : tensor<6x8xf32>, tensor<8x4xf32>) outs(%0 : tensor<6x4xf32>) -> tensor<6x4xf32>
  %2 = linalg.matmul ins(%a, %d : tensor<6x8xf32>, tensor<8x4xf32>) outs(%1 : tensor<6x4xf32>) -> tensor<6x4xf32>
  return %2 : tensor<6x4xf32>
}

// AXES-COUNT-2: all_reduce {{[01]}} 1 256 B
// AXES: PASS
func.func @other_axis(%a: tensor<8x16xf32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>},
                      %b: tensor<16x8xf32>,
                      %c: tensor<8x16xf32> {shard.sharding = #shard.sharding<@grid, [[], [1]]>},
                      %d: tensor<16x8xf32>, %bias: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<8x16xf32>, tensor<16x8xf32>) outs(%bias : tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = linalg.matmul ins(%c, %d : tensor<8x16xf32>, tensor<16x8xf32>) outs(%0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// A product whose operand is a partial sum adds up along another axis: both are reduced
// behind it, where less is to be reduced.
// BEHIND: reduce_scatter 1, 0 1 96 B
// BEHIND: all_gather 0 1 32 B
// BEHIND: PASS
func.func @behind(%a: tensor<8x16xf32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>},
                  %b: tensor<16x8xf32> {shard.sharding = #shard.sharding<@grid, [[0], [1]]>},
                  %c: tensor<8x4xf32> {shard.sharding = #shard.sharding<@grid, [[1], []]>}) -> tensor<8x4xf32> {
  %z = arith.constant dense<0.0> : tensor<8x8xf32>
  %y = arith.constant dense<0.0> : tensor<8x4xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<8x16xf32>, tensor<16x8xf32>) outs(%z : tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = linalg.matmul ins(%0, %c : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}
