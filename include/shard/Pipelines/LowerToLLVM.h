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
} // namespace mlir

namespace shard {

/// From a partitioned program to the LLVM dialect, with calls of the functions of
/// shard/Runtime/Runtime.h. Tensors at function boundaries become contiguous
/// memrefs; linalg becomes plain loops. For a pass manager on modules. Pipeline
/// `shard-lower-to-llvm`.
///
/// This is the lowering to look at and to start an own one from; shard-run
/// compiles through Codegen/Compile.h, which tiles and vectorises.
void buildLowerToLLVMPipeline(mlir::OpPassManager &manager);

} // namespace shard

#endif // SHARD_PIPELINES_LOWERTOLLVM_H
