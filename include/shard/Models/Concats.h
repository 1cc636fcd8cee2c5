//===- Concats.h - Ops of tosa that join tensors ---------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_MODELS_CONCATS_H
#define SHARD_MODELS_CONCATS_H

#include "mlir/IR/Operation.h"

namespace shard {

/// Makes a tensor.concat of each tosa.concat of static shapes in `root`. MLIR's lowering makes
/// a row of insertions, which no longer tells that a tensor is rolled.
void joinTosaConcats(mlir::Operation *root);

} // namespace shard

#endif // SHARD_MODELS_CONCATS_H
