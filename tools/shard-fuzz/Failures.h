//===- Failures.h - What becomes of programs that fail ------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_TOOLS_SHARD_FUZZ_FAILURES_H
#define SHARD_TOOLS_SHARD_FUZZ_FAILURES_H

#include "shard/Fuzz/Check.h"

#include "llvm/Support/CommandLine.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// Of all options of the tool.
extern llvm::cl::OptionCategory category;

struct Failure {
  uint64_t seed;
  shard::fuzz::Outcome outcome;
};

/// The command that makes the program of a seed; null where programs are given.
using CommandOf = std::string (*)(uint64_t seed);

/// Whether --keep and --reduce-seconds make sense; prints what does not. Creates the folder
/// of --keep.
bool checkFailureOptions();

/// Reduces the failures, those of each sort in turn, and writes them to the folder of --keep
/// or prints them. `program` makes the program of a seed in a child, because that may be what
/// fails.
void keepFailures(const std::vector<Failure> &failures,
                  const std::function<std::string(uint64_t)> &program,
                  CommandOf commandOf, bool stability);

#endif // SHARD_TOOLS_SHARD_FUZZ_FAILURES_H
