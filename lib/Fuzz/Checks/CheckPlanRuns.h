//===- CheckPlanRuns.h - Plans executed and printed -------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_FUZZ_CHECKPLANRUNS_H
#define SHARD_LIB_FUZZ_CHECKPLANRUNS_H

#include "shard/Resharding/Plan.h"

#include <cstdint>
#include <string>

namespace shard::fuzz {

/// Executes the plan between two random shardings, halos, bounds and partial values included, on
/// plain arrays, and compares what it says of its steps with their definitions. What is wrong, in
/// words; empty if nothing is.
std::string checkPlanRuns(uint64_t seed);

/// The same for what is printed of `plan`.
std::string checkPlanText(const Plan &plan, const Grid &grid,
                          const std::vector<int64_t> &shape,
                          int64_t elementBytes, const Sharding &from,
                          const Sharding &to);

/// The same for a table of the plans between all shardings of a small tensor.
std::string checkPlanTable(uint64_t seed);

} // namespace shard::fuzz

#endif // SHARD_LIB_FUZZ_CHECKPLANRUNS_H
