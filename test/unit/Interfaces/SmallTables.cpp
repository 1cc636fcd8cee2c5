//===- SmallTables.cpp - Random loop tables -------------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SmallTables.h"

#include <algorithm>
#include <numeric>

using namespace shard;
using namespace shard::test;

namespace {

/// A tensor that some of the loops `allowed` index, in random order.
TensorLoops randomTensor(Random &random, std::vector<int32_t> allowed,
                         bool needsAll, const TableKinds &kinds) {
  TensorLoops tensor;
  tensor.isTensor = true;
  for (size_t i = allowed.size(); i > 1; --i)
    std::swap(allowed[i - 1], allowed[random.below(i)]);
  for (int32_t loop : allowed) {
    if (!needsAll && random.oneIn(4))
      continue;
    if (kinds.merged && !tensor.dims.empty() && random.oneIn(6))
      tensor.dims.back().push_back(loop);
    else
      tensor.dims.push_back({loop});
  }
  if (random.oneIn(4))
    tensor.dims.insert(tensor.dims.begin(), DimLoops());
  if (!kinds.windows || tensor.dims.empty() || !random.oneIn(4))
    return tensor;
  tensor.windows.resize(tensor.dims.size());
  for (auto [dim, window] : llvm::zip_equal(tensor.dims, tensor.windows))
    if (dim.size() == 1 && random.oneIn(2))
      window = Window();
  return tensor;
}

} // namespace

LoopTable shard::test::randomTable(Random &random, const TableKinds &kinds) {
  LoopTable table;
  std::vector<int32_t> all, parallel;
  for (int32_t loop = 0, count = 1 + random.below(3); loop < count; ++loop) {
    int64_t extent = random.of<int64_t>({2, 3, 4, 6, 8, 16});
    if (kinds.unknown && random.oneIn(5))
      extent = kDynamic;
    bool reduces = kinds.reductions && random.oneIn(3);
    table.loops.push_back(reduces ? Loop::reduce(extent, ReductionKind::Sum)
                                  : Loop::parallel(extent));
    all.push_back(loop);
    if (!reduces)
      parallel.push_back(loop);
  }
  for (int operand = 0; operand < 2; ++operand)
    table.operands.push_back(randomTensor(random, all, false, kinds));
  TableKinds ofResults = kinds;
  ofResults.windows = false;
  table.results.push_back(randomTensor(random, parallel, true, ofResults));
  table.uniform = !random.oneIn(8);
  table.partialRule = PartialRule(random.below(4));
  return table;
}

std::vector<int64_t> shard::test::shapeOf(const LoopTable &table,
                                          const TensorLoops &tensor) {
  std::vector<int64_t> shape;
  for (const DimLoops &dim : tensor.dims) {
    int64_t extent = dim.empty() ? 4 : 1;
    for (int32_t loop : dim)
      extent = extent == kDynamic || table.loops[loop].extent == kDynamic
                   ? kDynamic
                   : extent * table.loops[loop].extent;
    shape.push_back(extent);
  }
  return shape;
}

void shard::test::placeAxes(Random &random, size_t numAxes,
                            std::vector<AxisList> &lists) {
  if (lists.empty())
    return;
  std::vector<GridAxis> axes(numAxes);
  std::iota(axes.begin(), axes.end(), GridAxis(0));
  for (size_t i = axes.size(); i > 1; --i)
    std::swap(axes[i - 1], axes[random.below(i)]);
  for (GridAxis axis : axes)
    if (!random.oneIn(3))
      lists[random.below(lists.size())].push_back(axis);
}

std::vector<std::vector<AxisList>> shard::test::allPlacements(size_t numAxes,
                                                              size_t numLoops) {
  std::vector<std::vector<AxisList>> all = {std::vector<AxisList>(numLoops)};
  for (size_t axis = 0; axis < numAxes; ++axis)
    for (size_t i = 0, e = all.size(); i < e; ++i)
      for (size_t loop = 0; loop < numLoops; ++loop)
        for (size_t at = 0, end = all[i][loop].size(); at <= end; ++at) {
          all.push_back(all[i]);
          AxisList &list = all.back()[loop];
          list.insert(list.begin() + at, GridAxis(axis));
        }
  return all;
}

ShardingOption shard::test::randomOption(Random &random, const LoopTable &table,
                                         const Grid &grid) {
  std::vector<AxisList> loops(table.loops.size());
  placeAxes(random, grid.shape.size(), loops);
  ShardingOption option;
  option.loops.assign(loops.begin(), loops.end());
  return option;
}

std::vector<int64_t>
shard::test::randomBounds(Random &random, const Grid &grid,
                          const std::vector<int64_t> &shape,
                          const Sharding &sharding) {
  std::vector<int64_t> bounds;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    if (sharding.dims[dim].empty())
      continue;
    std::vector<int64_t> inner;
    for (int64_t i = 1; i < grid.groupSize(sharding.dims[dim]); ++i)
      inner.push_back(random.below(shape[dim] + 1));
    std::sort(inner.begin(), inner.end());
    bounds.push_back(0);
    bounds.insert(bounds.end(), inner.begin(), inner.end());
    bounds.push_back(shape[dim]);
  }
  return bounds;
}
