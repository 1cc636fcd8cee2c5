//===- PlanRun.h - Plans executed on plain arrays ------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the steps of a plan mean, as code: every device is an array, a step is
// pieces copied between arrays. Works from Plan.h alone, not from the planner.
// Padding is poison: an element computed from it is poison, and poison in the
// valid part of the outcome is an error.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_FUZZ_PLANRUN_H
#define SHARD_FUZZ_PLANRUN_H

#include "shard/Resharding/Plan.h"

#include <string>

namespace shard::fuzz {

/// Executes `plan` on random data (`shape` static) and compares the outcome
/// with what the target sharding says. An empty string, or what is wrong.
std::string runPlan(const Plan &plan, const Grid &grid,
                    const std::vector<int64_t> &shape, const Sharding &from,
                    const Sharding &to, unsigned seed = 1);

} // namespace shard::fuzz

#endif // SHARD_FUZZ_PLANRUN_H
