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

/// How a tensor is spread over a grid. `dims` has one entry per dimension of the
/// tensor: the axes that split it, major first. Under the axes of `partial`
/// (sorted, a set) each device holds one summand, by `reduction`; every axis that
/// is not named replicates. No axis stands twice.
struct Sharding {
  std::vector<AxisList> dims;
  AxisList partial;
  ReductionKind reduction = ReductionKind::Sum;
  /// Empty, or two widths (low, high) per split dimension, in dimension order.
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
  bool hasHalosOrOffsets() const { return !halos.empty() || !offsets.empty(); }

  bool operator==(const Sharding &other) const;
  bool operator!=(const Sharding &other) const { return !(*this == other); }
};

/// A hash for interning: shardings that are equal have equal ones.
uint64_t hashOf(const Sharding &sharding);

/// The static per-device shape of a tensor of `shape`, block layout with halos
/// added; kDynamic for dimensions with explicit offsets, unless these are equal.
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
