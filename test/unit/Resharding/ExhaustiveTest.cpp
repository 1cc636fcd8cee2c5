//===- ExhaustiveTest.cpp - Every plan against model and oracle -----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every ordered pair of shardings (up to renaming of axes of one size) of ranks 1
// to 3 over up to 3 axes of sizes 2, 3, 4, partial ones included, on dimensions
// that divide and that do not: the plan is executed, and its cost, its number of
// steps and its peak memory are those of the oracle. By default a fixed part of
// the pairs; all of them where SHARD_EXHAUSTIVE is set (some minutes).
//
//===----------------------------------------------------------------------===//

#include "shard/Fuzz/PlanOracle.h"
#include "shard/Fuzz/PlanRun.h"
#include "shard/Resharding/Search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <random>
#include <tuple>

using namespace shard;
using namespace shard::fuzz;

namespace {
bool runAll() { return std::getenv("SHARD_EXHAUSTIVE") != nullptr; }

/// Names two axes of one size in the order in which the sharding names them.
bool isCanonical(const Grid &grid, const Sharding &sharding) {
  AxisList order;
  for (const AxisList &axes : sharding.dims)
    order.insert(order.end(), axes.begin(), axes.end());
  order.insert(order.end(), sharding.partial.begin(), sharding.partial.end());
  for (GridAxis axis = 0; axis < grid.rank(); ++axis)
    if (std::find(order.begin(), order.end(), axis) == order.end())
      order.push_back(axis);
  for (size_t i = 0; i < order.size(); ++i)
    for (size_t j = i + 1; j < order.size(); ++j)
      if (grid.shape[order[i]] == grid.shape[order[j]] && order[i] > order[j])
        return false;
  return true;
}

bool isOneRedistribution(const Plan &plan) {
  return plan.steps.size() == 1 &&
         plan.steps[0].kind == Step::Kind::Redistribute;
}

struct Tally {
  int64_t pairs = 0, free = 0;
  /// Pairs that partial axes do not tell apart, the redistributions among their plans,
  /// and plans that cost more than what the neediest device lacks.
  int64_t plain = 0, atOnce = 0, aboveNeed = 0;
  double cost = 0, lowerBound = 0;

  void print(const std::string &what) const {
    std::cout << what << ": " << pairs << " pairs, " << free
              << " without communication, cost " << cost << ", lower bounds "
              << lowerBound << "; of " << plain
              << " without changes of partial axes " << atOnce << " at once, "
              << aboveNeed << " above what the neediest device lacks\n";
  }
};

/// Compares the plans of every `stride`-th pair (all if 1) with the oracle's, and
/// executes them.
void comparePairs(const Grid &grid, const std::vector<int64_t> &shape,
                  size_t stride, bool execute, Tally &tally,
                  const LinkCostModel &costs = {}) {
  fuzz::PlanOracle oracle(grid, shape, 4, true, costs);
  const std::vector<Sharding> &all = oracle.shardings();
  size_t pair = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    if (!isCanonical(grid, all[i]))
      continue;
    // Whole rows, so that the oracle's work is used.
    size_t rowStride = stride > 16 ? stride / 16 : 1;
    if (i % rowStride != 0)
      continue;
    for (size_t j = 0; j < all.size(); ++j) {
      if (pair++ % (stride / rowStride) != 0)
        continue;
      std::string error;
      std::optional<Plan> plan =
          planReshard(grid, shape, 4, all[i], all[j], costs, &error);
      ASSERT_TRUE(plan) << error;
      auto text = [&] {
        return toString(*plan, grid, shape, 4, all[i], all[j]);
      };
      ASSERT_EQ(fuzz::comparePlan(*plan, oracle, i, j), "") << text();
      if (execute)
        ASSERT_EQ(runPlan(*plan, grid, shape, all[i], all[j]), "") << text();
      ++tally.pairs;
      double needed = oracle.costAtOnce(oracle.neededAtOnce(i, j));
      if (std::isfinite(needed)) {
        ++tally.plain;
        tally.atOnce += isOneRedistribution(*plan);
        tally.aboveNeed += plan->cost > needed + 1e-3;
      }
      tally.free += plan->cost == 0;
      tally.cost += plan->cost;
      tally.lowerBound += static_cast<double>(plan->lowerBoundBytes);
    }
  }
}

