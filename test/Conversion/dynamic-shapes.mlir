// RUN: shard-opt %s --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" --convert-shard-to-runtime --canonicalize | FileCheck %s

// The size of a result follows from the size of the input; that a dynamic
// dimension divides is checked when the program runs.

shard.grid @g(shape = 2x?)

// CHECK-LABEL: func.func @grows
// CHECK-SAME:    %[[IN:.*]]: memref<?x?xf32>
func.func @grows(%a: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // CHECK-DAG: %[[D0:.*]] = memref.dim %[[IN]], %c0
  // CHECK-DAG: %[[D1:.*]] = memref.dim %[[IN]], %c1
  // CHECK:     memref.get_global @__shard_words_2_2_m1_1_1
  // CHECK:     %[[K:.*]] = call @shard_rt_group_size(
  // CHECK:     %[[SIZE:.*]] = arith.muli %[[D1]], %[[K]]
  // CHECK:     %[[OUT:.*]] = memref.alloc(%[[D0]], %[[SIZE]])
  // CHECK:     call @__shard_all_gather(%[[IN]], %[[OUT]])
  %0 = shard.all_gather %a on @g grid_axes = [1] gather_axis = 1 : tensor<?x?xf32> -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @shrinks
// CHECK-SAME:    %[[IN:.*]]: memref<?x8xf32>
func.func @shrinks(%a: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // CHECK: %[[D0:.*]] = memref.dim %[[IN]], %c0
  // CHECK: %[[SIZE:.*]] = call @shard_rt_divide_extent({{.*}}, %[[D0]])
  // CHECK: %[[OUT:.*]] = memref.alloc(%[[SIZE]])
  // CHECK: call @__shard_reduce_scatter(%[[IN]], %[[OUT]])
  %0 = shard.reduce_scatter %a on @g grid_axes = [0] reduction = sum scatter_axis = 0 : tensor<?x8xf32> -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// CHECK-LABEL: func.func @stays
// CHECK-SAME:    %[[IN:.*]]: memref<?xf32>
func.func @stays(%a: tensor<?xf32>) -> tensor<?xf32> {
  // CHECK: %[[D0:.*]] = memref.dim %[[IN]], %c0
  // CHECK-NOT: shard_rt
  // CHECK: memref.alloc(%[[D0]])
  %0 = shard.all_to_all %a on @g grid_axes = [0] split_axis = 0 concat_axis = 0 : tensor<?xf32> -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
