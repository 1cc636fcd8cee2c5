// RUN: shard-opt %s --shard-report -o /dev/null 2>&1 | FileCheck %s
// RUN: shard-run %s --report=text 2>&1 | FileCheck %s --check-prefix=MEASURED

// Devices send pieces of equal size: of 5 rows on 4 devices three pieces of 2 rows, of 3 rows
// three pieces of 1 row. The plan of a change of sharding counts the same.

shard.grid @g(shape = 4)

// CHECK: collective axes calls steps bytes sent per device
// CHECK: all_to_all 0 1 3 48 B
// CHECK: all_to_all 0 1 3 6 B
// CHECK: reduce_scatter 0 1 3 72 B
// CHECK: scatter 0 1 1 72 B

// MEASURED: all_to_all 0 1 48 B 48 B
// MEASURED: all_to_all 0 1 6 B 6 B
// MEASURED: reduce_scatter 0 1 72 B 72 B
// MEASURED: scatter 0 1 72 B 72 B
func.func @main(%a: tensor<5x2xf32> {shard.local = #shard.local<tensor<5x8xf32>, <@g, [[], [0]]>>},
                %b: tensor<3x1xi16> {shard.local = #shard.local<tensor<3x4xi16>, <@g, [[], [0]]>>},
                %c: tensor<5x3xf32>)
    -> (tensor<2x8xf32> {shard.local = #shard.local<tensor<5x8xf32>, <@g, [[0], []]>>},
        tensor<1x4xi16> {shard.local = #shard.local<tensor<3x4xi16>, <@g, [[0], []]>>},
        tensor<2x3xf32> {shard.local = #shard.local<tensor<5x3xf32>, <@g, [[0], []]>>},
        tensor<2x3xf32> {shard.local = #shard.local<tensor<5x3xf32>, <@g, [[0], []]>>}) {
  %0 = shard.all_to_all %a on @g grid_axes = [0] split_axis = 0 concat_axis = 1
      : tensor<5x2xf32> -> tensor<2x8xf32>
  %1 = shard.all_to_all %b on @g grid_axes = [0] split_axis = 0 concat_axis = 1
      : tensor<3x1xi16> -> tensor<1x4xi16>
  %2 = shard.reduce_scatter %c on @g grid_axes = [0] reduction = sum scatter_axis = 0
      : tensor<5x3xf32> -> tensor<2x3xf32>
  %3 = shard.scatter %c on @g grid_axes = [0] scatter_axis = 0 root = [1]
      : (tensor<5x3xf32>) -> tensor<2x3xf32>
  return %0, %1, %2, %3 : tensor<2x8xf32>, tensor<1x4xi16>, tensor<2x3xf32>, tensor<2x3xf32>
}
