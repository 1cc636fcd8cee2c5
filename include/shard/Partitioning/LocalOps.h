//===- LocalOps.h - What models build local ops from ------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Forms of `ShardingInterface::partition` that fit many ops, and parts of it.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_PARTITIONING_LOCALOPS_H
#define SHARD_PARTITIONING_LOCALOPS_H

#include "shard/Partitioning/PartitionContext.h"

#include "mlir/IR/PatternMatch.h"

namespace shard {

/// The local extents of a tensor that an op makes out of the global dynamic
/// ones, one per dynamic dimension of `type`: a split dynamic dimension must
/// divide evenly, checked at run time, unless the grid has `unevenDynamic`.
llvm::SmallVector<mlir::Value>
localExtents(mlir::OpBuilder &builder, mlir::Location loc,
             mlir::RankedTensorType type, mlir::ValueRange extents,
             const Emission &emission, const Sharding &sharding);

/// Clones `op` with `operands` and local result types, and lets it compute on padding.
/// For ops without regions that neither mix elements nor trap, although MLIR's
/// interfaces do not say so.
llvm::LogicalResult
partitionWithPadding(mlir::Operation *op, mlir::OpBuilder &builder,
                     llvm::ArrayRef<mlir::Value> operands,
                     PartitionContext &context,
                     llvm::SmallVectorImpl<mlir::Value> &results);

/// For ops whose results do not depend on split operands: each device computes all of
/// result 0 and keeps its block.
llvm::LogicalResult
partitionAsBlockOfWhole(mlir::Operation *op, mlir::OpBuilder &builder,
                        llvm::ArrayRef<mlir::Value> operands,
                        PartitionContext &context,
                        llvm::SmallVectorImpl<mlir::Value> &results);

/// Makes the index arguments of `body`, a block that computes the element of
/// `tensor` at these indices (arguments 0 to rank - 1), count globally: each
/// use becomes one of the argument plus the offset of the device's block. In the
/// padding of an uneven dimension the last valid index is repeated, so that the
/// body meets valid indices only. `type` is the global type, `extents` are the
/// local extents of its dynamic dimensions; `builder` stands before the op.
void globaliseIndexArguments(mlir::OpBuilder &builder, mlir::Location loc,
                             mlir::Block &body, mlir::RankedTensorType type,
                             const Sharding &sharding, mlir::ValueRange extents,
                             const Emission &emission);

/// Folds elementwise ops on one value, such as x xor x, that are the same element
/// everywhere whatever the value is, to splats if their local type is dynamic: MLIR would
/// fold them to constants of that type, which do not say how large they are. Those that are the
/// operand, such as x or x, become it. Returns whether it found any.
bool splatEqualOperands(mlir::Operation *root);

/// Adds a pattern that folds every op as MLIR's greedy driver does, but never to a constant of a
/// dynamic type. The driver's own folding is to be off: patterns make operands equal, too, which it
/// would fold before anybody sees it.
void populateFoldPatterns(mlir::RewritePatternSet &patterns);

} // namespace shard

#endif // SHARD_PARTITIONING_LOCALOPS_H
