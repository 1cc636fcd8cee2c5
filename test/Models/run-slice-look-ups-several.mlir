// Several elements of a split dimension, at a place that only the run knows: each device gives
// those that it has.

// RUN: shard-opt %s --shard-spmd | FileCheck %s
// RUN: shard-run %s --entry rows --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry rows --grid 3x2 --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry rows --grid 7x1 --seed 3 --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry block --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry block --grid 3x3 --seed 2 --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry most --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry in_loop --verify | FileCheck %s --check-prefix=EXEC
// EXEC: PASS

shard.grid @grid(shape = 2x2)

// CHECK-LABEL: func.func @rows
// CHECK: tensor.extract_slice {{.*}} : tensor<8x3xf32> to tensor<?x3xf32>
// CHECK: tensor.insert_slice {{.*}} : tensor<?x3xf32> into tensor<4x3xf32>
// CHECK: shard.all_reduce {{.*}} : tensor<4x3xf32>
// CHECK-NOT: shard.all
// CHECK: return
func.func @rows(%x: tensor<16x6xf32> {shard.sharding = #shard.sharding<@grid, [[0], [1]]>}, %at: index) -> tensor<4x6xf32> {
  %0 = tensor.extract_slice %x[%at, 0] [4, 6] [1, 1] : tensor<16x6xf32> to tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// Two such dimensions, and one that is dropped.

// CHECK-LABEL: func.func @block
// CHECK: shard.all_reduce {{.*}} grid_axes = [0, 1] : tensor<3x2xi32>
// CHECK-NOT: shard.all_gather
// CHECK: return
func.func @block(%x: tensor<12x2x9xi32> {shard.sharding = #shard.sharding<@grid, [[0], [], [1]]>}, %i: index, %j: index, %k: index) -> tensor<3x2xi32> {
  %0 = tensor.extract_slice %x[%i, %k, %j] [3, 1, 2] [1, 1, 1] : tensor<12x2x9xi32> to tensor<3x2xi32>
  return %0 : tensor<3x2xi32>
}

// More than half of the elements are gathered, and slices that a loop takes, where no other
// dimension can be split evenly.

// CHECK-LABEL: func.func @most
// CHECK: shard.all_gather
// CHECK-NOT: shard.all_reduce
// CHECK-LABEL: func.func @in_loop
// CHECK: shard.all_gather
// CHECK: scf.for
// CHECK-NOT: shard.all_reduce
func.func @most(%x: tensor<16x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}, %at: index) -> tensor<9x5xf32> {
  %0 = tensor.extract_slice %x[%at, 0] [9, 5] [1, 1] : tensor<16x5xf32> to tensor<9x5xf32>
  return %0 : tensor<9x5xf32>
}
func.func @in_loop(%x: tensor<16x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}, %y: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c12 = arith.constant 12 : index
  %r = scf.for %i = %c0 to %c12 step %c1 iter_args(%s = %y) -> (tensor<4x5xf32>) {
    %0 = tensor.extract_slice %x[%i, 0] [4, 5] [1, 1] : tensor<16x5xf32> to tensor<4x5xf32>
    %1 = arith.addf %s, %0 : tensor<4x5xf32>
    scf.yield %1 : tensor<4x5xf32>
  }
  return %r : tensor<4x5xf32>
}
