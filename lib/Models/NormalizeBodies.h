//===- NormalizeBodies.h - Bodies of linalg that compute less ---*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_MODELS_NORMALIZEBODIES_H
#define SHARD_LIB_MODELS_NORMALIZEBODIES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace shard {

/// Folds `op`, whose operands are `constants` where these are not null. Gives the result, or null
/// if `op` folds to another form of itself. Returns whether it folds.
bool fold(mlir::Operation *op, llvm::ArrayRef<mlir::Attribute> constants,
          mlir::OpFoldResult &result);

/// `value` if it is a number, or a fill or a constant of one number; null otherwise. To fold other
/// constants would take time for each element.
mlir::Attribute constantOf(mlir::Value value);

/// Whether all that the body of `op` does is to compute what it yields: an assertion stays.
bool onlyComputes(mlir::linalg::LinalgOp op);

/// Makes a linalg.fill of `op`; false if it is something else.
bool makeFill(mlir::linalg::GenericOp op, mlir::RewriterBase &rewriter);

/// Gives `op` a new tensor for each init whose elements it does not read. A hint for an init
/// stays.
bool releaseInits(mlir::linalg::LinalgOp op,
                  const llvm::DenseSet<mlir::Value> &hinted,
                  mlir::RewriterBase &rewriter);

/// Drops inputs that are read twice by the same map: what a body does with equal elements may fold.
bool joinInputs(mlir::linalg::GenericOp op, mlir::RewriterBase &rewriter);

/// Writes the elements of inputs that are one number into the body of `op`, and drops the inputs:
/// what a body does with a number tells whether it commutes with a sum.
bool inlineNumbers(mlir::linalg::GenericOp op,
                   const llvm::DenseSet<mlir::Value> &hinted,
                   mlir::RewriterBase &rewriter);

/// Uses in the body of `op` the values that ops of it fold to: what depends on a number may be an
/// input as it comes. What is `hinted` is taken for no number.
bool foldBody(mlir::linalg::GenericOp op,
              const llvm::DenseSet<mlir::Value> &hinted,
              mlir::RewriterBase &rewriter);

/// What the result of `op` is: the input that it copies, the init that it leaves as it is, or its
/// elements if they are one number; null if none of these. Ops of the body may fold to another
/// form of themselves, which is noted in `changed`.
mlir::OpFoldResult resultOfBody(mlir::linalg::LinalgOp op, bool &changed);

} // namespace shard

#endif // SHARD_LIB_MODELS_NORMALIZEBODIES_H
