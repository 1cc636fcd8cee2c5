//===- Failures.cpp - What becomes of programs that fail ----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Failures.h"

#include "shard/Fuzz/Processes.h"
#include "shard/Fuzz/Reduce.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <map>

using namespace shard::fuzz;
namespace cl = llvm::cl;
using Clock = std::chrono::steady_clock;

namespace {
cl::opt<std::string> keep("keep", cl::value_desc("folder"), cl::cat(category),
                          cl::desc("Where reduced failures go"));
cl::opt<bool> reduceFailures("reduce", cl::init(true), cl::cat(category),
                             cl::desc("Make failing programs smaller"));
cl::opt<unsigned>
    reduceMost("reduce-most", cl::init(20), cl::cat(category),
               cl::desc("Keep this many failures, one of each sort first"));
cl::opt<double> reduceSeconds(
    "reduce-seconds", cl::init(20), cl::cat(category),
    cl::desc("Seconds that making one failure smaller may take; all failures "
             "together, six times as many"));
} // namespace

bool checkFailureOptions() {
  if (!(reduceSeconds >= 0)) {
    llvm::errs()
        << "shard-fuzz: --reduce-seconds: expected a number from 0 on\n";
    return false;
  }
  if (keep.empty())
    return true;
  if (std::error_code error = llvm::sys::fs::create_directories(keep)) {
    llvm::errs() << "shard-fuzz: --keep '" << keep << "': " << error.message()
                 << "\n";
    return false;
  }
  return true;
}

static void writeFailure(llvm::StringRef path, const std::string &program,
                         const Failure &failure, CommandOf commandOf) {
  std::error_code error;
  llvm::raw_fd_ostream file(path, error);
  if (error) {
    llvm::errs() << "shard-fuzz: cannot write '" << path
                 << "': " << error.message() << "\n";
    return;
  }
  file << "// " << toString(failure.outcome.verdict) << ": "
       << failure.outcome.message << "\n";
  if (commandOf)
    file << "// Made by: " << commandOf(failure.seed) << "\n";
  file << "// Reproduce: shard-fuzz --seed " << failure.seed << " "
       << llvm::sys::path::filename(path) << "\n"
       << program;
}

void keepFailures(const std::vector<Failure> &failures,
                  const std::function<std::string(uint64_t)> &program,
                  CommandOf commandOf, bool stability) {
  auto produce = [&](uint64_t seed, std::string &source) {
    Outcome outcome = runInChild(
        [&](const std::function<void(std::string)> &send) -> Outcome {
          send(program(seed));
          return {};
        },
        source);
    return outcome.verdict == Verdict::Pass;
  };
  std::map<std::string, std::vector<Failure>> sorts;
  for (const Failure &failure : failures)
    sorts[std::string(toString(failure.outcome.verdict)) + ": " +
          normalized(failure.outcome.message)]
        .push_back(failure);
  for (const auto &[text, list] : sorts)
    llvm::outs() << list.size() << " x " << text << "\n    seeds from "
                 << list.front().seed << ": " << list.front().outcome.message
                 << "\n";
  llvm::outs().flush();
  auto begin = Clock::now();
  unsigned reduced = 0;
  for (size_t round = 0; reduced < reduceMost; ++round) {
    bool any = false;
    for (const auto &[text, list] : sorts) {
      if (round >= list.size() || reduced >= reduceMost)
        continue;
      any = true;
      ++reduced;
      const Failure &failure = list[round];
      std::string source;
      bool made = produce(failure.seed, source);
      if (!made)
        source = "// The generator fails at this seed: there is no program.\n";
      double left = 6 * reduceSeconds -
                    std::chrono::duration<double>(Clock::now() - begin).count();
      if (reduceFailures && left > 0 && made)
        source = reduce(source, failure.outcome, failure.seed, stability,
                        std::min(left, double(reduceSeconds)));
      if (keep.empty()) {
        llvm::outs() << "\n// " << toString(failure.outcome.verdict) << ": "
                     << failure.outcome.message << "\n// "
                     << (commandOf ? commandOf(failure.seed) : std::string())
                     << "\n"
                     << source;
        llvm::outs().flush();
        continue;
      }
      llvm::SmallString<128> path(keep);
      llvm::sys::path::append(path,
                              std::string(toString(failure.outcome.verdict)) +
                                  "-" + std::to_string(failure.seed) + ".mlir");
      writeFailure(path, source, failure, commandOf);
    }
    if (!any)
      break;
  }
}
