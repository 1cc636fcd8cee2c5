//===- Costs.h - What random programs cost ------------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_TOOLS_SHARD_FUZZ_COSTS_H
#define SHARD_TOOLS_SHARD_FUZZ_COSTS_H

#include <cstdint>
#include <functional>
#include <string>

/// Partitions the `count` programs from seed `first` on, `jobs` at a time, and prints a line
/// with the cost of each, in the order of the seeds. Returns the exit code: 1 if a program
/// could not be partitioned for another reason than hints that contradict each other.
int listCosts(uint64_t first, uint64_t count, unsigned jobs,
              const std::function<std::string(uint64_t)> &program);

#endif // SHARD_TOOLS_SHARD_FUZZ_COSTS_H
