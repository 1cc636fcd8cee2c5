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

#ifndef SHARD_TOOLS_FUZZ_PROCESSES_H
#define SHARD_TOOLS_FUZZ_PROCESSES_H

#include "Check.h"

#include <functional>
#include <string>

namespace shard::fuzz {

/// The seconds that one program may take.
inline constexpr double timeLimit = 10;

/// Runs `work` in a child process. Its outcome is what it returns, or that it
/// crashed or hung.
Outcome runInChild(const std::function<Outcome()> &work);

/// What a child may send besides its outcome: the text is received even when
/// `work` crashes after sending.
Outcome runInChild(
    const std::function<Outcome(const std::function<void(std::string)> &send)>
        &work,
    std::string &sent);

/// Runs `work(seed)` for all seeds in [first, first + count), `jobs` at a time, in
/// children that live long; `done` is called in the parent after each, `tick`
/// a few times per second.
void runAll(uint64_t first, uint64_t count, unsigned jobs,
            const std::function<std::function<Outcome(uint64_t)>()> &makeWork,
            const std::function<void(uint64_t, const Outcome &)> &done,
            const std::function<void()> &tick);

} // namespace shard::fuzz

#endif // SHARD_TOOLS_FUZZ_PROCESSES_H
