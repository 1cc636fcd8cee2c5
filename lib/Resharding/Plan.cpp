//===- Plan.cpp - From two shardings to the steps between them ------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Halos and explicit bounds are taken off the source and put on the target
// around the search, which knows plain shardings only:
//
//   trim_halo, pad_offsets, gather_offsets
//     | the search
//   trim_offsets, slice_offsets, update_halo, slice_halo
//
//===----------------------------------------------------------------------===//

#include "shard/Resharding/Plan.h"

#include "PlainSteps.h"
#include "Redistribute.h"
#include "ShardingCheck.h"
#include "ValueState.h"
#include "shard/Resharding/Search.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

namespace shard {

using namespace detail;

bool Plan::communicates() const {
  return std::any_of(steps.begin(), steps.end(),
                     [](const Step &step) { return step.bytesSent > 0; });
}

int64_t nominalExtent(const Grid &grid) {
  int64_t devices = std::max<int64_t>(grid.numDevices(), 1);
  // A remainder of 1 leaves gaps between the blocks of every list of two axes, as some
  // extent does for each.
  int64_t extent = devices * ceilDiv(1024, devices);
  return grid.unevenDynamic && extent < INT64_MAX ? extent + 1 : extent;
}

namespace {

class Builder {
public:
  Builder(const Grid &grid, const std::vector<int64_t> &shape,
          int64_t elementBytes, const Sharding &from, const Sharding &to,
          const CostModel &costModel)
      : grid(grid), shape(shape), elementBytes(elementBytes), to(to),
        costModel(costModel), state(grid, shape, elementBytes, from),
        goal(grid, shape, elementBytes, to) {}

  bool build(std::string &error) {
    if (trimOnly())
      return true;
    removeHalos();
    removeBounds();
    return search(error);
  }

  Plan plan;

private:
  void add(Step step) {
    state.apply(step, costModel);
    plan.steps.push_back(std::move(step));
  }

  /// The same blocks with no wider halos: one local slice.
  bool trimOnly() {
    if (state.dims != goal.dims || state.partial != goal.partial ||
        state.bounds != goal.bounds ||
        (!state.partial.empty() && state.reduction != goal.reduction))
      return false;
    std::vector<int64_t> widths;
    bool equal = true;
    auto mayBeWider = [](int64_t width, int64_t than) {
      return width != than && width != 0 &&
             (isRunTime(width) || isRunTime(than) || width > than);
    };
    for (size_t dim = 0; dim < shape.size(); ++dim) {
      if (mayBeWider(goal.low[dim], state.low[dim]) ||
          mayBeWider(goal.high[dim], state.high[dim]))
        return false;
      equal = equal && goal.low[dim] == state.low[dim] &&
              goal.high[dim] == state.high[dim];
      widths.push_back(goal.low[dim]);
      widths.push_back(goal.high[dim]);
    }
    if (equal)
      return true;
    Step step;
    step.kind = Step::Kind::TrimHalo;
    step.bounds = widths;
    add(std::move(step));
    return true;
  }

  void removeHalos() {
    if (!state.hasHalos())
      return;
    Step step;
    step.kind = Step::Kind::TrimHalo;
    add(std::move(step));
  }

  bool hasLayoutBounds(const ValueState &value, size_t dim) const {
    return shape[dim] != kDynamic &&
           value.bounds[dim] ==
               layoutBounds(value.extents[dim], grid.sizes(value.dims[dim]));
  }

  /// Finds the dimensions whose bounds the target has too, where they may stay. A
  /// sharding that has bounds in one dimension has them in all: blocks of the
  /// other dimensions have no padding. So those must be static, and whole
  /// blocks whatever splits them on the way.
  void fixDims() {
    fixedDims.assign(shape.size(), false);
    for (size_t dim = 0; dim < shape.size(); ++dim)
      fixedDims[dim] = !state.bounds[dim].empty() &&
                       !hasLayoutBounds(state, dim) &&
                       state.dims[dim] == goal.dims[dim] &&
                       state.bounds[dim] == goal.bounds[dim];
    for (size_t dim = 0; dim < shape.size(); ++dim)
      if (!fixedDims[dim] &&
          (shape[dim] == kDynamic || shape[dim] % grid.numDevices() != 0)) {
        fixedDims.assign(shape.size(), false);
        return;
      }
  }

