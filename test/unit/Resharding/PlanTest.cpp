//===- PlanTest.cpp - Plans for values people know ------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanTestUtils.h"

#include <algorithm>
#include <limits>
#include <numeric>

using namespace shard;
using namespace shard::test;
using Kind = Step::Kind;

namespace {
/// Every way to place axes on dimensions, in order, or to leave them out.
std::vector<Sharding> shardings(int64_t axes, int64_t rank) {
  std::vector<Sharding> result = {Sharding::replicated(rank)};
  for (GridAxis axis = 0; axis < axes; ++axis) {
    std::vector<Sharding> next = result;
    for (const Sharding &base : result)
      for (int64_t dim = 0; dim < rank; ++dim)
        for (size_t at = 0; at <= base.dims[dim].size(); ++at) {
          Sharding more = base;
          more.dims[dim].insert(
              more.dims[dim].begin() + static_cast<ptrdiff_t>(at), axis);
          next.push_back(more);
        }
    result = next;
  }
  return result;
}
} // namespace

TEST(Plan, EveryPairOnTwoAxesIsRight) {
  for (const std::vector<int64_t> &shape :
       {std::vector<int64_t>{16, 16}, {6, 10}, {5, 7}, {0, 4}, {1, 1}}) {
    std::vector<Sharding> all = shardings(2, 2);
    for (const Sharding &from : all)
      for (const Sharding &to : all)
        EXPECT_TRUE(planFor({{4, 2}}, shape, from, to).optimal);
  }
}

TEST(Plan, PairsOnThreeAxesAreRight) {
  std::vector<Sharding> all = shardings(3, 3);
  for (size_t i = 0; i < all.size(); i += 7)
    for (size_t j = 0; j < all.size(); j += 5)
      planFor({{2, 2, 2}}, {8, 8, 8}, all[i], all[j]);
}

TEST(Plan, EqualShardingsNeedNothing) {
  Sharding sharding = make({{1}, {0}}, {2});
  EXPECT_TRUE(planFor({{2, 2, 3}}, {8, 8}, sharding, sharding).steps.empty());
}

TEST(Plan, SlicingIsFree) {
  Plan plan = planFor({{4, 2}}, {16, 16}, make({{}, {}}), make({{1, 0}, {}}));
  EXPECT_EQ(kinds(plan), "all_slice");
  EXPECT_FALSE(plan.communicates());
  EXPECT_EQ(plan.cost, 0);
}

TEST(Plan, ScalarsAndRankZero) {
  EXPECT_TRUE(planFor({{2}}, {}, make({}), make({})).steps.empty());
  Plan plan = planFor({{2}}, {}, make({}, {0}), make({}));
  EXPECT_EQ(kinds(plan), "all_reduce");
  EXPECT_EQ(plan.bytesSent, 4);
}

TEST(Plan, MovingOneOfThreeDimensionsNeedsNoFullGather) {
  Plan plan = planFor({{4, 2}}, {16, 16, 16}, make({{1}, {}, {0}}),
                      make({{}, {0, 1}, {}}));
  for (const Step &step : plan.steps)
    EXPECT_NE(step.kind, Kind::AllGather);
  // Of the new block of 2048 bytes a device has one eighth.
  EXPECT_EQ(kinds(plan), "redistribute");
  EXPECT_EQ(plan.cost, 2048 * 0.875);
  EXPECT_LE(plan.peakBytes, 2 * 2048);
}

TEST(Plan, SwapOnASquareGridIsOnePermute) {
  Plan plan = planFor({{4, 4}}, {16, 16}, make({{0}, {1}}), make({{1}, {0}}));
  EXPECT_EQ(kinds(plan), "permute");
  plan = planFor({{2, 2}}, {16, 16}, make({{0, 1}, {}}), make({{1, 0}, {}}));
  EXPECT_EQ(kinds(plan), "permute");
  // Unequal sizes do as well where they divide.
  plan = planFor({{2, 3}}, {12, 16}, make({{0, 1}, {}}), make({{1, 0}, {}}));
  EXPECT_EQ(kinds(plan), "permute");
  EXPECT_EQ(plan.steps[0].axes, (AxisList{0, 1}));
  EXPECT_EQ(plan.steps[0].toAxes, (AxisList{1, 0}));
}

