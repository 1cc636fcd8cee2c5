//===- CheckStatic.h - What no run shows ---------------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_FUZZ_CHECKS_CHECKSTATIC_H
#define SHARD_LIB_FUZZ_CHECKS_CHECKSTATIC_H

#include "CheckForms.h"
#include "Errors.h"

#include "shard/Pipelines/Pipelines.h"

namespace shard::fuzz {

/// Propagates, and checks what it wrote.
Outcome checkPropagation(mlir::ModuleOp module, const Errors &errors, Form form,
                         bool stability, bool steps,
                         const PropagationOptions &options);

/// What is wrong with `partitioned`, which is made of `module`; empty if nothing is.
std::string checkPartitioned(mlir::ModuleOp module, mlir::ModuleOp partitioned,
                             mlir::func::FuncOp entry, Form form,
                             const Errors &errors,
                             const SpmdPipelineOptions &pipeline);

} // namespace shard::fuzz

#endif // SHARD_LIB_FUZZ_CHECKS_CHECKSTATIC_H
