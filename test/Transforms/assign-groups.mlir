// Groups of physical devices on collectives, and the order of devices for nodes.
//
// RUN: shard-opt %s --shard-assign-groups | FileCheck %s
// RUN: shard-opt %s --shard-assign-groups=devices-per-node=4 2>%t.remark | FileCheck %s --check-prefix=NODES
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remark
// RUN: not shard-opt %s --shard-assign-groups=devices-per-node=3 2>&1 | FileCheck %s --check-prefix=THREE
// RUN: not shard-opt %s --shard-assign-groups=devices-per-node=-1 2>&1 | FileCheck %s --check-prefix=LESS

// THREE: error: 'shard.grid' op has 8 devices, which are no whole number of nodes of 3
// LESS: error: devices-per-node -1: expected a number from 0 on

// All but the first sum is along axes 0 and 1, which stay inside nodes of 4. Of the 48
// bytes of that sum two thirds go between nodes.
// REMARK: remark: devices count along the axes 2, 0, 1, the last one fastest: 32 B per device between nodes of 4, instead of 126 B with devices in the order of positions
// NODES: shard.grid @g(shape = 2x2x2) device_ids = [0, 4, 1, 5, 2, 6, 3, 7]
shard.grid @g(shape = 2x2x2) device_ids = [0, 2, 4, 6, 1, 3, 5, 7]
// NODES: shard.grid @fine(shape = 2x1x2x2) {refines = @g}
shard.grid @fine(shape = 2x1x2x2) {refines = @g}

// CHECK-LABEL: func @f
func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  // Positions 0, 4, 1, 5 and 2, 6, 3, 7.
  // CHECK: shard.all_reduce {{.*}} {replica_groups = dense<{{\[\[}}0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>}
  // NODES: shard.all_reduce {{.*}} {replica_groups = dense<{{\[\[}}0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>}
  %0 = shard.all_reduce %a on @g grid_axes = [2, 0] : tensor<8xf32> -> tensor<8xf32>
  // CHECK: shard.shift {{.*}} {source_target_pairs = dense<{{\[\[}}0, 4], [4, 0], [2, 6], [6, 2], [1, 5], [5, 1], [3, 7], [7, 3]]> : tensor<8x2xi64>}
  %1 = shard.shift %0 on @g grid_axes = [1, 0] shift_axis = 1 offset = 1 rotate : tensor<8xf32> -> tensor<8xf32>
  // No message at the end of the axis.
  // CHECK: shard.shift {{.*}} {source_target_pairs = dense<{{\[\[}}0, 4], [2, 6], [1, 5], [3, 7]]> : tensor<4x2xi64>}
  %2 = shard.shift %1 on @g grid_axes = [1] shift_axis = 1 offset = 1 : tensor<8xf32> -> tensor<8xf32>
  // The block of (i, j, k) goes to (j, i, k).
  // CHECK: shard.permute {{.*}} {source_target_pairs = dense<{{\[\[}}0, 0], [4, 1], [1, 4], [5, 5], [2, 2], [6, 3], [3, 6], [7, 7]]> : tensor<8x2xi64>}
  %3 = shard.permute %2 on @g from_axes = [0] to_axes = [1] : tensor<8xf32>
  // A refinement has the ids of its grid.
  // CHECK: shard.all_reduce {{.*}} {replica_groups = dense<{{\[\[}}0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>}
  %4 = shard.all_reduce %3 on @fine grid_axes = [0, 1] : tensor<8xf32> -> tensor<8xf32>
  // What sends nothing has no groups.
  // CHECK: shard.all_slice %{{.*}} on @g grid_axes = [0] slice_axis = 0 : tensor<8xf32>
  %5 = shard.all_slice %4 on @g grid_axes = [0] slice_axis = 0 : tensor<8xf32> -> tensor<4xf32>
  // CHECK: shard.all_gather {{.*}} {replica_groups = dense<{{\[\[}}0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>}
  %6 = shard.all_gather %5 on @g grid_axes = [0] gather_axis = 0 : tensor<4xf32> -> tensor<8xf32>
  // CHECK: shard.update_halo {{.*}} {replica_groups = dense<{{\[\[}}0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>}
  %7 = shard.update_halo %6 on @g split_axes = [[0]] halo_sizes = [1, 1] : tensor<8xf32>
  return %7 : tensor<8xf32>
}
