//===- Check.cpp - The verdict about one program -------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Fuzz/Check.h"

#include "CheckAlone.h"
#include "CheckCalls.h"
#include "CheckChoices.h"
#include "CheckCount.h"
#include "CheckResults.h"
#include "CheckStatic.h"
#include "CheckUnknownSizes.h"
#include "Inputs.h"
#include "Options.h"
#include "Precise.h"
#include "shard/Fuzz/Coverage.h"
#include "shard/Fuzz/Generate.h"

#include "shard/Codegen/Compile.h"
#include "shard/Codegen/Passes.h"
#include "shard/Conversion/Passes.h"
#include "shard/Execution/Hints.h"
#include "shard/Execution/Verify.h"
#include "shard/IR/ShardingUtils.h"
#include "shard/Transforms/Passes.h"
#include "shard/Transforms/Transforms.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cctype>

using namespace mlir;
using namespace shard;
using namespace shard::fuzz;

const char *shard::fuzz::toString(Verdict verdict) {
  switch (verdict) {
  case Verdict::Pass:
    return "pass";
  case Verdict::Contradiction:
    return "contradiction";
  case Verdict::Rejected:
    return "rejected";
  case Verdict::Invalid:
    return "invalid";
  case Verdict::Wrong:
    return "wrong";
  case Verdict::RunFailed:
    return "run-failed";
  case Verdict::CheckFailed:
    return "check-failed";
  case Verdict::Crash:
    return "crash";
  case Verdict::Hang:
    return "hang";
  }
  return "";
}

std::unique_ptr<MLIRContext> shard::fuzz::makeContext() {
  DialectRegistry registry;
  registerRunDialects(registry);
  auto context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->printOpOnDiagnostic(false);
  return context;
}

std::string shard::fuzz::normalized(const std::string &message) {
  std::string text;
  bool quoted = false;
  int64_t brackets = 0;
  for (char c : message) {
    if (c == '\'')
      quoted = !quoted;
    if (c == '[' || c == '<')
      ++brackets;
    if ((c == ']' || c == '>') && brackets > 0) {
      --brackets;
      continue;
    }
    if (quoted || brackets > 0 || std::isdigit(static_cast<unsigned char>(c)))
      continue;
    text += c;
  }
  return text.substr(0, 90);
}

bool shard::fuzz::sameFailure(const Outcome &a, const Outcome &b) {
  if (a.verdict != b.verdict)
    return false;
  if (a.verdict == Verdict::Wrong || a.verdict == Verdict::Crash ||
      a.verdict == Verdict::Hang)
    return true;
  return normalized(a.message) == normalized(b.message);
}

/// A device takes at least the longer one of computing and sending, and at most both one
/// after the other; that exactly, if it starts nothing.
static std::string checkSeconds(const ProgramCost &cost) {
  double computing = cost.total.secondsComputing;
  double sending = cost.total.secondsSending, sum = computing + sending;
  double least = cost.overlaps ? std::max(computing, sending) : sum;
  constexpr double kRounding = 1e-6;
  // Where it is not known how often something runs, the sums count it once in all.
  bool fits = cost.seconds >= least * (1 - kRounding) &&
              cost.seconds <= sum * (1 + kRounding);
  if (fits || !cost.total.complete)
    return {};
  return "predicted to take " + std::to_string(cost.seconds * 1e6) +
         " us, with " + std::to_string(computing * 1e6) +
         " us of computing and " + std::to_string(sending * 1e6) +
         " us of sending";
}

