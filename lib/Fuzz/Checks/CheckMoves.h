//===- CheckMoves.h - What propagation asks of loop tables ------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_FUZZ_CHECKS_CHECKMOVES_H
#define SHARD_LIB_FUZZ_CHECKS_CHECKMOVES_H

#include "shard/Geometry/Grid.h"
#include "shard/Interfaces/LoopTable.h"

#include <string>

namespace shard::fuzz {

class Random;

/// Compares what propagation finds for an op with `table`, the options that tensors follow and
/// the moves of axes to other loops, with all options that there are. The tensors get random
/// shardings. What is wrong; empty if nothing is.
std::string checkMoves(const LoopTable &table, const Grid &grid, Random &rng);

} // namespace shard::fuzz

#endif // SHARD_LIB_FUZZ_CHECKS_CHECKMOVES_H
