//===- CheckCollectives.h - Calls of the runtime by definition -*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_FUZZ_CHECKS_CHECKCOLLECTIVES_H
#define SHARD_LIB_FUZZ_CHECKS_CHECKCOLLECTIVES_H

#include <cstdint>
#include <string>

namespace shard::fuzz {

/// Calls random collectives of the runtime on random buffers, and compares each element that
/// they write with the definition of the collective. What is wrong; empty if nothing is.
std::string checkCollectives(uint64_t seed);

} // namespace shard::fuzz

#endif // SHARD_LIB_FUZZ_CHECKS_CHECKCOLLECTIVES_H
