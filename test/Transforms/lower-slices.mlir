// all_slice and process_multi_index as ops of other dialects, as LLVM's patterns of these
// names do.
// RUN: shard-opt %s -shard-lower-slices -split-input-file | FileCheck %s --implicit-check-not=shard.all_slice --implicit-check-not=shard.process_multi_index

shard.grid @g(shape = 2x3x4)

// CHECK-LABEL: func.func @all_coordinates
// CHECK-DAG: %[[C3:.*]] = arith.constant 3
// CHECK-DAG: %[[C4:.*]] = arith.constant 4
// CHECK: %[[I:.*]] = shard.process_linear_index on @g
// CHECK: %[[Z:.*]] = arith.remui %[[I]], %[[C4]]
// CHECK: %[[R:.*]] = arith.divui %[[I]], %[[C4]]
// CHECK: %[[Y:.*]] = arith.remui %[[R]], %[[C3]]
// CHECK: %[[X:.*]] = arith.divui %[[R]], %[[C3]]
// CHECK: return %[[X]], %[[Y]], %[[Z]]
func.func @all_coordinates() -> (index, index, index) {
  %0:3 = shard.process_multi_index on @g : index, index, index
  return %0#0, %0#1, %0#2 : index, index, index
}

// CHECK-LABEL: func.func @some_coordinates
// CHECK: %[[Z:.*]] = arith.remui
// CHECK: %[[R:.*]] = arith.divui
// CHECK: %[[X:.*]] = arith.divui %[[R]]
// CHECK: return %[[Z]], %[[X]]
func.func @some_coordinates() -> (index, index) {
  %0:2 = shard.process_multi_index on @g axes = [2, 0] : index, index
  return %0#0, %0#1 : index, index
}

// Axis 2 is major: 2 blocks of 3 in each of 4.
// CHECK-LABEL: func.func @even
// CHECK-SAME: %[[T:.*]]: tensor<5x16xf32>
// CHECK: tensor.extract_slice %[[T]][0, %{{.*}}] [5, 2] [1, 1] : tensor<5x16xf32> to tensor<5x2xf32>
func.func @even(%t: tensor<5x16xf32>) -> tensor<5x2xf32> {
  %0 = shard.all_slice %t on @g grid_axes = [2, 0] slice_axis = 1 : tensor<5x16xf32> -> tensor<5x2xf32>
  return %0 : tensor<5x2xf32>
}

// Short blocks are padded.
// CHECK-LABEL: func.func @uneven
// CHECK: %[[S:.*]] = tensor.extract_slice %{{.*}} : tensor<7xf32> to tensor<?xf32>
// CHECK: %[[E:.*]] = tensor.empty() : tensor<3xf32>
// CHECK: %[[P:.*]] = tensor.insert_slice %[[S]] into %[[E]][0]
// CHECK: return %[[P]] : tensor<3xf32>
func.func @uneven(%t: tensor<7xf32>) -> tensor<3xf32> {
  %0 = shard.all_slice %t on @g grid_axes = [1] slice_axis = 0 : tensor<7xf32> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: func.func @dynamic
// CHECK: %[[D:.*]] = tensor.dim
// CHECK: cf.assert %{{.*}}, "dimension 0 of all_slice does not divide evenly among the devices of its group"
// CHECK: %[[W:.*]] = arith.divui %[[D]]
// CHECK: tensor.extract_slice %{{.*}}[%{{.*}}, 0] [%[[W]], 8] [1, 1] : tensor<?x8xf32> to tensor<?x8xf32>
func.func @dynamic(%t: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = shard.all_slice %t on @g grid_axes = [1] slice_axis = 0 : tensor<?x8xf32> -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// -----

// Axes of unknown size are asked for.
shard.grid @any(shape = 2x?)

// CHECK-LABEL: func.func @unknown
// CHECK: shard.grid_shape
// CHECK: tensor.extract_slice
func.func @unknown(%t: tensor<8xf32>) -> tensor<?xf32> {
  %0 = shard.all_slice %t on @any grid_axes = [1] slice_axis = 0 : tensor<8xf32> -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
