//===- CheckMismatch.h - Devices that call with other numbers ---*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_FUZZ_CHECKMISMATCH_H
#define SHARD_LIB_FUZZ_CHECKMISMATCH_H

#include <cstdint>
#include <string>

namespace shard::fuzz {

/// Whether the runtime on threads stops exactly if one of the devices calls a random collective
/// with other numbers than the others. Says what is wrong; nothing if nothing is.
std::string checkMismatch(uint64_t seed);

} // namespace shard::fuzz

#endif // SHARD_LIB_FUZZ_CHECKMISMATCH_H
