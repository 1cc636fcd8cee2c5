//===- CheckChoices.h - Does propagation choose well? -----------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_FUZZ_CHECKS_CHECKCHOICES_H
#define SHARD_LIB_FUZZ_CHECKS_CHECKCHOICES_H

#include "shard/Pipelines/Pipelines.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>

namespace shard::fuzz {

/// Where `entry` of `module` says `choices`: partitions the program with every sharding of
/// each value that no hint is about, which propagation then only hands on, and compares the
/// least predicted time with that of the shardings that propagation chooses. More than twice
/// as much is a failure. Shardings by axes that no hint names, and those with which arguments
/// take more memory, do not count. Empty, or what is wrong, with the better shardings.
std::string checkChoices(mlir::ModuleOp module, mlir::func::FuncOp entry,
                         SpmdPipelineOptions options);

} // namespace shard::fuzz

#endif // SHARD_LIB_FUZZ_CHECKS_CHECKCHOICES_H
