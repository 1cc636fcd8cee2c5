//===- SinkBroadcasts.h - Elementwise ops in front of broadcasts *- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_MODELS_SINKBROADCASTS_H
#define SHARD_LIB_MODELS_SINKBROADCASTS_H

#include "mlir/IR/PatternMatch.h"

namespace shard {

/// Lets the elementwise op `op` compute on tensors in front of broadcasts, if all its operands
/// come from alike ones or are one number. The broadcast stands behind it then. Values that are
/// `hinted` stay between the two. Returns whether `op` is gone.
bool sinkBroadcast(mlir::Operation *op,
                   const llvm::DenseSet<mlir::Value> &hinted,
                   mlir::RewriterBase &rewriter);

} // namespace shard

#endif // SHARD_LIB_MODELS_SINKBROADCASTS_H
