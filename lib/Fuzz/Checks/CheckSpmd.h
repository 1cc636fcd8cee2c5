//===- CheckSpmd.h - Is what differs between devices found? ----*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_FUZZ_CHECKSPMD_H
#define SHARD_LIB_FUZZ_CHECKSPMD_H

#include "mlir/IR/MLIRContext.h"

#include <cstdint>
#include <string>

namespace shard::fuzz {

/// Writes a program whose devices may part ways in front of a collective, by numbers from
/// `seed`, and compares what verifySpmd() says of it with what is known from how it is written.
/// What is wrong; empty if nothing is.
std::string checkSpmd(mlir::MLIRContext &context, uint64_t seed);

} // namespace shard::fuzz

#endif // SHARD_LIB_FUZZ_CHECKSPMD_H
