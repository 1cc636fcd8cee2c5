//===- HaloOffsetTest.cpp - Halos and explicit offsets --------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanTestUtils.h"

#include <random>

using namespace shard;
using namespace shard::test;
using Kind = Step::Kind;

namespace {
Sharding withHalos(Sharding sharding, std::vector<int64_t> halos) {
  sharding.halos = std::move(halos);
  return sharding;
}
Sharding withOffsets(Sharding sharding, std::vector<int64_t> offsets) {
  sharding.offsets = std::move(offsets);
  return sharding;
}
} // namespace

TEST(Halo, NeighboursFillNewHalos) {
  Sharding plain = make({{0}, {}});
  Sharding halo = withHalos(plain, {1, 2});
  Plan plan = planFor({{4}}, {16, 3}, plain, halo);
  EXPECT_EQ(kinds(plan), "update_halo");
  EXPECT_EQ(plan.steps[0].axes, (AxisList{0}));
  EXPECT_EQ(plan.steps[0].result, halo);
  EXPECT_EQ(plan.steps[0].localShape, (std::vector<int64_t>{7, 3}));
  EXPECT_EQ(plan.bytesSent, 3 * 3 * 4);
}

TEST(Halo, CornersAreFilledToo) {
  Sharding plain = make({{0}, {1}});
  Plan plan = planFor({{2, 2}}, {8, 8}, plain, withHalos(plain, {1, 1, 2, 0}));
  EXPECT_EQ(kinds(plan), "update_halo");
  // To the one neighbour in each dimension a row of 4 and two columns of 4, to the one
  // across the corner 2 elements. Halos at the border get nothing.
  EXPECT_EQ(plan.bytesSent, (1 * 4 + 2 * 4 + 2) * 4);
}

TEST(Halo, NarrowerHalosAreCutOff) {
  Sharding plain = make({{0}});
  Sharding wide = withHalos(plain, {2, 2});
  EXPECT_EQ(kinds(planFor({{4}}, {16}, wide, withHalos(plain, {1, 0}))),
            "trim_halo");
  EXPECT_EQ(kinds(planFor({{4}}, {16}, wide, plain)), "trim_halo");
  EXPECT_EQ(kinds(planFor({{4}}, {16}, wide, make({{}}))),
            "trim_halo all_gather");
  EXPECT_EQ(kinds(planFor({{4}}, {16}, wide, withHalos(plain, {3, 1}))),
            "trim_halo update_halo");
  EXPECT_TRUE(planFor({{4}}, {16}, wide, wide).steps.empty());
}

// Of halos of all widths each: the step has both blocks in memory, and sends nothing.
TEST(Halo, NarrowerHalosTakeTheirOwnMemory) {
  Sharding plain = make({{0}, {1}});
  std::vector<int64_t> from(4), to(4);
  for (int64_t code = 0; code < 81 * 81; ++code) {
    int64_t rest = code;
    bool isNarrower = false, isWider = false;
    for (size_t i = 0; i < 4; ++i, rest /= 9) {
      from[i] = rest % 9 / 3;
      to[i] = rest % 3;
      isNarrower |= to[i] < from[i];
      isWider |= to[i] > from[i] && to[i] != 0;
    }
    if (!isNarrower || isWider)
      continue;
    auto bytes = [](const std::vector<int64_t> &halos) {
      return 4 * (4 + halos[0] + halos[1]) * (5 + halos[2] + halos[3]);
    };
    Plan plan = planFor({{2, 2}}, {8, 10}, withHalos(plain, from),
                        withHalos(plain, to));
    ASSERT_EQ(kinds(plan), "trim_halo");
    EXPECT_EQ(plan.bytesSent, 0);
    EXPECT_EQ(plan.peakBytes, bytes(from) + bytes(to))
        << testing::PrintToString(from) << testing::PrintToString(to);
  }
}

TEST(Halo, AReplicatedValueIsCutIntoWindows) {
  Sharding halo = withHalos(make({{0}}), {1, 1});
  Plan plan = planFor({{4}}, {16}, make({{}}), halo);
  EXPECT_EQ(kinds(plan), "slice_halo");
  EXPECT_EQ(plan.cost, 0);
}

