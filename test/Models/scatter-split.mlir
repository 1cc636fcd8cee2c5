// A scatter into a dimension that is split sends nothing: each device writes the updates of
// its block. What is split besides is of no concern, and an index outside of the tensor means
// the nearest one in it, as on one device.

// RUN: shard-opt %s --shard-spmd --shard-verify-spmd | FileCheck %s
// RUN: shard-run %s --entry rows --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry elements --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry batches --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry beyond --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry unknown --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry one_place --verify --grid 2x3 | FileCheck %s --check-prefix=EXEC
// EXEC: PASS

shard.grid @grid(shape = 2x2)

// CHECK-LABEL: func.func @rows
// CHECK-NOT: shard.all_
// CHECK: scf.for
// CHECK: arith.select
// CHECK-NOT: shard.all_
// CHECK-LABEL: func.func @elements
func.func @rows(%d: tensor<7x6xf32> {shard.sharding = #shard.sharding<@grid, [[0, 1], []]>},
                %s: tensor<3x1x6xf32>)
    -> (tensor<7x6xf32> {shard.sharding = #shard.sharding<@grid, [[0, 1], []]>}) {
  %i = arith.constant dense<[[6], [0], [3]]> : tensor<3x1xi8>
  %0 = tensor.scatter %s into %d[%i] scatter_dims([0]) unique
      : (tensor<3x1x6xf32>, tensor<7x6xf32>, tensor<3x1xi8>) -> tensor<7x6xf32>
  return %0 : tensor<7x6xf32>
}

// Both coordinates of an element.
// CHECK-NOT: shard.all_
// CHECK: arith.andi
// CHECK-NOT: shard.all_
// CHECK-LABEL: func.func @batches
func.func @elements(%d: tensor<8x6xi32> {shard.sharding = #shard.sharding<@grid, [[0], [1]]>},
                    %s: tensor<4xi32>)
    -> (tensor<8x6xi32> {shard.sharding = #shard.sharding<@grid, [[0], [1]]>}) {
  %i = arith.constant dense<[[7, 5], [0, 0], [3, 2], [4, 3]]> : tensor<4x2xindex>
  %0 = tensor.scatter %s into %d[%i] scatter_dims([0, 1]) unique
      : (tensor<4xi32>, tensor<8x6xi32>, tensor<4x2xindex>) -> tensor<8x6xi32>
  return %0 : tensor<8x6xi32>
}

// Updates in two dimensions, of slices that are split along the other one.
// CHECK-NOT: shard.all_
// CHECK-LABEL: func.func @beyond
func.func @batches(%d: tensor<8x6xf64> {shard.sharding = #shard.sharding<@grid, [[0], [1]]>},
                   %s: tensor<2x2x6xf64>)
    -> (tensor<8x6xf64> {shard.sharding = #shard.sharding<@grid, [[0], [1]]>}) {
  %i = arith.constant dense<[[[5], [2]], [[3], [4]]]> : tensor<2x2x1xi64>
  %0 = tensor.scatter %s into %d[%i] scatter_dims([0]) unique
      : (tensor<2x2x6xf64>, tensor<8x6xf64>, tensor<2x2x1xi64>) -> tensor<8x6xf64>
  return %0 : tensor<8x6xf64>
}

// CHECK-NOT: shard.all_
// CHECK-LABEL: func.func @unknown
func.func @beyond(%d: tensor<7xf32> {shard.sharding = #shard.sharding<@grid, [[0, 1]]>},
                  %s: tensor<2xf32>)
    -> (tensor<7xf32> {shard.sharding = #shard.sharding<@grid, [[0, 1]]>}) {
  %i = arith.constant dense<[[9], [-3]]> : tensor<2x1xi32>
  %0 = tensor.scatter %s into %d[%i] scatter_dims([0]) unique
      : (tensor<2xf32>, tensor<7xf32>, tensor<2x1xi32>) -> tensor<7xf32>
  return %0 : tensor<7xf32>
}

// One extent that is not known, which stays whole, beside one that is split.
// CHECK-NOT: shard.all_
func.func @unknown(%x: tensor<8x3xi32> {shard.sharding = #shard.sharding<@grid, [[0, 1], []]>},
                   %s: tensor<2xi32>)
    -> (tensor<8x3xi32> {shard.sharding = #shard.sharding<@grid, [[0, 1], []]>}) {
  %d = tensor.cast %x : tensor<8x3xi32> to tensor<8x?xi32>
  %i = arith.constant dense<[[5, 1], [2, 7]]> : tensor<2x2xi32>
  %0 = tensor.scatter %s into %d[%i] scatter_dims([0, 1]) unique
      : (tensor<2xi32>, tensor<8x?xi32>, tensor<2x2xi32>) -> tensor<8x?xi32>
  %1 = tensor.cast %0 : tensor<8x?xi32> to tensor<8x3xi32>
  return %1 : tensor<8x3xi32>
}

// One update, at a place without a dimension for updates.
func.func @one_place(%d: tensor<7x5xf32> {shard.sharding = #shard.sharding<@grid, [[1], [0]]>},
                     %s: tensor<1x5xf32>)
    -> (tensor<7x5xf32> {shard.sharding = #shard.sharding<@grid, [[1], [0]]>}) {
  %i = arith.constant dense<4> : tensor<1xindex>
  %0 = tensor.scatter %s into %d[%i] scatter_dims([0]) unique
      : (tensor<1x5xf32>, tensor<7x5xf32>, tensor<1xindex>) -> tensor<7x5xf32>
  return %0 : tensor<7x5xf32>
}
