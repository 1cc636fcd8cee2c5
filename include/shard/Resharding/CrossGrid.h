//===- CrossGrid.h - Reshards between two grids -----------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reshard from a grid to another grid with the same devices in the same order.
// Both grids are refined to common atoms (Geometry/Refinement.h), and the reshard is
// planned on the refined grid. Parts of a sharding that it cannot express are removed
// before, on the first grid, and added behind, on the second:
//
//     from --first--> from' == refined from' --middle--> refined to' == to'
//                                                           --last--> to
//
// On 8 devices [[0]] on 8 and [[0, 1]] on 2x4 are the same blocks: no steps.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_RESHARDING_CROSSGRID_H
#define SHARD_RESHARDING_CROSSGRID_H

#include "shard/Geometry/Refinement.h"
#include "shard/Resharding/Plan.h"

namespace shard {

/// Three plans in a row, on the first grid, on the refined grid, on the second.
/// Any of them may be empty.
struct CrossGridPlan {
  Refinement refinement;
  Plan first, middle, last;
  /// Between `first` and `middle`: the same blocks by axes of the first grid and of
  /// the refined one; and between `middle` and `last`.
  Sharding before, refinedBefore, refinedAfter, after;
  double cost = 0;
};

/// The plan from `from` on `fromGrid` to `to` on `toGrid`; the arguments are those
/// of planReshard. All links count as equal: bytes are the cost. Grids of
/// different size are an error.
std::optional<CrossGridPlan>
planBetweenGrids(const Grid &fromGrid, const Grid &toGrid,
                 const std::vector<int64_t> &shape, int64_t elementBytes,
                 const Sharding &from, const Sharding &to,
                 std::string *error = nullptr);

} // namespace shard

#endif // SHARD_RESHARDING_CROSSGRID_H
