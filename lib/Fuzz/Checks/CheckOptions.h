//===- CheckOptions.h - Which loops of an op are split ----------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_FUZZ_CHECKOPTIONS_H
#define SHARD_LIB_FUZZ_CHECKOPTIONS_H

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace shard::fuzz {

/// Gives the tensors of some ops of `module` random shardings, and compares what
/// chooseOption, optionOfOperands and otherOptions choose for them with all options that the
/// op has. What is wrong, in words; empty if nothing is.
std::string checkOptions(mlir::ModuleOp module, uint64_t seed);

} // namespace shard::fuzz

#endif // SHARD_LIB_FUZZ_CHECKOPTIONS_H
