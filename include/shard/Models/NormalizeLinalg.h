//===- NormalizeLinalg.h - Ops of linalg in one form ------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_MODELS_NORMALIZELINALG_H
#define SHARD_MODELS_NORMALIZELINALG_H

#include "mlir/IR/Operation.h"

namespace shard {

/// Makes a linalg.fill of each linalg.generic in `root` that writes one number to all elements
/// of its result, and gives ops that do not read the elements of an init a tensor.empty
/// instead. Returns whether there are any.
bool normalizeLinalg(mlir::Operation *root);

} // namespace shard

#endif // SHARD_MODELS_NORMALIZELINALG_H
