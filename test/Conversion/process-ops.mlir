// RUN: shard-opt %s --convert-shard-to-runtime --canonicalize | FileCheck %s

shard.grid @g(shape = 2x3x4)
shard.grid @unknown(shape = 2x?x4)

// CHECK-NOT: shard.
// CHECK-LABEL: func.func @coordinates
func.func @coordinates() -> (index, index, index) {
  // CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
  // CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
  // CHECK-DAG: %[[C12:.*]] = arith.constant 12 : index
  // CHECK: %[[LINEAR:.*]] = call @shard_rt_process_linear_index() : () -> index
  // CHECK: %[[I0:.*]] = arith.divui %[[LINEAR]], %[[C12]]
  // CHECK: %[[ROW:.*]] = arith.divui %[[LINEAR]], %[[C4]]
  // CHECK: %[[I1:.*]] = arith.remui %[[ROW]], %[[C3]]
  // CHECK: %[[I2:.*]] = arith.remui %[[LINEAR]], %[[C4]]
  // CHECK: return %[[I0]], %[[I1]], %[[I2]]
  %0:3 = shard.process_multi_index on @g : index, index, index
  return %0#0, %0#1, %0#2 : index, index, index
}

// CHECK-LABEL: func.func @some_coordinates
func.func @some_coordinates() -> (index, index) {
  // CHECK: %[[LINEAR:.*]] = call @shard_rt_process_linear_index()
  // CHECK: %[[I2:.*]] = arith.remui %[[LINEAR]], %c4
  // CHECK: %[[I0:.*]] = arith.divui %[[LINEAR]], %c12
  // CHECK: return %[[I2]], %[[I0]]
  %0:2 = shard.process_multi_index on @g axes = [2, 0] : index, index
  return %0#0, %0#1 : index, index
}

// CHECK-LABEL: func.func @linear
func.func @linear() -> index {
  // CHECK: %[[LINEAR:.*]] = call @shard_rt_process_linear_index()
  // CHECK: return %[[LINEAR]]
  %0 = shard.process_linear_index on @g : index
  return %0 : index
}

// CHECK-LABEL: func.func @shape
func.func @shape() -> (index, index) {
  // CHECK: memref.get_global @__shard_words_2_m1_4
  // CHECK: %[[SIZE:.*]] = call @shard_rt_grid_extent({{.*}}, %c3, {{.*}}, %c1)
  // CHECK: return %[[SIZE]], %c4
  %0:2 = shard.grid_shape @unknown axes = [1, 2] : index, index
  return %0#0, %0#1 : index, index
}

// -1 where the grid ends.
// CHECK-LABEL: func.func @neighbors
// CHECK-SAME:    %[[I:.*]]: index, %[[J:.*]]: index, %[[K:.*]]: index
func.func @neighbors(%i: index, %j: index, %k: index) -> (index, index) {
  // CHECK:     %[[A:.*]] = arith.muli %[[I]], %c3
  // CHECK:     %[[B:.*]] = arith.addi %[[A]], %[[J]]
  // CHECK:     %[[C:.*]] = arith.muli %[[B]], %c4
  // CHECK:     %[[HERE:.*]] = arith.addi %[[C]], %[[K]]
  // CHECK-DAG: %[[HASDOWN:.*]] = arith.cmpi sgt, %[[J]], %c0
  // CHECK-DAG: %[[HASUP:.*]] = arith.cmpi slt, %[[J]], %c2
  // CHECK-DAG: %[[DOWN:.*]] = arith.subi %[[HERE]], %c4
  // CHECK-DAG: %[[UP:.*]] = arith.addi %[[HERE]], %c4
  // CHECK-DAG: arith.select %[[HASDOWN]], %[[DOWN]], %c-1
  // CHECK-DAG: arith.select %[[HASUP]], %[[UP]], %c-1
  %0, %1 = shard.neighbors_linear_indices on @g[%i, %j, %k] split_axes = [1] : index, index
  return %0, %1 : index, index
}