/// Compares what is predicted for `entry` of `partitioned` with its run. Lowering drops
/// collectives that nothing needs, such as those of operands that the body of an op of
/// linalg ignores: the prediction may be that for the program that is left.
static std::string checkPrediction(ModuleOp partitioned, StringRef entry,
                                   const RunReport &report) {
  auto compare = [&](ModuleOp module) {
    return comparePrediction(
        predictProgram(module.lookupSymbol<func::FuncOp>(entry)), report.calls);
  };
  std::string wrong = compare(partitioned);
  if (wrong.empty())
    return checkSeconds(
        predictProgram(partitioned.lookupSymbol<func::FuncOp>(entry)));
  // What a run does to tensors, in its order (Codegen/Passes.cpp).
  OwningOpRef<ModuleOp> lowered = partitioned.clone();
  if (failed(runPasses(*lowered, [](OpPassManager &manager) {
        manager.addPass(createShardLowerTosa());
        manager.addPass(createShardExpandNegativePadding());
        manager.addPass(createShardExpandCombiners());
        manager.addPass(createShardLegalizeElements());
        manager.addPass(createShardLiftBranches());
        manager.addPass(createShardLowerTensorOps());
        manager.addPass(createShardPrepareTensors());
      })))
    return wrong;
  return compare(*lowered);
}

/// Compares the collectives of `partitioned`, and what is predicted for `entry` in it,
/// with those of its run. A compiler folds more than the pipeline, so that what it
/// drops is looked for once more.
static std::string checkCalls(ModuleOp partitioned, StringRef entry,
                              const RunReport &report) {
  std::string wrong = compareReport(report);
  if (wrong.empty())
    wrong = checkPrediction(partitioned, entry, report);
  if (!wrong.empty())
    return wrong;
  wrong = compareCalls(listCalls(partitioned), report.calls);
  if (wrong.empty() ||
      failed(runPasses(partitioned, [](OpPassManager &manager) {
        manager.addPass(createCanonicalizerPass());
        manager.addPass(createCSEPass());
      })))
    return wrong;
  return compareCalls(listCalls(partitioned), report.calls);
}

namespace {
/// One of the runs of an entry.
struct EntryRun {
  unsigned optLevel;
  /// Whether collectives are messages.
  bool mpiDialect = false;
  /// Whether the partitioned program, which is the same in all of them, is checked.
  bool isFirst = false;
};
} // namespace

/// Whether the program of a seed is also partitioned for axes of unknown size.
static bool forgetsSizes(uint64_t inputSeed) { return inputSeed % 4 == 3; }

/// How `run` runs `entry`.
static RunOptions optionsOf(func::FuncOp entry, uint64_t inputSeed,
                            EntryRun run) {
  RunOptions options;
  options.mpiDialect = run.mpiDialect;
  options.seed = inputSeed;
  options.optLevel = run.optLevel;
  // What shard-run takes for some; without optimisation code is generated faster.
  options.referenceLevel = inputSeed % 8 == 1 ? options.referenceLevel : 0;
  options.verifies = run.optLevel == 0;
  // The optimised program of one device, which no user of a grid runs, is proven
  // for a part of the programs. Of real numbers it rounds otherwise, which only
  // comparePrecisely() can judge where terms cancel.
  options.timeOneDevice =
      run.optLevel > 0 && inputSeed % 4 == 0 && !isReal(entry);
  // What the tolerance refuses, comparePrecisely() judges.
  options.measureRounding = false;
  options.timeoutSeconds = LLVM_ADDRESS_SANITIZER_BUILD ? 40 : 4;
  options.partitionAll = true;
  options.pipeline = pipelineOptions(inputSeed);
  options.inputs = makeInputs(entry, inputSeed);
  options.keepOutputs = isReal(entry) || forgetsSizes(inputSeed);
  // A division of padding ends the program.
  options.total = !entry->hasAttr("traps");
  return options;
}

