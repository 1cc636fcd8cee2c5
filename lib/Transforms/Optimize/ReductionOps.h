//===- ReductionOps.h - What ops do to reductions --------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_TRANSFORMS_OPTIMIZE_REDUCTIONOPS_H
#define SHARD_LIB_TRANSFORMS_OPTIMIZE_REDUCTIONOPS_H

#include "Optimize/Reduction.h"

#include "shard/Resharding/Plan.h"

namespace shard {

/// Whether no other op than `user` uses `value`.
bool isUsedBy(mlir::Value value, mlir::Operation *user);

/// Whether `op` computes each element of its result from those at the same place, so
/// that blocks of its operands may become whole. Its destinations are not read and have the
/// type of its other operands, so that one of these may stand in their place.
bool isElementwise(mlir::Operation *op);

bool isDestination(mlir::OpOperand &operand);

/// Whether each element of the result of `op` combines elements of the operands as
/// `kind` does, and does nothing else.
bool combinesLike(mlir::Operation *op, ReductionKind kind);

/// Whether the destination `operand` adds nothing to a reduction of kind `kind`: it is
/// not read, or holds the neutral element.
bool isNeutralDestination(mlir::OpOperand &operand, ReductionKind kind);

/// The constant that a fill, or a splat of a scalar, writes to all elements of `value`; null if
/// `value` is made otherwise.
mlir::Attribute filledElement(mlir::Value value);

/// What `value` is before it is cut into the blocks that `reduce` scatters; null if it
/// is not cut so.
mlir::Value wholeOf(mlir::Value value, const Reduction &reduce);

/// The attribute of a constant op that says that all elements of `value` are one; else null.
mlir::SplatElementsAttr splatOf(mlir::Value value);

/// The constant that `value`, a splat, is a block of where `reduce` scatters.
mlir::Value splatLike(mlir::OpBuilder &builder, mlir::Value value,
                      const Reduction &reduce);

/// Whether `value` can be made a summand of a reduction of `kind` of such elements.
bool canBePartial(mlir::Value value, ReductionKind kind, mlir::Type element);

/// The summand of this device of `value`: of what all devices have, that of the first one is the
/// value; of blocks, each of which one device has, it is the block at its place among neutral
/// elements, where `like` scatters.
mlir::Value makeSummand(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value value, const Reduction &like, bool isBlock,
                        const Grid &grid, const CostModel &costs);

/// Whether the back ends reduce elements of `type`, which is not that of a reduction of the
/// program: no floats of one byte, for instance (legalizeElements).
bool mayReduceInstead(mlir::Type type);

} // namespace shard

#endif // SHARD_LIB_TRANSFORMS_OPTIMIZE_REDUCTIONOPS_H
