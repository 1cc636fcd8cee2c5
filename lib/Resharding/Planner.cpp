//===- Planner.cpp - Plans that are kept ----------------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Resharding/Plan.h"

#include "shard/Geometry/Interner.h"

#include <mutex>

namespace shard {

struct Planner::Impl {
  const CostModel &costModel;
  Trace trace;
  std::mutex mutex;
  /// Grids and shapes.
  Interner<std::vector<int64_t>> lists;
  Interner<Sharding> shardings;
  /// A question, by the numbers of its parts.
  Interner<std::vector<int64_t>> questions;
  struct Answer {
    std::optional<Plan> plan;
    std::string error;
  };
  /// By the number of the question.
  std::deque<Answer> answers;
};

Planner::Planner(const CostModel &costModel, Trace trace)
    : impl(new Impl{costModel, std::move(trace), {}, {}, {}, {}, {}}) {}

Planner::~Planner() = default;

const CostModel &Planner::costModel() const { return impl->costModel; }

const Plan *Planner::plan(const Grid &grid, const std::vector<int64_t> &shape,
                          int64_t elementBytes, const Sharding &from,
                          const Sharding &to, std::string *error) {
  std::lock_guard<std::mutex> lock(impl->mutex);
  uint32_t number = impl->questions.intern(
      {impl->lists.intern(grid.shape), grid.unevenDynamic,
       impl->lists.intern(shape), elementBytes, impl->shardings.intern(from),
       impl->shardings.intern(to)});
  if (number == impl->answers.size()) {
    Impl::Answer &made = impl->answers.emplace_back();
    made.plan = planReshard(grid, shape, elementBytes, from, to,
                            impl->costModel, &made.error);
    if (impl->trace)
      impl->trace(
          made.plan ? toString(*made.plan, grid, shape, elementBytes, from, to)
                    : "no plan from " + toString(from) + " to " + toString(to) +
                          ": " + made.error + "\n");
  }
  const Impl::Answer &answer = impl->answers[number];
  if (answer.plan)
    return &*answer.plan;
  if (error)
    *error = answer.error;
  return nullptr;
}

} // namespace shard