TEST(Plan, UnevenBlocksInAnotherOrderAreMoreThanAPermute) {
  Plan plan = planFor({{2, 3}}, {7, 6}, make({{0, 1}, {}}), make({{1, 0}, {}}));
  EXPECT_EQ(kinds(plan), "redistribute");
  // Sizes in the same order cut 7 the same way.
  plan = planFor({{2, 2}}, {7, 6}, make({{0, 1}, {}}), make({{1, 0}, {}}));
  EXPECT_EQ(kinds(plan), "permute");
}

TEST(Plan, CheaperThanPermuteExchangeAndGather) {
  // 16 x 16 elements of 1 byte on x = 4, y = 2: three steps cost 160.
  Plan plan =
      planFor({{4, 2}}, {16, 16}, make({{}, {0, 1}}), make({{0}, {}}), 1);
  EXPECT_LE(plan.cost, 112);
}

TEST(Plan, ReplicasShareTheWorkOfAReduction) {
  Plan plan = planFor({{4}}, {16, 16}, make({{}, {}}, {0}), make({{}, {}}));
  EXPECT_EQ(kinds(plan), "all_reduce");
  EXPECT_EQ(plan.cost, 1536);
  plan = planFor({{4}}, {16, 16}, make({{}, {}}, {0}), make({{0}, {}}));
  EXPECT_EQ(kinds(plan), "reduce_scatter");
  // With replicas along axis 1 each reduces one half.
  plan = planFor({{4, 2}}, {16, 16}, make({{}, {}}, {0}), make({{}, {}}));
  EXPECT_EQ(kinds(plan), "all_slice all_reduce all_gather");
  EXPECT_EQ(plan.cost, 768 + 512);
  EXPECT_EQ(plan.lowerBoundBytes, 1280);
}

TEST(Plan, SomeOfThePartialAxes) {
  Plan plan = planFor({{2, 3}}, {12}, make({{}}, {0, 1}), make({{1}}, {0}));
  EXPECT_EQ(kinds(plan), "reduce_scatter");
  plan = planFor({{2, 3}}, {12}, make({{}}, {0, 1}), make({{1, 0}}));
  EXPECT_EQ(kinds(plan), "reduce_scatter");
  EXPECT_EQ(plan.steps[0].axes, (AxisList{1, 0}));
}

TEST(Plan, BecomingPartialIsFree) {
  for (ReductionKind kind :
       {ReductionKind::Sum, ReductionKind::Max, ReductionKind::Min,
        ReductionKind::Product, ReductionKind::Average,
        ReductionKind::BitwiseAnd, ReductionKind::BitwiseOr,
        ReductionKind::BitwiseXor, ReductionKind::UMin, ReductionKind::UMax}) {
    Grid grid{{4, 2}};
    Sharding partial = make({{}, {}}, {0}, kind);
    EXPECT_EQ(planFor(grid, {16, 16}, make({{}, {}}), partial).cost, 0);
    Plan plan = planFor(grid, {6, 10}, make({{0}, {}}), partial);
    EXPECT_EQ(plan.cost == 0, kind != ReductionKind::Average);
    planFor(grid, {6, 10}, partial, make({{}, {1, 0}}));
    planFor(grid, {6, 10}, partial, make({{0}, {}}, {1}, kind));
    planFor(grid, {6, 10}, partial, make({{1}, {}}, {0}, kind));
    planFor(grid, {6, 10}, make({{0}, {1}}), make({{}, {}}, {0, 1}, kind));
  }
}

TEST(Plan, TheOrderOfPartialAxesMeansNothing) {
  Grid grid{{2, 3}};
  Sharding split{{{1, 0}}}, up = split, down = split;
  up.dims[0].clear();
  down.dims[0].clear();
  up.partial = {0, 1};
  down.partial = {1, 0};
  for (const Sharding &to : {up, down}) {
    std::optional<Plan> there = planReshard(grid, {12}, 4, split, to);
    std::optional<Plan> back = planReshard(grid, {12}, 4, to, split);
    ASSERT_TRUE(there && back);
    EXPECT_EQ(there->bytesSent, 0);
    EXPECT_EQ(back->bytesSent, 40);
    EXPECT_EQ(back->steps.size(), 1u);
  }
  EXPECT_TRUE(planReshard(grid, {12}, 4, up, down)->steps.empty());
}

