//===- GroupPasses.td - Passes about physical devices ------*- tablegen -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes.td includes this file.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_TRANSFORMS_GROUPPASSES_TD
#define SHARD_TRANSFORMS_GROUPPASSES_TD

include "mlir/Pass/PassBase.td"

def ShardAssignGroups : Pass<"shard-assign-groups", "::mlir::ModuleOp"> {
  let summary = "write on each collective the groups of physical devices that meet";
  let description = [{
    For compilers whose collectives name devices, not axes: XLA's replica groups, the
    communicators of NCCL and MPI. Each collective of a partitioned program gets
    `replica_groups`, a row of physical devices (`device_ids` of its grid) for each
    device group, in the order of positions in the group. `shard.shift` and
    `shard.permute` get `source_target_pairs` instead, a row for each message, also from
    a device to itself. `shard.all_slice` sends nothing and gets nothing. Collectives on
    the same groups share one attribute, whose size is that of the grid. Later changes of
    the axes of a collective do not change what is written: run this pass last.

    With `devices-per-node` = k, where physical devices 0 to k-1 are one node of a
    cluster and so on, it first orders the devices: it replaces `device_ids` of each grid
    by those that send the fewest predicted bytes between nodes, and says so in a remark.
    It tries the orders in which physical devices count along the axes of the grid, at
    most five axes of more than one device, and takes the first of equally good ones. A
    collective counts as the bytes that a device sends ([Cost.md](Cost.md)) times the part of
    the pairs of devices of its groups that are on two nodes.

    ```mlir
    // Input
    shard.grid @grid(shape = 2x2) device_ids = [0, 2, 1, 3]
    func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
      %0 = shard.all_reduce %a on @grid grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
      %1 = shard.shift %0 on @grid grid_axes = [1] shift_axis = 1 offset = 1 : tensor<8xf32> -> tensor<8xf32>
      return %1 : tensor<8xf32>
    }
    // Output
    func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
      %0 = shard.all_reduce %a on @grid grid_axes = [0] {replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>} : tensor<8xf32> -> tensor<8xf32>
      %1 = shard.shift %0 on @grid grid_axes = [1] shift_axis = 1 offset = 1 {source_target_pairs = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>} : tensor<8xf32> -> tensor<8xf32>
      return %1 : tensor<8xf32>
    }
    ```
  }];
  let options = [
    Option<"devicesPerNode", "devices-per-node", "int64_t", /*default=*/"0",
           "Order the devices for nodes of so many; 0: leave their order as it is">];
}

#endif // SHARD_TRANSFORMS_GROUPPASSES_TD
