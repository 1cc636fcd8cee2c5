//===- ValueState.h - A sharded value on its way through a plan -*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one place that knows what a step makes of a sharding, and what it sends
// and needs. Halos and bounds stand per dimension here, so that dimensions can
// gain and lose them one by one.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_RESHARDING_VALUESTATE_H
#define SHARD_LIB_RESHARDING_VALUESTATE_H

#include "shard/Resharding/Plan.h"

namespace shard {
namespace detail {

/// The bounds of the block layout of a dimension of `extent`: n + 1 numbers.
std::vector<int64_t> layoutBounds(int64_t extent,
                                  const std::vector<int64_t> &sizes);

/// What a width counts as in bytes and costs: 1 if it is not known before the program
/// runs. Blocks whose bounds are not known count as those of the block layout.
int64_t nominalWidth(int64_t width);

/// Bytes as a whole number, rounded up; INT64_MAX where there are too many.
int64_t toBytes(double bytes);

struct ValueState {
  const Grid &grid;
  /// The global shape, kDynamic where unknown; and with nominal extents.
  std::vector<int64_t> shape, extents;
  int64_t elementBytes;

  std::vector<AxisList> dims;
  AxisList partial;
  ReductionKind reduction = ReductionKind::Sum;
  /// Per dimension; zero without halos.
  std::vector<int64_t> low, high;
  /// Per dimension; empty without explicit bounds.
  std::vector<std::vector<int64_t>> bounds;

  /// `sharding` is valid for `shape` on `grid`.
  ValueState(const Grid &grid, const std::vector<int64_t> &shape,
             int64_t elementBytes, const Sharding &sharding);

  bool hasHalos() const;
  bool hasBounds() const;

  /// The sharding as a public value. With bounds on some dimension the others
  /// list those of the block layout.
  Sharding sharding() const;

  /// The extent of the largest local block of a dimension, halos included.
  int64_t localExtent(size_t dim) const;
  double localBytes() const;

  /// Performs `step`: changes this state and fills in the step's result, local
  /// shape, bytes, peak and cost. The step must fit the state.
  void apply(Step &step, const CostModel &costModel);

private:
  void dropMinor(size_t dim, const AxisList &axes);
  void append(size_t dim, const AxisList &axes);
  void removePartial(const AxisList &axes);
  void addPartial(const Step &step);
  /// Returns the bytes sent. `step.bounds` carries the widths wanted, two numbers
  /// per dimension, and is emptied.
  double updateHalos(Step &step);
  /// The kinds about halos and bounds that only cut or pad local blocks.
  /// `step.bounds` carries the widths of halos, and is emptied by these kinds.
  void cut(Step &step);
  void permute(const Step &step);
  /// Returns the most bytes that a device sends; `received` are the most that one
  /// receives, which may be more and take as long.
  double redistribute(const Step &step, double &received);
};

/// `sharding` without axes of size 1, halos and offsets.
Sharding plain(const Grid &grid, Sharding sharding);

} // namespace detail
} // namespace shard

#endif // SHARD_LIB_RESHARDING_VALUESTATE_H
