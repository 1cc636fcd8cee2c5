//===- CheckStatic.cpp - What no run shows -------------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckStatic.h"

#include "CheckCount.h"
#include "CheckExplain.h"
#include "CheckGroups.h"
#include "CheckHints.h"
#include "CheckLocal.h"
#include "CheckOrder.h"
#include "CheckPasses.h"
#include "CheckRings.h"
#include "CheckSteps.h"
#include "CheckWaste.h"
#include "Options.h"

#include "shard/Cost/Predict.h"
#include "shard/Transforms/Passes.h"
#include "shard/Transforms/Transforms.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace shard;
using namespace shard::fuzz;

Outcome shard::fuzz::checkPropagation(ModuleOp module, const Errors &errors,
                                      Form form, bool stability, bool steps,
                                      const PropagationOptions &options) {
  OwningOpRef<ModuleOp> annotated = module.clone();
  FailureOr<std::string> told = checkTold(*annotated, options);
  if (failed(told))
    return rejected("propagation", errors);
  if (!told->empty())
    return {Verdict::CheckFailed, oneLine(*told)};
  if (failed(verify(*annotated)))
    return {Verdict::CheckFailed,
            "propagation makes invalid IR: " + oneLine(errors.first)};
  std::string once = print(*annotated);
  std::string changed = checkForm(*annotated, once, form);
  if (!changed.empty() || !errors.first.empty())
    return {Verdict::CheckFailed,
            "after propagation, " + oneLine(changed + " " + errors.first)};
  if (std::string lost = checkHints(module, *annotated); !lost.empty())
    return {Verdict::CheckFailed, oneLine(lost)};
  if (steps)
    if (std::string wrong = checkSteps(*annotated); !wrong.empty())
      return {Verdict::CheckFailed, oneLine(wrong + " " + errors.first)};
  if (!stability)
    return {};
  if (failed(annotateShardings(*annotated, options)))
    return {Verdict::CheckFailed,
            "second propagation fails: " + oneLine(errors.first)};
  std::string again = print(*annotated);
  if (again != once)
    return {Verdict::CheckFailed, "second propagation changes the program: " +
                                      oneLine(difference(once, again))};
  return {};
}

/// Starting collectives and cutting them into rings of parts sends no more bytes than
/// leaving them as they are.
static std::string checkOverlapBytes(ModuleOp module, StringRef entry,
                                     SpmdPipelineOptions options,
                                     ModuleOp partitioned) {
  auto waits = [](ModuleOp program) {
    return program.walk([](WaitOp) { return WalkResult::interrupt(); })
        .wasInterrupted();
  };
  if (!options.overlap || !waits(partitioned) || waits(module))
    return {};
  OwningOpRef<ModuleOp> whole = module.clone();
  options.overlap = false;
  if (failed(runPasses(*whole, [&](OpPassManager &manager) {
        buildSpmdPipeline(manager, options);
      })))
    return "partition fails without overlap";
  auto sumOf = [&](ModuleOp program) {
    return predictProgram(program.lookupSymbol<func::FuncOp>(entry)).total;
  };
  CostSum before = sumOf(*whole), after = sumOf(partitioned);
  if (!before.complete || !after.complete ||
      after.bytesSent <= before.bytesSent)
    return {};
  return "with overlap " + std::to_string(after.bytesSent) +
         " bytes are sent instead of " + std::to_string(before.bytesSent);
}

/// What the bodies of ops of linalg that surely run assert is asserted by devices, too.
static std::string checkAssertions(func::FuncOp entry, ModuleOp partitioned) {
  llvm::StringSet<> kept;
  partitioned.walk([&](cf::AssertOp op) { kept.insert(op.getMsg()); });
  for (auto op : entry.getBody().front().getOps<linalg::LinalgOp>())
    for (auto assertion : op.getBlock()->getOps<cf::AssertOp>())
      if (!kept.contains(assertion.getMsg()))
        return "no device asserts \"" + assertion.getMsg().str() + "\"";
  return {};
}

std::string shard::fuzz::checkPartitioned(ModuleOp module, ModuleOp partitioned,
                                          func::FuncOp entry, Form form,
                                          const Errors &errors,
                                          const SpmdPipelineOptions &pipeline) {
  if (failed(verify(partitioned)))
    return "partition makes invalid IR: " + errors.first;
  if (failed(verifySpmd(partitioned)))
    return "shard-verify-spmd: " + errors.first;
  std::string wrong = checkLocal(module, partitioned);
  if (wrong.empty())
    wrong = repeatedCollective(partitioned);
  if (wrong.empty())
    wrong = checkWaste(partitioned);
  if (wrong.empty())
    wrong = checkGroups(partitioned);
  if (wrong.empty())
    wrong = checkOrder(partitioned, entry.getName());
  if (wrong.empty())
    wrong = checkCount(entry, partitioned);
  if (wrong.empty())
    wrong = checkAssertions(entry, partitioned);
  if (wrong.empty())
    wrong = checkOverlapBytes(module, entry.getName(), pipeline, partitioned);
  if (wrong.empty() && pipeline.overlap && pipeline.decomposeMinGain < 0)
    wrong = checkRings(partitioned);
  if (wrong.empty())
    wrong = checkPasses(module, entry.getName(), pipeline);
  if (!wrong.empty())
    return wrong;
  wrong = checkForm(partitioned, print(partitioned), form);
  return wrong.empty() ? wrong
                       : "after partition, " + wrong + " " + errors.first;
}
