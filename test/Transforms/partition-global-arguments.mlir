// RUN: shard-opt %s --shard-partition=global-arguments | FileCheck %s

// Arguments arrive whole and are sliced inside.

shard.grid @grid(shape = 2)
// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[A:[a-z0-9_]+]]: tensor<8xf32> {shard.local = #shard.local<tensor<8xf32>, <@grid, {{\[\[\]\]}}>>}
// CHECK-NEXT: %[[S:[a-z0-9_]+]] = shard.all_slice %[[A]] on @grid grid_axes = [0] slice_axis = 0 : tensor<8xf32> -> tensor<4xf32>
// CHECK-NEXT: return %[[S]] : tensor<4xf32>
func.func @f(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}
