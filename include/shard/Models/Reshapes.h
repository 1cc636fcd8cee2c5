//===- Reshapes.h - Rewrites that keep dimensions apart ---------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_MODELS_RESHAPES_H
#define SHARD_MODELS_RESHAPES_H

#include "mlir/IR/PatternMatch.h"

namespace shard {

/// Whether `op` merges dimensions of a tensor of which two or more have several
/// elements, so that the inner ones cannot be split behind it, or merges others that are taken
/// apart again.
bool mergesDims(mlir::Operation *op);

/// Whether a hint is about `op` or its results: rewrites of reshapes leave those in their place.
bool isHinted(mlir::Operation *op);

/// Erases the merges and splits of dimensions in `root` that nothing uses. Returns whether
/// there are any.
bool eraseDeadReshapes(mlir::Operation *root);

/// Whether `op` lists static extents that its result does not have. MLIR's verifier of
/// `tensor.expand_shape` does not ask for them, that of `memref.expand_shape` does.
bool statesOtherExtents(mlir::Operation *op);

/// Makes each `tensor.collapse_shape` in `root` that only drops dimensions of one element of a
/// `tensor.extract_slice` a slice that drops them itself: a dropped dimension is a look-up where
/// the source is split, while one that is kept gathers the source. Reshapes and slices with
/// hints stay as they are. Returns whether there were any.
bool dropUnitsOfSlices(mlir::Operation *root);

/// The other way round: slices in `root` that keep a dimension of which they have one element of
/// several, at a known place, drop it in front of a `tensor.expand_shape`. The row of a sequence
/// that a product takes is then looked up. Slices of what is padded, sliced or joined, or that are
/// so themselves, are windows; they and those with hints stay as they are. Returns whether there
/// were any.
bool takeUnitsOfSlicesApart(mlir::Operation *root);

/// Moves each `tensor.expand_shape` in `root` of a `tensor.pad` in front of it, where the padded
/// dimensions stay whole: what reads a window of the padded tensor then takes its halo from the
/// tensor before padding. Padding that anything else reads, and ops with hints, stay as they
/// are. Returns whether there were any.
bool splitBeforePadding(mlir::Operation *root);

/// Gives dimensions that slices in `root` read in equal chunks a dimension for the number of the
/// chunk, if these are computed by ops of linalg of arguments that no hint splits otherwise: the
/// halves of `x * w` for a gate and its input are then split alike, where a split of the whole
/// gives each device a part of one half. Returns whether there were any.
bool takeChunksApart(mlir::Operation *root);

/// Patterns that move such an op from the operands of an op of linalg to its results, if
/// every operand that has the merged loop comes from one: attention on `batch x heads`,
/// merged for a batched product, keeps both dimensions. Ops that take a merge back are
/// folded with it.
void populateExpandLoopsPatterns(mlir::RewritePatternSet &patterns);

} // namespace shard

#endif // SHARD_MODELS_RESHAPES_H
