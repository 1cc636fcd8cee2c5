//===- TosaScales.h - tosa.rescale as linalg.generic ------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_MODELS_TOSASCALES_H
#define SHARD_MODELS_TOSASCALES_H

#include "mlir/IR/Operation.h"

namespace shard {

/// Makes a linalg.generic of each tosa.rescale in `root` whose multipliers and shifts are not all
/// constants. MLIR's lowering writes an empty tensor for the constant ones if only the others are
/// none, and compares shifts that are none with a number of another type.
void lowerTosaScales(mlir::Operation *root);

} // namespace shard

#endif // SHARD_MODELS_TOSASCALES_H