/// All grids of up to 3 axes of sizes 2, 3, 4, up to renaming.
std::vector<Grid> grids() {
  std::vector<Grid> result;
  for (int64_t a : {2, 3, 4}) {
    result.push_back({{a}});
    for (int64_t b = a; b <= 4; ++b) {
      result.push_back({{a, b}});
      for (int64_t c = b; c <= 4; ++c)
        result.push_back({{a, b, c}});
    }
  }
  return result;
}
} // namespace

TEST(Exhaustive, EvenDimensions) {
  Tally tally;
  for (const Grid &grid : grids())
    for (int64_t rank = 1; rank <= 3; ++rank) {
      int64_t devices = grid.numDevices();
      std::vector<int64_t> shape(rank, devices);
      bool large = grid.rank() == 3 && rank == 3;
      // Arrays of more than 12^3 elements are left to the uneven test.
      bool execute = rank < 3 || devices <= 12;
      comparePairs(grid, shape,
                   runAll()    ? 1
                   : large     ? 331
                   : rank == 3 ? 17
                               : 5,
                   execute, tally);
    }
  tally.print("even dimensions");
  EXPECT_LE(tally.aboveNeed, tally.plain / 50);
  EXPECT_GE(tally.atOnce, tally.plain / 10);
}

TEST(Exhaustive, UnevenDimensions) {
  Tally tally;
  for (const Grid &grid : grids())
    for (std::vector<int64_t> shape :
         {std::vector<int64_t>{7, 10, 13}, {6, 4, 9}, {3, 5, 2}})
      for (size_t rank = 1; rank <= 3; ++rank) {
        bool large = grid.rank() == 3 && rank == 3;
        std::vector<int64_t> part(shape.begin(),
                                  shape.begin() + static_cast<ptrdiff_t>(rank));
        comparePairs(grid, part,
                     runAll()    ? 1
                     : large     ? 557
                     : rank == 3 ? 29
                                 : 7,
                     true, tally);
      }
  tally.print("uneven dimensions");
}

TEST(Exhaustive, DimensionsOfOneElement) {
  Tally tally;
  for (const Grid &grid : grids())
    for (const std::vector<int64_t> &shape :
         {std::vector<int64_t>{1, 12}, {10, 1}, {1, 1}, {2, 1}, {1, 7}})
      comparePairs(grid, shape, runAll() ? 1 : 13, true, tally);
  tally.print("dimensions of one element");
}

TEST(Exhaustive, Latencies) {
  // A step more may cost more than all bytes.
  Tally tally;
  for (const Grid &grid : grids())
    for (const std::vector<int64_t> &shape :
         {std::vector<int64_t>{6}, {grid.numDevices(), 7}, {12, 8}})
      for (double latency : {1, 16, 256})
        comparePairs(
            grid, shape, runAll() ? 1 : 23, true, tally,
            LinkCostModel(std::vector<double>(grid.shape.size(), latency), {}));
  tally.print("latencies");
}

