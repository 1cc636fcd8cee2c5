//===- CheckPlans.h - Plans against the cheapest ones -----------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_FUZZ_CHECKPLANS_H
#define SHARD_LIB_FUZZ_CHECKPLANS_H

#include <cstdint>
#include <string>

namespace shard::fuzz {

/// Compares plans of the planner with the cheapest ones (PlanOracle.h) and executes
/// nothing: some pairs of shardings of one small tensor, which `seed` chooses. What is
/// wrong with one of them and its steps, in words; empty if nothing is.
std::string checkPlans(uint64_t seed);

} // namespace shard::fuzz

#endif // SHARD_LIB_FUZZ_CHECKPLANS_H
