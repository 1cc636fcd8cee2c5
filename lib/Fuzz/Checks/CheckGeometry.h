//===- CheckGeometry.h - Blocks, halos and transfers by counting -*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_FUZZ_CHECKGEOMETRY_H
#define SHARD_LIB_FUZZ_CHECKGEOMETRY_H

#include <cstdint>
#include <string>

namespace shard::fuzz {

/// Compares what Geometry says of blocks, halos and redistributions, for numbers that `seed`
/// chooses, with what counting element by element gives. What is wrong, in words; empty if
/// nothing is.
std::string checkGeometry(uint64_t seed);

} // namespace shard::fuzz

#endif // SHARD_LIB_FUZZ_CHECKGEOMETRY_H
