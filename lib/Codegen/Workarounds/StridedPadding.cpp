//===- StridedPadding.cpp - Padded tensors that are inserted with strides -===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Codegen/Workarounds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

/// The pad whose result `op` inserts with strides; null if there is none, or if not one
/// element fills it.
static tensor::PadOp paddedSource(tensor::InsertSliceOp op) {
  auto pad = op.getSource().getDefiningOp<tensor::PadOp>();
  bool isStrided = llvm::any_of(op.getMixedStrides(), [](OpFoldResult stride) {
    return !isConstantIntValue(stride, 1);
  });
  return isStrided && pad && pad.getConstantPaddingValue() &&
                 pad.getType().getRank() == op.getType().getRank()
             ? pad
             : tensor::PadOp();
}

/// The padding element of `pad` as a value that is known in front of `pad`.
static Value fillOf(OpBuilder &builder, tensor::PadOp pad) {
  Value fill = pad.getConstantPaddingValue();
  if (fill.getParentRegion() != &pad.getRegion())
    return fill;
  return builder.clone(*fill.getDefiningOp())->getResult(0);
}

/// Whether `tensor` is full of the padding element of `pad` already.
static bool isFullOfPadding(Value tensor, tensor::PadOp pad) {
  auto fill = tensor.getDefiningOp<linalg::FillOp>();
  if (!fill)
    return false;
  Value element = fill.getInputs().front(),
        padding = pad.getConstantPaddingValue();
  Attribute left, right;
  return element == padding ||
         (matchPattern(element, m_Constant(&left)) &&
          matchPattern(padding, m_Constant(&right)) && left == right);
}

/// Inserts a tensor that is full of the padding of `pad` where `op` inserts `pad`.
static Value insertPadding(OpBuilder &builder, tensor::InsertSliceOp op,
                           tensor::PadOp pad) {
  Location loc = op.getLoc();
  SmallVector<Value> dynamicSizes;
  for (int64_t dim = 0; dim < pad.getType().getRank(); ++dim)
    if (pad.getType().isDynamicDim(dim))
      dynamicSizes.push_back(
          tensor::DimOp::create(builder, loc, op.getSource(), dim));
  Value filled = tensor::SplatOp::create(builder, loc, pad.getType(),
                                         fillOf(builder, pad), dynamicSizes);
  return tensor::InsertSliceOp::create(builder, loc, filled, op.getDest(),
                                       op.getMixedOffsets(), op.getMixedSizes(),
                                       op.getMixedStrides());
}

/// offset + low * stride.
static OpFoldResult placeBehind(OpBuilder &builder, Location loc,
                                OpFoldResult offset, OpFoldResult low,
                                OpFoldResult stride) {
  std::optional<int64_t> from = getConstantIntValue(offset),
                         count = getConstantIntValue(low),
                         step = getConstantIntValue(stride);
  if (from && count && step)
    return builder.getIndexAttr(*from + *count * *step);
  auto value = [&](OpFoldResult number) {
    return getValueOrCreateConstantIndexOp(builder, loc, number);
  };
  Value elements =
      arith::MulIOp::create(builder, loc, value(low), value(stride));
  return arith::AddIOp::create(builder, loc, value(offset), elements)
      .getResult();
}

bool shard::separateStridedPadding(Operation *root) {
  SmallVector<tensor::InsertSliceOp> ops;
  root->walk([&](tensor::InsertSliceOp op) {
    if (paddedSource(op))
      ops.push_back(op);
  });
  IRRewriter rewriter(root->getContext());
  for (tensor::InsertSliceOp op : ops) {
    tensor::PadOp pad = paddedSource(op);
    Location loc = op.getLoc();
    rewriter.setInsertionPoint(op);
    Value around = isFullOfPadding(op.getDest(), pad)
                       ? op.getDest()
                       : insertPadding(rewriter, op, pad);
    SmallVector<OpFoldResult> offsets;
    for (auto [offset, stride, low] : llvm::zip_equal(
             op.getMixedOffsets(), op.getMixedStrides(), pad.getMixedLowPad()))
      offsets.push_back(placeBehind(rewriter, loc, offset, low, stride));
    rewriter.replaceOpWithNewOp<tensor::InsertSliceOp>(
        op, pad.getSource(), around, offsets,
        tensor::getMixedSizes(rewriter, loc, pad.getSource()),
        op.getMixedStrides());
    if (pad->use_empty())
      rewriter.eraseOp(pad);
  }
  return !ops.empty();
}
