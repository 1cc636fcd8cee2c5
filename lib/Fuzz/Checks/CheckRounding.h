//===- CheckRounding.h - What reductions round, by definition ---*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_FUZZ_CHECKS_CHECKROUNDING_H
#define SHARD_LIB_FUZZ_CHECKS_CHECKROUNDING_H

#include <cstdint>
#include <string>

namespace shard::fuzz {

/// Compares what the runtime makes of pairs of random floats of 16 bits, of all magnitudes, with
/// what LLVM computes in their type, bit for bit. What is wrong; empty if nothing is.
std::string checkRounding(uint64_t seed);

} // namespace shard::fuzz

#endif // SHARD_LIB_FUZZ_CHECKS_CHECKROUNDING_H
