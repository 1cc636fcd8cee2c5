//===- Search.h - The cheapest sequence of steps ----------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The search behind planReshard, for shardings without halos and offsets.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_RESHARDING_SEARCH_H
#define SHARD_RESHARDING_SEARCH_H

#include "shard/Resharding/Plan.h"

namespace shard {

/// What the search is asked. Extents are numbers (dynamic ones already counted
/// as nominalExtent), shardings without halos, offsets and axes of size 1.
struct SearchProblem {
  Grid grid;
  std::vector<int64_t> extents;
  int64_t elementBytes = 1;
  Sharding from, to;
  /// Dimensions that no step may split, gather or permute.
  std::vector<bool> fixedDims;
  /// Axes that no step may use.
  AxisList fixedAxes;
  const CostModel *costModel = nullptr;
  /// Moves that the search may look at before it settles for the best plan
  /// found so far.
  int64_t budget = 80000;
};

/// Steps with kind, axes, dims and reduction set, nothing else.
struct SearchResult {
  std::vector<Step> steps;
  double cost = 0;
  /// The memory bound in bytes under which the plan was found.
  double memoryBound = 0;
  /// Bytes that some device has to receive whatever the plan.
  double lowerBoundBytes = 0;
  /// Whether a plan exists at all.
  bool found = false;
  /// Whether no cheaper plan exists within the memory bound.
  bool optimal = false;
  /// Moves looked at.
  int64_t generated = 0;
};

SearchResult searchPlan(const SearchProblem &problem);

} // namespace shard

#endif // SHARD_RESHARDING_SEARCH_H
