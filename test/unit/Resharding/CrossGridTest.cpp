//===- CrossGridTest.cpp - Reshards between two grids ---------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Resharding/CrossGrid.h"

#include "PlanTestUtils.h"

#include <random>

using namespace shard;
using namespace shard::test;

namespace {
/// The plan, its three parts executed, and the blocks at its two seams compared
/// device by device.
CrossGridPlan crossPlan(const Grid &fromGrid, const Grid &toGrid,
                        const std::vector<int64_t> &shape, const Sharding &from,
                        const Sharding &to) {
  std::string error;
  std::optional<CrossGridPlan> plan =
      planBetweenGrids(fromGrid, toGrid, shape, 4, from, to, &error);
  EXPECT_TRUE(plan) << error;
  if (!plan)
    return {};
  const Grid &refined = plan->refinement.grid;
  EXPECT_EQ(refined.numDevices(), fromGrid.numDevices());
  EXPECT_EQ(runPlan(plan->first, fromGrid, shape, from, plan->before), "");
  EXPECT_EQ(runPlan(plan->middle, refined, shape, plan->refinedBefore,
                    plan->refinedAfter),
            "");
  EXPECT_EQ(runPlan(plan->last, toGrid, shape, plan->after, to), "");
  auto sameOn = [&](const Grid &grid, const Sharding &sharding,
                    const Sharding &atomic) {
    for (int64_t device = 0; device < refined.numDevices(); ++device) {
      std::vector<Block> a = localBlocks(grid, shape, sharding, device);
      std::vector<Block> b = localBlocks(refined, shape, atomic, device);
      for (size_t dim = 0; dim < shape.size(); ++dim)
        EXPECT_TRUE(a[dim] == b[dim] || (a[dim].size == 0 && b[dim].size == 0));
      EXPECT_EQ(grid.positionInGroup(device, sharding.partial),
                refined.positionInGroup(device, atomic.partial));
    }
    EXPECT_EQ(localShape(grid, shape, sharding),
              localShape(refined, shape, atomic));
  };
  sameOn(fromGrid, plan->before, plan->refinedBefore);
  sameOn(toGrid, plan->after, plan->refinedAfter);
  return *plan;
}
} // namespace

TEST(Refinement, CommonAtoms) {
  std::optional<Refinement> r = refine({{2, 8}}, {{4, 4}});
  ASSERT_TRUE(r);
  EXPECT_EQ(r->grid.shape, (std::vector<int64_t>{2, 2, 4}));
  EXPECT_EQ(r->first[1], (AxisList{1, 2}));
  EXPECT_EQ(r->second[0], (AxisList{0, 1}));
  EXPECT_FALSE(refine({{2, 3}}, {{4}}));
}

TEST(Refinement, ClashingSizesStayTogether) {
  std::optional<Refinement> r = refine({{4, 2, 3, 2}}, {{4, 3, 2, 2}});
  ASSERT_TRUE(r);
  EXPECT_EQ(r->grid.shape, (std::vector<int64_t>{4, 6, 2}));
  EXPECT_FALSE(r->first[1]);
  EXPECT_FALSE(r->second[2]);
  EXPECT_EQ(r->first[3], (AxisList{2}));
  EXPECT_EQ(refine({{1, 6, 1}}, {{2, 3}})->first[1], (AxisList{0, 1}));
}

TEST(Refinement, AxesWithin) {
  using Runs = std::vector<AxisList>;
  EXPECT_EQ(*axesWithin({{4, 2}}, {{2, 2, 2}}), (Runs{{0, 1}, {2}}));
  EXPECT_EQ(*axesWithin({{4, 2}}, {{4, 2}}), (Runs{{0}, {1}}));
  EXPECT_EQ(*axesWithin({{4, 1, 2}}, {{2, 2, 1, 2}}), (Runs{{0, 1}, {2}, {3}}));
  EXPECT_EQ(*axesWithin({{4, 1, 2}}, {{2, 2, 2}}), (Runs{{0, 1}, {}, {2}}));
  EXPECT_EQ(*axesWithin({{6}}, {{2, 1, 3, 1}}), (Runs{{0, 1, 2, 3}}));
  EXPECT_FALSE(axesWithin({{4, 2}}, {{2, 4}}));
  EXPECT_FALSE(axesWithin({{2, 2}}, {{4}}));
  EXPECT_FALSE(axesWithin({{4}}, {{4, 2}}));
}

TEST(CrossGrid, TheSameBlocksNeedNoSteps) {
  CrossGridPlan plan =
      crossPlan({{8}}, {{2, 4}}, {16}, make({{0}}), make({{0, 1}}));
  EXPECT_TRUE(plan.first.steps.empty());
  EXPECT_TRUE(plan.middle.steps.empty());
  EXPECT_TRUE(plan.last.steps.empty());
}

TEST(CrossGrid, OtherShapeOfTheSameDevices) {
  CrossGridPlan plan = crossPlan({{2, 4}}, {{4, 2}}, {16, 16}, make({{0}, {1}}),
                                 make({{0}, {1}}));
  // The middle atom moves from dimension 1 to dimension 0.
  EXPECT_EQ(plan.refinement.grid.shape, (std::vector<int64_t>{2, 2, 2}));
  EXPECT_TRUE(plan.first.steps.empty());
  EXPECT_GT(plan.cost, 0);
  EXPECT_LT(plan.cost, 16 * 16 * 4);
}

TEST(CrossGrid, ClashesAndUnevenDimensionsGoThroughLess) {
  crossPlan({{2, 3}}, {{3, 2}}, {12, 6}, make({{0}, {1}}), make({{1}, {0}}));
  // 10 over 4 is 3, 3, 3, 1; over 2, 2 it is 3, 2, 3, 2.
  CrossGridPlan plan =
      crossPlan({{4, 2}}, {{2, 4}}, {10, 6}, make({{0}, {}}), make({{0}, {}}));
  EXPECT_EQ(plan.first.steps.size(), 1u);
}

TEST(CrossGrid, AnyToAnyAtRandom) {
  std::mt19937 random(5);
  std::vector<std::vector<Grid>> families = {
      {{{8}}, {{2, 4}}, {{4, 2}}, {{2, 2, 2}}, {{1, 8}}},
      {{{12}}, {{2, 6}}, {{3, 4}}, {{2, 3, 2}}, {{3, 2, 2}}}};
  for (int n = 0; n < 300; ++n) {
    const std::vector<Grid> &family = families[n % 2];
    const Grid &fromGrid = family[random() % family.size()];
    const Grid &toGrid = family[random() % family.size()];
    std::vector<int64_t> shape = {n % 3 ? 12 : 7, n % 5 ? 8 : 5};
    auto pick = [&](const Grid &grid) {
      Sharding sharding = Sharding::replicated(2);
      for (GridAxis axis = 0; axis < grid.rank(); ++axis) {
        size_t where = random() % 4;
        if (where < 2)
          sharding.dims[where].insert(sharding.dims[where].begin(), axis);
        else if (where == 2)
          sharding.partial.push_back(axis);
      }
      return sharding;
    };
    crossPlan(fromGrid, toGrid, shape, pick(fromGrid), pick(toGrid));
  }
}

TEST(CrossGrid, GridsOfDifferentSizeAreAnError) {
  std::string error;
  EXPECT_FALSE(
      planBetweenGrids({{2}}, {{3}}, {6}, 4, make({{0}}), make({{0}}), &error));
  EXPECT_EQ(error,
            "the grids have 2 and 3 devices; a value moves between grids "
            "of equal size only");
}
