//===- TidyCollectives.h - What a move leaves behind ------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A collective that a pass has moved or made may stand next to what undoes it, or be equal
// to another one. Passes that changed something tidy up at their end, so that the next one,
// and a second run of the pipeline, find nothing that was left lying.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_TRANSFORMS_OPTIMIZE_TIDYCOLLECTIVES_H
#define SHARD_LIB_TRANSFORMS_OPTIMIZE_TIDYCOLLECTIVES_H

#include "mlir/IR/Operation.h"

namespace shard {

/// Folds the collectives in `root` with each other.
void foldCollectives(mlir::Operation *root);

/// Makes equal ops in `root` one, and splats of the ops that then read one value of unknown
/// size twice (`splatEqualOperands`).
void mergeEqualOps(mlir::Operation *root);

/// Folds them, and makes equal ops in `root` one.
void tidyCollectives(mlir::Operation *root);

} // namespace shard

#endif // SHARD_LIB_TRANSFORMS_OPTIMIZE_TIDYCOLLECTIVES_H
