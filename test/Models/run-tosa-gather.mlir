// tosa.gather is split along the batch, the indices and the channels, evenly and
// unevenly; indices in padding are not looked up.
//
// RUN: shard-run %s --verify --partition-tosa --print-partitioned | FileCheck %s --check-prefixes=LOCAL,CHECK
// RUN: shard-run %s --verify --partition-tosa --grid=2 | FileCheck %s
// RUN: shard-run %s --verify --partition-tosa --grid=5 | FileCheck %s
// RUN: shard-run %s --verify --grid=3 | FileCheck %s
// LOCAL-NOT: shard.all_
// LOCAL-COUNT-3: tosa.gather
// CHECK: {{^}}PASS

shard.grid @grid(shape = 3)

func.func @main(
    %batch: tensor<4x7x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
    %batch_i: tensor<4x6xi32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %place: tensor<2x7x5xf32>,
    %place_i: tensor<2x7xi32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>},
    %channel: tensor<2x7x4xi32> {shard.sharding = #shard.sharding<@grid, [[], [], [0]]>})
    -> (tensor<4x6x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
        tensor<2x7x5xf32> {shard.sharding = #shard.sharding<@grid, [[], [0], []]>},
        tensor<2x3x4xi32> {shard.sharding = #shard.sharding<@grid, [[], [], [0]]>}) {
  %channel_i = arith.constant dense<[[0, 6, 3], [2, 2, 5]]> : tensor<2x3xi32>
  %0 = tosa.gather %batch, %batch_i : (tensor<4x7x5xf32>, tensor<4x6xi32>) -> tensor<4x6x5xf32>
  %1 = tosa.gather %place, %place_i : (tensor<2x7x5xf32>, tensor<2x7xi32>) -> tensor<2x7x5xf32>
  %2 = tosa.gather %channel, %channel_i : (tensor<2x7x4xi32>, tensor<2x3xi32>) -> tensor<2x3x4xi32>
  return %0, %1, %2 : tensor<4x6x5xf32>, tensor<2x7x5xf32>, tensor<2x3x4xi32>
}
