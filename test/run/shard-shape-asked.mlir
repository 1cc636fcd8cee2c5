// shard_shape of a sharding that only propagation knows: the reference gets the same
// answer as the grid.

// RUN: shard-run %s --verify --entry value | FileCheck %s
// RUN: shard-run %s --verify --entry argument | FileCheck %s
// RUN: shard-run %s --verify --entry replicated | FileCheck %s
// CHECK: {{^}}PASS

shard.grid @grid(shape = 4)
func.func @value(%a: tensor<8x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}) -> (index, index, tensor<8x4xf32>) {
  %0 = math.exp %a : tensor<8x4xf32>
  %s = shard.get_sharding %0 : tensor<8x4xf32> -> !shard.sharding
  %d:2 = shard.shard_shape dims = [8, 4] sharding = %s device = [0] : index, index
  return %d#0, %d#1, %0 : index, index, tensor<8x4xf32>
}
func.func @argument(%a: tensor<8x4xf32>, %i: index) -> (index, index, tensor<8x4xf32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>}) {
  %0 = math.exp %a : tensor<8x4xf32>
  %s = shard.get_sharding %a : tensor<8x4xf32> -> !shard.sharding
  %d:2 = shard.shard_shape dims = [8, 4] sharding = %s device = [3] : index, index
  return %d#0, %d#1, %0 : index, index, tensor<8x4xf32>
}
func.func @replicated(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[]]>}) -> index {
  %0 = math.exp %a : tensor<8xf32>
  %s = shard.get_sharding %0 : tensor<8xf32> -> !shard.sharding
  %d = shard.shard_shape dims = [8] sharding = %s device = [1] : index
  return %d : index
}
