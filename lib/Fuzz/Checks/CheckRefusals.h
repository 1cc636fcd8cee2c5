//===- CheckRefusals.h - What the back ends do not take ---------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_FUZZ_CHECKREFUSALS_H
#define SHARD_LIB_FUZZ_CHECKREFUSALS_H

#include "mlir/IR/MLIRContext.h"

#include <cstdint>
#include <string>

namespace shard::fuzz {

/// Whether programs that are not partitioned, and reductions that no back end has, are refused
/// with an error at their place, and others are not. Says what is wrong; nothing if nothing is.
std::string checkRefusals(mlir::MLIRContext &context, uint64_t seed);

} // namespace shard::fuzz

#endif // SHARD_LIB_FUZZ_CHECKREFUSALS_H
