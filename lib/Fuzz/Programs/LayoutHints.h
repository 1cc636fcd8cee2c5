//===- LayoutHints.h - Random halos and offsets -----------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_FUZZ_LAYOUTHINTS_H
#define SHARD_LIB_FUZZ_LAYOUTHINTS_H

#include "shard/Fuzz/Random.h"

#include <functional>
#include <string>

namespace shard::fuzz {

/// `halos`, or else bounds of blocks, for a sharding of a tensor of `shape` whose
/// dimensions are cut into `parts` (0: by no axis): the clause that follows the
/// lists of axes, without a separator. Halos may be wider than blocks; blocks may
/// be empty. Empty where there is nothing to say.
///
/// `runTime`, if given, names an i64 that is in [low, high] when the program runs, which
/// stands for some of the numbers then.
std::string randomLayout(
    Random &rng, const std::vector<int64_t> &shape,
    const std::vector<int64_t> &parts, bool halos, bool attribute,
    const std::function<std::string(int64_t low, int64_t high)> &runTime = {});

} // namespace shard::fuzz

#endif // SHARD_LIB_FUZZ_LAYOUTHINTS_H
