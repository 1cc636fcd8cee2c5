//===- CheckPlanRuns.cpp - Plans executed on plain arrays -----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Few programs have a value that changes halos, bounds and summands at once. Here each pair of
// shardings may, as a plan that runs on arrays takes a ten-thousandth of the time of a program.
//
//===----------------------------------------------------------------------===//

#include "CheckPlanRuns.h"

#include "ShardingMaker.h"

#include "shard/Fuzz/PlanRun.h"

#include <algorithm>
#include <cmath>

namespace shard::fuzz {

/// Bytes of the largest block of a sharding without numbers of the run.
static double largestBlock(const Grid &grid, const std::vector<int64_t> &shape,
                           int64_t elementBytes, const Sharding &sharding) {
  double bytes = double(elementBytes);
  auto halo = sharding.halos.begin();
  auto bound = sharding.offsets.begin();
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    int64_t parts = grid.groupSize(sharding.dims[dim]);
    int64_t longest = (shape[dim] + parts - 1) / parts;
    bool isSplit = !sharding.dims[dim].empty();
    if (isSplit && !sharding.offsets.empty()) {
      longest = 0;
      for (int64_t part = 0; part < parts; ++part, ++bound)
        longest = std::max(longest, bound[1] - bound[0]);
      ++bound;
    }
    if (isSplit && !sharding.halos.empty()) {
      longest += halo[0] + halo[1];
      halo += 2;
    }
    bytes *= double(longest);
  }
  return bytes;
}

/// What the busiest device sends to fill the halos of `to`: of its block, each other device of its
/// replica takes what is in the block of that device with its halos. Blocks count as full.
static double sentToHalos(const Grid &grid, const std::vector<int64_t> &shape,
                          int64_t elementBytes, const Sharding &to) {
  struct Range {
    int64_t begin, end, low, high;
  };
  std::vector<std::vector<Range>> ranges;
  for (int64_t device = 0; device < grid.numDevices(); ++device) {
    auto halo = to.halos.begin();
    ranges.emplace_back();
    for (size_t dim = 0; dim < shape.size(); ++dim) {
      int64_t parts = grid.groupSize(to.dims[dim]);
      int64_t local = (shape[dim] + parts - 1) / parts;
      int64_t begin = grid.positionInGroup(device, to.dims[dim]) * local;
      Range range = {begin, begin + local, begin, begin + local};
      if (!to.dims[dim].empty()) {
        range.low -= *halo++;
        range.high += *halo++;
      }
      ranges.back().push_back(range);
    }
  }
  AxisList split;
  for (const AxisList &axes : to.dims)
    split.insert(split.end(), axes.begin(), axes.end());
  double most = 0;
  for (int64_t sender = 0; sender < grid.numDevices(); ++sender) {
    double sent = 0;
    for (int64_t device : grid.groupMembers(sender, split)) {
      double taken = device == sender ? 0 : double(elementBytes);
      for (size_t dim = 0; dim < shape.size(); ++dim) {
        const Range &has = ranges[sender][dim], &wants = ranges[device][dim];
        taken *= double(std::max<int64_t>(
            0, std::min(has.end, wants.high) - std::max(has.begin, wants.low)));
      }
      sent += taken;
    }
    most = std::max(most, sent);
  }
  return most;
}

/// What the busiest device sends in `step` from a block of `input` bytes and `shape`; -1 where
/// CheckGeometry.cpp compares it.
static double sentBy(const Step &step, const Grid &grid,
                     const std::vector<int64_t> &shape, int64_t elementBytes,
                     const Sharding &before, double input) {
  auto parts = double(grid.groupSize(step.axes));
  // Each device gets a piece, of which the last ones may be padding.
  auto padded = [&] {
    int64_t local =
        step.dim < 0
            ? 1
            : (shape[step.dim] + grid.groupSize(before.dims[step.dim]) - 1) /
                  grid.groupSize(before.dims[step.dim]);
    return local == 0 ? 0.0
                      : input / double(local) *
                            std::ceil(double(local) / parts) * parts;
  };
  switch (step.kind) {
  case Step::Kind::AllGather:
  case Step::Kind::GatherOffsets:
    return (parts - 1) * input;
  case Step::Kind::AllToAll:
  case Step::Kind::ReduceScatter:
    return (parts - 1) / parts * padded();
  case Step::Kind::AllReduce:
    return 2 * (parts - 1) / parts * input;
  case Step::Kind::Permute:
    return input;
  case Step::Kind::UpdateHalo:
    return sentToHalos(grid, shape, elementBytes, step.result);
  case Step::Kind::Redistribute:
    return -1;
  default:
    return 0;
  }
}

