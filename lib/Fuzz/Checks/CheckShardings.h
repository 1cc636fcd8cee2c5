//===- CheckShardings.h - Shardings, right and wrong -----------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_FUZZ_CHECKSHARDINGS_H
#define SHARD_LIB_FUZZ_CHECKSHARDINGS_H

#include "mlir/IR/MLIRContext.h"

#include <cstdint>
#include <string>

namespace shard::fuzz {

/// Makes shardings by numbers from `seed`. Text of one reads back as it; a damaged one, or
/// one that no steps lead to, has no plan, and an error says why. What is wrong; empty if
/// nothing is.
std::string checkShardings(mlir::MLIRContext &context, uint64_t seed);

} // namespace shard::fuzz

#endif // SHARD_LIB_FUZZ_CHECKSHARDINGS_H
