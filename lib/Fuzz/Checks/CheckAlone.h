//===- CheckAlone.h - Parts of the compiler by themselves ------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_FUZZ_CHECKALONE_H
#define SHARD_LIB_FUZZ_CHECKALONE_H

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <string>

namespace shard::fuzz {

/// Tries parts of the compiler on what they are made for, by numbers from `seed`, one of them
/// on ops of `module`. What is wrong, in one line; empty if nothing is.
std::string checkAlone(mlir::ModuleOp module, uint64_t seed);

} // namespace shard::fuzz

#endif // SHARD_LIB_FUZZ_CHECKALONE_H
