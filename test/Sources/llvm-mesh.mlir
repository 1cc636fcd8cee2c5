// LLVM's page of the dialect mesh (LLVM 18 to 20), the ancestor of shard: its ops and
// attributes, read by shard-translate. test/IR/import-mesh-versions.test has what the
// three versions wrote otherwise.

// RUN: shard-translate --import-mesh %s -o %t.shard
// RUN: FileCheck %s < %t.shard
// RUN: mlir-opt %t.shard -o %t.theirs
// RUN: diff %t.shard %t.theirs
// RUN: shard-run %t.shard --entry annotations --verify | FileCheck %s --check-prefix=SAME
// SAME: PASS

// Meshes of known and of unknown size.
// CHECK: shard.grid @mesh0(shape = 2x2x4)
mesh.mesh @mesh0(shape = 2x2x4)
// CHECK: shard.grid @mesh1(shape = 4x?)
mesh.mesh @mesh1(shape = 4x?)

// mesh.sharding: whole, split, partial, with halos, with blocks of given sizes.
// CHECK-LABEL: func.func @shardings(
func.func @shardings() {
  // CHECK: shard.sharding @mesh0 split_axes = {{\[\[}}]] : !shard.sharding
  %0 = mesh.sharding @mesh0 split_axes = [[]] : !mesh.sharding
  // CHECK: shard.sharding @mesh0 split_axes = {{\[\[}}0], [1, 2]] : !shard.sharding
  %1 = mesh.sharding @mesh0 split_axes = [[0], [1, 2]] : !mesh.sharding
  // CHECK: shard.sharding @mesh0 split_axes = {{\[\[}}0]] halo_sizes = [0, 4] : !shard.sharding
  %2 = mesh.sharding @mesh0 split_axes = [[0]] halo_sizes = [0, 4] : !mesh.sharding
  // CHECK: shard.sharding @mesh0 split_axes = {{\[\[}}2]] sharded_dims_offsets = [0, 2, 5, 5, 8] : !shard.sharding
  %3 = mesh.sharding @mesh0 split_axes = [[2]] sharded_dims_offsets = [0, 2, 5, 5, 8] : !mesh.sharding
  return
}

// mesh.shard: for the value, for its users; mesh.get_sharding.
// CHECK-LABEL: func.func @annotations(
func.func @annotations(%t: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %s = mesh.sharding @mesh0 split_axes = [[0]] : !mesh.sharding
  %u = mesh.sharding @mesh0 split_axes = [[], [2]] : !mesh.sharding
  // CHECK: %[[A:.*]] = shard.shard %arg0 to %{{.*}} : tensor<8x8xf32>
  %0 = mesh.shard %t to %s : tensor<8x8xf32>
  // CHECK: shard.shard %[[A]] to %{{.*}} annotate_for_users : tensor<8x8xf32>
  %1 = mesh.shard %0 to %u annotate_for_users : tensor<8x8xf32>
  %2 = math.exp %1 : tensor<8x8xf32>
  // CHECK: shard.get_sharding %{{.*}} : tensor<8x8xf32> -> !shard.sharding
  %3 = mesh.get_sharding %1 : tensor<8x8xf32> -> !mesh.sharding
  return %2 : tensor<8x8xf32>
}

// The index ops and the collectives.
// CHECK-LABEL: func.func @spmd(
func.func @spmd(%t: tensor<8x8xf32>) -> (index, index) {
  // CHECK: shard.process_multi_index on @mesh0 axes = [2] : index
  %0 = mesh.process_multi_index on @mesh0 axes = [2] : index
  // CHECK: shard.process_linear_index on @mesh0 : index
  %1 = mesh.process_linear_index on @mesh0 : index
  // CHECK: shard.grid_shape @mesh1 axes = [1] : index
  %2 = mesh.mesh_shape @mesh1 axes = [1] : index
  // CHECK: shard.all_gather %arg0 on @mesh0 grid_axes = [2] gather_axis = 1
  %3 = mesh.all_gather %t on @mesh0 mesh_axes = [2] gather_axis = 1 : tensor<8x8xf32> -> tensor<8x32xf32>
  // CHECK: shard.all_reduce %arg0 on @mesh0 grid_axes = [0, 1] reduction =  max
  %4 = mesh.all_reduce %t on @mesh0 mesh_axes = [0, 1] reduction = <max> : tensor<8x8xf32> -> tensor<8x8xf32>
  // CHECK: shard.all_slice %arg0 on @mesh0 grid_axes = [2] slice_axis = 1
  %5 = mesh.all_slice %t on @mesh0 mesh_axes = [2] slice_axis = 1 : tensor<8x8xf32> -> tensor<8x2xf32>
  // CHECK: shard.all_to_all %arg0 on @mesh0 grid_axes = [0] split_axis = 0 concat_axis = 1
  %6 = mesh.all_to_all %t on @mesh0 mesh_axes = [0] split_axis = 0 concat_axis = 1 : tensor<8x8xf32> -> tensor<4x16xf32>
  // CHECK: shard.broadcast %arg0 on @mesh0 grid_axes = [0] root = [1]
  %7 = mesh.broadcast %t on @mesh0 mesh_axes = [0] root = [1] : (tensor<8x8xf32>) -> tensor<8x8xf32>
  // CHECK: shard.gather %arg0 on @mesh0 grid_axes = [0] gather_axis = 1 root = [1]
  %8 = mesh.gather %t on @mesh0 mesh_axes = [0] gather_axis = 1 root = [1] : (tensor<8x8xf32>) -> tensor<8x16xf32>
  // CHECK: shard.reduce %arg0 on @mesh0 grid_axes = [0] reduction =  min root = [1]
  %9 = mesh.reduce %t on @mesh0 mesh_axes = [0] reduction = <min> root = [1] : (tensor<8x8xf32>) -> tensor<8x8xf32>
  // CHECK: shard.reduce_scatter %arg0 on @mesh0 grid_axes = [2] scatter_axis = 0
  %10 = mesh.reduce_scatter %t on @mesh0 mesh_axes = [2] scatter_axis = 0 : tensor<8x8xf32> -> tensor<2x8xf32>
  // CHECK: shard.scatter %arg0 on @mesh0 grid_axes = [0] scatter_axis = 0 root = [1]
  %11 = mesh.scatter %t on @mesh0 mesh_axes = [0] scatter_axis = 0 root = [1] : (tensor<8x8xf32>) -> tensor<4x8xf32>
  // CHECK: shard.send %arg0 on @mesh0 grid_axes = [0] destination = [1]
  %12 = mesh.send %t on @mesh0 mesh_axes = [0] destination = [1] : (tensor<8x8xf32>) -> tensor<8x8xf32>
  // CHECK: shard.recv %arg0 on @mesh0 grid_axes = [0] source = [0]
  %13 = mesh.recv %t on @mesh0 mesh_axes = [0] source = [0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
  // CHECK: shard.shift %arg0 on @mesh0 grid_axes = [2] shift_axis = 2 offset = 2 rotate
  %14 = mesh.shift %t on @mesh0 mesh_axes = [2] shift_axis = 2 offset = 2 rotate : tensor<8x8xf32> -> tensor<8x8xf32>
  // CHECK: shard.update_halo %arg0 on @mesh0 split_axes = {{\[\[}}0]] halo_sizes = [1, 2]
  %15 = mesh.update_halo %t on @mesh0 split_axes = [[0]] halo_sizes = [1, 2] : tensor<8x8xf32>
  return %0, %2 : index, index
}
