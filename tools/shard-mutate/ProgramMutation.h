//===- ProgramMutation.h - Changes of parsed programs ----------------- -*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_TOOLS_MUTATE_PROGRAMMUTATION_H
#define SHARD_TOOLS_MUTATE_PROGRAMMUTATION_H

#include "shard/Fuzz/Random.h"

#include <optional>
#include <string>

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace shard::fuzz {

/// `text`, parsed, with one or two changes: ops erased, cloned or moved; operands
/// swapped with other values; attributes dropped, changed or added; one type
/// changed wherever it stands. In generic form, and often not valid; nothing where
/// `text` does not parse.
std::optional<std::string> mutateProgram(mlir::MLIRContext &context,
                                         const std::string &text,
                                         Random &random);

} // namespace shard::fuzz

#endif // SHARD_TOOLS_MUTATE_PROGRAMMUTATION_H
