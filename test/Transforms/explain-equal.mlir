// Ways to run an op that send as much as the one that was taken are not listed: bytes do not tell
// why it was taken.

// RUN: shard-opt %s --shard-explain -o /dev/null 2>&1 | FileCheck %s

shard.grid @g(shape = 2)
// CHECK: reshard of %arg1 for arith.addf operand 1
// CHECK: decided:
// CHECK-NOT: with operand 1 as it comes
// CHECK: instead, without splitting the op: 128 bytes for the op, not 96
func.func @main(%a: tensor<4x8xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>},
    %b: tensor<4x8xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>}) -> tensor<4x8xf32> {
  %0 = arith.addf %a, %b : tensor<4x8xf32>
  %s = shard.sharding @g split_axes = [[], []] : !shard.sharding
  %1 = shard.shard %0 to %s : tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}
