//===- CheckMemory.h - Buffers of a run -------------------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_FUZZ_CHECKS_CHECKMEMORY_H
#define SHARD_LIB_FUZZ_CHECKS_CHECKMEMORY_H

#include <cstdint>
#include <string>

namespace shard::fuzz {

/// Random calls of RunMemory: no two live buffers share a byte, each keeps its bytes until it is
/// released, and the counts of bytes are those of a list of the live buffers. Empty, or what is
/// wrong.
std::string checkMemory(uint64_t seed);

} // namespace shard::fuzz

#endif // SHARD_LIB_FUZZ_CHECKS_CHECKMEMORY_H
