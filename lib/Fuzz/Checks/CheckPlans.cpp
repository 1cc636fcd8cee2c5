//===- CheckPlans.cpp - Plans against the cheapest ones -------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program shows that its reshards are right, not that they are cheap: a step that the
// planner forgets costs bytes and nothing else. So plans are compared with those of an
// exhaustive search, and plans between two grids with what blocks stay the same.
//
//===----------------------------------------------------------------------===//

#include "CheckPlans.h"

#include "shard/Fuzz/PlanOracle.h"
#include "shard/Fuzz/Random.h"
#include "shard/Resharding/CrossGrid.h"

#include <algorithm>

namespace shard::fuzz {

template <typename Number>
static std::string join(const std::vector<Number> &numbers) {
  std::string text;
  for (Number number : numbers)
    text += (text.empty() ? "" : ", ") + std::to_string(int64_t(number));
  return text;
}

/// A sharding in which each axis of `grid` splits a dimension, or none.
static Sharding randomSharding(Random &rng, const Grid &grid, size_t rank) {
  Sharding sharding = Sharding::replicated(rank);
  std::vector<GridAxis> axes;
  for (size_t axis = 0; axis < grid.shape.size(); ++axis)
    axes.push_back(static_cast<GridAxis>(axis));
  rng.shuffle(axes);
  for (GridAxis axis : axes)
    if (rng.chance(70))
      sharding.dims[rng.between(0, int64_t(rank) - 1)].push_back(axis);
  return sharding;
}

/// A grid of the devices of `primes`, some of which are joined to one axis.
static Grid joinedGrid(Random &rng, const std::vector<int64_t> &primes) {
  Grid grid;
  for (int64_t prime : primes)
    if (!grid.shape.empty() && rng.chance(50))
      grid.shape.back() *= prime;
    else
      grid.shape.push_back(prime);
  return grid;
}

/// Between two grids, of which one refines parts of the other, a value whose blocks stay the
/// same takes no step, and no value takes more than a gather of all of it.
static std::string checkCrossGrids(uint64_t seed) {
  Random rng(seed);
  static const std::vector<std::vector<int64_t>> factors = {
      {2, 2}, {2, 3}, {2, 2, 2}, {3, 2, 2}, {2, 2, 2, 2}};
  std::vector<int64_t> primes = rng.oneOf(factors);
  Grid first = joinedGrid(rng, primes), second = joinedGrid(rng, primes);
  std::vector<int64_t> shape(rng.between(1, 2));
  for (int64_t &extent : shape)
    extent = first.numDevices() * rng.between(1, 2);
  Sharding from = randomSharding(rng, first, shape.size());
  std::optional<Plan> gather =
      planReshard(first, shape, 4, from, Sharding::replicated(shape.size()));
  for (int64_t pairs = 10; pairs > 0; --pairs) {
    Sharding to = randomSharding(rng, second, shape.size());
    bool isSame = true;
    for (int64_t device = 0; device < first.numDevices(); ++device)
      isSame &= localBlocks(first, shape, from, device) ==
                localBlocks(second, shape, to, device);
    std::optional<CrossGridPlan> plan =
        planBetweenGrids(first, second, shape, 4, from, to);
    if (plan && gather && plan->cost <= (isSame ? 0 : gather->cost))
      continue;
    return "a plan between the grids [" + join(first.shape) + "] and [" +
           join(second.shape) + "] from " + toString(from) + " to " +
           toString(to) + " on shape [" + join(shape) + "] " +
           (plan ? "costs " + std::to_string(plan->cost) : "is missing") +
           (isSame ? " though all blocks stay the same" : "");
  }
  return {};
}

std::string checkPlanner(const Grid &grid, const std::vector<int64_t> &shape,
                         int64_t elementBytes, const Sharding &from,
                         const Sharding &to) {
  LinkCostModel costs;
  Planner planner(costs);
  std::string reason;
  std::optional<Plan> plan =
      planReshard(grid, shape, elementBytes, from, to, costs, &reason);
  // The second answer is a kept one; who asks without a place for it is told no reason.
  bool differs = false;
  for (bool tells : {true, true, false}) {
    std::string error;
    const Plan *kept = planner.plan(grid, shape, elementBytes, from, to,
                                    tells ? &error : nullptr);
    differs |= bool(kept) != bool(plan) || (tells && error != reason);
    differs |= kept && plan &&
               toString(*kept, grid, shape, elementBytes, from, to) !=
                   toString(*plan, grid, shape, elementBytes, from, to);
  }
  return differs ? "a planner has another answer than planReshard: from " +
                       toString(from) + " to " + toString(to) + " " + reason
                 : "";
}

/// A dimension whose explicit bounds stay is left alone: no step is along it or its axis.
static std::string checkFixedBounds(uint64_t seed) {
  Random rng(seed);
  Grid grid, rest;
  for (int64_t axes = rng.between(2, 3); axes > 0; --axes)
    grid.shape.push_back(rng.between(2, 3));
  rest.shape.assign(grid.shape.begin() + 1, grid.shape.end());
  std::vector<int64_t> others(rng.between(1, 2));
  for (int64_t &extent : others)
    extent = grid.numDevices() * rng.between(1, 2);
  // The first block is longer than that of a layout.
  int64_t parts = grid.shape.front(),
          extent = rng.between(parts, 3 * parts) + 3;
  std::vector<int64_t> bounds = {0, extent / parts + 2};
  for (int64_t part = 2; part < parts; ++part)
    bounds.push_back(rng.between(bounds.back(), extent));
  bounds.push_back(extent);
  auto withBounds = [&](Sharding sharding) {
    for (AxisList &axes : sharding.dims)
      for (GridAxis &axis : axes)
        ++axis;
    sharding.dims.insert(sharding.dims.begin(), AxisList{0});
    sharding.offsets = bounds;
    for (size_t dim = 0; dim < others.size(); ++dim) {
      int64_t count = grid.groupSize(sharding.dims[dim + 1]);
      bool isSplit = !sharding.dims[dim + 1].empty();
      for (int64_t part = 0; isSplit && part <= count; ++part)
        sharding.offsets.push_back(part * others[dim] / count);
    }
    return sharding;
  };
  std::vector<int64_t> shape = others;
  shape.insert(shape.begin(), extent);
  Sharding from = randomSharding(rng, rest, others.size());
  Sharding to = randomSharding(rng, rest, others.size());
  Sharding source = withBounds(from), target = withBounds(to);
  std::string reason;
  std::optional<Plan> plan =
      planReshard(grid, shape, 4, source, target, LinkCostModel(), &reason);
  bool isAlone = plan.has_value();
  for (size_t i = 0; plan && i < plan->steps.size(); ++i) {
    const Step &step = plan->steps[i];
    isAlone &= step.dim != 0 && step.concatDim != 0;
    for (const AxisList *axes : {&step.axes, &step.toAxes})
      isAlone &= std::find(axes->begin(), axes->end(), 0) == axes->end();
  }
  if (isAlone)
    return {};
  std::string text = "a plan that keeps the bounds of dimension 0 ";
  text += plan ? "has the steps" : "is missing: " + reason;
  if (plan)
    for (const Step &step : plan->steps)
      text += " " + toString(step) + ";";
  return text + " grid [" + join(grid.shape) + "], shape [" + join(shape) +
         "], from " + toString(source) + " to " + toString(target);
}

std::string checkPlans(uint64_t seed) {
  if (std::string wrong = checkCrossGrids(~seed); !wrong.empty())
    return wrong;
  if (std::string wrong = checkFixedBounds(seed); !wrong.empty())
    return wrong;
  Random rng(seed);
  Grid grid;
  static const std::vector<int64_t> sizes = {2, 2, 2, 3, 4};
  for (int64_t axes = rng.chance(25) ? 3 : rng.between(1, 2); axes > 0; --axes)
    grid.shape.push_back(rng.oneOf(sizes));
  // Sums over one axis become sums over a longer one, for which a third may be joined to it.
  bool joins = rng.chance(15);
  if (joins)
    grid.shape = {2, 2, 4};
  // The exhaustive search takes milliseconds for two dimensions and three axes.
  int64_t rank = joins              ? 1
                 : grid.rank() == 3 ? rng.between(1, 2)
                                    : rng.between(1, 3);
  std::vector<int64_t> shape;
  bool even = rng.chance(50);
  for (int64_t dim = 0; dim < rank; ++dim)
    shape.push_back(even ? grid.numDevices() * rng.between(1, 2)
                         : rng.between(1, 13));
  static const std::vector<int64_t> elements = {1, 2, 4, 8};
  int64_t elementBytes = rng.oneOf(elements);
  std::vector<double> latency, bandwidth;
  for (bool isUniform = rng.chance(70); latency.size() < grid.shape.size();) {
    static const std::vector<double> latencies = {0, 0, 1, 16, 256};
    static const std::vector<double> bandwidths = {1, 2, 4};
    bool isNew = !isUniform || latency.empty();
    latency.push_back(isNew ? rng.oneOf(latencies) : latency.back());
    bandwidth.push_back(isUniform ? 1 : rng.oneOf(bandwidths));
  }
  LinkCostModel costs(latency, bandwidth);
  PlanOracle oracle(grid, shape, elementBytes, joins || rng.chance(60), costs);
  int64_t count = int64_t(oracle.shardings().size());
  auto choose = [&](const AxisList &summed) {
    auto index = static_cast<size_t>(rng.between(0, count - 1));
    while (joins && oracle.shardings()[index].partial != summed)
      index = (index + 1) % count;
    return index;
  };
  size_t from = choose({0});
  // One source, so that the oracle searches once for each kind of target.
  for (int64_t pairs = 8; pairs > 0; --pairs) {
    size_t to = choose({1, 2});
    const Sharding &source = oracle.shardings()[from];
    const Sharding &target = oracle.shardings()[to];
    std::string error;
    std::optional<Plan> plan =
        planReshard(grid, shape, elementBytes, source, target, costs, &error);
    std::string wrong =
        plan ? comparePlan(*plan, oracle, from, to) : "is missing: " + error;
    if (wrong.empty() &&
        boundReshardCost(grid, shape, elementBytes, source, target, costs) >
            plan->cost * (1 + 1e-9))
      wrong = "costs less than boundReshardCost";
    if (wrong.empty() && pairs == 1)
      return checkPlanner(grid, shape, elementBytes, source, target);
    if (wrong.empty())
      continue;
    std::string text = "a plan " + wrong + ": grid [" + join(grid.shape) +
                       "], shape [" + join(shape) + "] of " +
                       std::to_string(elementBytes) + " bytes, latencies [" +
                       join(latency) + "], bandwidths [" + join(bandwidth) +
                       "], from " + toString(source) + " to " +
                       toString(target);
    if (plan)
      for (const Step &step : plan->steps)
        text += ", " + toString(step);
    return text;
  }
  return {};
}

} // namespace shard::fuzz
