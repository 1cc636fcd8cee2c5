//===- Sharding.h - How a tensor is spread over a grid ----------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A resolved sharding as a plain value: axis numbers only, closed, no symbols.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_GEOMETRY_SHARDING_H
#define SHARD_GEOMETRY_SHARDING_H

#include "shard/Geometry/BlockLayout.h"
#include "shard/Geometry/Grid.h"
#include "shard/Geometry/ReductionKind.h"

#include <string>
#include <vector>

namespace shard {

/// A width of a halo or a bound of a block that is known when the program runs is stood
/// for by a number below this one (and not kDynamic). Equal numbers stand for equal
/// values; who makes a sharding says which (ShardingUtils.h for values of IR).
constexpr int64_t kRunTimeNumbers = -(int64_t(1) << 62);

inline bool isRunTime(int64_t number) {
  return number < kRunTimeNumbers && number != kDynamic;
}

/// Wider halos are an error, so that sums of widths and extents do not overflow.
constexpr int64_t kMaxHalo = int64_t(1) << 40;

/// How a tensor is spread over a grid. `dims` has one entry per dimension of the
/// tensor: the axes that split it, major first. Under the axes of `partial`
/// (sorted, a set) each device holds one summand, by `reduction`; every axis that
/// is not named replicates. No axis stands twice.
struct Sharding {
  std::vector<AxisList> dims;
  AxisList partial;
  ReductionKind reduction = ReductionKind::Sum;
  /// Empty, or two widths (low, high) per split dimension, in dimension order. They and
  /// the bounds below may be numbers of the run (kRunTimeNumbers).
  std::vector<int64_t> halos;
  /// Empty, or for each split dimension its n + 1 block bounds, first 0 and
  /// last the extent, which replace the block layout.
  std::vector<int64_t> offsets;

  static Sharding replicated(int64_t rank) {
    Sharding result;
    result.dims.resize(rank);
    return result;
  }

  bool isReplicated() const;
  /// Whether `axis` splits a dimension.
  bool isSplitBy(GridAxis axis) const;
  bool hasHalosOrOffsets() const { return !halos.empty() || !offsets.empty(); }
  /// Whether a width or a bound is known when the program runs, not before.
  bool hasRunTimeNumbers() const;

  bool operator==(const Sharding &other) const;
  bool operator!=(const Sharding &other) const { return !(*this == other); }
};

/// A hash for interning: shardings that are equal have equal ones.
uint64_t hashOf(const Sharding &sharding);

/// The static per-device shape of a tensor of `shape`, block layout with halos
/// added; kDynamic for dimensions with explicit offsets, unless these are equal, and
/// for those with a width that is not known before the program runs.
std::vector<int64_t> localShape(const Grid &grid,
                                const std::vector<int64_t> &shape,
                                const Sharding &sharding);

/// The valid elements that `device` holds, one block per dimension, halos not
/// counted.
std::vector<Block> localBlocks(const Grid &grid,
                               const std::vector<int64_t> &shape,
                               const Sharding &sharding, int64_t device);

/// "[[0], [1, 2]]", with " partial = sum [3]", halos and offsets where present.
std::string toString(const Sharding &sharding);

} // namespace shard

#endif // SHARD_GEOMETRY_SHARDING_H
