// A slice that is inserted into a split dimension is written where its place lies,
// without a gather of what it is inserted into: at a constant offset, at one that is
// known when the program runs, across blocks, with the dimension dropped, in a loop.

// RUN: shard-run %s --verify --entry cache 2>&1 | FileCheck %s
// RUN: shard-run %s --verify --entry cache --grid 3 2>&1 | FileCheck %s
// RUN: shard-run %s --verify --entry across 2>&1 | FileCheck %s
// RUN: shard-run %s --verify --entry across --grid 3 2>&1 | FileCheck %s
// RUN: shard-run %s --verify --entry dropped 2>&1 | FileCheck %s
// RUN: shard-run %s --verify --entry dropped --grid 5 2>&1 | FileCheck %s
// RUN: shard-run %s --verify --entry scalar --grid 3 2>&1 | FileCheck %s
// CHECK-NOT: all_gather
// CHECK: {{^}}PASS

shard.grid @g(shape = 4)

// The cache of the keys of a decoder, split by position: one row in each step.
func.func @cache(%k: tensor<16x8xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>},
                 %row: tensor<1x8xf32>) -> (tensor<16x8xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %0:2 = scf.for %i = %c0 to %c7 step %c1 iter_args(%u = %k, %r = %row) -> (tensor<16x8xf32>, tensor<1x8xf32>) {
    %at = arith.addi %i, %c7 : index
    %n = tensor.insert_slice %r into %u[%at, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<16x8xf32>
    %next = arith.addf %r, %row : tensor<1x8xf32>
    scf.yield %n, %next : tensor<16x8xf32>, tensor<1x8xf32>
  }
  return %0#0 : tensor<16x8xf32>
}

func.func @across(%a: tensor<13x4xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>},
                  %s: tensor<6x2xf32>) -> (tensor<13x4xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) {
  %0 = tensor.insert_slice %s into %a[3, 1] [6, 2] [1, 1] : tensor<6x2xf32> into tensor<13x4xf32>
  return %0 : tensor<13x4xf32>
}

func.func @dropped(%a: tensor<3x10x4xf32> {shard.sharding = #shard.sharding<@g, [[], [0], []]>},
                   %s: tensor<3x4xf32>, %at: index) -> (tensor<3x10x4xf32> {shard.sharding = #shard.sharding<@g, [[], [0], []]>}) {
  %0 = tensor.insert_slice %s into %a[0, %at, 0] [3, 1, 4] [1, 1, 1] : tensor<3x4xf32> into tensor<3x10x4xf32>
  return %0 : tensor<3x10x4xf32>
}

func.func @scalar(%a: tensor<7x4xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>},
                  %s: tensor<f32>, %at: index) -> (tensor<7x4xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) {
  %0 = tensor.insert_slice %s into %a[%at, 2] [1, 1] [1, 1] : tensor<f32> into tensor<7x4xf32>
  return %0 : tensor<7x4xf32>
}