TEST(Plan, PartialAxesOfOtherSizesTakeTheSummands) {
  // A permute of one element costs 2 bytes, an all_reduce over 4 devices 3 bytes.
  Plan plan =
      planReshard({{2, 4, 2}}, {1}, 2, make({{}}, {1}), make({{}}, {0, 2}))
          .value();
  ASSERT_EQ(plan.steps.size(), 1u);
  EXPECT_EQ(plan.steps[0].kind, Kind::Permute);
  EXPECT_EQ(plan.cost, 2);
}

TEST(Plan, UnevenDynamicDimensionsAreCutInOneOrder) {
  // Where extents divide, blocks of axes [0, 1] and [1, 0] lie at the same places.
  Grid even{{2, 4}}, uneven{{2, 4}, /*unevenDynamic=*/true};
  Sharding from = make({{0, 1}}), to = make({{1, 0}});
  std::optional<Plan> moved = planReshard(even, {kDynamic}, 4, from, to);
  ASSERT_TRUE(moved);
  ASSERT_EQ(moved->steps.size(), 1u);
  EXPECT_EQ(moved->steps[0].kind, Kind::Permute);
  std::optional<Plan> plan = planReshard(uneven, {kDynamic}, 4, from, to);
  ASSERT_TRUE(plan);
  for (const Step &step : plan->steps) {
    EXPECT_NE(step.kind, Kind::Permute);
    EXPECT_LE(step.axes.size(), 1u);
    EXPECT_EQ(step.localShape, std::vector<int64_t>{kDynamic});
  }
}

TEST(Plan, OneKindIsReducedBeforeTheNextBegins) {
  Plan plan = planFor({{4, 2}}, {16, 16}, make({{}, {}}, {0}),
                      make({{}, {}}, {0}, ReductionKind::Max));
  // Replicas share the reduction, and the last gather is spared: the blocks
  // become summands of the maximum.
  ASSERT_FALSE(plan.steps.empty());
  EXPECT_EQ(plan.steps.back().kind, Kind::EmbedPartial);
  EXPECT_EQ(plan.steps.back().reduction, ReductionKind::Max);
  EXPECT_EQ(plan.steps.front().reduction, ReductionKind::Sum);
  planFor({{4, 2}}, {6, 10}, make({{1}, {}}, {0}),
          make({{}, {0}}, {1}, ReductionKind::Product));
}

// No search runs for a tensor without elements: it is gathered, reduced and cut.
TEST(Plan, EmptyTensorsChangeWhatIsPartial) {
  Grid grid{{2, 2}};
  Sharding whole = make({{}, {}}), sum = make({{}, {}}, {0});
  EXPECT_EQ(kinds(planFor(grid, {0, 4}, whole, sum)), "make_partial");
  EXPECT_EQ(kinds(planFor(grid, {0, 4}, sum, whole)), "all_reduce");
  EXPECT_EQ(kinds(planFor(grid, {0, 4}, sum, make({{}, {}}, {0, 1}))),
            "make_partial");
  EXPECT_EQ(kinds(planFor(grid, {0, 4}, sum, make({{}, {}}, {1}))),
            "all_reduce make_partial");
  EXPECT_EQ(kinds(planFor(grid, {0, 4}, sum,
                          make({{}, {}}, {0}, ReductionKind::Max))),
            "all_reduce make_partial");
}

TEST(Plan, GenericReductionsHaveNoNeutralElement) {
  Grid grid{{2}};
  Sharding generic = make({{}}, {0}, ReductionKind::Generic);
  EXPECT_EQ(kinds(planFor(grid, {4}, generic, make({{0}}))), "reduce_scatter");
  EXPECT_TRUE(planFor(grid, {4}, generic, generic).steps.empty());
  EXPECT_EQ(
      errorOf(grid, {4}, make({{}}), generic),
      "a value cannot be made partial by a generic reduction, which has no "
      "neutral element");
}

