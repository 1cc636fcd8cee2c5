//===- Passes.cpp - Passes over the library functions ---------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleOrFunctionPass.h"

#include "shard/Transforms/Passes.h"

#include "shard/Propagation/Propagation.h"

namespace shard {

#define GEN_PASS_DEF_SHARDEXPLAIN
#define GEN_PASS_DEF_SHARDINGPROPAGATION
#define GEN_PASS_DEF_SHARDPARTITION
#define GEN_PASS_DEF_SHARDVERIFYSPMD
#include "shard/Transforms/Passes.h.inc"

namespace {

struct ShardingPropagationPass
    : public ModuleOrFunctionPass<
          impl::ShardingPropagationBase<ShardingPropagationPass>> {
  using ModuleOrFunctionPass::ModuleOrFunctionPass;

  void runOnOperation() override {
    PropagationOptions options;
    options.strategy = strategy;
    options.traversal = traversal;
    options.uneven = uneven;
    options.opPriorities = opPriorities;
    options.userPriorities = userPriorities;
    if (mlir::failed(annotateShardings(getOperation(), options)))
      signalPassFailure();
  }
};

struct ShardPartitionPass : public ModuleOrFunctionPass<
                                impl::ShardPartitionBase<ShardPartitionPass>> {
  using ModuleOrFunctionPass::ModuleOrFunctionPass;

  void runOnOperation() override {
    PartitionOptions options;
    options.globalArguments = globalArguments;
    if (mlir::failed(partitionProgram(getOperation(), options)))
      signalPassFailure();
  }
};

struct ShardExplainPass
    : public ModuleOrFunctionPass<impl::ShardExplainBase<ShardExplainPass>> {
  using ModuleOrFunctionPass::ModuleOrFunctionPass;

  void runOnOperation() override {
    PropagationExplanation explanation;
    if (mlir::failed(annotateShardings(getOperation(), {}, &explanation)))
      return signalPassFailure();
    // Standard error is not buffered.
    std::string text;
    llvm::raw_string_ostream stream(text);
    if (json)
      explanation.printJson(stream);
    else
      explanation.print(stream);
    llvm::errs() << text;
  }
};

struct ShardVerifySpmdPass
    : public ModuleOrFunctionPass<
          impl::ShardVerifySpmdBase<ShardVerifySpmdPass>> {
  using ModuleOrFunctionPass::ModuleOrFunctionPass;

  void runOnOperation() override {
    if (mlir::failed(verifySpmd(getOperation())))
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace

} // namespace shard
