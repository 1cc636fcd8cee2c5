//===- LowerToLLVM.h - From the program of one device to LLVM ---*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_PIPELINES_LOWERTOLLVM_H
#define SHARD_PIPELINES_LOWERTOLLVM_H

namespace mlir {
class OpPassManager;
class Operation;
} // namespace mlir

namespace shard {

/// From a partitioned program to the LLVM dialect, with calls of the functions of
/// shard/Runtime/Runtime.h. Tensors at function boundaries become contiguous
/// memrefs; linalg becomes plain loops. For a pass manager on modules. Pipeline
/// `shard-lower-to-llvm`.
///
/// This is the lowering to look at and to start an own one from; shard-run
/// compiles through Execution/Compile.h, which tiles and vectorises.
void buildLowerToLLVMPipeline(mlir::OpPassManager &manager);

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

#endif // SHARD_PIPELINES_LOWERTOLLVM_H
