// Ops of tosa that move elements or search for them, and the division, which must
// not see padding: split along all the dimensions that they leave alone.
//
// RUN: shard-run %s --verify --partition-tosa --print-partitioned | FileCheck %s --check-prefixes=LOCAL,CHECK
// RUN: shard-run %s --verify --partition-tosa --grid=2 | FileCheck %s
// RUN: shard-run %s --verify --partition-tosa --grid=5 | FileCheck %s
// RUN: shard-run %s --verify --grid=3 | FileCheck %s
// LOCAL-NOT: shard.all_
// LOCAL: tosa.reverse
// LOCAL-NOT: shard.all_
// LOCAL: tosa.argmax
// LOCAL-NOT: shard.all_
// LOCAL: tosa.intdiv
// LOCAL-NOT: shard.all_
// LOCAL: tosa.resize
// LOCAL-NOT: shard.all_
// LOCAL: tosa.scatter
// LOCAL-NOT: shard.all_
// CHECK: {{^}}PASS

shard.grid @grid(shape = 3)

func.func @main(
    %a: tensor<7x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %b: tensor<5x7xf32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>},
    %c: tensor<7x5xi32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %d: tensor<4x3x3x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []]>},
    %e: tensor<2x6x7xf32> {shard.sharding = #shard.sharding<@grid, [[], [], [0]]>},
    %u: tensor<2x3x7xf32> {shard.sharding = #shard.sharding<@grid, [[], [], [0]]>})
    -> (tensor<7x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
        tensor<7xi32> {shard.sharding = #shard.sharding<@grid, [[0]]>},
        tensor<7x5xi32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
        tensor<4x5x5x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []]>},
        tensor<2x6x7xf32> {shard.sharding = #shard.sharding<@grid, [[], [], [0]]>}) {
  %0 = tosa.reverse %a {axis = 1 : i32} : (tensor<7x4xf32>) -> tensor<7x4xf32>
  %1 = tosa.argmax %b {axis = 0 : i32} : (tensor<5x7xf32>) -> tensor<7xi32>
  %hundred = "tosa.const"() {values = dense<100> : tensor<7x5xi32>} : () -> tensor<7x5xi32>
  %2 = tosa.intdiv %hundred, %c : (tensor<7x5xi32>, tensor<7x5xi32>) -> tensor<7x5xi32>
  %s = tosa.const_shape {values = dense<[4, 2, 4, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o = tosa.const_shape {values = dense<[0, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %3 = tosa.resize %d, %s, %o, %o {mode = BILINEAR} : (tensor<4x3x3x5xf32>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<4x5x5x5xf32>
  %i = "tosa.const"() {values = dense<[[0, 5, 2], [4, 1, 3]]> : tensor<2x3xi32>} : () -> tensor<2x3xi32>
  %4 = tosa.scatter %e, %i, %u : (tensor<2x6x7xf32>, tensor<2x3xi32>, tensor<2x3x7xf32>) -> tensor<2x6x7xf32>
  return %0, %1, %2, %3, %4 : tensor<7x4xf32>, tensor<7xi32>, tensor<7x5xi32>, tensor<4x5x5x5xf32>, tensor<2x6x7xf32>
}
