//===- CheckKernels.h - Products of the runtime by definition ---*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_FUZZ_CHECKS_CHECKKERNELS_H
#define SHARD_LIB_FUZZ_CHECKS_CHECKKERNELS_H

#include <cstdint>
#include <string>

namespace shard::fuzz {

/// Compares a random product of the runtime's kernels, in each form that this machine can run,
/// with the sum of products that defines it. What is wrong; empty if nothing is.
std::string checkKernels(uint64_t seed);

} // namespace shard::fuzz

#endif // SHARD_LIB_FUZZ_CHECKS_CHECKKERNELS_H
