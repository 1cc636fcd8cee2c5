//===- PlainSteps.cpp - Steps that need no search -------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlainSteps.h"

#include "ValueState.h"

#include <algorithm>

namespace shard {

using namespace detail;

bool detail::gatherAndSlice(const Sharding &from, const Sharding &to,
                            std::vector<Step> &steps, std::string &error) {
  auto add = [&](Step::Kind kind, AxisList axes, int64_t dim,
                 ReductionKind reduction) {
    if (axes.empty())
      return;
    Step step;
    step.kind = kind;
    step.axes = std::move(axes);
    step.dim = dim;
    step.reduction = reduction;
    steps.push_back(std::move(step));
  };
  std::vector<size_t> kept;
  for (size_t dim = 0; dim < from.dims.size(); ++dim) {
    const AxisList &have = from.dims[dim], &want = to.dims[dim];
    size_t common = 0;
    while (common < have.size() && common < want.size() &&
           have[common] == want[common])
      ++common;
    kept.push_back(common);
    for (size_t i = have.size(); i-- > common;)
      add(Step::Kind::AllGather, {have[i]}, static_cast<int64_t>(dim),
          from.reduction);
  }
  AxisList reduce, make;
  bool sameKind = from.reduction == to.reduction;
  auto in = [](const AxisList &axes, GridAxis axis) {
    return std::find(axes.begin(), axes.end(), axis) != axes.end();
  };
  for (GridAxis axis : from.partial)
    if (!sameKind || !in(to.partial, axis))
      reduce.push_back(axis);
  for (GridAxis axis : to.partial)
    if (!sameKind || !in(from.partial, axis))
      make.push_back(axis);
  if (!make.empty() && to.reduction == ReductionKind::Generic) {
    error = "a value cannot be made partial by a generic reduction, which has "
            "no neutral element";
    return false;
  }
  add(Step::Kind::AllReduce, reduce, -1, from.reduction);
  add(Step::Kind::MakePartial, make, -1, to.reduction);
  for (size_t dim = 0; dim < to.dims.size(); ++dim)
    for (size_t i = kept[dim]; i < to.dims[dim].size(); ++i)
      add(Step::Kind::AllSlice, {to.dims[dim][i]}, static_cast<int64_t>(dim),
          to.reduction);
  return true;
}

void detail::joinSlices(const Grid &grid, const std::vector<int64_t> &extents,
                        const Sharding &from, std::vector<Step> &steps) {
  std::vector<Step> result;
  // Where the current run of slices begins in `result`, and the axes of each
  // dimension before the step at hand.
  size_t runBegin = 0;
  std::vector<AxisList> now = from.dims;
  const CostModel free;
  for (Step &step : steps) {
    if (step.kind == Step::Kind::AllSlice) {
      bool joined = false;
      for (size_t i = result.size(); i-- > runBegin;) {
        Step &earlier = result[i];
        if (earlier.dim != step.dim)
          continue;
        AxisList axes = earlier.axes;
        axes.insert(axes.end(), step.axes.begin(), step.axes.end());
        AxisList before = now[step.dim];
        before.resize(before.size() - earlier.axes.size());
        int64_t local = localExtent(extents[step.dim], grid.groupSize(before));
        if (cutsAtOnce(local, grid.sizes(axes))) {
          earlier.axes = axes;
          joined = true;
        }
        break;
      }
      now[step.dim].insert(now[step.dim].end(), step.axes.begin(),
                           step.axes.end());
      if (!joined)
        result.push_back(std::move(step));
      continue;
    }
    Sharding sharding;
    sharding.dims = now;
    result.push_back(step);
    runBegin = result.size();
    if (step.kind == Step::Kind::AllReduce ||
        step.kind == Step::Kind::MakePartial)
      continue;
    // Partial axes are of no interest here; a permute or reduce_scatter that
    // names them changes the dimensions all the same.
    ValueState state(grid, extents, 1, sharding);
    Step copy = step;
    state.apply(copy, free);
    now = state.dims;
  }
  steps = std::move(result);
}

} // namespace shard