TEST(Plan, CostsNoLessThanItsBound) {
  Grid grid{{2, 3, 2}};
  LinkCostModel bytes;
  std::vector<Sharding> all = {
      make({{}, {}}),           make({{0}, {}}),      make({{1}, {0}}),
      make({{0, 1}, {2}}),      make({{2, 1}, {0}}),  make({{}, {1, 2, 0}}),
      make({{}, {}}, {0}),      make({{1}, {}}, {2}), make({{2}, {0}}, {1}),
      make({{}, {}}, {0, 1, 2})};
  int positive = 0;
  for (const std::vector<int64_t> &shape :
       std::vector<std::vector<int64_t>>{{12, 12}, {7, 5}, {1, 24}})
    for (const Sharding &from : all)
      for (const Sharding &to : all) {
        std::optional<Plan> plan = planReshard(grid, shape, 4, from, to, bytes);
        ASSERT_TRUE(plan);
        double bound = boundReshardCost(grid, shape, 4, from, to, bytes);
        EXPECT_LE(bound, plan->cost)
            << toString(from) << " to " << toString(to);
        positive += bound > 0;
      }
  EXPECT_GT(positive, 100);
  Sharding halo = make({{0}, {}});
  halo.halos = {1, 1};
  EXPECT_EQ(boundReshardCost(grid, {12, 12}, 4, make({{}, {0}}), halo, bytes),
            0);
}

TEST(Plan, DynamicDimensionsAreCutOnlyAsStated) {
  Grid grid{{4, 2}};
  LinkCostModel bytes;
  // A static dimension is cut by the spare axis to reduce less at once.
  Sharding partial = make({{}}, {0}), whole = make({{}});
  std::optional<Plan> plan = planReshard(grid, {64}, 4, partial, whole, bytes);
  ASSERT_TRUE(plan);
  EXPECT_EQ(kinds(*plan), "all_slice all_reduce all_gather");
  plan = planReshard(grid, {kDynamic}, 4, partial, whole, bytes);
  ASSERT_TRUE(plan);
  EXPECT_EQ(kinds(*plan), "all_reduce");

  // Of any two shardings of a dynamic dimension no step has more parts than both.
  Grid cube{{2, 3, 2}};
  std::vector<Sharding> all;
  for (const AxisList &rows :
       std::vector<AxisList>{{}, {0}, {1}, {0, 1}, {1, 2}})
    for (const AxisList &columns : std::vector<AxisList>{{}, {0}, {2}, {2, 0}})
      if (rows.empty() || columns.empty() ||
          (rows != columns && rows.back() != columns.front() &&
           rows.front() != columns.back() && rows.back() != columns.back()))
        all.push_back(make({rows, columns}));
  for (const Sharding &from : all)
    for (const Sharding &to : all) {
      std::vector<int64_t> shape = {kDynamic, kDynamic};
      plan = planReshard(cube, shape, 4, from, to, bytes);
      ASSERT_TRUE(plan);
      for (const Step &step : plan->steps)
        for (size_t dim = 0; dim < shape.size(); ++dim) {
          int64_t promised = std::lcm(cube.groupSize(from.dims[dim]),
                                      cube.groupSize(to.dims[dim]));
          EXPECT_EQ(promised % cube.groupSize(step.result.dims[dim]), 0);
        }
    }
}

TEST(Plan, DynamicDimensionsDivideByContract) {
  Grid grid{{4, 2}};
  LinkCostModel bytes;
  Sharding from = make({{0, 1}, {}}), to = make({{1, 0}, {}});
  std::optional<Plan> plan =
      planReshard(grid, {kDynamic, 3}, 4, from, to, bytes);
  ASSERT_TRUE(plan);
  EXPECT_EQ(kinds(*plan), "permute");
  EXPECT_EQ(plan->steps[0].localShape, (std::vector<int64_t>{kDynamic, 3}));
  EXPECT_EQ(plan->bytesSent, nominalExtent(grid) / 8 * 3 * 4);
  // The same plan is right for any extent that the axes divide.
  for (int64_t extent : {8, 24}) {
    Plan sized = *plan;
    for (Step &step : sized.steps)
      step.localShape = localShape(grid, {extent, 3}, step.result);
    EXPECT_EQ(runPlan(sized, grid, {extent, 3}, from, to), "");
  }
}

TEST(Plan, AxesOfSizeOneMeanNothing) {
  Grid grid{{1, 4, 1}};
  EXPECT_TRUE(planFor(grid, {8, 8}, make({{0, 1}, {2}}), make({{1}, {}}))
                  .steps.empty());
  Plan plan = planFor(grid, {8, 8}, make({{0}, {}}, {2}), make({{2, 1}, {0}}));
  EXPECT_EQ(kinds(plan), "all_slice");
  EXPECT_EQ(plan.steps.back().result, make({{2, 1}, {0}}));
}