TEST(Halo, WiderThanABlockComesFromSeveralNeighbours) {
  Sharding plain = make({{0}});
  Plan plan = planFor({{8}}, {16}, plain, withHalos(plain, {3, 5}));
  EXPECT_EQ(kinds(plan), "update_halo");
  EXPECT_EQ(plan.bytesSent, 8 * 4);
}

TEST(Halo, WiderThanTheRestCostsNoMoreThanAGather) {
  Sharding plain = make({{0}});
  Sharding halo = withHalos(plain, {3, 5});
  Plan plan = planFor({{4}}, {8}, plain, halo);
  EXPECT_EQ(kinds(plan), "update_halo");
  EXPECT_EQ(plan.bytesSent, 3 * 2 * 4);
  planFor({{4}}, {8}, halo, withHalos(plain, {0, 7}));
}

// A gather of one dimension hands elements on that halos send to each device.
TEST(Halo, WideInTwoDimensionsCostsNoMoreThanAGather) {
  Sharding plain = make({{0}, {1}});
  Plan plan = planFor({{4, 4}}, {8, 8}, plain, withHalos(plain, {6, 6, 6, 6}));
  EXPECT_EQ(kinds(plan), "update_halo");
  // The block of 2x2 to each of the 15 others.
  EXPECT_EQ(plan.bytesSent, 15 * 2 * 2 * 4);
  // Blocks of 4x4: three rows, three columns and a corner of 3x3.
  plan = planFor({{2, 2}}, {7, 7}, plain, withHalos(plain, {3, 3, 3, 3}));
  EXPECT_EQ(kinds(plan), "update_halo");
  EXPECT_EQ(plan.bytesSent, (3 * 4 + 4 * 3 + 3 * 3) * 4);
}

TEST(Halo, UnevenBlocks) {
  Sharding plain = make({{0, 1}});
  for (int64_t extent = 1; extent < 14; ++extent)
    for (std::vector<int64_t> widths :
         {std::vector<int64_t>{1, 0}, {0, 1}, {2, 1}, {1, 3}}) {
      planFor({{2, 2}}, {extent}, plain, withHalos(plain, widths));
      planFor({{2, 2}}, {extent}, withHalos(plain, widths), make({{1}}));
      planFor({{2, 2}}, {extent}, withHalos(make({{1}}), widths),
              withHalos(plain, widths));
    }
}

TEST(Halo, SizeOneAxesMayCarryHalos) {
  Sharding halo = withHalos(make({{0}, {1}}), {1, 1, 2, 0});
  planFor({{1, 2}}, {4, 8}, make({{}, {1}}), halo);
  planFor({{1, 2}}, {4, 8}, halo, make({{1}, {}}));
}

TEST(Offsets, BoundsOfTheLayoutAreTheLayout) {
  Sharding even = withOffsets(make({{0}}), {0, 4, 8});
  EXPECT_TRUE(planFor({{2}}, {8}, even, make({{0}})).steps.empty());
  Sharding uneven = withOffsets(make({{0}}), {0, 4, 7});
  EXPECT_EQ(kinds(planFor({{2}}, {7}, uneven, make({{0}}))), "pad_offsets");
  EXPECT_EQ(kinds(planFor({{2}}, {7}, make({{0}}), uneven)), "trim_offsets");
}

TEST(Offsets, OtherBoundsAreGatheredAndCut) {
  Sharding odd = withOffsets(make({{0}}), {0, 5, 8});
  EXPECT_EQ(kinds(planFor({{2}}, {8}, make({{}}), odd)), "slice_offsets");
  EXPECT_EQ(kinds(planFor({{2}}, {8}, odd, make({{}}))), "gather_offsets");
  EXPECT_EQ(kinds(planFor({{2}}, {8}, odd, make({{0}}))),
            "gather_offsets all_slice");
  EXPECT_EQ(kinds(planFor({{2}}, {8}, make({{0}}), odd)),
            "all_gather slice_offsets");
  EXPECT_TRUE(planFor({{2}}, {8}, odd, odd).steps.empty());
}

