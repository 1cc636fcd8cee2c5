//===- LowerToLLVM.cpp - From the program of one device to LLVM -----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Pipelines/LowerToLLVM.h"

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

/// The dimensions of `op`'s source that its result has, in order; those that it
/// drops have one element. Of several in a row it does not matter which.
static SmallVector<int64_t> keptDims(memref::SubViewOp op) {
  ArrayRef<int64_t> shape = op.getType().getShape();
  SmallVector<int64_t> kept;
  for (auto [dim, size] : llvm::enumerate(op.getStaticSizes()))
    if (kept.size() < shape.size() && (size != 1 || shape[kept.size()] == 1))
      kept.push_back(dim);
  return kept;
}

void shard::expandReducingViews(Operation *root) {
  SmallVector<memref::SubViewOp> views;
  root->walk([&](memref::SubViewOp op) {
    if (op.getSourceType().getRank() != op.getType().getRank())
      views.push_back(op);
  });
  for (memref::SubViewOp op : views) {
    OpBuilder builder(op);
    auto whole = memref::SubViewOp::create(
        builder, op.getLoc(), op.getSource(), op.getMixedOffsets(),
        op.getMixedSizes(), op.getMixedStrides());
    auto numbers = memref::ExtractStridedMetadataOp::create(
        builder, op.getLoc(), whole.getResult());
    auto [staticStrides, staticOffset] = op.getType().getStridesAndOffset();
    auto known = [&](int64_t number, OpFoldResult otherwise) {
      return ShapedType::isDynamic(number)
                 ? otherwise
                 : OpFoldResult(builder.getIndexAttr(number));
    };
    SmallVector<OpFoldResult> sizes, strides;
    for (auto [dim, from] : llvm::enumerate(keptDims(op))) {
      sizes.push_back(op.getMixedSizes()[from]);
      // Any stride is right where there is one element; the type says which.
      strides.push_back(known(staticStrides[dim], numbers.getStrides()[from]));
    }
    auto cast = memref::ReinterpretCastOp::create(
        builder, op.getLoc(), op.getType(), whole.getResult(),
        known(staticOffset, numbers.getOffset()), sizes, strides);
    op.replaceAllUsesWith(cast.getResult());
    op.erase();
  }
}

void shard::copyDynamicBoundaries(Operation *root) {
  root->walk([](Operation *op) {
    if (!isa<func::ReturnOp, func::CallOp>(op))
      return;
    OpBuilder builder(op);
    for (OpOperand &operand : op->getOpOperands()) {
      auto type = dyn_cast<RankedTensorType>(operand.get().getType());
      if (!type || type.getRank() < 2 ||
          !ShapedType::isDynamicShape(type.getShape().drop_front()) ||
          operand.get().getDefiningOp<bufferization::AllocTensorOp>())
        continue;
      operand.set(bufferization::AllocTensorOp::create(
          builder, op->getLoc(), type, ValueRange(), operand.get()));
    }
  });
}

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
