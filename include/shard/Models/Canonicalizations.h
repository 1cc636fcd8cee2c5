//===- Canonicalizations.h - MLIR's patterns, mended ------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_MODELS_CANONICALIZATIONS_H
#define SHARD_MODELS_CANONICALIZATIONS_H

#include "mlir/IR/PatternMatch.h"

namespace shard {

/// Adds the canonicalization patterns of all loaded dialects and registered ops, but for
/// those after which a program computes something else than shard-run promises
/// (docs/shard-run.md); what is right about these is done by patterns of this project.
void populateCanonicalizationPatterns(mlir::RewritePatternSet &patterns);

/// Replaces each `linalg.transpose` of tensors in `root` that keeps the order by its operand.
/// Among the patterns MLIR's folder does so with an operand of another static type, once a
/// cast has been folded into the op.
void dropIdentityTransposes(mlir::Operation *root);

} // namespace shard

#endif // SHARD_MODELS_CANONICALIZATIONS_H
