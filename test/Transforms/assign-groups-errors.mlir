// Groups of physical devices need a known number of devices.
//
// RUN: not shard-opt %s --split-input-file --shard-assign-groups 2>&1 | FileCheck %s
// RUN: not shard-opt %s --split-input-file --shard-assign-groups=devices-per-node=2 2>&1 | FileCheck %s --check-prefix=NODES

// NODES: :[[#@LINE+1]]:1: error: 'shard.grid' op has an axis of unknown size: give every axis a size to order devices by nodes
shard.grid @g(shape = 2x?)
func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: :[[#@LINE+1]]:8: error: 'shard.all_reduce' op has groups that depend on an axis of unknown size: give every axis of its grid a size
  %0 = shard.all_reduce %a on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Groups of too many devices are not listed.

// NODES: :[[#@LINE+1]]:1: error: 'shard.grid' op has 1073741824 devices, which are too many to be listed one by one: at most 1048576
shard.grid @many(shape = 1024x1048576)
func.func @g(%a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: :[[#@LINE+1]]:8: error: 'shard.all_reduce' op is on a grid of 1073741824 devices, which are too many to be listed one by one: at most 1048576
  %0 = shard.all_reduce %a on @many grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
