// The result of an op that gets an operand resharded says that it is
// replicated: a second propagation leaves it so.
// RUN: shard-opt %s --sharding-propagation -o %t.once
// RUN: shard-opt %t.once --sharding-propagation -o %t.twice
// RUN: diff %t.once %t.twice
// RUN: FileCheck %s --input-file=%t.once

shard.grid @grid(shape = 2x2) axes ["x", "y"]

// CHECK-LABEL: func.func @slice
// CHECK: %[[WHOLE:.*]] = shard.shard %{{.*}} to %{{.*}} annotate_for_users
// CHECK: %[[SUM:.*]] = arith.addf %[[WHOLE]]
// CHECK: shard.shard %[[SUM]] to
func.func @slice(
    %a: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [["x"]]>})
    -> tensor<8xf32> {
  %none = shard.sharding @grid split_axes = [[]] : !shard.sharding
  %whole = shard.shard %a to %none annotate_for_users : tensor<8xf32>
  %sum = arith.addf %whole, %whole : tensor<8xf32>
  return %sum : tensor<8xf32>
}
