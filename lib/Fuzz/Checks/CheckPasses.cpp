//===- CheckPasses.cpp - What each pass saves -----------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckPasses.h"

#include "CheckIndices.h"

#include "shard/Cost/Predict.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"

#include <map>

using namespace mlir;
using namespace shard;

namespace {

/// Predicts `entry` after each pass.
class CostWatch : public PassInstrumentation {
public:
  CostWatch(StringRef entry, std::string &wrong) : entry(entry), wrong(wrong) {}

  void runAfterPass(Pass *pass, Operation *op) override {
    auto module = dyn_cast<ModuleOp>(op);
    auto function =
        module ? module.lookupSymbol<func::FuncOp>(entry) : func::FuncOp();
    if (!function || !wrong.empty())
      return;
    StringRef name = pass->getArgument();
    isPartitioned |= name == "shard-partition";
    if (!isPartitioned)
      return;
    ProgramCost cost = predictProgram(function);
    CostSum &after = cost.total;
    constexpr double kRounding = 1e-6;
    if (improves(name) && before && before->bytesSent > 0 && before->complete &&
        after.complete) {
      double had = before->secondsComputing + before->secondsSending;
      double has = after.secondsComputing + after.secondsSending;
      if (has > had * (1 + kRounding) + 1e-13)
        wrong = name.str() + " makes a program of " +
                std::to_string(had * 1e9) + " ns one of " +
                std::to_string(has * 1e9) + " ns, which sends " +
                std::to_string(after.bytesSent) + " bytes instead of " +
                std::to_string(before->bytesSent);
    }
    before = after;
  }

private:
  static bool improves(StringRef name) {
    return llvm::is_contained(
        {"shard-hoist-collectives", "shard-share-collectives",
         "shard-move-collectives", "shard-sink-reductions",
         "shard-sink-collectives", "shard-pack-collectives"},
        name);
  }

  StringRef entry;
  std::string &wrong;
  bool isPartitioned = false;
  std::optional<CostSum> before;
};

/// What a pass says of analyses is protected. Passes have no say in what reads it.
struct PassWithState : Pass {
  static bool preservesAll(Pass *pass) {
    return (pass->*&PassWithState::getPassState)().preservedAnalyses.isAll();
  }
};

/// Looks whether passes that say that no analysis changes have changed nothing: analyses that
/// others keep would be of another program. Those of this project also say so if nothing changed.
class AnalysisWatch : public PassInstrumentation {
public:
  explicit AnalysisWatch(std::string &wrong) : wrong(wrong) {}

  void runBeforePass(Pass *pass, Operation *op) override {
    if (!pass->getArgument().empty())
      before.insert_or_assign(std::make_pair(pass, op),
                              OperationFingerPrint(op));
  }

  void runAfterPass(Pass *pass, Operation *op) override {
    auto was = before.find(std::make_pair(pass, op));
    if (was == before.end() || !wrong.empty())
      return;
    bool isSame = was->second == OperationFingerPrint(op);
    before.erase(was);
    StringRef name = pass->getArgument();
    if (PassWithState::preservesAll(pass) && !isSame)
      wrong = name.str() + " keeps analyses of what it changes";
    else if (!PassWithState::preservesAll(pass) && isSame && saysSo(name))
      wrong = name.str() + " forgets analyses of what it does not change";
  }

private:
  // Those left out always change something, or do not know whether they did.
  static bool saysSo(StringRef name) {
    return name.starts_with("shard-") && name != "shard-partition" &&
           name != "shard-overlap-collectives" &&
           name != "shard-fold-collectives";
  }

  std::string &wrong;
  std::map<std::pair<Pass *, Operation *>, OperationFingerPrint> before;
};

/// Looks at the indices that partition computes. What folds later leaves some that could be
/// simpler.
class IndexWatch : public PassInstrumentation {
public:
  explicit IndexWatch(std::string &wrong) : wrong(wrong) {}

  void runAfterPass(Pass *pass, Operation *op) override {
    auto module = dyn_cast<ModuleOp>(op);
    if (module && pass->getArgument() == "shard-partition" && wrong.empty())
      wrong = fuzz::checkIndices(module);
  }

private:
  std::string &wrong;
};

} // namespace

std::string shard::fuzz::checkPasses(ModuleOp module, StringRef entry,
                                     const SpmdPipelineOptions &options) {
  OwningOpRef<ModuleOp> copy = module.clone();
  std::string wrong;
  PassManager manager(module.getContext());
  manager.enableVerifier(false);
  manager.addInstrumentation(std::make_unique<CostWatch>(entry, wrong));
  manager.addInstrumentation(std::make_unique<AnalysisWatch>(wrong));
  manager.addInstrumentation(std::make_unique<IndexWatch>(wrong));
  buildSpmdPipeline(manager, options);
  // What fails says so where the program is run.
  if (failed(manager.run(*copy)))
    return {};
  return wrong;
}
