//===- Encodings.h - Shardings as encodings of tensor types -----*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_TRANSFORMS_ENCODINGS_H
#define SHARD_LIB_TRANSFORMS_ENCODINGS_H

#include "mlir/IR/Operation.h"

namespace shard {

/// Whether the type of a value that `op` makes, or of an argument of its blocks, has
/// a sharding as its encoding.
bool hasShardingEncoding(mlir::Operation *op);

/// readEncodings() where `encoded` are the ops in `root` that have encodings.
llvm::LogicalResult readEncodings(mlir::Operation *root,
                                  llvm::ArrayRef<mlir::Operation *> encoded);

} // namespace shard

#endif // SHARD_LIB_TRANSFORMS_ENCODINGS_H
