//===- CheckUnrun.cpp - The verdict about a program that is not run ------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Most of the time of a program goes into its code for processors. What its partitioned text
// shows, such as bytes that it sends without need, is looked at in many more programs than run.
//
//===----------------------------------------------------------------------===//

#include "shard/Fuzz/Check.h"

#include "CheckOptions.h"
#include "CheckPassOptions.h"
#include "CheckStatic.h"
#include "CheckVariants.h"
#include "Options.h"

#include "shard/Fuzz/Generate.h"
#include "shard/Fuzz/Random.h"

#include "shard/Cost/Predict.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace shard;
using namespace shard::fuzz;

Outcome shard::fuzz::predict(MLIRContext &context, const std::string &program,
                             uint64_t inputSeed) {
  Errors errors(&context);
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(program, &context, "program.mlir");
  if (!module)
    return {Verdict::Invalid, oneLine(errors.first) + errors.where};
  if (failed(runPasses(*module, [&](OpPassManager &manager) {
        buildSpmdPipeline(manager, pipelineOptions(inputSeed));
      })))
    return rejected("partition", errors);
  std::string text;
  llvm::raw_string_ostream os(text);
  for (func::FuncOp entry : entriesOf(*module)) {
    ProgramCost cost = predictProgram(entry);
    os << (text.empty() ? "" : "; ") << cost.collectives.size() << " "
       << cost.total.bytesSent << " " << cost.total.flops << " "
       << cost.memory.peak() << " " << llvm::format("%.0f", cost.seconds * 1e9);
  }
  return {Verdict::Pass, {}, text};
}

/// The kinds of programs that are checked beside others without a run: mostly those that say
/// what they may send, and few ops of one family, of which there are many.
static Kind kindOfOther(Random &rng) {
  static const std::vector<Kind> kinds = {
      Kind::Needed,   Kind::Needed,   Kind::Needed, Kind::Needed,
      Kind::Batches,  Kind::Batches,  Kind::Moves,  Kind::Families,
      Kind::Families, Kind::Families, Kind::Hints,  Kind::Partial,
      Kind::Full,     Kind::Full};
  return rng.oneOf(kinds);
}

/// What one function of `module` becomes.
static Outcome checkEntry(ModuleOp module, func::FuncOp entry, uint64_t seed,
                          Errors &errors) {
  SpmdPipelineOptions options = pipelineOptions(seed);
  OwningOpRef<ModuleOp> partitioned = module.clone();
  if (failed(runPasses(*partitioned, [&](OpPassManager &manager) {
        buildSpmdPipeline(manager, options);
      })))
    return rejected("partition", errors);
  if (!errors.first.empty())
    return {Verdict::CheckFailed,
            "succeeded after an error: " + oneLine(errors.first)};
  std::string wrong = checkPartitioned(
      module, *partitioned, entry, Form(seed / 2 % numForms), errors, options);
  if (wrong.empty() && seed % 4 == 1)
    wrong = checkVariants(module, entry, seed / 4, options);
  if (!wrong.empty())
    return {Verdict::CheckFailed, oneLine(wrong)};
  return {};
}

Outcome shard::fuzz::checkUnrun(MLIRContext &context,
                                const std::string &program, uint64_t seed) {
  Errors errors(&context);
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(program, &context, "program.mlir");
  if (!module)
    return {Verdict::Invalid, oneLine(errors.first) + errors.where};
  for (func::FuncOp entry : entriesOf(*module))
    if (Outcome outcome = checkEntry(*module, entry, seed, errors);
        outcome.verdict != Verdict::Pass)
      return outcome;
  if (std::string wrong = checkOptions(*module, seed); !wrong.empty())
    return {Verdict::CheckFailed, oneLine(wrong)};
  if (seed % 4 == 3)
    if (std::string wrong = checkPassOptions(*module, seed); !wrong.empty())
      return {Verdict::CheckFailed, oneLine(wrong)};
  return checkPropagation(*module, errors, Form(seed / 8 % numForms),
                          /*stability=*/true, /*steps=*/seed % 4 == 1,
                          propagationOptions(seed));
}

Outcome shard::fuzz::checkOthers(MLIRContext &context, uint64_t seed,
                                 GenerateOptions options, int64_t count) {
  Random rng(seed ^ 0x756e72756eull);
  bool isMixed = options.kind == Kind::Full || options.kind == Kind::Choices;
  for (; count > 0; --count) {
    if (isMixed)
      options.kind = kindOfOther(rng);
    // Seeds that are easy to read.
    uint64_t other = rng.next() >> 24;
    Outcome outcome = checkUnrun(context, generate(other, options), other);
    if (!isFailure(outcome.verdict))
      continue;
    outcome.message = "of --only " + std::string(toString(options.kind)) +
                      ", seed " + std::to_string(other) + ": " +
                      outcome.message;
    return outcome;
  }
  return {};
}
