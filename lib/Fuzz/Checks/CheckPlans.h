//===- CheckPlans.h - Plans against the cheapest ones -----------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_FUZZ_CHECKPLANS_H
#define SHARD_LIB_FUZZ_CHECKPLANS_H

#include "shard/Resharding/Plan.h"

#include <cstdint>
#include <string>

namespace shard::fuzz {

/// Compares plans of the planner with the cheapest ones (PlanOracle.h) and executes
/// nothing: some pairs of shardings of one small tensor, which `seed` chooses. What is
/// wrong with one of them and its steps, in words; empty if nothing is.
std::string checkPlans(uint64_t seed);

/// A planner that keeps its plans answers as planReshard does, the first time and the second:
/// what is wrong, in words; empty if nothing is.
std::string checkPlanner(const Grid &grid, const std::vector<int64_t> &shape,
                         int64_t elementBytes, const Sharding &from,
                         const Sharding &to);

} // namespace shard::fuzz

#endif // SHARD_LIB_FUZZ_CHECKPLANS_H
