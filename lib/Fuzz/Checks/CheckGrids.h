//===- CheckGrids.h - Grids and what they share, by counting ----*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_FUZZ_CHECKGRIDS_H
#define SHARD_LIB_FUZZ_CHECKGRIDS_H

#include <cstdint>
#include <string>

namespace shard::fuzz {

/// Compares groups of devices, common refinements of two grids, parts of axes, and the blocks of
/// shardings, for numbers that `seed` chooses, with their definitions. What is wrong, in words;
/// empty if nothing is.
std::string checkGrids(uint64_t seed);

} // namespace shard::fuzz

#endif // SHARD_LIB_FUZZ_CHECKGRIDS_H
