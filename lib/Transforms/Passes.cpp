//===- Passes.cpp - Passes over the library functions ---------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Transforms/Passes.h"

#include "shard/IR/ShardDialect.h"
#include "shard/Propagation/Propagation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace shard {

#define GEN_PASS_DEF_SHARDEXPLAIN
#define GEN_PASS_DEF_SHARDINGPROPAGATION
#define GEN_PASS_DEF_SHARDPARTITION
#define GEN_PASS_DEF_SHARDVERIFYSPMD
#include "shard/Transforms/Passes.h.inc"

namespace {

/// Our dialect comes by an extension: naming it as a dependent dialect would be
/// fatal in hosts that have LLVM's dialect of the same name. The others are those
/// of the ops that models and the emitter build.
template <typename Base>
struct ModuleOrFunctionPass : public Base {
  using Base::Base;

  void getDependentDialects(mlir::DialectRegistry &registry) const override {
    registerShardDialect(registry);
    registry.insert<mlir::arith::ArithDialect, mlir::cf::ControlFlowDialect,
                    mlir::tensor::TensorDialect>();
  }
  bool canScheduleOn(mlir::RegisteredOperationName name) const override {
    return name.getStringRef() == mlir::ModuleOp::getOperationName() ||
           name.hasInterface<mlir::FunctionOpInterface>();
  }
};

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
    if (json)
      explanation.printJson(llvm::errs());
    else
      explanation.print(llvm::errs());
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
