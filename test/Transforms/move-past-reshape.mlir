// A collective that moves past a reshape leaves one whose list of extents is that of its
// result: MLIR compares them only once tensors have become buffers.

// RUN: shard-opt %s --shard-propagate --shard-partition --shard-move-collectives | FileCheck %s
// RUN: shard-run %s --verify | FileCheck %s --check-prefix=EXEC
// EXEC: PASS

// CHECK: tensor.expand_shape %{{.*}} output_shape [6, 8, 8, 1] : tensor<6x8x8xf32> into tensor<6x8x8x1xf32>
// CHECK: shard.all_slice
shard.grid @grid(shape = 2) axes ["x0"]
func.func @main(%a: tensor<6x8x8xf32> {shard.sharding = #shard.sharding<@grid, [[], [], []]>})
    -> (tensor<6x8x8x1xf32> {shard.sharding = #shard.sharding<@grid, [["x0"], [], [], []]>},
        tensor<6x8x8x1xf32> {shard.sharding = #shard.sharding<@grid, [[], [], [], []]>}) {
  %0 = tensor.expand_shape %a [[0], [1], [2, 3]] output_shape [6, 8, 8, 1] : tensor<6x8x8xf32> into tensor<6x8x8x1xf32>
  %1 = arith.addf %0, %0 : tensor<6x8x8x1xf32>
  return %1, %0 : tensor<6x8x8x1xf32>, tensor<6x8x8x1xf32>
}
