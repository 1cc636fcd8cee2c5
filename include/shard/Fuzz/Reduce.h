//===- Reduce.h - Smaller programs that fail alike ---------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_FUZZ_REDUCE_H
#define SHARD_FUZZ_REDUCE_H

#include "shard/Fuzz/Check.h"

#include <cstdint>
#include <optional>
#include <string>

namespace shard::fuzz {

/// `program` with its `step`-th possible simplification: an op, result, argument
/// or hint less, a smaller grid or smaller shapes. An empty text where the step leads
/// to nothing valid; nothing behind the last step. Steps are numbered from 0, large
/// ones first.
std::optional<std::string> simplify(mlir::MLIRContext &context,
                                    const std::string &program, int64_t step);

/// The smallest program found within `seconds` that fails as `program` does with
/// `failure`, inputs of `inputSeed` and this `stability` (see check()). Each candidate
/// is checked in a child process.
std::string reduce(std::string program, const Outcome &failure,
                   uint64_t inputSeed, bool stability, double seconds);

} // namespace shard::fuzz

#endif // SHARD_FUZZ_REDUCE_H
