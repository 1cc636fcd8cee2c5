//===- CheckCommuting.h - Which ops reductions pass -------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_FUZZ_CHECKS_CHECKCOMMUTING_H
#define SHARD_LIB_FUZZ_CHECKS_CHECKCOMMUTING_H

#include "mlir/IR/MLIRContext.h"

#include <string>

namespace shard::fuzz {

/// Random ops on scalars that say that they commute with a reduction give, of random numbers, the
/// bits that the definition of `ShardingInterface::commutesWith` wants. Empty, or what is wrong.
std::string checkCommuting(mlir::MLIRContext &context, uint64_t seed);

} // namespace shard::fuzz

#endif // SHARD_LIB_FUZZ_CHECKS_CHECKCOMMUTING_H
