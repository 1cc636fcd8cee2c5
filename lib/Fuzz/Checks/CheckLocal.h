//===- CheckLocal.h - Local types and kept hints -------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_FUZZ_CHECKLOCAL_H
#define SHARD_LIB_FUZZ_CHECKLOCAL_H

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace shard::fuzz {

/// Compares the signatures of `partitioned` with the program that it was made of:
/// * a local type is what the recorded sharding makes of the global type;
/// * what a public function's hint closes is what the recorded sharding says, for
///   every device: which block it holds of each closed dimension, that the value
///   is the same along replicated axes, and along which axes it is partial;
/// * no result is partial without a hint of its own or of its group, no argument
///   without any.
/// What is wrong, in words; empty if nothing is.
std::string checkLocal(mlir::ModuleOp original, mlir::ModuleOp partitioned);

} // namespace shard::fuzz

#endif // SHARD_LIB_FUZZ_CHECKLOCAL_H