TEST(Offsets, EmptyBlocksAndManyAxes) {
  Sharding odd = withOffsets(make({{0, 1}, {}}), {0, 0, 6, 6, 9});
  planFor({{2, 2}}, {9, 4}, odd, make({{1}, {0}}));
  planFor({{2, 2}}, {9, 4}, make({{1}, {0}}), odd);
}

TEST(Offsets, UntouchedDimensionsKeepTheirBounds) {
  Grid grid{{2, 3}};
  Sharding from = withOffsets(make({{0}, {1}}), {0, 5, 8, 0, 2, 4, 6});
  Sharding to = withOffsets(make({{0}, {}}), {0, 5, 8});
  Plan plan = planFor(grid, {8, 6}, from, to);
  EXPECT_EQ(kinds(plan), "all_gather");
}

namespace {
/// A sharding of a tensor of rank 2, with halos, with bounds, or without either.
Sharding randomSharding(std::mt19937 &random, const Grid &grid,
                        const std::vector<int64_t> &shape) {
  Sharding sharding = Sharding::replicated(2);
  for (GridAxis axis : {2, 0, 1}) {
    size_t where = random() % 4;
    if (where < 2)
      sharding.dims[where].push_back(axis);
    else if (where == 2 && random() % 3 == 0)
      sharding.partial = {axis};
  }
  size_t what = random() % 3;
  for (size_t dim = 0; dim < 2; ++dim) {
    if (sharding.dims[dim].empty())
      continue;
    if (what == 1)
      for (int side = 0; side < 2; ++side)
        sharding.halos.push_back(random() % 3);
    if (what == 2) {
      std::vector<int64_t> bounds = {0, shape[dim]};
      for (int64_t i = 1; i < grid.groupSize(sharding.dims[dim]); ++i)
        bounds.push_back(static_cast<int64_t>(random() % (shape[dim] + 1)));
      std::sort(bounds.begin(), bounds.end());
      sharding.offsets.insert(sharding.offsets.end(), bounds.begin(),
                              bounds.end());
    }
  }
  return sharding;
}

std::vector<int64_t> randomShape(std::mt19937 &random) {
  return {1 + static_cast<int64_t>(random() % 12),
          1 + static_cast<int64_t>(random() % 9)};
}

/// Stands for `number` of the run, and back.
int64_t asRunTime(int64_t number) {
  return std::numeric_limits<int64_t>::min() + 1 + number;
}
void giveNumbers(std::vector<int64_t> &numbers) {
  for (int64_t &number : numbers)
    if (isRunTime(number))
      number -= asRunTime(0);
}
} // namespace

TEST(HaloOffset, AnyToAnyAtRandom) {
  std::mt19937 random(11);
  for (int n = 0; n < 400; ++n) {
    Grid grid{{2, 3, 2}};
    std::vector<int64_t> shape = randomShape(random);
    Sharding from = randomSharding(random, grid, shape);
    Sharding to = randomSharding(random, grid, shape);
    planFor(grid, shape, from, to);
  }
}

// A plan that does not know some numbers is right whatever they are.
TEST(HaloOffset, NumbersOfTheRun) {
  std::mt19937 random(12);
  int runTime = 0;
  for (int n = 0; n < 600; ++n) {
    Grid grid{{2, 3, 2}};
    std::vector<int64_t> shape = randomShape(random);
    Sharding known[2], unknown[2];
    for (int end = 0; end < 2; ++end) {
      // Often the same blocks and bounds, with one of them or none unknown.
      known[end] = end == 1 && random() % 3 == 0
                       ? known[0]
                       : randomSharding(random, grid, shape);
      unknown[end] = known[end];
      for (auto *numbers : {&unknown[end].halos, &unknown[end].offsets})
        for (int64_t &number : *numbers)
          if (random() % 2)
            number = asRunTime(number);
      runTime += unknown[end].hasRunTimeNumbers();
    }
    std::string error;
    std::optional<Plan> plan = planReshard(grid, shape, 4, unknown[0],
                                           unknown[1], LinkCostModel(), &error);
    ASSERT_TRUE(plan) << error;
    for (Step &step : plan->steps) {
      giveNumbers(step.bounds);
      giveNumbers(step.result.halos);
      giveNumbers(step.result.offsets);
      step.localShape = localShape(grid, shape, step.result);
    }
    EXPECT_EQ(runPlan(*plan, grid, shape, known[0], known[1]), "")
        << toString(*plan, grid, shape, 4, unknown[0], unknown[1]);
  }
  EXPECT_GT(runTime, 200);
}

