// RUN: shard-opt %s --sharding-propagation | FileCheck %s

// A function is on one grid: where its axes are cut, its whole signature names the
// grid of the parts.

shard.grid @grid(shape = 4)
// CHECK-LABEL: func.func @main(
// CHECK-NOT: @grid,
func.func @main(
    %a: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0:(1)2]]>},
    %b: tensor<f32> {shard.sharding = #shard.sharding<@grid, []>})
    -> (tensor<8xf32>, tensor<f32> {shard.sharding = #shard.sharding<@grid, []>}) {
  return %a, %b : tensor<8xf32>, tensor<f32>
}
