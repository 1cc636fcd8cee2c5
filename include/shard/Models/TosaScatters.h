//===- TosaScatters.h - tosa.scatter as tensor.scatter ----------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_MODELS_TOSASCATTERS_H
#define SHARD_MODELS_TOSASCATTERS_H

#include "mlir/IR/Operation.h"

namespace shard {

/// Makes a tensor.scatter of each tosa.scatter in `root`. MLIR's lowering makes loops over
/// its slices, which say nothing of batches: split along these, they were gathered.
void lowerTosaScatters(mlir::Operation *root);

} // namespace shard

#endif // SHARD_MODELS_TOSASCATTERS_H
