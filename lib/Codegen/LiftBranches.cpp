//===- LiftBranches.cpp - Blocks and branches to structured loops ---------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One-shot bufferization gives an argument of a block one buffer type only where
// all branches to it agree on one, and its analysis does not follow branches. The
// ops of scf say what flows where, so branches become those first.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/Conversion/ControlFlowToSCF/ControlFlowToSCF.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace shard;
using namespace shard::codegen;

namespace {

/// What a path does not define is never read; it is something that bufferizes.
class Lifting : public ControlFlowToSCFTransformation {
public:
  Value getUndefValue(Location loc, OpBuilder &builder, Type type) override {
    if (auto tensor = dyn_cast<RankedTensorType>(type)) {
      SmallVector<Value> sizes;
      for (size_t i = 0, e = tensor.getNumDynamicDims(); i < e; ++i)
        sizes.push_back(arith::ConstantIndexOp::create(builder, loc, 0));
      return tensor::EmptyOp::create(builder, loc, tensor, sizes);
    }
    if (TypedAttr zero = type.isIntOrIndexOrFloat() ? builder.getZeroAttr(type)
                                                    : TypedAttr())
      return arith::ConstantOp::create(builder, loc, zero);
    return ControlFlowToSCFTransformation::getUndefValue(loc, builder, type);
  }
};

} // namespace

LogicalResult codegen::liftBranches(ModuleOp module) {
  Lifting lifting;
  IRRewriter rewriter(module.getContext());
  for (auto function : module.getOps<func::FuncOp>()) {
    bool any = false;
    function.walk([&](Operation *op) {
      for (Region &region : op->getRegions())
        any |= !region.empty() && !region.hasOneBlock();
    });
    if (!any)
      continue;
    (void)eraseUnreachableBlocks(rewriter, function->getRegions());
    DominanceInfo dominance(function);
    // Inner regions first.
    WalkResult walked =
        function.walk<WalkOrder::PostOrder>([&](Operation *op) -> WalkResult {
          for (Region &region : op->getRegions())
            if (failed(transformCFGToSCF(region, lifting, dominance)))
              return WalkResult::interrupt();
          return WalkResult::advance();
        });
    if (walked.wasInterrupted())
      return failure();
  }
  return success();
}
