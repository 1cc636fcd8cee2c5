//===- PlanTestUtils.h - What the planner's tests share ---------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_TEST_RESHARDING_PLANTESTUTILS_H
#define SHARD_TEST_RESHARDING_PLANTESTUTILS_H

#include "shard/Fuzz/PlanRun.h"

#include <gtest/gtest.h>

namespace shard {
namespace test {

using fuzz::runPlan;

inline Sharding make(std::vector<AxisList> dims, AxisList partial = {},
                     ReductionKind kind = ReductionKind::Sum) {
  Sharding result;
  result.dims = std::move(dims);
  result.partial = std::move(partial);
  result.reduction = kind;
  return result;
}

/// The plan, executed on the array model and found right.
inline Plan planFor(const Grid &grid, const std::vector<int64_t> &shape,
                    const Sharding &from, const Sharding &to,
                    int64_t elementBytes = 4) {
  std::string error;
  std::optional<Plan> plan =
      planReshard(grid, shape, elementBytes, from, to, LinkCostModel(), &error);
  EXPECT_TRUE(plan) << error;
  if (!plan)
    return {};
  EXPECT_EQ(runPlan(*plan, grid, shape, from, to), "")
      << toString(*plan, grid, shape, elementBytes, from, to);
  return *plan;
}

/// Why there is no plan.
inline std::string errorOf(const Grid &grid, const std::vector<int64_t> &shape,
                           const Sharding &from, const Sharding &to) {
  std::string error;
  EXPECT_FALSE(planReshard(grid, shape, 4, from, to, LinkCostModel(), &error));
  return error;
}

/// "all_slice all_to_all": the steps' keywords.
inline std::string kinds(const Plan &plan) {
  std::string text;
  for (const Step &step : plan.steps)
    text +=
        (text.empty() ? "" : " ") + std::string(stringifyStepKind(step.kind));
  return text;
}

} // namespace test
} // namespace shard

#endif // SHARD_TEST_RESHARDING_PLANTESTUTILS_H
