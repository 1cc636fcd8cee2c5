//===- CheckVariants.h - Do equal programs send the same? -------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_FUZZ_CHECKS_CHECKVARIANTS_H
#define SHARD_LIB_FUZZ_CHECKS_CHECKVARIANTS_H

#include "shard/Pipelines/Pipelines.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace shard::fuzz {

/// Writes `module` in another way, which `seed` chooses: with the operands of commutative ops
/// exchanged, with ops in another order, with linalg.generic instead of other ops, with ops that
/// change nothing, or with more dimensions of one element. Tells what is wrong if the function `entry` then sends much more or
/// much less.
std::string checkVariants(mlir::ModuleOp module, mlir::func::FuncOp entry,
                          uint64_t seed, SpmdPipelineOptions options);

} // namespace shard::fuzz

#endif // SHARD_LIB_FUZZ_CHECKS_CHECKVARIANTS_H