/// Compares what a plan says of bytes, memory and costs with what follows from its shardings. The
/// model is the default one, in which a byte costs 1.
static std::string checkSums(const Plan &plan, const Grid &grid,
                             const std::vector<int64_t> &shape,
                             int64_t elementBytes, const Sharding &from) {
  double cost = 0;
  int64_t sent = 0, peak = 0;
  Sharding before = from;
  for (const Step &step : plan.steps) {
    double input = largestBlock(grid, shape, elementBytes, before);
    double output = largestBlock(grid, shape, elementBytes, step.result);
    double expected = sentBy(step, grid, shape, elementBytes, before, input);
    if (double(step.peakBytes) != input + output)
      return "says that a step takes " + std::to_string(step.peakBytes) +
             " bytes, not " + std::to_string(input + output) + ": " +
             toString(step);
    if (expected >= 0 &&
        std::abs(double(step.bytesSent) - std::ceil(expected - 1e-6)) > 1e-6)
      return "says that a step sends " + std::to_string(step.bytesSent) +
             " bytes, not " + std::to_string(expected) + ": " + toString(step);
    if (expected >= 0 && std::abs(step.cost - expected) > 1e-6)
      return "says that a step costs " + std::to_string(step.cost) + ", not " +
             std::to_string(expected) + ": " + toString(step);
    cost += step.cost;
    sent += step.bytesSent;
    peak = std::max(peak, step.peakBytes);
    before = step.result;
  }
  if (std::abs(plan.cost - cost) > 1e-6 || plan.bytesSent != sent ||
      plan.peakBytes != peak || plan.communicates() != (sent > 0))
    return "has other sums than its steps";
  return {};
}

/// A number of the run that stands for `number`.
static int64_t asRunTime(int64_t number) { return INT64_MIN + 1 + number; }

static Sharding withRunTime(Random &rng, Sharding sharding) {
  for (std::vector<int64_t> *numbers : {&sharding.halos, &sharding.offsets})
    for (int64_t &number : *numbers)
      if (rng.chance(50))
        number = asRunTime(number);
  return sharding;
}

/// Gives numbers of the run the values that they stand for.
static void giveNumbers(Plan &plan, const Grid &grid,
                        const std::vector<int64_t> &shape) {
  for (Step &step : plan.steps) {
    for (std::vector<int64_t> *numbers :
         {&step.bounds, &step.result.halos, &step.result.offsets})
      for (int64_t &number : *numbers)
        if (isRunTime(number))
          number -= asRunTime(0);
    step.localShape = localShape(grid, shape, step.result);
  }
}

/// Runs the plan for a tensor without elements, for which nothing is searched, on one with some:
/// its gathers and slices lead from any extents that the axes divide to the target.
static std::string checkEmpty(Random &rng, const Grid &grid, size_t rank,
                              const Sharding &from, const Sharding &to) {
  std::vector<int64_t> shape(rank, grid.numDevices()), empty = shape;
  empty[rng.between(0, int64_t(rank) - 1)] = 0;
  std::string wrong;
  std::optional<Plan> plan =
      planReshard(grid, empty, 1, from, to, LinkCostModel(), &wrong);
  if (plan) {
    for (Step &step : plan->steps)
      step.localShape = localShape(grid, shape, step.result);
    wrong = runPlan(*plan, grid, shape, from, to, unsigned(rng.next()));
  }
  return wrong.empty() ? ""
                       : "of a tensor without elements goes wrong: " + wrong;
}

std::string checkPlanRuns(uint64_t seed) {
  ShardingMaker maker(seed ^ 0x72756e73ull, /*mostDevices=*/12);
  Random &rng = maker.rng;
  const Grid &grid = maker.grid;
  const std::vector<int64_t> &shape = maker.shape;
  static const std::vector<int64_t> sizes = {1, 2, 4, 8};
  int64_t elementBytes = rng.oneOf(sizes);
  for (int64_t pairs = 3; pairs > 0; --pairs) {
    Sharding from = maker.make(), to = maker.make();
    if (rng.chance(40)) {
      // The same blocks, laid out in another way.
      to = from;
      to.halos.clear();
      to.offsets.clear();
      maker.layOut(to);
    }
    // Arrays hold numbers; bits of sums and means are no numbers that they have.
    if (!to.partial.empty() && to.reduction != from.reduction)
      from.reduction =
          from.partial.empty() ? from.reduction : ReductionKind::Max;
    bool isKnown = rng.chance(70);
    Sharding source = isKnown ? from : withRunTime(rng, from);
    Sharding target = isKnown ? to : withRunTime(rng, to);
    std::string wrong;
    std::optional<Plan> plan = planReshard(grid, shape, elementBytes, source,
                                           target, LinkCostModel(), &wrong);
    if (plan)
      wrong = checkPlanText(*plan, grid, shape, elementBytes, source, target);
    else
      wrong = "is missing: " + wrong;
    if (plan && wrong.empty() && isKnown)
      wrong = checkSums(*plan, grid, shape, elementBytes, from);
    if (plan && wrong.empty()) {
      giveNumbers(*plan, grid, shape);
      wrong = runPlan(*plan, grid, shape, from, to, unsigned(rng.next()));
      wrong = wrong.empty() ? wrong : "goes wrong: " + wrong;
    }
    if (wrong.empty() && !shape.empty() && !from.hasHalosOrOffsets() &&
        !to.hasHalosOrOffsets())
      wrong = checkEmpty(rng, grid, shape.size(), from, to);
    if (!wrong.empty())
      return "a plan " + wrong + ", from " + toString(source) + " to " +
             toString(target) + " " +
             (plan ? toString(*plan, grid, shape, elementBytes, from, to) : "");
  }
  return rng.chance(10) ? checkPlanTable(rng.next()) : "";
}

} // namespace shard::fuzz
