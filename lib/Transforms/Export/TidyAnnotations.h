//===- TidyAnnotations.h - Order among annotations --------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_TRANSFORMS_TIDYANNOTATIONS_H
#define SHARD_LIB_TRANSFORMS_TIDYANNOTATIONS_H

namespace mlir {
class Operation;
} // namespace mlir

namespace shard {

/// Puts the shard.sharding ops at the start of their function, one for each
/// distinct sharding, in the order in which annotations name them.
void tidyHandles(mlir::Operation *root);

/// States every hint of a function's signature as replicated: where it came to
/// something, that is written over it.
void closeSignatures(mlir::Operation *root);

} // namespace shard

#endif // SHARD_LIB_TRANSFORMS_TIDYANNOTATIONS_H
