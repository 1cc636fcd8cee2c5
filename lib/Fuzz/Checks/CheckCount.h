//===- CheckCount.h - Does a program communicate more than it must? -------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_FUZZ_CHECKS_CHECKCOUNT_H
#define SHARD_LIB_FUZZ_CHECKS_CHECKCOUNT_H

#include "shard/Runtime/Report.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace shard::fuzz {

/// What is wrong with the collectives of `partitioned`, if `entry` says how many it needs at
/// most (`most_collectives`), how many bytes a device sends by them (`most_bytes`) and how many
/// operations it computes (`most_flops`); empty if nothing is. An all_slice sends nothing and
/// does not count.
std::string checkCount(mlir::func::FuncOp entry, mlir::ModuleOp partitioned);

/// What is wrong with the number of calls that a run made, if `entry` says how many it needs
/// at most (`most_calls`), those in each iteration of loops included; empty if nothing is.
std::string checkCallCount(mlir::func::FuncOp entry,
                           const std::vector<runtime::CallRecord> &called);

/// A collective of `module` that a loop repeats with the same operands, in words; empty if
/// there is none.
std::string repeatedCollective(mlir::ModuleOp module);

} // namespace shard::fuzz

#endif // SHARD_LIB_FUZZ_CHECKS_CHECKCOUNT_H
