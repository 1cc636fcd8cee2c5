//===- Processes.h - Programs in child processes -----------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A compiler under test may crash or never return. Programs therefore run in
// child processes; the parent stays single-threaded, keeps the time and knows
// which program a dead child was at.

#ifndef SHARD_FUZZ_PROCESSES_H
#define SHARD_FUZZ_PROCESSES_H

#include "shard/Fuzz/Check.h"

#include "llvm/Support/Compiler.h"

#include <functional>
#include <string>

namespace shard::fuzz {

/// The seconds that one program may take. Alone it takes at most two, but a machine
/// that does much else is many times slower. The sanitizers make everything slower.
#if LLVM_ADDRESS_SANITIZER_BUILD
inline constexpr double timeLimit = 300;
#else
inline constexpr double timeLimit = 60;
#endif

/// Runs `work` in a child process. Its outcome is what it returns, or that it
/// crashed, or that it hung: took longer than `seconds`.
Outcome runInChild(const std::function<Outcome()> &work,
                   double seconds = timeLimit);

/// What a child may send besides its outcome: the text is received even when
/// `work` crashes after sending.
Outcome runInChild(
    const std::function<Outcome(const std::function<void(std::string)> &send)>
        &work,
    std::string &sent, double seconds = timeLimit);

/// What runAll does; all but `work` are called in the parent.
struct Programs {
  uint64_t first = 0;
  /// Programs at a time.
  unsigned jobs = 1;
  /// The seconds that one program may take.
  double seconds = timeLimit;
  /// Whether to start a program after the `started` that have been started. Once
  /// false it is not asked again.
  std::function<bool(uint64_t started)> goOn;
  /// Makes what checks the programs of one child.
  std::function<std::function<Outcome(uint64_t seed)>()> makeWork;
  /// Called after each program, in the order in which they end.
  std::function<void(uint64_t seed, const Outcome &)> done;
  /// Called a few times per second.
  std::function<void()> tick;
};

/// Runs programs of the seeds from `first` on, in children that live long.
/// Programs start in the order of their seeds, and all that started are finished.
void runAll(const Programs &programs);

} // namespace shard::fuzz

#endif // SHARD_FUZZ_PROCESSES_H
