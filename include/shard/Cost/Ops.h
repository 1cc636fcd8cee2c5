//===- Ops.h - What one op computes and touches --*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_COST_OPS_H
#define SHARD_COST_OPS_H

#include "shard/Geometry/Machine.h"

#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

#include <optional>

namespace shard {

/// What one execution of an op takes of one device.
struct OpCost {
  /// Operations on elements of `bits`.
  int64_t flops = 0;
  unsigned bits = 32;
  /// Of the tensors that it reads and writes.
  int64_t bytesTouched = 0;

  /// The longer one of computing and touching memory, in seconds.
  double seconds(const Machine &machine) const;
};

/// What `op` costs, whose tensors have the types of one device: the operations of one
/// iteration (ShardingInterface::getFlopsPerIteration) times the extents of its loops.
/// Nothing where an extent is dynamic. Ops that touch no tensor, that hand tensors on
/// (regions, calls, terminators), collectives and ops that copy nothing cost nothing. An
/// insertion that overwrites its destination touches its source twice, and nothing else.
/// Memory that nothing has written yet is not read.
std::optional<OpCost> costOfOp(mlir::Operation *op);

/// The same for an op that may stand where nothing is known of its destination:
/// `overwrites` tells whether an insertion need not copy it.
std::optional<OpCost> costOfOp(mlir::Operation *op, bool overwrites);

/// Whether an op that overwrites a part of `value` may do so in its memory: nobody else
/// uses it, and it is neither a constant nor memory of the caller.
bool isOverwritable(mlir::Value value);

/// What `op` inserts a slice into; null if it inserts none.
mlir::Value destinationOfInsertion(mlir::Operation *op);

/// Whether `op` inserts a slice into a destination that it may overwrite.
bool overwritesDestination(mlir::Operation *op);

/// Whether `op` inserts what was computed in the place of the same slice of its
/// destination: the elements are there.
bool insertsInPlace(mlir::Operation *op);

/// How often the body of `loop` runs, if its bounds and steps are constants.
std::optional<int64_t> tripCount(mlir::LoopLikeOpInterface loop);

} // namespace shard

#endif // SHARD_COST_OPS_H
