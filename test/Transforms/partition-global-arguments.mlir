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

// Callers of a private function pass blocks; callers of a public one the whole value.
// CHECK-LABEL: func.func private @private(
// CHECK-SAME: tensor<4xf32>
func.func private @private(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>})
    -> (tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}) {
  return %a : tensor<8xf32>
}
// CHECK-LABEL: func.func @caller(
// CHECK: %[[S:[a-z0-9_]+]] = shard.all_slice
// CHECK: %[[P:[a-z0-9_]+]] = call @private(%[[S]]) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK: %[[G:[a-z0-9_]+]] = shard.all_gather %[[P]]
// CHECK: call @f(%[[G]]) : (tensor<8xf32>) -> tensor<4xf32>
func.func @caller(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}) -> tensor<8xf32> {
  %s = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %x = shard.shard %a to %s : tensor<8xf32>
  %0 = call @private(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %y = shard.shard %0 to %s : tensor<8xf32>
  %1 = call @f(%y) : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
