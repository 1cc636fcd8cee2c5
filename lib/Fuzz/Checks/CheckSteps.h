//===- CheckSteps.h - Programs that state their steps -----------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_FUZZ_CHECKSTEPS_H
#define SHARD_LIB_FUZZ_CHECKSTEPS_H

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace shard::fuzz {

/// Whether `annotated`, a program that propagation has annotated, is partitioned to the
/// same collectives after shard-materialize-reshards as without it. What is wrong, in
/// words; empty if nothing is, or if the program cannot be partitioned.
std::string checkSteps(mlir::ModuleOp annotated);

} // namespace shard::fuzz

#endif // SHARD_LIB_FUZZ_CHECKSTEPS_H
