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
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

template <typename OpTy>
static void normalizeStrides(Operation *root) {
  root->walk([](OpTy op) {
    SmallVector<int64_t> strides(op.getStaticStrides());
    for (auto [size, stride] : llvm::zip_equal(op.getStaticSizes(), strides))
      if (size == 1 && !ShapedType::isDynamic(stride))
        stride = 1;
    op.setStaticStrides(strides);
  });
}

void shard::normalizeUnitSlices(Operation *root) {
  normalizeStrides<tensor::ExtractSliceOp>(root);
  normalizeStrides<tensor::InsertSliceOp>(root);
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

struct NormalizeUnitSlices
    : PassWrapper<NormalizeUnitSlices, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(NormalizeUnitSlices)
  StringRef getName() const override { return "NormalizeUnitSlices"; }
  void runOnOperation() override { shard::normalizeUnitSlices(getOperation()); }
};
} // namespace

void shard::buildLowerToLLVMPipeline(OpPassManager &manager) {
  manager.addPass(std::make_unique<NormalizeUnitSlices>());
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