  void removeBounds() {
    fixDims();
    // First what changes no block: each step leaves bounds in all dimensions or
    // in none.
    for (size_t dim = 0; dim < shape.size(); ++dim)
      if (!state.bounds[dim].empty() && hasLayoutBounds(state, dim) &&
          dividesEvenly(shape[dim], grid.sizes(state.dims[dim])))
        state.bounds[dim].clear();
    for (size_t dim = 0; dim < shape.size(); ++dim) {
      if (state.bounds[dim].empty() || fixedDims[dim])
        continue;
      Step step;
      step.dim = static_cast<int64_t>(dim);
      step.axes = state.dims[dim];
      step.bounds = state.bounds[dim];
      step.kind = hasLayoutBounds(state, dim) ? Step::Kind::PadOffsets
                                              : Step::Kind::GatherOffsets;
      add(std::move(step));
    }
  }

  /// Whether the neighbours can fill the target's halos: blocks follow each other
  /// without gaps. A halo may be wider than a block; it then comes from several.
  bool neighboursFill(size_t dim) const {
    return shape[dim] == kDynamic ||
           cutsAtOnce(shape[dim], grid.sizes(goal.dims[dim]));
  }

  bool search(std::string &error) {
    // Dimensions whose halos can come from the neighbours or, if the dimension
    // is not split before, from a slice.
    std::vector<size_t> choices, sliced;
    for (size_t dim = 0; dim < shape.size(); ++dim)
      if (goal.low[dim] || goal.high[dim])
        (neighboursFill(dim) ? choices : sliced).push_back(dim);
    size_t options = choices.size() <= 3 ? size_t(1) << choices.size() : 1;
    std::optional<Plan> best;
    ValueState start = state;
    Plan prefix = plan;
    for (size_t option = 0; option < options; ++option) {
      std::vector<size_t> bySlice = sliced;
      for (size_t i = 0; i < choices.size(); ++i)
        if (option >> i & 1)
          bySlice.push_back(choices[i]);
      std::sort(bySlice.begin(), bySlice.end());
      plan = prefix;
      reset(start);
      if (!searchVia(bySlice, error))
        return false;
      double cost = 0;
      for (const Step &step : plan.steps)
        cost += step.cost;
      plan.cost = cost;
      if (!best || cost < best->cost ||
          (cost == best->cost && plan.steps.size() < best->steps.size()))
        best = plan;
    }
    plan = *best;
    return true;
  }

  void reset(const ValueState &start) {
    state.dims = start.dims;
    state.partial = start.partial;
    state.reduction = start.reduction;
    state.low = start.low;
    state.high = start.high;
    state.bounds = start.bounds;
  }