/// Partitions the whole module, runs `entry` and compares with the reference, which no
/// optimisation touches.
static Outcome checkEntry(ModuleOp module, func::FuncOp entry, bool alone,
                          uint64_t inputSeed, EntryRun run, Form form,
                          Errors &errors, OneDeviceCache &oneDevice,
                          Coverage *coverage) {
  RunOptions options = optionsOf(entry, inputSeed, run);
  options.oneDevice = &oneDevice;
  std::string partitionError;
  OwningOpRef<ModuleOp> called;
  SpmdPipelineOptions pipeline = options.pipeline;
  options.onPartitioned = [&](ModuleOp partitioned) {
    called = partitioned.clone();
    if (!alone)
      eraseUnreachable(called->lookupSymbol<func::FuncOp>(entry.getName()));
    if (!run.isFirst)
      return;
    if (coverage)
      coverage->countCollectives(partitioned);
    partitionError =
        checkPartitioned(module, partitioned, entry, form, errors, pipeline);
  };
  FailureOr<RunReport> report = runProgram(module, entry, std::move(options));
  if (!partitionError.empty())
    return {Verdict::CheckFailed, oneLine(partitionError)};
  if (failed(report))
    return rejected("compile", errors);
  if (!errors.first.empty())
    return {Verdict::CheckFailed,
            "succeeded after an error: " + oneLine(errors.first)};
  if (!report->error.empty()) {
    // Axes for a loop whose extent is known only when it runs are a promise.
    bool promised = false;
    module.walk(
        [&](Operation *op) { promised |= op->hasAttr(kLoopsAttrName); });
    bool broken =
        StringRef(report->error).contains("a dynamic dimension of extent");
    return {promised && broken ? Verdict::Contradiction : Verdict::RunFailed,
            oneLine(report->error)};
  }
  if (Outcome outcome = judgeResults(entry, *called, *report);
      outcome.verdict != Verdict::Pass)
    return outcome;
  // Cut collectives are more calls.
  if (!run.mpiDialect && !pipeline.overlap && pipeline.splitParts == 0)
    if (std::string wrong = checkCallCount(entry, report->calls);
        !wrong.empty())
      return {Verdict::CheckFailed, wrong};
  // The report lists messages instead of collectives.
  if (!run.mpiDialect)
    if (std::string wrong = checkCalls(*called, entry.getName(), *report);
        !wrong.empty())
      return {Verdict::CheckFailed, wrong};
  if (run.isFirst && forgetsSizes(inputSeed) && !isReal(entry))
    if (Outcome outcome = checkUnknownSizes(
            module, entry, optionsOf(entry, inputSeed, {/*optLevel=*/0}),
            report->outputs);
        outcome.verdict != Verdict::Pass)
      return outcome;
  if (isReal(entry))
    return comparePrecisely(module, entry, makeInputs(entry, inputSeed),
                            report->outputs, inputSeed);
  return {};
}

Outcome shard::fuzz::check(MLIRContext &context, const std::string &program,
                           uint64_t inputSeed, bool stability,
                           Coverage *coverage) {
  Errors errors(&context);
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(program, &context, "program.mlir");
  if (!module)
    return {Verdict::Invalid, oneLine(errors.first) + errors.where};
  SmallVector<func::FuncOp> entries = entriesOf(*module);
  if (entries.empty())
    return {Verdict::Invalid, "no public function"};
  if (coverage)
    coverage->countOps(*module);
  for (func::FuncOp entry : entries) {
    OneDeviceCache oneDevice;
    auto checkAt = [&](EntryRun run) {
      return checkEntry(*module, entry, entries.size() == 1, inputSeed, run,
                        Form(inputSeed / 2 % numForms), errors, oneDevice,
                        std::exchange(coverage, nullptr));
    };
    // What users run; for every eighth program the code without optimisation, and for
    // every fourth what convert-shard-to-mpi makes of it.
    Outcome outcome = checkAt(
        {RunOptions().optLevel, /*mpiDialect=*/false, /*isFirst=*/true});
    if (outcome.verdict == Verdict::Pass && inputSeed % 8 == 0)
      outcome = checkAt({0});
    if (outcome.verdict == Verdict::Pass && inputSeed % 4 == 0)
      outcome = checkAt({0, /*mpiDialect=*/true});
    if (outcome.verdict != Verdict::Pass)
      return outcome;
    if (std::string wrong =
            checkChoices(*module, entry, pipelineOptions(inputSeed));
        !wrong.empty())
      return {Verdict::CheckFailed, oneLine(wrong)};
  }
  if (std::string wrong = checkAlone(*module, inputSeed); !wrong.empty())
    return {Verdict::CheckFailed, wrong};
  return checkPropagation(*module, errors, Form(inputSeed / 8 % numForms),
                          stability, /*steps=*/inputSeed % 4 == 1,
                          propagationOptions(inputSeed));
}
