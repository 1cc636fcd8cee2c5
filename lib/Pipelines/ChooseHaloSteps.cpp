//===- ChooseHaloSteps.cpp - How many steps one exchange of halos serves --===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Cost/Predict.h"
#include "shard/IR/ShardOps.h"
#include "shard/Models/Stencils.h"
#include "shard/Pipelines/Pipelines.h"
#include "shard/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace shard {

#define GEN_PASS_DEF_SHARDCHOOSEHALOSTEPS
#include "shard/Transforms/Passes.h.inc"

namespace {

/// What is tried; more steps compute more than calls cost, on all machines known.
constexpr unsigned kSteps[] = {1, 2, 4, 8};

struct ShardChooseHaloStepsPass
    : public impl::ShardChooseHaloStepsBase<ShardChooseHaloStepsPass> {
  using ShardChooseHaloStepsBase::ShardChooseHaloStepsBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    registerShardDialect(registry);
    OpPassManager pipeline(ModuleOp::getOperationName());
    buildSpmdPipeline(pipeline, {});
    pipeline.getDependentDialects(registry);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    Operation *stencil = findStencil(module);
    if (!stencil)
      return markAllAnalysesPreserved();
    unsigned best = 1;
    double first = 0, least = 0;
    for (unsigned steps : kSteps) {
      std::optional<double> seconds = predict(module, steps);
      // The program itself tells what is wrong.
      if (!seconds)
        break;
      if (steps == 1)
        first = least = *seconds;
      if (*seconds < least) {
        least = *seconds;
        best = steps;
      }
    }
    if (best > 1)
      emitRemark(stencil->getLoc())
          << "one exchange of halos serves " << best << " steps of a stencil: "
          << llvm::formatv("{0:F3} ms predicted instead of {1:F3} ms",
                           least * 1e3, first * 1e3)
                 .str();
    if (!unrollStencils(module, best))
      markAllAnalysesPreserved();
  }

private:
  /// The seconds that all entries of `module` take with so many steps; nothing if it
  /// cannot be partitioned.
  std::optional<double> predict(ModuleOp module, unsigned steps) {
    OwningOpRef<ModuleOp> copy = module.clone();
    SpmdPipelineOptions options;
    options.haloSteps = steps;
    PassManager manager(&getContext());
    buildSpmdPipeline(manager, options);
    ScopedDiagnosticHandler silent(&getContext(),
                                   [](Diagnostic &) { return success(); });
    if (failed(manager.run(*copy)))
      return std::nullopt;
    double seconds = 0;
    for (auto function : copy->getOps<FunctionOpInterface>())
      if (function.isPublic() && !function.isExternal())
        seconds += predictProgram(function).seconds;
    return seconds;
  }
};

} // namespace

} // namespace shard
