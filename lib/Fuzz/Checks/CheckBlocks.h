//===- CheckBlocks.h - Hints in blocks that nothing reaches -----*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_FUZZ_CHECKBLOCKS_H
#define SHARD_LIB_FUZZ_CHECKBLOCKS_H

#include "mlir/IR/MLIRContext.h"

#include <cstdint>
#include <string>

namespace shard::fuzz {

/// Whether propagation tells of each hint in a block that no branch reaches, and of no other
/// one, and drops such blocks. Says what is wrong; nothing if nothing is.
std::string checkBlocks(mlir::MLIRContext &context, uint64_t seed);

} // namespace shard::fuzz

#endif // SHARD_LIB_FUZZ_CHECKBLOCKS_H