  /// The search, then bounds, then halos; those of `bySlice` by local slices of
  /// dimensions that the search leaves whole.
  bool searchVia(const std::vector<size_t> &bySlice, std::string &error) {
    SearchProblem problem;
    problem.grid = grid;
    problem.elementBytes = elementBytes;
    problem.costModel = &costModel;
    problem.fixedDims = fixedDims;
    problem.extents = state.extents;
    problem.partsDivide = promisedParts();
    Sharding start;
    start.dims = state.dims;
    start.partial = state.partial;
    start.reduction = state.reduction;
    problem.from = plain(grid, start);
    problem.to = plain(grid, to);
    for (size_t dim = 0; dim < shape.size(); ++dim) {
      if (fixedDims[dim]) {
        problem.extents[dim] = state.localExtent(dim);
        problem.fixedAxes.insert(problem.fixedAxes.end(),
                                 state.dims[dim].begin(),
                                 state.dims[dim].end());
        problem.from.dims[dim].clear();
        problem.to.dims[dim].clear();
      } else if (!goal.bounds[dim].empty() && !hasLayoutBounds(goal, dim)) {
        problem.to.dims[dim].clear();
      }
    }
    for (size_t dim : bySlice)
      problem.to.dims[dim].clear();

    std::vector<Step> steps;
    bool wholeIsEmpty = std::find(shape.begin(), shape.end(), 0) != shape.end();
    SearchResult result;
    std::optional<Step> oneStep;
    if (!wholeIsEmpty) {
      oneStep = inOneStep(problem);
      if (oneStep)
        problem.knownCost = costOf(*oneStep);
      result = searchPlan(problem);
    }
    if (result.found || oneStep) {
      if (result.found)
        steps = std::move(result.steps);
      else
        steps = {std::move(*oneStep)};
      plan.optimal = result.optimal;
      plan.lowerBoundBytes = toBytes(std::floor(result.lowerBoundBytes));
    } else {
      if (!gatherAndSlice(problem.from, problem.to, steps, error))
        return false;
      plan.optimal = wholeIsEmpty;
    }
    joinSlices(grid, problem.extents, problem.from, steps);
    // Axes of size 1 are not the search's business.
    for (size_t dim = 0; dim < shape.size(); ++dim)
      if (!fixedDims[dim])
        dropUnitAxes(grid, state.dims[dim]);
    dropUnitAxes(grid, state.partial);
    for (Step &step : steps)
      add(std::move(step));
    addBounds();
    addHalos(bySlice);
    return true;
  }

  /// One step to the target; nothing where there is none.
  std::optional<Step> inOneStep(const SearchProblem &problem) const {
    // Blocks with explicit bounds have no one shape.
    if (std::find(shape.begin(), shape.end(), kDynamic) != shape.end() ||
        std::find(fixedDims.begin(), fixedDims.end(), true) != fixedDims.end())
      return std::nullopt;
    return redistributionStep(problem);
  }

  double costOf(const Step &step) const {
    RedistributionBytes bytes = bytesOf(step, grid, elementBytes);
    return costModel.cost(Collective::Redistribute, step.axes,
                          std::max(bytes.sent, bytes.received));
  }

  /// By contract a dynamic extent is a multiple of the numbers of parts that the source and the
  /// target cut it into; nothing else is known of it. So no step may cut it into a
  /// number of parts that does not divide their least common multiple.
  std::vector<int64_t> promisedParts() const {
    std::vector<int64_t> result(shape.size(), 0);
    for (size_t dim = 0; dim < shape.size(); ++dim)
      if (shape[dim] == kDynamic && !grid.unevenDynamic)
        result[dim] = std::lcm(grid.groupSize(state.dims[dim]),
                               grid.groupSize(goal.dims[dim]));
    return result;
  }

  void addBounds() {
    for (size_t dim = 0; dim < shape.size(); ++dim) {
      if (goal.bounds[dim].empty() || fixedDims[dim])
        continue;
      Step step;
      step.dim = static_cast<int64_t>(dim);
      step.axes = goal.dims[dim];
      step.bounds = goal.bounds[dim];
      if (!hasLayoutBounds(goal, dim))
        step.kind = Step::Kind::SliceOffsets;
      else if (dividesEvenly(shape[dim], grid.sizes(goal.dims[dim])))
        continue;
      else
        step.kind = Step::Kind::TrimOffsets;
      add(std::move(step));
    }
  }

