//===- UnitReshapes.h - Elementwise ops on dimensions of one element ------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_MODELS_UNITRESHAPES_H
#define SHARD_LIB_MODELS_UNITRESHAPES_H

#include "mlir/IR/PatternMatch.h"

namespace shard {

/// Lets the elementwise op `op` compute on tensors in front of reshapes that add or drop
/// dimensions of one element, if all its operands come from alike ones or are one number. The
/// reshape stands behind it then. Values that are `hinted` stay between the two. Returns the op
/// that stands for `op`, which is gone then; null if nothing moves.
mlir::Operation *sinkUnitReshape(mlir::Operation *op,
                                 const llvm::DenseSet<mlir::Value> &hinted,
                                 mlir::RewriterBase &rewriter);

} // namespace shard

#endif // SHARD_LIB_MODELS_UNITRESHAPES_H
