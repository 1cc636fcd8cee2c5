//===- Report.cpp - Pass shard-report -------------------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Cost/Predict.h"
#include "shard/IR/ShardOps.h"
#include "shard/Pipelines/Pipelines.h"
#include "shard/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace shard {

#define GEN_PASS_DEF_SHARDREPORT
#include "shard/Transforms/Passes.h.inc"

namespace {

/// Whether `op` itself states a sharding.
bool isHint(Operation *op) {
  if (isa<ShardOp, ConstraintOp, GroupOp, ManualComputationOp>(op) ||
      op->hasAttr(kShardingAttrName) || op->hasAttr(kLoopsAttrName))
    return true;
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return false;
  auto isSharded = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && isa_and_nonnull<ShardingAttr>(tensor.getEncoding());
  };
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (function.getArgAttr(i, kShardingAttrName))
      return true;
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (function.getResultAttr(i, kShardingAttrName))
      return true;
  return llvm::any_of(function.getArgumentTypes(), isSharded) ||
         llvm::any_of(function.getResultTypes(), isSharded);
}

struct ShardReportPass : public impl::ShardReportBase<ShardReportPass> {
  using ShardReportBase::ShardReportBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    registerShardDialect(registry);
    OpPassManager pipeline(ModuleOp::getOperationName());
    buildSpmdPipeline(pipeline, {});
    pipeline.getDependentDialects(registry);
  }

  void runOnOperation() override {
    markAllAnalysesPreserved();
    ModuleOp module = getOperation();
    std::optional<Machine> machineToUse;
    if (!machine.empty()) {
      const Machine *known = findMachine(machine);
      if (!known) {
        module.emitError() << "shard-report: no machine is called '" << machine
                           << "'; known ones are " << machineNames();
        return signalPassFailure();
      }
      machineToUse = *known;
    }
    OwningOpRef<ModuleOp> copy;
    bool hinted = module
                      ->walk([](Operation *op) {
                        return isHint(op) ? WalkResult::interrupt()
                                          : WalkResult::advance();
                      })
                      .wasInterrupted();
    if (hinted) {
      copy = module.clone();
      PassManager manager(&getContext());
      buildSpmdPipeline(manager, {});
      if (failed(manager.run(*copy)))
        return signalPassFailure();
      module = *copy;
    }
    report(module, machineToUse);
  }

private:
  void report(ModuleOp module, const std::optional<Machine> &machineToUse) {
    // Standard error is not buffered.
    std::string text;
    llvm::raw_string_ostream os(text);
    llvm::json::Array objects;
    for (auto function : module.getOps<FunctionOpInterface>()) {
      if (!function.isPublic() || function.isExternal())
        continue;
      ProgramCost cost = predictProgram(function, machineToUse);
      if (json) {
        objects.push_back(toJson(cost));
        continue;
      }
      if (!text.empty())
        os << '\n';
      printText(cost, os);
    }
    if (json)
      os << llvm::formatv("{0:2}\n", llvm::json::Value(std::move(objects)));
    llvm::errs() << text;
  }
};

} // namespace

} // namespace shard
