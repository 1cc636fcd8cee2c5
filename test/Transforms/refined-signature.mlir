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

// So does that of a function of which nothing is split: the functions that call one
// another are on one grid.
// CHECK-LABEL: func.func private @callee(
// CHECK-SAME: %{{.*}}: tensor<f32> {shard.sharding = #shard.sharding<@grid_1, []>}
func.func private @callee(%c: tensor<f32> {shard.sharding = #shard.sharding<@grid, []>})
    -> tensor<f32> {
  return %c : tensor<f32>
}
func.func @caller(
    %a: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0:(1)2]]>}, %b: tensor<f32>)
    -> (tensor<8xf32>, tensor<f32>) {
  %0 = call @callee(%b) : (tensor<f32>) -> tensor<f32>
  return %a, %0 : tensor<8xf32>, tensor<f32>
}