TEST(Plan, LatencyAndBandwidthChangeThePlan) {
  Grid grid{{4, 2}};
  Sharding from = make({{}, {}}, {0}), to = make({{}, {}});
  // With a latency per step the replicas had better not share the work.
  LinkCostModel slowStart({1e6, 1e6}, {});
  std::optional<Plan> plan =
      planReshard(grid, {16, 16}, 4, from, to, slowStart);
  ASSERT_TRUE(plan);
  EXPECT_EQ(kinds(*plan), "all_reduce");
  EXPECT_EQ(plan->cost, 1e6 + 1536);
  // Nor over an axis with slow links.
  LinkCostModel slowAxis({}, {1, 0.01});
  plan = planReshard(grid, {16, 16}, 4, from, to, slowAxis);
  ASSERT_TRUE(plan);
  EXPECT_EQ(kinds(*plan), "all_reduce");
  EXPECT_TRUE(plan->optimal);
}

TEST(Plan, AHostsCostModelDecides) {
  struct NoPermutes : CostModel {
    double cost(Collective collective, const AxisList &,
                double bytes) const override {
      return collective == Collective::Permute ? 1e9 : bytes;
    }
  };
  Grid grid{{4, 4}};
  Sharding from = make({{0}, {1}}), to = make({{1}, {0}});
  std::optional<Plan> plan =
      planReshard(grid, {16, 16}, 4, from, to, NoPermutes());
  ASSERT_TRUE(plan);
  for (const Step &step : plan->steps)
    EXPECT_NE(step.kind, Kind::Permute);
  EXPECT_EQ(runPlan(*plan, grid, {16, 16}, from, to), "");
}

TEST(Plan, TheLowerBoundCountsAxesThatOnlySomeSearchesUse) {
  // Neither sharding names axis 5. The search for this target leaves it out, but one on
  // the way does not.
  Grid grid{{4, 4, 3, 2, 2, 3, 3}};
  Sharding from = make({{}, {}, {6, 4}}, {0, 1, 2, 3});
  Sharding to = make({{1, 2}, {4}, {6}}, {0});
  std::optional<Plan> plan = planReshard(grid, {42, 34, 50}, 1, from, to);
  ASSERT_TRUE(plan);
  EXPECT_EQ(runPlan(*plan, grid, {42, 34, 50}, from, to), "");
  EXPECT_LE(static_cast<double>(plan->lowerBoundBytes), plan->cost);
}

TEST(Plan, ManyAxesAndDimensionsStillPlan) {
  // More axes than the search holds: the plan that always exists.
  Grid grid;
  grid.shape.assign(18, 2);
  Sharding from = Sharding::replicated(2), to = from;
  for (GridAxis axis = 0; axis < 18; ++axis) {
    from.dims[0].push_back(axis);
    to.dims[axis % 2].insert(to.dims[axis % 2].begin(), axis);
  }
  std::optional<Plan> plan = planReshard(grid, {1 << 18, 1 << 18}, 4, from, to);
  ASSERT_TRUE(plan);
  EXPECT_FALSE(plan->optimal);
  EXPECT_EQ(plan->steps.back().result, to);
  // What is partial stays so in one kind of reduction alone.
  for (Sharding *end : {&from, &to})
    for (AxisList &axes : end->dims)
      axes.erase(std::remove_if(axes.begin(), axes.end(),
                                [](GridAxis axis) { return axis >= 16; }),
                 axes.end());
  from.partial = {16};
  to.partial = {16, 17};
  for (ReductionKind kind : {ReductionKind::Sum, ReductionKind::Max}) {
    to.reduction = kind;
    plan = planReshard(grid, {1 << 18, 1 << 18}, 4, from, to);
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->steps.back().result, to);
    size_t numReductions =
        std::count_if(plan->steps.begin(), plan->steps.end(), [](auto &step) {
          return step.kind == Step::Kind::AllReduce;
        });
    EXPECT_EQ(numReductions, kind == ReductionKind::Sum ? 0u : 1u);
  }
  // Bytes beyond 64 bits are not wrong, only large.
  plan = planReshard({{2}}, std::vector<int64_t>(6, int64_t(1) << 40), 4,
                     make({{0}, {}, {}, {}, {}, {}}),
                     make({{}, {0}, {}, {}, {}, {}}));
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->bytesSent, INT64_MAX);
  EXPECT_EQ(plan->lowerBoundBytes, INT64_MAX);
  plan = planReshard({{2, 2}}, std::vector<int64_t>(6, int64_t(1) << 40), 4,
                     make({{0}, {}, {}, {}, {}, {}}),
                     make({{}, {0, 1}, {}, {}, {}, {}}));
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->bytesSent, INT64_MAX);
}

