//===- Redistribute.cpp - The plan of one step ----------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Redistribute.h"

#include "shard/Geometry/Redistribution.h"

#include <algorithm>

namespace shard {
namespace detail {

namespace {

/// Adds those of `axes` that `list` does not have.
void addMissing(AxisList &list, const AxisList &axes) {
  for (GridAxis axis : axes)
    if (std::find(list.begin(), list.end(), axis) == list.end())
      list.push_back(axis);
}

Redistribution redistributionOf(const Step &step, const Grid &grid) {
  Redistribution result;
  result.extents = step.extents;
  result.sizes = grid.sizes(step.axes);
  auto indices = [&](const std::vector<AxisList> &dims) {
    std::vector<std::vector<size_t>> split;
    for (const AxisList &axes : dims) {
      split.emplace_back();
      for (GridAxis axis : axes)
        split.back().push_back(
            std::find(step.axes.begin(), step.axes.end(), axis) -
            step.axes.begin());
    }
    return split;
  };
  result.from = indices(step.fromDims);
  result.to = indices(step.toDims);
  return result;
}

} // namespace

std::optional<Step> redistributionStep(const SearchProblem &problem) {
  const Sharding &from = problem.from, &to = problem.to;
  if (from.partial != to.partial ||
      (!from.partial.empty() && from.reduction != to.reduction))
    return std::nullopt;
  Step step;
  step.kind = Step::Kind::Redistribute;
  double received = static_cast<double>(problem.elementBytes);
  for (size_t dim = 0; dim < problem.extents.size(); ++dim) {
    const AxisList &have = from.dims[dim], &want = to.dims[dim];
    // The blocks of the axes that both lists begin with stay where they are.
    size_t common = 0;
    while (common < have.size() && common < want.size() &&
           have[common] == want[common])
      ++common;
    AxisList kept(have.begin(), have.begin() + static_cast<ptrdiff_t>(common));
    step.extents.push_back(
        localExtent(problem.extents[dim], problem.grid.groupSize(kept)));
    step.fromDims.emplace_back(have.begin() + static_cast<ptrdiff_t>(common),
                               have.end());
    step.toDims.emplace_back(want.begin() + static_cast<ptrdiff_t>(common),
                             want.end());
    addMissing(step.axes, step.fromDims.back());
    addMissing(step.axes, step.toDims.back());
    received *= static_cast<double>(
        localExtent(problem.extents[dim], problem.grid.groupSize(want)));
  }
  std::sort(step.axes.begin(), step.axes.end());
  double devices = 1;
  for (int64_t size : problem.grid.sizes(step.axes))
    devices *= static_cast<double>(size);
  // All that the devices receive can be counted in 64 bits.
  if (devices > static_cast<double>(kMaxRedistributingDevices) ||
      received * devices > 9e18)
    return std::nullopt;
  for (GridAxis axis : problem.fixedAxes)
    if (std::find(step.axes.begin(), step.axes.end(), axis) != step.axes.end())
      return std::nullopt;
  return step;
}

RedistributionBytes bytesOf(const Step &step, const Grid &grid,
                            int64_t elementBytes) {
  TransferCounts counts = countTransfers(redistributionOf(step, grid));
  auto most = [&](const std::vector<int64_t> &elements) {
    return static_cast<double>(
               *std::max_element(elements.begin(), elements.end())) *
           static_cast<double>(elementBytes);
  };
  return {most(counts.sent), most(counts.received)};
}

} // namespace detail
} // namespace shard