TEST(Exhaustive, OtherDimensionsAreBytes) {
  // Dimensions that no step may split, and those that the search leaves out because it has
  // enough, make the elements of the others larger.
  constexpr int64_t kExtent = 3, kLeft = kExtent * kExtent * kExtent;
  for (const Grid &grid : grids())
    for (const std::vector<int64_t> &shape :
         {std::vector<int64_t>{12}, {grid.numDevices(), 7}, {12, 8}}) {
      std::vector<Sharding> all =
          fuzz::PlanOracle(grid, shape, 4, true, {}).shardings();
      size_t pair = 0, stride = runAll() ? 1 : all.size() * all.size() / 50;
      for (const Sharding &from : all)
        for (const Sharding &to : all) {
          if (pair++ % (stride + 1) != 0)
            continue;
          for (double latency : {0, 64, 4096}) {
            LinkCostModel costs(std::vector<double>(grid.shape.size(), latency),
                                {});
            // With more dimensions, of which the last one is not to be split in one way or
            // another.
            auto search = [&](std::vector<int64_t> more, int64_t bytes,
                              bool isFixed, bool isWhole) {
              SearchProblem problem;
              problem.grid = grid;
              problem.extents = shape;
              problem.extents.insert(problem.extents.end(), more.begin(),
                                     more.end());
              size_t rank = problem.extents.size();
              problem.elementBytes = bytes;
              problem.from = from;
              problem.to = to;
              problem.from.dims.resize(rank);
              problem.to.dims.resize(rank);
              problem.fixedDims.assign(rank, false);
              problem.fixedDims.back() = isFixed;
              problem.partsDivide.assign(rank, 0);
              problem.partsDivide.back() = isWhole;
              problem.costModel = &costs;
              SearchResult result = searchPlan(problem);
              return std::make_tuple(result.found, result.cost,
                                     result.memoryBound, result.steps.size());
            };
            auto expected = search({}, kLeft, false, false);
            std::string text = toString(from) + " to " + toString(to);
            ASSERT_EQ(search({kLeft}, 1, true, false), expected) << text;
            ASSERT_EQ(search({kLeft}, 1, false, true), expected) << text;
            ASSERT_EQ(search({1}, kLeft, false, false), expected) << text;
            std::vector<int64_t> few(3, kExtent), many(6, kExtent);
            ASSERT_EQ(search(many, 1, false, false),
                      search(few, kLeft, false, false))
                << text;
          }
        }
    }
}

TEST(Exhaustive, OtherCostsAlongEachAxis) {
  Tally tally;
  for (const Grid &grid : grids())
    for (const std::vector<int64_t> &shape :
         {std::vector<int64_t>{6}, {grid.numDevices(), 7}, {12, 8}})
      for (const LinkCostModel &costs :
           {LinkCostModel({0, 16, 1}, {1, 4, 2}),
            LinkCostModel({256, 1, 16}, {}), LinkCostModel({}, {4, 1, 2})})
        comparePairs(grid, shape, runAll() ? 1 : 23, true, tally, costs);
  tally.print("other costs along each axis");
}

TEST(Exhaustive, PermutesLeaveOutAxesThatStay) {
  // Axis 2 lies between the others before and after, with one device pair behind it: blocks
  // move along the others only.
  LinkCostModel costs({1, 1, 256}, {});
  Sharding from = Sharding::replicated(1), to = from;
  from.dims[0] = {1, 2, 0};
  to.dims[0] = {0, 2, 1};
  std::optional<Plan> plan = planReshard({{2, 2, 2}}, {16}, 1, from, to, costs);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->cost, 1 + 2);
  ASSERT_EQ(plan->steps.size(), 1u);
  EXPECT_EQ(plan->steps[0].axes, AxisList({1, 0}));
  EXPECT_EQ(plan->steps[0].toAxes, AxisList({0, 1}));
  // With other sizes around it all three move.
  plan = planReshard({{4, 2, 2}}, {16}, 1, from, to, costs);
  ASSERT_TRUE(plan);
  EXPECT_GE(plan->cost, 256);
}

TEST(Exhaustive, SlicesThatSaveLatencies) {
  LinkCostModel costs({256, 256, 256}, {});
  // One all_reduce, of which a part is kept, instead of a reduce_scatter and an all_gather.
  Sharding from = Sharding::replicated(1), to = from;
  from.partial = {0, 1};
  to.dims[0] = {0};
  std::optional<Plan> plan = planReshard({{3, 2}}, {6}, 2, from, to, costs);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->cost, 256 + 20);
  // Rows are gathered, and columns cut by their axes in another order, instead of two
  // all_to_alls.
  from = to = Sharding::replicated(2);
  from.dims[1] = {1, 2, 0};
  to.dims[1] = {0, 2};
  to.partial = {1};
  plan = planReshard({{2, 3, 2}}, {12, 7}, 8, from, to, costs);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->cost, 2 * 256 + 288 + 144);
  from = to = Sharding::replicated(2);
  from.dims[1] = {0, 2};
  from.partial = {1};
  to.dims[0] = {1, 0};
  to.dims[1] = {2};
  plan = planReshard({{2, 4, 3}}, {24, 48}, 1, from, to, costs);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->cost, 896);
}

