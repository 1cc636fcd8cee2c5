//===- LowerTosa.cpp - From tosa to ops with sharding models --------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/OpHints.h"

#include "shard/Transforms/Passes.h"

#include "shard/IR/ShardOps.h"
#include "shard/Models/Canonicalizations.h"
#include "shard/Models/Concats.h"
#include "shard/Models/TosaReductions.h"
#include "shard/Models/TosaReshapes.h"
#include "shard/Models/TosaScales.h"
#include "shard/Models/TosaScatters.h"
#include "shard/Partitioning/LocalOps.h"

#include "mlir/Conversion/TosaToArith/TosaToArith.h"
#include "mlir/Conversion/TosaToLinalg/TosaToLinalg.h"
#include "mlir/Conversion/TosaToMLProgram/TosaToMLProgram.h"
#include "mlir/Conversion/TosaToSCF/TosaToSCF.h"
#include "mlir/Conversion/TosaToTensor/TosaToTensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Tosa/Transforms/Passes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/PassManager.h"

namespace shard {

#define GEN_PASS_DEF_SHARDLOWERTOSA
#include "shard/Transforms/Passes.h.inc"

namespace {

mlir::OpPassManager lowerings() {
  mlir::OpPassManager manager(mlir::ModuleOp::getOperationName());
  // The others reject what is left of tosa.
  manager.addPass(mlir::createTosaToMLProgram());
  mlir::OpPassManager &functions = manager.nest<mlir::func::FuncOp>();
  // Transposed convolutions are lowered in terms of plain ones only.
  functions.addPass(mlir::tosa::createTosaOptionalDecompositionsPass());
  functions.addPass(mlir::createTosaToSCFPass());
  functions.addPass(mlir::tosa::createTosaToLinalgNamed());
  functions.addPass(mlir::tosa::createTosaToLinalg());
  functions.addPass(mlir::createTosaToTensorPass());
  mlir::TosaToArithPassOptions toArith;
  toArith.includeApplyRescale = true;
  functions.addPass(mlir::createTosaToArithPass(toArith));
  return manager;
}

/// `value` without the annotations on it.
mlir::Value withoutAnnotations(mlir::Value value) {
  // Unreachable code may have annotations in a circle.
  constexpr int kLimit = 64;
  for (int steps = 0; steps < kLimit; ++steps) {
    mlir::Operation *op = value.getDefiningOp();
    if (!op || !mlir::isa<ShardOp, ConstraintOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// Lets `op` take zero points and other parameters, constants of one element, as
/// such: the lowerings do not look behind annotations, which ask nothing of
/// them. The annotations stay on the constants.
void useConstantParameters(mlir::Operation *op) {
  for (mlir::OpOperand &operand : op->getOpOperands()) {
    auto type = mlir::dyn_cast<mlir::RankedTensorType>(operand.get().getType());
    if (!type || !type.hasStaticShape() || type.getNumElements() != 1)
      continue;
    mlir::Value value = withoutAnnotations(operand.get());
    if (mlir::matchPattern(value, mlir::m_Constant()))
      operand.set(value);
  }
}

/// Replaces ops of tosa that are their operand, such as a transposition that keeps the order, by it:
/// the lowerings would do so after ops that have both as operands were looked at.
void dropIdentities(mlir::Operation *root,
                    llvm::function_ref<bool(mlir::Operation *)> isTosa) {
  root->walk([&](mlir::Operation *op) {
    llvm::SmallVector<mlir::OpFoldResult, 1> folded;
    if (!isTosa(op) || mlir::failed(op->fold(folded)) || folded.size() != 1)
      return;
    auto same = mlir::dyn_cast<mlir::Value>(folded.front());
    if (!same || same.getType() != op->getResult(0).getType())
      return;
    op->replaceAllUsesWith(mlir::ValueRange(same));
    op->erase();
  });
}

/// Whether `op` has a hint on its loops and takes a number that is computed: the lowerings may fold
/// the number, and then the op may have other loops.
bool mayChangeLoops(mlir::Operation *op) {
  return op->hasAttr(kLoopsAttrName) &&
         llvm::any_of(op->getOperands(), [](mlir::Value operand) {
           mlir::Operation *def = operand.getDefiningOp();
           return def && operand.getType().isIntOrIndex() &&
                  !def->hasTrait<mlir::OpTrait::ConstantLike>();
         });
}

/// Makes hints on values of the hints that stand on tosa ops: the lowerings drop attributes that
/// they do not know. Also of those on loops that may change.
mlir::LogicalResult
keepHints(mlir::ModuleOp module,
          llvm::function_ref<bool(mlir::Operation *)> isTosa) {
  llvm::SmallVector<mlir::Operation *> hinted;
  module->walk([&](mlir::Operation *op) {
    if (hasOpHint(op) && (isTosa(op) || mayChangeLoops(op)))
      hinted.push_back(op);
  });
  return expandOpHints(hinted);
}

struct ShardLowerTosaPass
    : public impl::ShardLowerTosaBase<ShardLowerTosaPass> {
  void getDependentDialects(mlir::DialectRegistry &registry) const override {
    lowerings().getDependentDialects(registry);
    registry.insert<mlir::linalg::LinalgDialect, mlir::tensor::TensorDialect>();
  }

  void runOnOperation() override {
    auto isTosa = [](mlir::Operation *op) {
      return op->getName().getDialectNamespace() == "tosa";
    };
    bool hasTosa = getOperation()
                       ->walk([&](mlir::Operation *op) {
                         return isTosa(op) ? mlir::WalkResult::interrupt()
                                           : mlir::WalkResult::advance();
                       })
                       .wasInterrupted();
    if (!hasTosa)
      return markAllAnalysesPreserved();
    if (mlir::failed(keepHints(getOperation(), isTosa)))
      return signalPassFailure();
    getOperation()->walk([&](mlir::Operation *op) {
      if (isTosa(op))
        useConstantParameters(op);
    });
    // The lowerings fold what they pass.
    dropIdentities(getOperation(), isTosa);
    dropIdentityTransposes(getOperation());
    splatEqualOperands(getOperation());
    joinTosaConcats(getOperation());
    lowerTosaScales(getOperation());
    lowerTosaScatters(getOperation());
    lowerDynamicTosaReshapes(getOperation());
    padWithInfinities(getOperation());
    llvm::DenseSet<mlir::Operation *> others = findReductions(getOperation());
    mlir::OpPassManager manager = lowerings();
    if (mlir::failed(runPipeline(manager, getOperation())))
      return signalPassFailure();
    beginWithInfinities(getOperation(), others);
    // Shapes that reshapes had as operands.
    getOperation()->walk([](mlir::tosa::ConstShapeOp shape) {
      if (shape->use_empty())
        shape->erase();
    });
  }
};

} // namespace

} // namespace shard
