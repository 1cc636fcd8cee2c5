// Programs of the mesh dialect of LLVM 19, as written and as its mlir-opt prints
// them.
//
// RUN: shard-translate --import-mesh %s | FileCheck %s
// RUN: %python %S/Inputs/mesh_peer.py %s > %t.mesh
// RUN: shard-translate --import-mesh %t.mesh | FileCheck %s
// RUN: shard-translate --import-mesh %t.mesh | shard-opt | FileCheck %s

// CHECK: shard.grid @mesh0(shape = 2x?x4)
mesh.mesh @mesh0(shape = 2x?x4)
// CHECK: shard.grid @m(shape = 2x4x2)
mesh.mesh @m(shape = 2x4x2)

// "mesh." in a string and mesh. in a comment are left alone.
// CHECK-LABEL: func.func @indices
// CHECK-SAME: note = "see mesh.shard"
func.func @indices() attributes {note = "see mesh.shard"} {
  // CHECK: shard.grid_shape @mesh0 : index, index, index
  %0:3 = mesh.mesh_shape @mesh0 : index, index, index
  // CHECK: shard.grid_shape @mesh0 axes = [1] : index
  %1 = mesh.mesh_shape @mesh0 axes = [1] : index
  // CHECK: shard.process_multi_index on @mesh0 : index, index, index
  %2:3 = mesh.process_multi_index on @mesh0 : index, index, index
  // CHECK: shard.process_linear_index on @mesh0 : index
  %3 = mesh.process_linear_index on @mesh0 : index
  return
}

// CHECK-LABEL: func.func @annotations
func.func @annotations(%t: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK: %[[S0:.*]] = shard.sharding @m split_axes = {{\[\[}}0], [1]] : !shard.sharding
  // CHECK: %[[A0:.*]] = shard.shard %{{.*}} to %[[S0]] : tensor<8x8xf32>
  %0 = mesh.shard %t to <@m, [[0], [1]]> : tensor<8x8xf32>
  // CHECK: %[[S1:.*]] = shard.sharding @m split_axes = {{\[\[}}0], []] partial = max [1, 2] : !shard.sharding
  // CHECK: %[[A1:.*]] = shard.shard %[[A0]] to %[[S1]] annotate_for_users {foo = 1 : i64} : tensor<8x8xf32>
  %1 = mesh.shard %0 to <@m, [[0], []], partial = max[1, 2]> annotate_for_users {foo = 1} : tensor<8x8xf32>
  // CHECK: %[[S2:.*]] = shard.sharding @m split_axes = {{\[\[}}]] : !shard.sharding
  // CHECK: shard.shard %[[A1]] to %[[S2]] : tensor<8x8xf32>
  %2 = mesh.shard %1 to <@m, [[]]> : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @collectives
func.func @collectives(%t: tensor<8x8xf32>, %i: index) {
  // CHECK: shard.all_gather %{{.*}} on @m grid_axes = [1] gather_axis = 1 : tensor<8x8xf32> -> tensor<8x32xf32>
  %0 = mesh.all_gather %t on @m mesh_axes = [1] gather_axis = 1 : tensor<8x8xf32> -> tensor<8x32xf32>
  // CHECK: shard.all_reduce %{{.*}} on @m grid_axes = [1, 0] reduction =  max : tensor<8x8xf32> -> tensor<8x8xf64>
  %1 = mesh.all_reduce %t on @m mesh_axes = [1, 0] reduction = <max> : tensor<8x8xf32> -> tensor<8x8xf64>
  // CHECK: shard.all_reduce %{{.*}} on @m : tensor<8x8xf32> -> tensor<8x8xf32>
  %2 = mesh.all_reduce %t on @m : tensor<8x8xf32> -> tensor<8x8xf32>
  // CHECK: shard.all_slice %{{.*}} on @m grid_axes = [0] slice_axis = 1
  %3 = mesh.all_slice %t on @m mesh_axes = [0] slice_axis = 1 : tensor<8x8xf32> -> tensor<8x4xf32>
  // CHECK: shard.all_to_all %{{.*}} on @m grid_axes = [0] split_axis = 1 concat_axis = 0
  %4 = mesh.all_to_all %t on @m mesh_axes = [0] split_axis = 1 concat_axis = 0 : tensor<8x8xf32> -> tensor<16x4xf32>
  // CHECK: shard.broadcast %{{.*}} on @m grid_axes = [0] root = [%{{.*}}] : (tensor<8x8xf32>, index) -> tensor<8x8xf32>
  %5 = mesh.broadcast %t on @m mesh_axes = [0] root = [%i] : (tensor<8x8xf32>, index) -> tensor<8x8xf32>
  // CHECK: shard.gather %{{.*}} on @m grid_axes = [0] gather_axis = 0 root = [1]
  %6 = mesh.gather %t on @m mesh_axes = [0] gather_axis = 0 root = [1] : (tensor<8x8xf32>) -> tensor<16x8xf32>
  // CHECK: shard.scatter %{{.*}} on @m grid_axes = [0] scatter_axis = 0 root = [1]
  %7 = mesh.scatter %t on @m mesh_axes = [0] scatter_axis = 0 root = [1] : (tensor<8x8xf32>) -> tensor<4x8xf32>
  // CHECK: shard.reduce %{{.*}} on @m grid_axes = [0] reduction =  min root = [1]
  %8 = mesh.reduce %t on @m mesh_axes = [0] reduction = <min> root = [1] : (tensor<8x8xf32>) -> tensor<8x8xf64>
  // CHECK: shard.reduce_scatter %{{.*}} on @m grid_axes = [0] reduction =  max scatter_axis = 0
  %9 = mesh.reduce_scatter %t on @m mesh_axes = [0] reduction = <max> scatter_axis = 0 : tensor<8x8xf32> -> tensor<4x8xf64>
  // CHECK: shard.send %{{.*}} on @m grid_axes = [0] destination = [1]
  %10 = mesh.send %t on @m mesh_axes = [0] destination = [1] : (tensor<8x8xf32>) -> tensor<8x8xf32>
  // CHECK: shard.recv %{{.*}} on @m grid_axes = [0] source = [1]
  %11 = mesh.recv %t on @m mesh_axes = [0] source = [1] : (tensor<8x8xf32>) -> tensor<8x8xf32>
  // CHECK: shard.shift %{{.*}} on @m grid_axes = [1] shift_axis = 1 offset = 2 rotate
  %12 = mesh.shift %t on @m mesh_axes = [1] shift_axis = 1 offset = 2 rotate : tensor<8x8xf32> -> tensor<8x8xf32>
  return
}