TEST(Exhaustive, FourAxesSampled) {
  // The oracle knows some thousands of shardings; pairs are taken at random.
  std::mt19937 random(7);
  Tally tally;
  struct Case {
    Grid grid;
    std::vector<int64_t> shape;
    bool partial;
  };
  std::vector<Case> cases = {{{{2, 2, 2, 2}}, {16, 16, 16}, false},
                             {{{2, 3, 2, 4}}, {48, 48}, true},
                             {{{2, 2, 3, 2}}, {7, 10, 5}, false}};
  if (runAll()) {
    cases.push_back({{{2, 2, 2, 2}}, {16, 16, 16, 16}, true});
    cases.push_back({{{2, 3, 4, 2}}, {48, 48, 48, 48}, false});
    cases.push_back({{{2, 2, 4, 4}}, {64, 64, 64, 64}, true});
    cases.push_back({{{3, 2, 2, 4}}, {7, 10, 5, 12}, true});
  }
  for (const Case &c : cases) {
    fuzz::PlanOracle oracle(c.grid, c.shape, 1, c.partial);
    const std::vector<Sharding> &all = oracle.shardings();
    int sources = runAll() ? 60 : 6;
    for (int source = 0; source < sources; ++source) {
      size_t i = random() % all.size();
      for (int target = 0; target < 40; ++target) {
        size_t j = random() % all.size();
        std::optional<Plan> plan =
            planReshard(c.grid, c.shape, 1, all[i], all[j]);
        ASSERT_TRUE(plan);
        std::string text = toString(*plan, c.grid, c.shape, 1, all[i], all[j]);
        ASSERT_EQ(fuzz::comparePlan(*plan, oracle, i, j), "") << text;
        if (c.shape.size() < 4 && target % 8 == 0)
          ASSERT_EQ(runPlan(*plan, c.grid, c.shape, all[i], all[j]), "")
              << text;
        ++tally.pairs;
        tally.cost += plan->cost;
        tally.lowerBound += static_cast<double>(plan->lowerBoundBytes);
      }
    }
  }
  tally.print("four axes");
}

TEST(Exhaustive, ManyAxesAtRandom) {
  // No oracle here: plans are executed and held against the lower bound.
  std::mt19937 random(3);
  Tally tally;
  int64_t unproven = 0;
  int pairs = runAll() ? 2000 : 60;
  for (int n = 0; n < pairs; ++n) {
    Grid grid;
    std::vector<int64_t> shape;
    size_t rank = 2 + random() % 4, axes = 3 + random() % 3;
    for (size_t i = 0; i < axes; ++i)
      grid.shape.push_back(2 + (random() % 4 == 0));
    for (size_t i = 0; i < rank; ++i)
      shape.push_back(random() % 2 ? 4
                                   : 2 + static_cast<int64_t>(random() % 5));
    auto pick = [&] {
      Sharding sharding = Sharding::replicated(static_cast<int64_t>(rank));
      AxisList order;
      for (size_t i = 0; i < axes; ++i)
        order.push_back(static_cast<GridAxis>(i));
      std::shuffle(order.begin(), order.end(), random);
      for (GridAxis axis : order) {
        size_t where = random() % (rank + 2);
        if (where < rank)
          sharding.dims[where].push_back(axis);
        else if (where == rank && random() % 2)
          sharding.partial.push_back(axis);
      }
      std::sort(sharding.partial.begin(), sharding.partial.end());
      return sharding;
    };
    Sharding from = pick(), to = pick();
    std::optional<Plan> plan = planReshard(grid, shape, 4, from, to);
    ASSERT_TRUE(plan);
    ASSERT_EQ(runPlan(*plan, grid, shape, from, to), "")
        << toString(*plan, grid, shape, 4, from, to);
    ++tally.pairs;
    unproven += !plan->optimal;
    tally.cost += plan->cost;
    tally.lowerBound += static_cast<double>(plan->lowerBoundBytes);
  }
  tally.print("three to five axes at random");
  EXPECT_LE(unproven * 20, pairs);
  std::cout << unproven << " plans not proven to be the cheapest\n";
}
