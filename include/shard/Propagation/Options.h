//===- Options.h - How propagation is to behave -----------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_PROPAGATION_OPTIONS_H
#define SHARD_PROPAGATION_OPTIONS_H

#include "shard/Geometry/Grid.h"

namespace shard {

/// How conflicts inside one op are treated.
enum class PropagationStrategy {
  /// Only what all tensors of an op agree on is passed on.
  Basic,
  /// The conflict is settled (Engine.h tells how) and the winner passed on.
  Aggressive,
};

/// Which way information flows: forward is from operands, backward from
/// results, to all tensors of the op. The two-way ones have a last phase that
/// runs both ways until nothing changes.
enum class PropagationTraversal {
  Forward,
  Backward,
  ForwardBackward,
  BackwardForward,
};

/// Whether propagation may split a dimension whose extent the axes do not
/// divide.
enum class UnevenPolicy {
  /// Yes, if the product of the sizes is at most the extent; with a remark.
  Shard,
  /// No; with a remark where propagation stopped.
  Replicate,
};

struct PropagationOptions {
  PropagationStrategy strategy = PropagationStrategy::Aggressive;
  PropagationTraversal traversal = PropagationTraversal::BackwardForward;
  UnevenPolicy uneven = UnevenPolicy::Shard;
  /// Pass-through ops before contractions, single-use chains before others.
  bool opPriorities = true;
  /// Rounds p0, p1, ...; without, all hints count from the start.
  bool userPriorities = true;
  /// Whether values may stay partial beyond the op that makes them so.
  bool keepPartial = true;
  /// Keeps what `explain` needs.
  bool explain = false;
};

} // namespace shard

#endif // SHARD_PROPAGATION_OPTIONS_H
