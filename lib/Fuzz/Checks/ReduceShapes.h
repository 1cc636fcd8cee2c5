//===- ReduceShapes.h - Smaller shapes that fail alike ------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_FUZZ_REDUCESHAPES_H
#define SHARD_LIB_FUZZ_REDUCESHAPES_H

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <optional>
#include <string>

namespace shard::fuzz {

/// Makes a constant a splat, which a smaller shape needs. Counts `step` down by the
/// possible ones; true if it was one of them.
bool makeSplat(mlir::ModuleOp module, int64_t &step);

/// The text of a program with an extent of its types replaced by a smaller one
/// wherever it stands: in the types alone, or wherever the number stands at all,
/// as an op's sizes must fit its types. Most of what comes out is valid or not by
/// luck; who calls verifies it. Nothing behind the last of the `step`s.
std::optional<std::string> shrinkExtent(const std::string &text, int64_t step);

} // namespace shard::fuzz

#endif // SHARD_LIB_FUZZ_REDUCESHAPES_H
