//===- CheckOrder.cpp - The order of devices on nodes ---------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckOrder.h"

#include "shard/Cost/Predict.h"
#include "shard/IR/ShardOps.h"
#include "shard/Transforms/Transforms.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <algorithm>
#include <numeric>

using namespace mlir;
using namespace shard;

using Numbers = std::vector<int64_t>;

static Numbers coordinatesOf(int64_t position, const Numbers &shape) {
  Numbers result(shape.size());
  for (size_t axis = shape.size(); axis-- > 0; position /= shape[axis])
    result[axis] = position % shape[axis];
  return result;
}

/// Whether the positions `a` and `b` of a grid differ only along `axes`.
static bool shareGroup(int64_t a, int64_t b, const Numbers &shape,
                       const Numbers &axes) {
  Numbers first = coordinatesOf(a, shape), second = coordinatesOf(b, shape);
  for (size_t axis = 0; axis < shape.size(); ++axis)
    if (first[axis] != second[axis] && !llvm::is_contained(axes, int64_t(axis)))
      return false;
  return true;
}

/// The bytes per device between nodes of `perNode` devices: of a group's bytes the share of its
/// pairs of devices that are apart. `ids` has the device at each position.
static double bytesApart(const ProgramCost &cost, const Numbers &ids,
                         int64_t perNode) {
  double sum = 0;
  for (const PredictedCollective &each : cost.collectives) {
    Numbers shape(each.cost.gridShape.begin(), each.cost.gridShape.end());
    Numbers axes(each.cost.axes.begin(), each.cost.axes.end());
    int64_t devices = 1, pairs = 0, apart = 0;
    for (int64_t size : shape)
      devices *= size;
    std::optional<int64_t> bytes = each.bytes() ? each.bytes() : each.bytesOnce;
    if (!bytes || devices != int64_t(ids.size()))
      continue;
    for (int64_t a = 0; a < devices; ++a)
      for (int64_t b = 0; b < devices; ++b)
        if (a != b && shareGroup(a, b, shape, axes)) {
          ++pairs;
          apart += ids[a] / perNode != ids[b] / perNode;
        }
    if (pairs > 0)
      sum += double(*bytes) * double(apart) / double(pairs);
  }
  return sum;
}

/// The device at each position if devices count along `order`, the last axis fastest.
static Numbers idsAlong(const Numbers &shape, const Numbers &order) {
  int64_t devices = 1;
  for (int64_t size : shape)
    devices *= size;
  Numbers ids;
  for (int64_t position = 0; position < devices; ++position) {
    Numbers coordinates = coordinatesOf(position, shape);
    int64_t id = 0;
    for (int64_t axis : order)
      id = id * shape[axis] + coordinates[axis];
    ids.push_back(id);
  }
  return ids;
}

std::string shard::fuzz::checkOrder(ModuleOp partitioned, StringRef entry) {
  SmallVector<func::FuncOp> entries = llvm::filter_to_vector(
      partitioned.getOps<func::FuncOp>(), [](func::FuncOp function) {
        return function.isPublic() && !function.isExternal();
      });
  SmallVector<GridOp> grids;
  for (auto grid : partitioned.getOps<GridOp>())
    if (!grid.getRefines())
      grids.push_back(grid);
  // What several entries send is added up; one grid is ordered for all.
  if (entries.size() != 1 || grids.size() != 1)
    return {};
  Numbers shape(grids[0].getShape().begin(), grids[0].getShape().end());
  int64_t devices = 1, perNode = 2;
  for (int64_t size : shape)
    devices *= size;
  while (perNode < devices && devices % perNode != 0)
    ++perNode;
  if (perNode >= devices)
    return {};
  OwningOpRef<ModuleOp> module = partitioned.clone();
  if (failed(assignGroups(*module, perNode)))
    return "shard-assign-groups fails for nodes of " + std::to_string(perNode);
  Numbers counting(devices);
  std::iota(counting.begin(), counting.end(), 0);
  auto grid = module->lookupSymbol<GridOp>(grids[0].getSymName());
  std::optional<ArrayRef<int64_t>> chosen = grid.getDeviceIds();
  Numbers ids = chosen ? Numbers(chosen->begin(), chosen->end()) : counting;
  if (chosen && ids == counting)
    return "devices in the order of positions are listed";
  ProgramCost cost = predictProgram(module->lookupSymbol<func::FuncOp>(entry));
  double had = bytesApart(cost, ids, perNode);
  Numbers order(shape.size());
  std::iota(order.begin(), order.end(), 0);
  do {
    double least = bytesApart(cost, idsAlong(shape, order), perNode);
    if (had > least * (1 + 1e-9))
      return "devices on nodes of " + std::to_string(perNode) + " send " +
             std::to_string(had) + " bytes between nodes, in another order " +
             std::to_string(least);
  } while (std::next_permutation(order.begin(), order.end()));
  return {};
}
