// Two batches, of which an op of one takes a result of the other: what is packed first
// must not stand behind what uses it.

// RUN: shard-opt %s --shard-pack-collectives | FileCheck %s
// CHECK-LABEL: func.func @chain
// CHECK-COUNT-3: shard.all_reduce
// CHECK-NOT: shard.all_reduce

shard.grid @g(shape = 4) {shard.machine = {name = "a100"}}
func.func @chain(%a: tensor<4xf32>, %c: tensor<4xf32>, %d: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %sum = shard.all_reduce %a on @g grid_axes = [0] : tensor<4xf32> -> tensor<4xf32>
  %most = shard.all_reduce %c on @g grid_axes = [0] reduction = max : tensor<4xf32> -> tensor<4xf32>
  %u = math.exp %most : tensor<4xf32>
  %x = math.exp %d : tensor<4xf32>
  %sum2 = shard.all_reduce %x on @g grid_axes = [0] : tensor<4xf32> -> tensor<4xf32>
  %most2 = shard.all_reduce %sum on @g grid_axes = [0] reduction = max : tensor<4xf32> -> tensor<4xf32>
  return %u, %sum2, %most2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