  void addHalos(const std::vector<size_t> &bySlice) {
    auto sliced = [&](size_t dim) {
      return std::find(bySlice.begin(), bySlice.end(), dim) != bySlice.end();
    };
    Step update;
    update.kind = Step::Kind::UpdateHalo;
    bool any = false;
    for (size_t dim = 0; dim < shape.size(); ++dim) {
      bool here = !sliced(dim) && (goal.low[dim] || goal.high[dim]);
      any = any || here;
      update.bounds.push_back(here ? goal.low[dim] : 0);
      update.bounds.push_back(here ? goal.high[dim] : 0);
      if (!here)
        continue;
      // A halo needs a split dimension to be written down, be it by an axis of
      // size 1.
      state.dims[dim] = goal.dims[dim];
      update.axes.insert(update.axes.end(), goal.dims[dim].begin(),
                         goal.dims[dim].end());
    }
    if (any)
      add(std::move(update));
    for (size_t dim : bySlice) {
      Step step;
      step.kind = Step::Kind::SliceHalo;
      step.dim = static_cast<int64_t>(dim);
      step.axes = goal.dims[dim];
      step.bounds = {goal.low[dim], goal.high[dim]};
      add(std::move(step));
    }
  }

  const Grid &grid;
  const std::vector<int64_t> &shape;
  int64_t elementBytes;
  const Sharding &to;
  const CostModel &costModel;
  /// Where the value is after the steps so far, and where it is to go.
  ValueState state;
  const ValueState goal;
  std::vector<bool> fixedDims;
};

} // namespace

/// The partial axes of a sharding are a set: here in ascending order.
static Sharding withSortedPartial(Sharding sharding) {
  std::sort(sharding.partial.begin(), sharding.partial.end());
  return sharding;
}

std::optional<Plan> planReshard(const Grid &grid,
                                const std::vector<int64_t> &shape,
                                int64_t elementBytes, const Sharding &source,
                                const Sharding &target,
                                const CostModel &costModel,
                                std::string *error) {
  const Sharding from = withSortedPartial(source),
                 to = withSortedPartial(target);
  std::string message;
  auto fail = [&]() -> std::optional<Plan> {
    if (error)
      *error = message;
    return std::nullopt;
  };
  if (!checkTensor(grid, shape, elementBytes, message) ||
      !checkSharding(grid, shape, from, "source", message) ||
      !checkSharding(grid, shape, to, "target", message))
    return fail();
  Builder builder(grid, shape, elementBytes, from, to, costModel);
  if (!builder.build(message))
    return fail();
  Plan plan = std::move(builder.plan);
  plan.cost = 0;
  for (Step &step : plan.steps) {
    plan.cost += step.cost;
    plan.bytesSent = step.bytesSent > INT64_MAX - plan.bytesSent
                         ? INT64_MAX
                         : plan.bytesSent + step.bytesSent;
    plan.peakBytes = std::max(plan.peakBytes, step.peakBytes);
  }
  if (!plan.steps.empty()) {
    assert(plain(grid, plan.steps.back().result) == plain(grid, to) &&
           "a plan leads to its target");
    // The target as it was written, with axes of size 1.
    plan.steps.back().result = to;
    plan.steps.back().localShape = localShape(grid, shape, to);
  }
  if (from.hasHalosOrOffsets() || to.hasHalosOrOffsets())
    plan.lowerBoundBytes = 0;
  return plan;
}

double boundReshardCost(const Grid &grid, const std::vector<int64_t> &shape,
                        int64_t elementBytes, const Sharding &from,
                        const Sharding &to, const CostModel &costModel) {
  std::string error;
  if (from.hasHalosOrOffsets() || to.hasHalosOrOffsets() ||
      !checkTensor(grid, shape, elementBytes, error) ||
      !checkSharding(grid, shape, from, "source", error) ||
      !checkSharding(grid, shape, to, "target", error))
    return 0;
  SearchProblem problem;
  problem.grid = grid;
  problem.extents = ValueState(grid, shape, elementBytes, from).extents;
  problem.elementBytes = elementBytes;
  problem.from = plain(grid, from);
  problem.to = plain(grid, to);
  problem.costModel = &costModel;
  return boundPlanCost(problem);
}

} // namespace shard