TEST(Plan, BadArgumentsAreErrors) {
  Grid grid{{4, 2}};
  Sharding none = make({{}, {}});
  EXPECT_EQ(errorOf(grid, {16, 16}, none, make({{}})),
            "the target sharding is about 1 dimensions, the tensor has 2");
  EXPECT_EQ(errorOf(grid, {16, 16}, make({{2}, {}}), none),
            "the source sharding names axis 2, the grid has 2 axes");
  EXPECT_EQ(errorOf(grid, {16, 16}, none, make({{0}, {0}})),
            "the target sharding names axis 0 twice");
  EXPECT_EQ(errorOf(grid, {16, 16}, none, make({{0}, {}}, {0})),
            "the target sharding names axis 0 twice");
  EXPECT_EQ(errorOf({{4, kDynamic}}, {16, 16}, none, none),
            "axis 1 of the grid has no known size; planning needs one");
  EXPECT_EQ(
      errorOf({{4, 0}}, {16, 16}, none, none),
      "axis 1 of the grid has size 0; sizes are positive and a grid has at "
      "most 2^40 devices");
  EXPECT_EQ(errorOf(grid, {16, -3}, none, none), "dimension 1 has extent -3");
  std::string error;
  EXPECT_FALSE(
      planReshard(grid, {16, 16}, 0, none, none, LinkCostModel(), &error));
  EXPECT_EQ(error, "elements have 0 bytes; at least 1 is needed");
}

TEST(Planner, TheLargestExtentsDoNotOverflow) {
  LinkCostModel bytes;
  Planner planner(bytes);
  int64_t largest = std::numeric_limits<int64_t>::max();
  Grid grid{{4, 3}};
  for (const Sharding &from : shardings(2, 2))
    for (const Sharding &to : shardings(2, 2)) {
      const Plan *plan =
          planner.plan(grid, {largest, largest - 2}, 4, from, to);
      ASSERT_TRUE(plan);
      EXPECT_GE(plan->bytesSent, plan->lowerBoundBytes * (1 - 1e-9));
      EXPECT_GE(plan->cost, 0);
    }
}

TEST(Planner, KeepsItsPlans) {
  LinkCostModel bytes;
  Planner planner(bytes);
  Grid grid{{4, 2}};
  Sharding from = make({{0}, {1}}), to = make({{1}, {0}});
  const Plan *plan = planner.plan(grid, {16, 16}, 4, from, to);
  ASSERT_TRUE(plan);
  EXPECT_EQ(planner.plan(grid, {16, 16}, 4, from, to), plan);
  EXPECT_NE(planner.plan(grid, {16, 16}, 4, to, from), plan);
  EXPECT_NE(planner.plan(grid, {16, 16}, 2, from, to), plan);
  EXPECT_NE(planner.plan({{2, 4}}, {16, 16}, 4, from, to), plan);
  std::string error;
  for (int again = 0; again < 2; ++again) {
    error.clear();
    EXPECT_EQ(planner.plan(grid, {16}, 4, from, to, &error), nullptr);
    EXPECT_EQ(error,
              "the source sharding is about 2 dimensions, the tensor has 1");
  }
}

