//===- CheckPassOptions.h - Passes by name and options by text --*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_FUZZ_CHECKPASSOPTIONS_H
#define SHARD_LIB_FUZZ_CHECKPASSOPTIONS_H

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <string>

namespace shard::fuzz {

/// The passes of propagation and of the way to one device, named in a text with random options,
/// make of `module` what the functions make of it that take these options. What is wrong, in words.
std::string checkPassOptions(mlir::ModuleOp module, uint64_t seed);

} // namespace shard::fuzz

#endif // SHARD_LIB_FUZZ_CHECKPASSOPTIONS_H
