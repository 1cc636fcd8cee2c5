//===- LowerToLLVM.cpp - From the program of one device to LLVM -----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Pipelines/LowerToLLVM.h"

#include "shard/Codegen/Workarounds.h"
#include "shard/Conversion/Conversion.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace {
struct CopyDynamicBoundaries
    : PassWrapper<CopyDynamicBoundaries, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CopyDynamicBoundaries)
  StringRef getName() const override { return "CopyDynamicBoundaries"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<bufferization::BufferizationDialect>();
  }
  void runOnOperation() override {
    shard::copyDynamicBoundaries(getOperation());
  }
};

struct ExpandReducingViews
    : PassWrapper<ExpandReducingViews, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExpandReducingViews)
  StringRef getName() const override { return "ExpandReducingViews"; }
  void runOnOperation() override { shard::expandReducingViews(getOperation()); }
};
} // namespace

void shard::buildLowerToLLVMPipeline(OpPassManager &manager) {
  manager.addPass(createConvertElementwiseToLinalgPass());
  manager.addPass(bufferization::createEmptyTensorEliminationPass());
  manager.addPass(std::make_unique<CopyDynamicBoundaries>());
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  // A collective in a loop yields a fresh buffer.
  bufferize.allowReturnAllocsFromLoops = true;
  bufferize.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  manager.addPass(bufferization::createOneShotBufferizePass(bufferize));
  manager.addPass(std::make_unique<ExpandReducingViews>());
  bufferization::buildBufferDeallocationPipeline(manager);
  manager.addPass(createConvertLinalgToLoopsPass());
  buildShardToRuntimePipeline(manager);
  manager.addPass(memref::createExpandStridedMetadataPass());
  manager.addPass(createLowerAffinePass());
  manager.addPass(createSCFToControlFlowPass());
  manager.addPass(arith::createArithExpandOpsPass());
  manager.addPass(createConvertToLLVMPass());
  // Math that LLVM has no intrinsic for.
  manager.addPass(createConvertMathToLibmPass());
  manager.addPass(createConvertToLLVMPass());
  manager.addPass(createReconcileUnrealizedCastsPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
}