TEST(HaloOffset, NumbersOfTheRunAreEqualOrNot) {
  Sharding plain = make({{0}});
  Grid grid{{4}};
  auto steps = [&](const Sharding &from, const Sharding &to) {
    std::optional<Plan> plan = planReshard(grid, {16}, 4, from, to);
    return plan ? kinds(*plan) : "no plan";
  };
  Sharding a = withHalos(plain, {asRunTime(1), 2});
  Sharding b = withHalos(plain, {asRunTime(2), 2});
  EXPECT_EQ(steps(a, a), "");
  EXPECT_EQ(steps(a, b), "trim_halo update_halo");
  EXPECT_EQ(steps(a, plain), "trim_halo");
  EXPECT_EQ(steps(a, withHalos(plain, {0, 1})), "trim_halo");
  EXPECT_EQ(steps(a, withHalos(plain, {1, 1})), "trim_halo update_halo");
  EXPECT_EQ(localShape(grid, {16}, a), (std::vector<int64_t>{kDynamic}));
  EXPECT_EQ(toString(a), "[[0]] halo_sizes = [?, 2]");
  Sharding cut = withOffsets(plain, {0, asRunTime(3), 8, 12, 16});
  EXPECT_EQ(steps(cut, cut), "");
  EXPECT_EQ(steps(cut, plain), "gather_offsets all_slice");
  EXPECT_EQ(errorOf(grid, {16}, withOffsets(plain, {0, asRunTime(3), 8, 4, 16}),
                    plain),
            "the source sharding has offsets of dimension 0 that do not rise "
            "from 0 to its extent 16");
}

TEST(HaloOffset, BadArgumentsAreErrors) {
  Grid grid{{2}};
  Sharding plain = make({{0}});
  EXPECT_EQ(errorOf(grid, {8}, plain, withHalos(plain, {1})),
            "the target sharding has 1 halo sizes; two for each of its 1 split "
            "dimensions are needed");
  EXPECT_EQ(errorOf(grid, {8}, plain, withHalos(plain, {1, -1})),
            "the target sharding has a halo of size -1; planning needs known "
            "sizes, not negative");
  EXPECT_EQ(errorOf(grid, {8}, plain, withHalos(plain, {kDynamic, 1})),
            "the target sharding has a halo of unknown size; planning needs "
            "known sizes, not negative");
  EXPECT_EQ(
      errorOf(grid, {8}, withOffsets(plain, {0, 4}), plain),
      "the source sharding has offsets of dimension 0 that are too few: 3 "
      "are needed");
  EXPECT_EQ(errorOf(grid, {8}, withOffsets(plain, {0, 9, 8}), plain),
            "the source sharding has offsets of dimension 0 that do not rise "
            "from 0 to its extent 8");
  EXPECT_EQ(errorOf(grid, {8}, withOffsets(plain, {0, 4, 8, 8}), plain),
            "the source sharding has 4 offsets; 3 are needed");
  EXPECT_EQ(errorOf(grid, {kDynamic}, withOffsets(plain, {0, 4, 3}), plain),
            "the source sharding has offsets of dimension 0 that do not rise "
            "from 0 to its extent");
  EXPECT_EQ(errorOf(grid, {8}, plain,
                    withOffsets(withHalos(plain, {1, 1}), {0, 4, 8})),
            "the target sharding has halos and explicit offsets; only one is "
            "supported");
}
