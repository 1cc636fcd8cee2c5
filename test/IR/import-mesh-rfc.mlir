// The text of the RFC that proposed the dialect mesh.

// RUN: shard-translate --import-mesh %s | FileCheck %s
// RUN: shard-translate --import-mesh %s -o %t.shard
// RUN: shard-run %t.shard --entry hints --verify | FileCheck %s --check-prefix=SAME
// SAME: reduce_scatter
// SAME: PASS

// CHECK: shard.grid @mesh0(shape = 2x4)
mesh.cluster @mesh0(rank = 2, dim_sizes = [2, 4])

// An encoding; what must hold and what is wished; for the value and for its users.

// CHECK-LABEL: func.func @hints(
// CHECK-SAME: %[[A:.*]]: tensor<8x8xf32, #shard.sharding<@mesh0, {{\[\[}}0], []]>>, %[[X:.*]]: tensor<8x16xf32>, %[[W:.*]]: tensor
func.func @hints(%a: tensor<8x8xf32, #mesh.shard<[[0]]>>, %x: tensor<8x16xf32>, %w: tensor<16x8xf32>) -> tensor<8x8xf32> {
  // CHECK: %[[S:.*]] = shard.sharding @mesh0 split_axes = {{\[\[}}], [1]]
  // CHECK: %[[XS:.*]] = shard.shard %[[X]] to %[[S]] : tensor<8x16xf32>
  %0 = mesh.annotate %x {sharding = #mesh.shard<[[], [1]]>, required = true, as_result = true} : tensor<8x16xf32> -> tensor<8x16xf32>
  %z = arith.constant dense<0.0> : tensor<8x8xf32>
  // CHECK: %[[P:.*]] = linalg.matmul ins(%[[XS]], %[[W]]
  %1 = linalg.matmul ins(%0, %w : tensor<8x16xf32>, tensor<16x8xf32>) outs(%z : tensor<8x8xf32>) -> tensor<8x8xf32>
  // A wish for the value: its result has no users.
  // CHECK: shard.constraint %[[P]] to <@mesh0, {{\[\[}}0, ?], [?]], partial = sum [1]>
  %2 = mesh.annotate %1 {sharding = #mesh.shard<[[0]], partial = sum[1]>, required = false, as_result = true} : tensor<8x8xf32>
  // CHECK: %[[T:.*]] = shard.sharding @mesh0 split_axes = {{\[\[}}0, 1]]
  // CHECK: %[[PS:.*]] = shard.shard %[[P]] to %[[T]] annotate_for_users
  // CHECK: tensor.cast %[[PS]] : tensor<8x8xf32> to tensor<8x8xf32, #shard.sharding<@mesh0, {{\[\[}}0, 1], []]>>
  %3 = mesh.annotate %2 {required, as_result = false, sharding = #mesh.shard<@mesh0, [[0, 1]]>} : tensor<8x8xf32> -> tensor<8x8xf32, #mesh.shard<[[0, 1]]>>
  %4 = tensor.cast %3 : tensor<8x8xf32, #mesh.shard<[[0, 1]]>> to tensor<8x8xf32>
  %c = tensor.cast %a : tensor<8x8xf32, #mesh.shard<[[0]]>> to tensor<8x8xf32>
  %5 = arith.addf %4, %c : tensor<8x8xf32>
  // A wish for users.
  // CHECK: %[[U:.*]] = shard.constraint %{{.*}} to <@mesh0, {{\[\[}}?], [1, ?]]>
  // CHECK: math.exp %[[U]]
  %6 = mesh.annotate %5 {sharding = [[], [1]]} : tensor<8x8xf32>
  %7 = math.exp %6 : tensor<8x8xf32>
  return %7 : tensor<8x8xf32>
}

// What a device knows of itself, its part of a tensor, and a sum with the devices of
// the mesh axes that device_mapping names.

// CHECK-LABEL: func.func @spmd(
func.func @spmd(%t: tensor<8x8xf32>) -> (tensor<4x2xf32>, index) {
  // CHECK: shard.process_multi_index on @mesh0 axes = [0] : index
  %i = mesh.idx(0) : index
  // CHECK: shard.grid_shape @mesh0 axes = [1] : index
  %s = mesh.size {axis = 1} : index
  %p = arith.muli %i, %s : index
  // CHECK: %[[L:.*]] = shard.all_slice %{{.*}} on @mesh0 grid_axes = [0] slice_axis = 0 : tensor<8x8xf32> -> tensor<4x8xf32>
  // CHECK: %[[M:.*]] = shard.all_slice %[[L]] on @mesh0 grid_axes = [1] slice_axis = 1 : tensor<4x8xf32> -> tensor<4x2xf32>
  %l = mesh.local_split %t {sharding = #mesh.shard<[[0], [1]]>} : tensor<8x8xf32> -> tensor<4x2xf32>
  // CHECK: %[[R:.*]] = shard.all_reduce %[[M]] on @mesh0 grid_axes = [0, 1] reduction =  max : tensor<4x2xf32> -> tensor<4x2xf32>
  %r = mesh.all_reduce %l {device_mapping = [[0, 1]], reduction = <max>} : tensor<4x2xf32>
  // CHECK: shard.all_reduce %[[R]] on @mesh0 grid_axes = [1] : tensor<4x2xf32> -> tensor<4x2xf32>
  %q = mesh.all_reduce(%r) {device_mapping = [[1]]} : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return %q, %p : tensor<4x2xf32>, index
}
