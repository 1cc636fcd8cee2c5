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
// exhaustive search.
//
//===----------------------------------------------------------------------===//

#include "CheckPlans.h"

#include "shard/Fuzz/PlanOracle.h"
#include "shard/Fuzz/Random.h"

namespace shard::fuzz {

static std::string join(const std::vector<int64_t> &numbers) {
  std::string text;
  for (int64_t number : numbers)
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  return text;
}

std::string checkPlans(uint64_t seed) {
  Random rng(seed);
  Grid grid;
  static const std::vector<int64_t> sizes = {2, 2, 2, 3, 4};
  for (int64_t axes = rng.chance(25) ? 3 : rng.between(1, 2); axes > 0; --axes)
    grid.shape.push_back(rng.oneOf(sizes));
  // The exhaustive search takes milliseconds for two dimensions and three axes.
  int64_t rank = grid.rank() == 3 ? rng.between(1, 2) : rng.between(1, 3);
  std::vector<int64_t> shape;
  bool even = rng.chance(50);
  for (int64_t dim = 0; dim < rank; ++dim)
    shape.push_back(even ? grid.numDevices() * rng.between(1, 2)
                         : rng.between(1, 13));
  static const std::vector<int64_t> elements = {1, 2, 4, 8};
  int64_t elementBytes = rng.oneOf(elements);
  PlanOracle oracle(grid, shape, elementBytes, rng.chance(60));
  int64_t count = int64_t(oracle.shardings().size());
  auto from = static_cast<size_t>(rng.between(0, count - 1));
  // One source, so that the oracle searches once for each kind of target.
  for (int64_t pairs = 8; pairs > 0; --pairs) {
    auto to = static_cast<size_t>(rng.between(0, count - 1));
    const Sharding &source = oracle.shardings()[from];
    const Sharding &target = oracle.shardings()[to];
    std::string error;
    std::optional<Plan> plan = planReshard(grid, shape, elementBytes, source,
                                           target, LinkCostModel(), &error);
    std::string wrong =
        plan ? comparePlan(*plan, oracle, from, to) : "is missing: " + error;
    if (wrong.empty())
      continue;
    std::string text = "a plan " + wrong + ": grid [" + join(grid.shape) +
                       "], shape [" + join(shape) + "] of " +
                       std::to_string(elementBytes) + " bytes, from " +
                       toString(source) + " to " + toString(target);
    if (plan)
      for (const Step &step : plan->steps)
        text += ", " + toString(step);
    return text;
  }
  return {};
}

} // namespace shard::fuzz
