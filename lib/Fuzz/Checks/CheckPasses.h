//===- CheckPasses.h - What each pass saves ---------------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_FUZZ_CHECKS_CHECKPASSES_H
#define SHARD_LIB_FUZZ_CHECKS_CHECKPASSES_H

#include "shard/Pipelines/Pipelines.h"

#include "mlir/IR/BuiltinOps.h"

namespace shard::fuzz {

/// The passes of the pipeline that improve collectives make no program slower, as the cost model
/// predicts it: what is wrong with those that change `module`; empty if nothing is.
std::string checkPasses(mlir::ModuleOp module, llvm::StringRef entry,
                        const SpmdPipelineOptions &options);

} // namespace shard::fuzz

#endif // SHARD_LIB_FUZZ_CHECKS_CHECKPASSES_H
