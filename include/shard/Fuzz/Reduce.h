//===- Reduce.h - Smaller programs that fail alike ---------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_FUZZ_REDUCE_H
#define SHARD_FUZZ_REDUCE_H

#include <cstdint>
#include <optional>
#include <string>

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace shard::fuzz {

/// `program` with its `step`-th possible simplification: an op, result, argument
/// or hint less, a smaller grid or smaller shapes. An empty text where the step leads to nothing
/// valid; nothing behind the last step. Steps are numbered from 0, large ones
/// first.
std::optional<std::string> simplify(mlir::MLIRContext &context,
                                    const std::string &program, int64_t step);

} // namespace shard::fuzz

#endif // SHARD_FUZZ_REDUCE_H
