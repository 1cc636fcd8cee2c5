//===- Costs.cpp - What random programs cost ----------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Costs.h"

#include "shard/Fuzz/Check.h"
#include "shard/Fuzz/Processes.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <memory>

using namespace shard::fuzz;

int listCosts(uint64_t first, uint64_t count, unsigned jobs,
              const std::function<std::string(uint64_t)> &program) {
  // Programs end in any order.
  std::map<uint64_t, std::string> lines;
  bool failed = false;
  Programs programs;
  programs.first = first;
  programs.jobs = jobs;
  programs.goOn = [&](uint64_t started) { return started < count; };
  programs.makeWork = [&]() -> std::function<Outcome(uint64_t)> {
    std::shared_ptr<mlir::MLIRContext> context = makeContext();
    return [&program, context](uint64_t seed) {
      return predict(*context, program(seed), seed);
    };
  };
  programs.done = [&](uint64_t seed, const Outcome &outcome) {
    failed |= isFailure(outcome.verdict);
    lines[seed] = outcome.verdict == Verdict::Pass
                      ? outcome.notes
                      : toString(outcome.verdict) + (": " + outcome.message);
  };
  programs.tick = [] {};
  runAll(programs);
  llvm::outs()
      << "# seed: collectives, bytes sent, operations, bytes of memory, "
         "nanoseconds\n";
  for (const auto &[seed, line] : lines)
    llvm::outs() << seed << ": " << line << "\n";
  return failed ? 1 : 0;
}
