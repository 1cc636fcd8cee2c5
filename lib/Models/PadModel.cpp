//===- PadModel.cpp - Tensors with elements around them -------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loop of the result slides over the operand, and reads the fill around it.
//
//===----------------------------------------------------------------------===//

#include "TensorModels.h"

#include "shard/Interfaces/DescribedModel.h"
#include "shard/Partitioning/PartitionContext.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace shard {

OpFoldResult fillOfPad(tensor::PadOp pad) {
  Value padding = pad.getConstantPaddingValue();
  FloatAttr number;
  IntegerAttr integer;
  if (!padding)
    return {};
  if (matchPattern(padding, m_Constant(&number)))
    return number;
  if (matchPattern(padding, m_Constant(&integer)))
    return integer;
  // Other constants may stand in the body.
  return padding.getParentRegion() == &pad.getRegion() ? OpFoldResult()
                                                       : OpFoldResult(padding);
}

bool hasAllWidths(tensor::PadOp op) {
  return llvm::count_if(op.getStaticLow(), ShapedType::isDynamic) ==
             int64_t(op.getLow().size()) &&
         llvm::count_if(op.getStaticHigh(), ShapedType::isDynamic) ==
             int64_t(op.getHigh().size());
}

namespace {

/// Where the result is split, the operand is the window of it with the padding
/// already around it.
struct PadModel : public DescribedModel<PadModel, tensor::PadOp> {
  void describe(tensor::PadOp op, MapBuilder &maps) const {
    // A body that asks where it is would get local indices.
    if (!op.getConstantPaddingValue() || !hasAllWidths(op))
      return;
    bool hasFill = bool(getWindowFill(op, 0));
    for (auto [dim, low, high] :
         llvm::enumerate(op.getMixedLowPad(), op.getMixedHighPad())) {
      std::optional<int64_t> before = getConstantIntValue(low),
                             behind = getConstantIntValue(high);
      if (!before || !behind || ((*before || *behind) && !hasFill))
        continue;
      Loop slides = Loop::parallel(op.getType().getDimSize(dim));
      if (op.getType().isDynamicDim(dim) && (*before || *behind))
        slides = Loop::sliding({0, int32_t(dim), *before + *behind});
      AffineExpr loop = maps.loop(slides);
      maps.result(0)[dim] = loop;
      maps.operand(0)[dim] = loop - *before;
    }
  }
  PartialRule getPartialRule(Operation *op) const {
    Value padding = cast<tensor::PadOp>(op).getConstantPaddingValue();
    bool isZero = padding && (matchPattern(padding, m_AnyZeroFloat()) ||
                              matchPattern(padding, m_Zero()));
    return isZero ? PartialRule::Additive : PartialRule::None;
  }
  bool isView(Operation *op) const {
    return bool(cast<tensor::PadOp>(op).getConstantPaddingValue());
  }
  OpFoldResult getWindowFill(Operation *op, unsigned) const {
    return fillOfPad(cast<tensor::PadOp>(op));
  }
  LogicalResult partition(Operation *op, OpBuilder &builder,
                          ArrayRef<Value> operands, PartitionContext &context,
                          SmallVectorImpl<Value> &results) const {
    auto pad = cast<tensor::PadOp>(op);
    // The op itself would be printed with the error, which it cannot be.
    if (!hasAllWidths(pad))
      return emitError(op->getLoc())
             << "'tensor.pad' op has widths that are not static and have no "
                "operands; give one for each";
    SmallVector<OpFoldResult> low = pad.getMixedLowPad(),
                              high = pad.getMixedHighPad();
    for (SmallVector<OpFoldResult> *list : {&low, &high})
      for (OpFoldResult &entry : *list)
        if (auto value = dyn_cast_if_present<Value>(entry))
          for (unsigned i = 1; i < operands.size(); ++i)
            if (op->getOperand(i) == value)
              entry = operands[i];
    for (auto [dim, axes] : llvm::enumerate(context.operand(0).dims))
      if (!axes.empty())
        low[dim] = high[dim] = builder.getIndexAttr(0);
    auto isZero = [](OpFoldResult width) {
      return isConstantIntValue(width, 0);
    };
    Type local = context.localResultType(pad.getType(), 0);
    if (llvm::all_of(low, isZero) && llvm::all_of(high, isZero) &&
        operands[0].getType() == local) {
      results.push_back(operands[0]);
      return success();
    }
    auto made = tensor::PadOp::create(builder, op->getLoc(), local, operands[0],
                                      low, high, pad.getNofold());
    IRMapping mapping;
    pad.getRegion().cloneInto(&made.getRegion(), mapping);
    results.push_back(made);
    return success();
  }
};

} // namespace

void attachPadModel(MLIRContext *context) {
  tensor::PadOp::attachInterface<PadModel>(*context);
}

} // namespace shard
