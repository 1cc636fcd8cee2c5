//===- Workarounds.h - Around faults of MLIR 22 -----------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_CODEGEN_WORKAROUNDS_H
#define SHARD_CODEGEN_WORKAROUNDS_H

namespace mlir {
class Operation;
} // namespace mlir

namespace shard {

/// Writes views of buffers below `root` that drop dimensions as views that keep
/// them and a cast that says what is left. MLIR's lowering of views crashes where
/// strides do not tell which dimension is dropped. Both lowerings do it.
void expandReducingViews(mlir::Operation *root);

/// Gives tensors that functions below `root` return or pass on buffers of their
/// own where strides follow from dynamic extents. MLIR's bufferization makes
/// contiguous memrefs of them without a copy whenever strides are unknown, of a
/// slice with the strides of the whole too. Both lowerings do it on tensors, last.
void copyDynamicBoundaries(mlir::Operation *root);

} // namespace shard

#endif // SHARD_CODEGEN_WORKAROUNDS_H