TEST(Plan, OneRedistributionWhereItSendsLess) {
  // Rows over 4 and columns over 2 become the reverse: some devices have nothing of
  // their new block of 32 bytes.
  Plan plan =
      planFor({{4, 2}}, {16, 16}, make({{0}, {1}}), make({{1}, {0}}), 1);
  EXPECT_EQ(kinds(plan), "redistribute");
  EXPECT_EQ(plan.cost, 32);
  EXPECT_EQ(plan.bytesSent, 32);
  EXPECT_EQ(plan.lowerBoundBytes, 32);
  // Axes that lead both lists take no part.
  plan = planFor({{3, 4, 2}}, {24, 16}, make({{0, 1}, {2}}),
                 make({{0, 2}, {1}}), 1);
  EXPECT_EQ(kinds(plan), "redistribute");
  EXPECT_EQ(plan.steps[0].axes, (AxisList{1, 2}));
  EXPECT_EQ(plan.steps[0].extents, (std::vector<int64_t>{8, 16}));
  // Partial axes that stay are left alone, those that change are not its business.
  Sharding from = make({{0}, {1}}, {2}), to = make({{1}, {0}}, {2});
  from.reduction = to.reduction = ReductionKind::Average;
  plan = planFor({{4, 2, 2}}, {16, 16}, from, to, 1);
  EXPECT_EQ(kinds(plan), "redistribute");
  plan = planFor({{4, 2, 2}}, {16, 16}, make({{0}, {1}}, {2}), make({{1}, {0}}),
                 1);
  EXPECT_EQ(kinds(plan).find("redistribute"), std::string::npos);
  // Of plans of equal cost the one of other collectives is taken.
  plan = planFor({{2, 2}}, {16, 16}, make({{0}, {}}), make({{}, {0}}));
  EXPECT_EQ(kinds(plan), "all_to_all");
}

TEST(Plan, RedistributionsAreOfSmallGroupsAndKnownExtents) {
  std::optional<Plan> plan = planReshard({{32, 16}}, {512, 512}, 1,
                                         make({{0}, {1}}), make({{1}, {0}}));
  ASSERT_TRUE(plan);
  EXPECT_EQ(kinds(*plan).find("redistribute"), std::string::npos);
  plan = planReshard({{4, 2}}, {kDynamic, 16}, 1, make({{0}, {1}}),
                     make({{1}, {0}}));
  ASSERT_TRUE(plan);
  EXPECT_EQ(kinds(*plan).find("redistribute"), std::string::npos);
}

TEST(PlanPrinter, ShowsStepsShapesBytesAndTotals) {
  Grid grid{{4, 2}};
  Sharding from = make({{}, {}}, {0}), to = make({{}, {}});
  Plan plan = planFor(grid, {16, 16}, from, to, 1);
  EXPECT_EQ(toString(plan, grid, {16, 16}, 1, from, to),
            R"(grid 4x2, tensor 16x16 of 1-byte elements
  step                                   sharding                     local  bytes  peak  cost
                                         [[], []] partial = sum [0]   16x16
  all_slice axes = [1] dim = 0           [[1], []] partial = sum [0]  8x16       0   384     0
  all_reduce axes = [0] reduction = sum  [[1], []]                    8x16     192   256   192
  all_gather axes = [1] dim = 0          [[], []]                     16x16    128   384   128
cost 320, 320 bytes sent per device, at least 320 to be received, peak 384 bytes
)");
  plan = planFor(grid, {16, 16}, make({{0}, {1}}), make({{1}, {0}}));
  EXPECT_EQ(toString(plan.steps[0]),
            "redistribute axes = [0, 1] from = [[0], [1]] to = [[1], [0]] -> "
            "[[1], [0]] 8x4");
  EXPECT_NE(toString(planFor(grid, {16}, make({{0}}), make({{0}})), grid, {16},
                     4, make({{0}}), make({{0}}))
                .find("nothing to do"),
            std::string::npos);
}

TEST(PlanPrinter, TabulatesAllPairs) {
  std::optional<std::string> table = tableOfPlans({{2}}, {4}, 1);
  ASSERT_TRUE(table);
  EXPECT_EQ(*table, R"(grid 2, tensor 4 of 1-byte elements
  from   to     steps       cost  bound  peak
  [[]]   [[]]                  0      0     0
  [[]]   [[0]]  all_slice      0      0     6
  [[0]]  [[]]   all_gather     2      2     6
  [[0]]  [[0]]                 0      0     0
4 pairs, cost 2, lower bounds 2
)");
  std::string error;
  EXPECT_FALSE(
      tableOfPlans({{2, 2, 2}}, {4, 4}, 1, LinkCostModel(), 100, &error));
  EXPECT_EQ(error, "the table would have more than 100 lines");
}
