//===- FoldNumbers.h - Numbers that are computed of constants ---*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Models ask whether an offset, a size or an index is a constant. In a program that has
// not been canonicalized it may be computed of constants instead, and an op that reads a
// window of a tensor then counts as one that may read all of it.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_MODELS_FOLDNUMBERS_H
#define SHARD_MODELS_FOLDNUMBERS_H

#include "mlir/IR/Operation.h"

namespace shard {

/// Replaces ops in `root` that compute integers and indices of constants or of static
/// extents by constants, those of `ub.poison` by zeros, and gives slices of constant sizes a
/// static type, with a cast to the old one, and sources of insertions one from it. Lets
/// tensor.dim ask for an extent where it was first stated. All else
/// stays as it is. Returns whether there are any.
bool foldNumbers(mlir::Operation *root);

} // namespace shard

#endif // SHARD_MODELS_FOLDNUMBERS_H
