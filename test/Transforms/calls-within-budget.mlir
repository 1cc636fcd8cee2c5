// A function called under other shardings is copied for each call as long as all copies together
// have no more ops than the program: here 4 copies of 3 ops each, of 12 ops.
// RUN: shard-opt %s -sharding-propagation | FileCheck %s

// CHECK-COUNT-5: func.func private @twice
// CHECK-NOT: func.func private @twice
// CHECK-LABEL: func.func @main
// CHECK-NOT: annotate_for_users
shard.grid @g(shape = 2x2)
func.func private @twice(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = arith.addf %a, %a : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
func.func @main(
    %a: tensor<4x4xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>},
    %b: tensor<4x4xf32> {shard.sharding = #shard.sharding<@g, [[1], []]>},
    %c: tensor<4x4xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>},
    %d: tensor<4x4xf32> {shard.sharding = #shard.sharding<@g, [[], [1]]>},
    %e: tensor<4x4xf32> {shard.sharding = #shard.sharding<@g, [[0], [1]]>})
    -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = call @twice(%a) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = call @twice(%b) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = call @twice(%c) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = call @twice(%d) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %4 = call @twice(%e) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0, %1, %2, %3, %4 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}
