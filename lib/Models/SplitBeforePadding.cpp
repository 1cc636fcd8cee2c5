//===- SplitBeforePadding.cpp - Splits of dimensions before padding -------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Models/Reshapes.h"

#include "shard/IR/ShardDialect.h"
#include "shard/IR/ShardingUtils.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace shard {

/// The dimensions that `op` pads, or that may be.
static llvm::SmallBitVector paddedDims(tensor::PadOp op) {
  llvm::SmallBitVector padded(op.getSourceType().getRank());
  for (auto [dim, low, high] :
       llvm::enumerate(op.getMixedLowPad(), op.getMixedHighPad()))
    padded[dim] = !isZeroInteger(low) || !isZeroInteger(high);
  return padded;
}

/// Whether `op` splits dimensions of padding that nothing else reads, none of which it pads.
static bool splitsBesidePadding(tensor::ExpandShapeOp op) {
  auto pad = op.getSrc().getDefiningOp<tensor::PadOp>();
  if (!pad || !pad->hasOneUse() ||
      !llvm::all_of(pad.getRegion().getArguments(),
                    [](Value place) { return place.use_empty(); }) ||
      !op.getResultType().hasStaticShape() ||
      !pad.getSourceType().hasStaticShape() || isHinted(pad) || hasHint(op))
    return false;
  llvm::SmallBitVector padded = paddedDims(pad);
  return llvm::all_of(
      llvm::enumerate(op.getReassociationIndices()), [&](auto group) {
        return group.value().size() == 1 || !padded[group.index()];
      });
}

/// Puts `op`, which splits dimensions of padding, in front of it.
static void splitBeforePadding(tensor::ExpandShapeOp op,
                               RewriterBase &rewriter) {
  auto pad = op.getSrc().getDefiningOp<tensor::PadOp>();
  RankedTensorType source = pad.getSourceType();
  SmallVector<int64_t> shape(op.getResultType().getShape());
  OpFoldResult none = rewriter.getIndexAttr(0);
  SmallVector<OpFoldResult> low(shape.size(), none), high(shape.size(), none);
  for (auto [dim, group] : llvm::enumerate(op.getReassociationIndices()))
    if (group.size() == 1) {
      shape[group[0]] = source.getDimSize(dim);
      low[group[0]] = pad.getMixedLowPad()[dim];
      high[group[0]] = pad.getMixedHighPad()[dim];
    }
  // Not at `op`, which may be in a loop.
  rewriter.setInsertionPoint(pad);
  Value split = tensor::ExpandShapeOp::create(
      rewriter, op.getLoc(), source.clone(shape), pad.getSource(),
      op.getReassociationIndices());
  auto padded =
      tensor::PadOp::create(rewriter, pad.getLoc(), op.getResultType(), split,
                            low, high, pad.getNofold());
  Region &body = padded.getRegion();
  body.takeBody(pad.getRegion());
  // One argument per dimension; nothing uses them.
  for (size_t dim = body.getNumArguments(); dim < shape.size(); ++dim)
    body.addArgument(rewriter.getIndexType(), pad.getLoc());
  rewriter.replaceOp(op, padded);
  rewriter.eraseOp(pad);
}

bool splitBeforePadding(Operation *root) {
  SmallVector<tensor::ExpandShapeOp> ops;
  root->walk([&](tensor::ExpandShapeOp op) {
    if (splitsBesidePadding(op))
      ops.push_back(op);
  });
  IRRewriter rewriter(root->getContext());
  for (tensor::ExpandShapeOp op : ops)
    splitBeforePadding(op, rewriter);
  return !ops.empty();
}

} // namespace shard
