// The sizes of axes, the same on all devices, in a program that is not partitioned.

// RUN: shard-run %s --verify --grid 2x3 | FileCheck %s
// RUN: shard-opt %s --sharding-propagation --shard-partition | FileCheck %s --check-prefix=LOCAL
// CHECK: {{^}}PASS

shard.grid @grid(shape = 2x?)

// LOCAL: %[[ALL:.*]]:2 = shard.grid_shape @grid : index, index
// LOCAL: %[[ONE:.*]] = shard.grid_shape @grid axes = [1] : index
// LOCAL: return %{{.*}}, %[[ALL]]#0, %[[ONE]]
func.func @main(%a: tensor<8x9xf32> {shard.sharding = #shard.sharding<@grid, [[0], [1]]>})
    -> (tensor<8x9xf32>, index, index) {
  %all:2 = shard.grid_shape @grid : index, index
  %one = shard.grid_shape @grid axes = [1] : index
  %0 = math.exp %a : tensor<8x9xf32>
  return %0, %all#0, %one : tensor<8x9xf32>, index, index
}
