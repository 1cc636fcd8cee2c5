// get_sharding answers with the sharding that its operand ends with.
// RUN: shard-opt %s --sharding-propagation -verify-diagnostics -split-input-file -o %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: shard-opt %t.once --sharding-propagation -split-input-file | diff %t.once -

shard.grid @g(shape = 4)

// CHECK-LABEL: func.func @forward
// CHECK-SAME: %{{.*}}: tensor<8xf32> {shard.sharding = #shard.sharding<@g, {{\[}}[0]]>}, %{{.*}}: tensor<8xf32> {shard.sharding = #shard.sharding<@g, {{\[}}[0]]>})
// CHECK-SAME: -> (tensor<8xf32> {shard.sharding = #shard.sharding<@g, {{\[}}[0]]>})
func.func @forward(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@g, [[0]]>}, %b: tensor<8xf32>) -> tensor<8xf32> {
  %e = math.exp %a : tensor<8xf32>
  %s = shard.get_sharding %e : tensor<8xf32> -> !shard.sharding
  %1 = shard.shard %b to %s : tensor<8xf32>
  %2 = math.exp %1 : tensor<8xf32>
  return %2 : tensor<8xf32>
}

// The hint stands behind the question, and on the other side.
// CHECK-LABEL: func.func @backward
// CHECK-SAME: (%{{.*}}: tensor<8x4xf32> {shard.sharding = #shard.sharding<@g, {{\[}}[], [0]]>}, %{{.*}}: tensor<8x4xf32> {shard.sharding = #shard.sharding<@g, {{\[}}[], [0]]>})
func.func @backward(%a: tensor<8x4xf32>, %b: tensor<8x4xf32>)
    -> (tensor<8x4xf32>, tensor<8x4xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>}) {
  %s = shard.get_sharding %a : tensor<8x4xf32> -> !shard.sharding
  %1 = shard.shard %b to %s : tensor<8x4xf32>
  %2 = math.exp %1 : tensor<8x4xf32>
  %3 = math.exp %a : tensor<8x4xf32>
  return %3, %2 : tensor<8x4xf32>, tensor<8x4xf32>
}

// For the users only: the argument stays as its hint says.
// CHECK-LABEL: func.func @users
// CHECK-SAME: %{{.*}}: tensor<8x4xf32> {shard.sharding = #shard.sharding<@g, {{\[}}[0], []]>}, %{{.*}}: tensor<8x4xf32> {shard.sharding = #shard.sharding<@g, {{\[}}[], [0]]>})
// CHECK-SAME: -> (tensor<8x4xf32> {shard.sharding = #shard.sharding<@g, {{\[}}[0], []]>})
func.func @users(%a: tensor<8x4xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>},
                 %b: tensor<8x4xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>}) -> tensor<8x4xf32> {
  %s = shard.get_sharding %a : tensor<8x4xf32> -> !shard.sharding
  %1 = shard.shard %b to %s annotate_for_users : tensor<8x4xf32>
  %2 = math.exp %1 : tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}
