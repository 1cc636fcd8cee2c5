// Groups of physical devices need a known number of devices.
//
// RUN: not shard-opt %s --shard-assign-groups 2>&1 | FileCheck %s
// RUN: not shard-opt %s --shard-assign-groups=devices-per-node=2 2>&1 | FileCheck %s --check-prefix=NODES

// NODES: :[[#@LINE+1]]:1: error: 'shard.grid' op has an axis of unknown size: give every axis a size to order devices by nodes
shard.grid @g(shape = 2x?)
func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: :[[#@LINE+1]]:8: error: 'shard.all_reduce' op has groups that depend on an axis of unknown size: give every axis of its grid a size
  %0 = shard.all_reduce %a on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
