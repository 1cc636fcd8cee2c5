//===- DeviceOrder.cpp - Which device stands where ------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Groups/DeviceOrder.h"

#include "shard/Cost/Predict.h"
#include "shard/IR/ShardingUtils.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <map>

using namespace mlir;

namespace shard {

std::vector<int64_t> positionsByGroup(const Grid &grid, const AxisList &axes) {
  int64_t rank = grid.rank();
  std::vector<int64_t> strides(rank, 1);
  for (int64_t axis = rank - 1; axis-- > 0;)
    strides[axis] = strides[axis + 1] * grid.shape[axis + 1];
  // All positions whose other coordinates are 0, the last of `list` fastest.
  auto along = [&](const AxisList &list) {
    std::vector<int64_t> positions = {0};
    for (GridAxis axis : list) {
      std::vector<int64_t> next;
      next.reserve(positions.size() * grid.shape[axis]);
      for (int64_t position : positions)
        for (int64_t i = 0; i < grid.shape[axis]; ++i)
          next.push_back(position + i * strides[axis]);
      positions = std::move(next);
    }
    return positions;
  };
  AxisList others;
  for (GridAxis axis = 0; axis < rank; ++axis)
    if (!llvm::is_contained(axes, axis))
      others.push_back(axis);
  std::vector<int64_t> offsets = along(axes), result;
  result.reserve(grid.numDevices());
  for (int64_t first : along(others))
    for (int64_t offset : offsets)
      result.push_back(first + offset);
  return result;
}

namespace {

/// Bytes that a device sends within groups of `size`, which follow one another in
/// `positions`.
struct Traffic {
  std::vector<int64_t> positions;
  int64_t size;
  double bytes;
};

} // namespace

/// The bytes that the functions of `module` send per device of a run on `devices`.
static std::vector<Traffic> trafficOf(ModuleOp module, int64_t devices) {
  std::map<std::pair<std::vector<int64_t>, std::vector<int64_t>>, double> sums;
  for (auto function : module.getOps<FunctionOpInterface>()) {
    if (!function.isPublic() || function.isExternal())
      continue;
    for (const PredictedCollective &each :
         predictProgram(function).collectives) {
      // What runs an unknown number of times counts once.
      std::optional<int64_t> bytes = each.bytes();
      if (!bytes)
        bytes = each.bytesOnce;
      if (bytes && each.cost.groupSize > 1 &&
          Grid{each.cost.gridShape}.numDevices() == devices)
        sums[{each.cost.gridShape, each.cost.axes}] += double(*bytes);
    }
  }
  std::vector<Traffic> result;
  for (const auto &[key, bytes] : sums) {
    Grid grid{key.first};
    AxisList axes(key.second.begin(), key.second.end());
    result.push_back(
        {positionsByGroup(grid, axes), grid.groupSize(axes), bytes});
  }
  return result;
}

/// The bytes per device between nodes of `perNode` devices. Of each group those pairs
/// of devices count that are on two nodes.
static double bytesBetweenNodes(ArrayRef<Traffic> traffic,
                                ArrayRef<int64_t> ids, int64_t perNode) {
  double sum = 0;
  for (const Traffic &each : traffic) {
    double apart = 0;
    size_t count = each.positions.size();
    for (size_t first = 0; first < count; first += each.size) {
      llvm::DenseMap<int64_t, int64_t> onNode;
      for (int64_t i = 0; i < each.size; ++i)
        ++onNode[ids[each.positions[first + i]] / perNode];
      apart += double(each.size) * double(each.size);
      for (const auto &[node, devices] : onNode)
        apart -= double(devices) * double(devices);
    }
    double pairs = double(count) * double(each.size - 1);
    sum += each.bytes * apart / pairs;
  }
  return sum;
}

/// The physical device at each position, if they count along `order`, the last axis
/// fastest.
static std::vector<int64_t> idsInOrder(const Grid &grid,
                                       const AxisList &order) {
  std::vector<int64_t> byId = positionsByGroup(grid, order), ids(byId.size());
  for (auto [id, position] : llvm::enumerate(byId))
    ids[position] = id;
  return ids;
}

/// Orders to try: each of the axes of more than one device, if there are at most five.
static std::vector<AxisList> ordersOf(const Grid &grid) {
  constexpr size_t kMostAxes = 5;
  AxisList axes;
  for (GridAxis axis = 0; axis < grid.rank(); ++axis)
    if (grid.shape[axis] > 1)
      axes.push_back(axis);
  std::vector<AxisList> orders = {axes};
  AxisList last = axes;
  while (axes.size() <= kMostAxes &&
         std::next_permutation(last.begin(), last.end()))
    orders.push_back(last);
  return orders;
}

static LogicalResult orderGrid(GridOp gridOp, ArrayRef<Traffic> traffic,
                               int64_t perNode) {
  Grid grid = *staticGrid(gridOp);
  std::vector<int64_t> best;
  AxisList bestOrder;
  double least = 0, asItIs = 0;
  for (const AxisList &order : ordersOf(grid)) {
    std::vector<int64_t> ids = idsInOrder(grid, order);
    double bytes = bytesBetweenNodes(traffic, ids, perNode);
    if (best.empty())
      asItIs = bytes;
    if (best.empty() || bytes < least) {
      least = bytes;
      best = std::move(ids);
      bestOrder = order;
    }
  }
  auto names = llvm::map_range(
      bestOrder, [&](GridAxis axis) { return gridOp.axisName(axis); });
  gridOp.emitRemark() << "devices count along the axes "
                      << llvm::join(names, ", ")
                      << ", the last one fastest: " << int64_t(least)
                      << " B per device between nodes of " << perNode
                      << ", instead of " << int64_t(asItIs)
                      << " B with devices in the order of positions";
  if (llvm::equal(best, llvm::seq<int64_t>(0, best.size())))
    gridOp.removeDeviceIdsAttr();
  else
    gridOp.setDeviceIds(best);
  return success();
}

LogicalResult orderDevices(ModuleOp module, int64_t devicesPerNode) {
  SmallVector<GridOp> grids;
  for (auto grid : module.getOps<GridOp>()) {
    if (grid.getRefines())
      continue;
    FailureOr<Grid> sizes = staticGrid(grid);
    if (failed(sizes))
      return grid.emitOpError("has an axis of unknown size: give every axis a "
                              "size to order devices by nodes");
    if (sizes->numDevices() % devicesPerNode != 0)
      return grid.emitOpError("has ")
             << sizes->numDevices() << " devices, which are no whole number of "
             << "nodes of " << devicesPerNode;
    if (sizes->numDevices() > kMostListedDevices)
      return grid.emitOpError("has ")
             << sizes->numDevices() << " devices, which are too many to be "
             << "listed one by one: at most " << kMostListedDevices;
    grids.push_back(grid);
  }
  // On all grids a position is the same device: the first one is ordered.
  std::map<int64_t, GridOp> first;
  for (GridOp grid : grids) {
    int64_t devices = staticGrid(grid)->numDevices();
    auto [found, isFirst] = first.try_emplace(devices, grid);
    if (isFirst) {
      if (failed(orderGrid(grid, trafficOf(module, devices), devicesPerNode)))
        return failure();
    } else if (Attribute ids = found->second.getDeviceIdsAttr()) {
      grid.setDeviceIdsAttr(cast<DenseI64ArrayAttr>(ids));
    } else {
      grid.removeDeviceIdsAttr();
    }
  }
  return success();
}

} // namespace shard
