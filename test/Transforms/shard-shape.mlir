// shard_shape goes through propagation, partition and the lowerings; partition makes
// arithmetic on indices of it.
// RUN: shard-opt %s -sharding-propagation | FileCheck %s --check-prefix=PROPAGATED
// RUN: shard-opt %s -sharding-propagation | shard-opt -sharding-propagation | FileCheck %s --check-prefix=PROPAGATED
// RUN: shard-opt %s -shard-spmd | FileCheck %s
// RUN: shard-opt %s -shard-spmd -shard-lower-to-llvm | FileCheck %s --check-prefix=LOWERED

// LOWERED-NOT: shard.shard_shape
// LOWERED-NOT: !shard.sharding

shard.grid @g(shape = 5)
shard.grid @g2(shape = 2x3)
shard.grid @unknown(shape = ?x3)

// 16 over 5 devices is 4, 4, 4, 4, 0.
// PROPAGATED-LABEL: func @uneven
// PROPAGATED: %[[S:.*]] = shard.sharding @g split_axes = {{\[\[}}0]]
// PROPAGATED: shard.shard_shape dims = [16] sharding = %[[S]] device = [%arg0]
// CHECK-LABEL: func @uneven
// CHECK-SAME: (%[[D:.*]]: index) -> (index, index, index) {
// CHECK-DAG: %[[C0:.*]] = arith.constant 0
// CHECK-DAG: %[[C4:.*]] = arith.constant 4
// CHECK-DAG: %[[C16:.*]] = arith.constant 16
// CHECK: %[[AT:.*]] = arith.muli %[[D]], %[[C4]]
// CHECK: %[[BEGIN:.*]] = arith.minui %[[AT]], %[[C16]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[BEGIN]], %[[C4]]
// CHECK: %[[END:.*]] = arith.minui %[[NEXT]], %[[C16]]
// CHECK: %[[N:.*]] = arith.subi %[[END]], %[[BEGIN]]
// CHECK: return %[[N]], %[[C4]], %[[C0]]
func.func @uneven(%device: index) -> (index, index, index) {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %n = shard.shard_shape dims = [16] sharding = %s device = [%device] : index
  %3 = shard.shard_shape dims = [16] sharding = %s device = [3] : index
  %4 = shard.shard_shape dims = [16] sharding = %s device = [4] : index
  return %n, %3, %4 : index, index, index
}

// Two axes cut one after another: 10 is 5, 5, and 5 is 2, 2, 1. An unsplit dimension is whole.
// CHECK-LABEL: func @two_axes
// CHECK-DAG: %[[C1:.*]] = arith.constant 1
// CHECK-DAG: %[[C7:.*]] = arith.constant 7
// CHECK: return %[[C1]], %[[C7]]
func.func @two_axes() -> (index, index) {
  %s = shard.sharding @g2 split_axes = [[0, 1], []] : !shard.sharding
  %n:2 = shard.shard_shape dims = [10, 7] sharding = %s device = [1, 2] : index, index
  return %n#0, %n#1 : index, index
}

// Explicit offsets, also those that are known when the program runs.
// CHECK-LABEL: func @offsets
// CHECK-SAME: (%[[I:.*]]: index, %[[CUT:.*]]: i64)
// CHECK: %[[BOUND:.*]] = arith.index_cast %[[CUT]] : i64 to index
// CHECK: %[[SECOND:.*]] = arith.subi %{{.*}}, %[[BOUND]]
// CHECK: arith.select %{{.*}}, %[[SECOND]], %[[BOUND]]
func.func @offsets(%i: index, %cut: i64) -> (index, index) {
  %s = shard.sharding @g2 split_axes = [[0]] sharded_dims_offsets = [0, 3, 8] : !shard.sharding
  %n = shard.shard_shape dims = [8] sharding = %s device = [1, 0] : index
  %t = shard.sharding @g2 split_axes = [[0]] sharded_dims_offsets = [0, %cut, 8] : !shard.sharding
  %m = shard.shard_shape dims = [8] sharding = %t device = [%i, 0] : index
  return %n, %m : index, index
}

// The sharding that a value ends with, found by propagation.
// PROPAGATED-LABEL: func @asked
// PROPAGATED: %[[V:.*]] = shard.shard
// PROPAGATED: %[[ASKED:.*]] = shard.get_sharding %[[V]]
// PROPAGATED: shard.shard_shape dims = [8, 6] sharding = %[[ASKED]]
// CHECK-LABEL: func @asked
// CHECK-DAG: %[[C2:.*]] = arith.constant 2
// CHECK-DAG: %[[C4:.*]] = arith.constant 4
// CHECK: return %{{.*}}, %[[C4]], %[[C2]]
func.func @asked(%t: tensor<8x6xf32> {shard.sharding = #shard.sharding<@g2, [[0], [1]]>})
    -> (tensor<8x6xf32>, index, index) {
  %b = math.exp %t : tensor<8x6xf32>
  %g = shard.get_sharding %b : tensor<8x6xf32> -> !shard.sharding
  %n:2 = shard.shard_shape dims = [8, 6] sharding = %g device = [1, 0] : index, index
  return %b, %n#0, %n#1 : tensor<8x6xf32>, index, index
}

// In a region, of a dynamic extent.
// CHECK-LABEL: func @in_loop
// CHECK: scf.for
// CHECK: arith.ceildivui
func.func @in_loop(%t: tensor<?xf32>, %n: index) -> index {
  %s = shard.sharding @g2 split_axes = [[1]] : !shard.sharding
  %a = shard.shard %t to %s : tensor<?xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d = tensor.dim %a, %c0 : tensor<?xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c0) -> index {
    %q = shard.shard_shape dims = [%d] sharding = %s device = [0, %i] : index
    %x = arith.addi %acc, %q : index
    scf.yield %x : index
  }
  return %r : index
}

// An axis of unknown size is asked for.
// CHECK-LABEL: func @any
// CHECK: shard.grid_shape @unknown axes = [0]
func.func @any(%i: index) -> index {
  %s = shard.sharding @unknown split_axes = [[0]] : !shard.sharding
  %n = shard.shard_shape dims = [16] sharding = %s device = [%i, 0] : index
  return %n : index
}
