//===- DeviceOrder.h - Which device stands where ----------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_TRANSFORMS_GROUPS_DEVICEORDER_H
#define SHARD_LIB_TRANSFORMS_GROUPS_DEVICEORDER_H

#include "shard/Geometry/Grid.h"

#include "mlir/IR/BuiltinOps.h"

namespace shard {

/// Devices of a grid that can be listed one by one.
inline constexpr int64_t kMostListedDevices = int64_t(1) << 20;

/// The positions of a grid in groups of one size, ordered by position in the group,
/// group after group: the groups of devices that agree outside of `axes`. Groups are in
/// the order of their first devices.
std::vector<int64_t> positionsByGroup(const Grid &grid, const AxisList &axes);

/// Writes on the grids of `module`, a partitioned program, the device ids that send the
/// fewest predicted bytes between nodes of `devicesPerNode` devices. Errors where a grid
/// has `?` axes or nodes do not divide its devices.
mlir::LogicalResult orderDevices(mlir::ModuleOp module, int64_t devicesPerNode);

} // namespace shard

#endif // SHARD_LIB_TRANSFORMS_GROUPS_DEVICEORDER_H
