//===- EqualOperands.cpp - Folds to constants of unknown size -------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Partitioning/LocalOps.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

#include <limits>

using namespace mlir;

/// The constant that result `type` of `op` folds to. A tensor whose extents only the run knows
/// becomes a splat as large as an operand; null where none tells how large it is.
static Value constantOf(OpBuilder &builder, Operation *op, Attribute folded,
                        Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  Dialect *dialect = op->getDialect();
  auto made = [](Operation *constant) {
    return constant ? constant->getResult(0) : Value();
  };
  if (!tensor || tensor.hasStaticShape())
    return made(
        dialect->materializeConstant(builder, folded, type, op->getLoc()));
  auto splat = dyn_cast<SplatElementsAttr>(folded);
  auto like = llvm::find_if(op->getOperandTypes(), [&](Type operand) {
    auto other = dyn_cast<RankedTensorType>(operand);
    return other && other.getShape() == tensor.getShape();
  });
  if (!splat || !op->hasTrait<OpTrait::Elementwise>() ||
      like == op->getOperandTypes().end())
    return {};
  Value element = made(
      dialect->materializeConstant(builder, splat.getSplatValue<Attribute>(),
                                   tensor.getElementType(), op->getLoc()));
  if (!element)
    return {};
  unsigned number = std::distance(op->getOperandTypes().begin(), like);
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < tensor.getRank(); ++dim)
    if (tensor.isDynamicDim(dim))
      sizes.push_back(tensor::DimOp::create(builder, op->getLoc(),
                                            op->getOperand(number), dim));
  return tensor::SplatOp::create(builder, op->getLoc(), tensor, element, sizes);
}

bool shard::splatEqualOperands(Operation *root) {
  bool changed = false;
  root->walk([&](Operation *op) {
    if (!op->hasTrait<OpTrait::Elementwise>() || op->getNumResults() != 1 ||
        !llvm::all_equal(op->getOperands()))
      return;
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    SmallVector<OpFoldResult, 1> folded;
    if (!type || type.hasStaticShape() || failed(op->fold(folded)) ||
        folded.empty())
      return;
    OpBuilder builder(op);
    // x or x is x.
    auto value = dyn_cast<Value>(folded.front());
    if (!value)
      value = constantOf(builder, op, cast<Attribute>(folded.front()), type);
    if (!value)
      return;
    op->replaceAllUsesWith(ValueRange(value));
    op->erase();
    changed = true;
  });
  return changed;
}

namespace {
/// Folds as the greedy driver does, but for constants of dynamic types.
struct FoldOp : RewritePattern {
  // In front of all others, as the driver folds first.
  explicit FoldOp(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(),
                       std::numeric_limits<unsigned short>::max() - 1,
                       context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    SmallVector<OpFoldResult> folded;
    if (op->hasTrait<OpTrait::ConstantLike>() || failed(op->fold(folded)))
      return failure();
    if (folded.empty()) {
      rewriter.modifyOpInPlace(op, [] {});
      return success();
    }
    SmallVector<Value> values;
    for (auto [result, value] : llvm::zip_equal(op->getResults(), folded)) {
      auto known = dyn_cast<Value>(value);
      values.push_back(known ? known
                             : constantOf(rewriter, op, cast<Attribute>(value),
                                          result.getType()));
      if (!values.back())
        return failure();
    }
    rewriter.replaceOp(op, values);
    return success();
  }
};
} // namespace

void shard::populateFoldPatterns(RewritePatternSet &patterns) {
  patterns.add<FoldOp>(patterns.getContext());
}
