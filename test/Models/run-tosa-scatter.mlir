// tosa.scatter is a tensor.scatter whose first coordinate is the batch. Split along the batch,
// evenly and unevenly, along what the indices reach into, or along channels, it sends nothing:
// MLIR's lowering, loops over slices, was gathered along the batch in each iteration.
//
// RUN: shard-opt %s --shard-lower-tosa | FileCheck %s --check-prefix=OPS
// RUN: shard-opt %s --shard-spmd --shard-verify-spmd | FileCheck %s --check-prefix=LOCAL
// RUN: shard-run %s --verify | FileCheck %s
// RUN: shard-run %s --verify --grid=2 | FileCheck %s
// RUN: shard-run %s --verify --grid=3 | FileCheck %s
// RUN: shard-run %s --verify --grid=2x2 --hint 'arg0=[[0],[1],[]]' --hint 'result0=[[0],[1],[]]' | FileCheck %s
// RUN: shard-run %s --verify --grid=2x3 --hint 'arg3=[[0],[],[1]]' --hint 'result1=[[1],[],[0]]' | FileCheck %s
// CHECK: {{^}}PASS

// OPS-NOT: scf.for
// OPS-COUNT-3: tensor.scatter {{.*}} scatter_dims([0, 1]) unique
// LOCAL-NOT: shard.all_
// LOCAL-NOT: shard.shift
// LOCAL: return

shard.grid @grid(shape = 4)

func.func @main(
    %batch: tensor<5x7x3xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
    %batch_u: tensor<5x4x3xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
    %batch_i: tensor<5x4xi32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %place: tensor<2x7x5xf32> {shard.sharding = #shard.sharding<@grid, [[], [0], []]>},
    %place_u: tensor<2x2x5xf32>,
    %channel: tensor<2x7x4xi32> {shard.sharding = #shard.sharding<@grid, [[], [], [0]]>},
    %channel_u: tensor<2x3x4xi32> {shard.sharding = #shard.sharding<@grid, [[], [], [0]]>})
    -> (tensor<5x7x3xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
        tensor<2x7x5xf32> {shard.sharding = #shard.sharding<@grid, [[], [0], []]>},
        tensor<2x7x4xi32> {shard.sharding = #shard.sharding<@grid, [[], [], [0]]>}) {
  %place_i = arith.constant dense<[[6, 3], [1, 5]]> : tensor<2x2xi32>
  %channel_i = arith.constant dense<[[0, 6, 3], [2, 4, 5]]> : tensor<2x3xi32>
  %0 = tosa.scatter %batch, %batch_i, %batch_u : (tensor<5x7x3xf32>, tensor<5x4xi32>, tensor<5x4x3xf32>) -> tensor<5x7x3xf32>
  %1 = tosa.scatter %place, %place_i, %place_u : (tensor<2x7x5xf32>, tensor<2x2xi32>, tensor<2x2x5xf32>) -> tensor<2x7x5xf32>
  %2 = tosa.scatter %channel, %channel_i, %channel_u : (tensor<2x7x4xi32>, tensor<2x3xi32>, tensor<2x3x4xi32>) -> tensor<2x7x4xi32>
  return %0, %1, %2 : tensor<5x7x3xf32>, tensor<2x7x5xf32>, tensor<2x7x4xi32>
}
