//===- TosaScales.h - Factors of tosa.rescale -------------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR 22 lowers a `tosa.rescale` wrongly where either the multipliers or the shifts are constants
// and the others are not: it writes an empty tensor for the constants. It takes both as operands
// where neither is a constant.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_MODELS_TOSASCALES_H
#define SHARD_MODELS_TOSASCALES_H

#include "mlir/IR/Operation.h"

namespace shard {

/// Hides the constants of those `tosa.rescale` in `root` that have one for only one of multipliers
/// and shifts behind casts without effect. Returns the casts.
///
/// The canonicalizer folds them: no pass that runs it may come in between.
llvm::SmallVector<mlir::Operation *> hideLoneScales(mlir::Operation *root);

/// Erases the casts of `hideLoneScales`.
void showScales(llvm::ArrayRef<mlir::Operation *> casts);

} // namespace shard

#endif // SHARD_MODELS_TOSASCALES_H
