//===- PlanTest.cpp - Plans are right, cheap and small --------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArrayModel.h"

#include <gtest/gtest.h>

using namespace shard;
using test::checkPlan;

namespace {
Sharding make(std::vector<AxisList> dims, AxisList partial = {},
              ReductionKind kind = ReductionKind::Sum) {
  Sharding result;
  result.dims = std::move(dims);
  result.partial = std::move(partial);
  result.reduction = kind;
  return result;
}

Plan planFor(const Grid &grid, const std::vector<int64_t> &shape,
             const Sharding &from, const Sharding &to) {
  std::string error;
  std::optional<Plan> plan =
      planReshard(grid, shape, 4, from, to, LinkCostModel(), &error);
  EXPECT_TRUE(plan) << error;
  if (!plan)
    return {};
  EXPECT_EQ(checkPlan(*plan, grid, shape, from, to), "")
      << toString(*plan, grid, shape, 4, from, to);
  return *plan;
}

/// Every way to place axes on dimensions, in order, or to leave them out.
void shardings(int64_t axes, int64_t rank, std::vector<Sharding> &result) {
  result = {Sharding::replicated(rank)};
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
}
} // namespace

TEST(Plan, EveryPairOnTwoAxes) {
  for (const std::vector<int64_t> &shape :
       {std::vector<int64_t>{16, 16}, {6, 10}, {5, 7}}) {
    Grid grid{{4, 2}};
    std::vector<Sharding> all;
    shardings(2, 2, all);
    for (const Sharding &from : all)
      for (const Sharding &to : all) {
        Plan plan = planFor(grid, shape, from, to);
        EXPECT_TRUE(plan.optimal);
      }
  }
}

TEST(Plan, EveryPairOnThreeAxes) {
  Grid grid{{2, 2, 2}};
  std::vector<Sharding> all;
  shardings(3, 3, all);
  for (size_t i = 0; i < all.size(); i += 7)
    for (size_t j = 0; j < all.size(); j += 5)
      planFor(grid, {8, 8, 8}, all[i], all[j]);
}

TEST(Plan, PartialValues) {
  Grid grid{{4, 2}};
  Plan plan = planFor({{4}}, {16, 16}, make({{}, {}}, {0}), make({{}, {}}));
  ASSERT_EQ(plan.steps.size(), 1u);
  EXPECT_EQ(plan.steps[0].kind, Step::Kind::AllReduce);
  // The replicas along axis 1 share the work: half of it each, then a gather.
  plan = planFor(grid, {16, 16}, make({{}, {}}, {0}), make({{}, {}}));
  EXPECT_EQ(plan.steps.size(), 3u);
  EXPECT_EQ(plan.cost, 768 + 512);
  EXPECT_EQ(plan.lowerBoundBytes, 1280);
  plan = planFor({{4}}, {16, 16}, make({{}, {}}, {0}), make({{0}, {}}));
  ASSERT_EQ(plan.steps.size(), 1u);
  EXPECT_EQ(plan.steps[0].kind, Step::Kind::ReduceScatter);
  plan = planFor(grid, {16, 16}, make({{0}, {}}), make({{}, {}}, {0}));
  EXPECT_EQ(plan.cost, 0);
  plan = planFor(grid, {16, 16}, make({{}, {}}), make({{}, {}}, {0, 1}));
  EXPECT_EQ(plan.cost, 0);
}
