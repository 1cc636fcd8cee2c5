// Blocks of a dimension shorter than the grid become summands of a maximum, and
// those that become so on the way are reduced as maxima too.

// RUN: shard-run %s --verify | FileCheck %s
// CHECK: PASS

shard.grid @grid(shape = 4x4)
func.func @main(%a: tensor<2xi32>) -> tensor<2xi32> {
  %s = shard.sharding @grid split_axes = [[1, 0]] : !shard.sharding
  %0 = shard.shard %a to %s annotate_for_users : tensor<2xi32>
  %t = shard.sharding @grid split_axes = [[]] partial = max [0] : !shard.sharding
  %1 = shard.shard %0 to %t annotate_for_users : tensor<2xi32>
  return %1 : tensor<2xi32>
}
