//===- CheckPasses.cpp - What each pass saves -----------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckPasses.h"

#include "shard/Cost/Predict.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"

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

} // namespace

std::string shard::fuzz::checkPasses(ModuleOp module, StringRef entry,
                                     const SpmdPipelineOptions &options) {
  OwningOpRef<ModuleOp> copy = module.clone();
  std::string wrong;
  PassManager manager(module.getContext());
  manager.enableVerifier(false);
  manager.addInstrumentation(std::make_unique<CostWatch>(entry, wrong));
  buildSpmdPipeline(manager, options);
  // What fails says so where the program is run.
  if (failed(manager.run(*copy)))
    return {};
  return wrong;
}
