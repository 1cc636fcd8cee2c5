//===- LoopHints.h - Axes for the loops of random ops -----------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_FUZZ_LOOPHINTS_H
#define SHARD_LIB_FUZZ_LOOPHINTS_H

#include "shard/Fuzz/Random.h"

#include <string>

namespace shard::fuzz {

/// `program` with `shard.loops` on about `percent` of the ops that have loops.
/// The axes of each op could be met if they stood alone; those of two ops may
/// disagree with each other and with every other hint. With `wrong`, some cannot
/// be met: too few entries, or a loop that cannot be split. A program that does
/// not parse stays as it is.
std::string addLoopHints(const std::string &program, Random &rng,
                         int64_t percent, bool wrong);

} // namespace shard::fuzz

#endif // SHARD_LIB_FUZZ_LOOPHINTS_H
