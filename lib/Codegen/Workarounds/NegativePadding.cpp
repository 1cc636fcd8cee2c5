//===- NegativePadding.cpp - tensor.pad that cuts elements off ------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Codegen/Workarounds.h"

#include "shard/IR/WrittenOps.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

static bool mayBeNegative(OpFoldResult width) {
  std::optional<int64_t> known = getConstantIntValue(width);
  return !known || *known < 0;
}

namespace {

/// What becomes of one dimension: `size` elements from `offset` on stay, with
/// padding that is not negative on both sides.
struct Cut {
  OpFoldResult offset, size, low, high;
};

/// `result`, or the nearest number where it is none of 64 bits with the sign of `first`, or the
/// number that stands for an unknown extent.
static int64_t saturated(bool overflows, int64_t first, int64_t result) {
  constexpr int64_t least = std::numeric_limits<int64_t>::min() + 1,
                    most = std::numeric_limits<int64_t>::max();
  if (overflows)
    return first < 0 ? least : most;
  return std::max(result, least);
}

/// Arithmetic on extents, which makes ops only where one is not known.
struct ExtentBuilder {
  template <typename OpTy, typename ComputeFn>
  OpFoldResult make(OpFoldResult a, OpFoldResult b, ComputeFn &&compute) {
    std::optional<int64_t> left = getConstantIntValue(a),
                           right = getConstantIntValue(b);
    if (left && right)
      return builder.getIndexAttr(compute(*left, *right));
    return OpTy::create(builder, loc,
                        getValueOrCreateConstantIndexOp(builder, loc, a),
                        getValueOrCreateConstantIndexOp(builder, loc, b))
        .getResult();
  }
  OpFoldResult min(OpFoldResult a, OpFoldResult b) {
    return make<arith::MinSIOp>(
        a, b, [](int64_t x, int64_t y) { return std::min(x, y); });
  }
  OpFoldResult max(OpFoldResult a, OpFoldResult b) {
    return make<arith::MaxSIOp>(
        a, b, [](int64_t x, int64_t y) { return std::max(x, y); });
  }
  OpFoldResult add(OpFoldResult a, OpFoldResult b) {
    return make<arith::AddIOp>(a, b, [](int64_t x, int64_t y) {
      int64_t result;
      bool overflows = llvm::AddOverflow(x, y, result);
      return saturated(overflows, x, result);
    });
  }
  OpFoldResult sub(OpFoldResult a, OpFoldResult b) {
    return make<arith::SubIOp>(a, b, [](int64_t x, int64_t y) {
      int64_t result;
      bool overflows = llvm::SubOverflow(x, y, result);
      return saturated(overflows, x, result);
    });
  }

  /// `total` is the extent of the result. Element i of the result is element
  /// i - low of the source, as far as there is one.
  Cut cut(OpFoldResult extent, OpFoldResult low, OpFoldResult total) {
    OpFoldResult zero = builder.getIndexAttr(0);
    OpFoldResult begin = min(max(sub(zero, low), zero), extent);
    OpFoldResult end = max(min(extent, sub(total, low)), begin);
    OpFoldResult size = sub(end, begin);
    OpFoldResult before = min(max(low, zero), total);
    // A slice of no elements must begin inside of its source, too.
    OpFoldResult last = max(sub(extent, builder.getIndexAttr(1)), zero);
    return {min(begin, last), size, before, sub(sub(total, before), size)};
  }

  OpBuilder &builder;
  Location loc;
};

} // namespace

/// The result of `op` where the source has no elements.
static Operation *makePaddingOnly(RewriterBase &rewriter, tensor::PadOp op,
                                  ArrayRef<OpFoldResult> totals) {
  RankedTensorType type = op.getResultType();
  SmallVector<Value> extents;
  for (auto [dim, total] : llvm::enumerate(totals))
    if (type.isDynamicDim(dim))
      extents.push_back(
          getValueOrCreateConstantIndexOp(rewriter, op.getLoc(), total));
  return tensor::GenerateOp::create(rewriter, op.getLoc(), type, extents);
}

static void expand(RewriterBase &rewriter, tensor::PadOp op) {
  Location loc = op.getLoc();
  RankedTensorType type = op.getResultType();
  ExtentBuilder extents{rewriter, loc};
  OpFoldResult zero = rewriter.getIndexAttr(0);
  SmallVector<OpFoldResult> totals, offsets, sizes, lows, highs;
  for (auto [dim, extent, low, high] :
       llvm::enumerate(tensor::getMixedSizes(rewriter, loc, op.getSource()),
                       op.getMixedLowPad(), op.getMixedHighPad())) {
    OpFoldResult total = rewriter.getIndexAttr(type.getDimSize(dim));
    if (type.isDynamicDim(dim))
      total = extents.max(extents.add(extents.add(extent, low), high), zero);
    Cut cut = {zero, extent, low, high};
    if (mayBeNegative(low) || mayBeNegative(high))
      cut = extents.cut(extent, low, total);
    totals.push_back(total);
    offsets.push_back(cut.offset);
    sizes.push_back(cut.size);
    lows.push_back(cut.low);
    highs.push_back(cut.high);
  }
  Operation *result;
  if (llvm::is_contained(op.getSourceType().getShape(), 0)) {
    // MLIR knows no slice of such a source.
    result = makePaddingOnly(rewriter, op, totals);
  } else {
    SmallVector<OpFoldResult> strides(type.getRank(), rewriter.getIndexAttr(1));
    Value slice =
        tensor::ExtractSliceOp::create(rewriter, shard::locationAsPartOf(op),
                                       op.getSource(), offsets, sizes, strides);
    // The slice may state extents that the source does not.
    SmallVector<int64_t> staticLow, staticHigh;
    SmallVector<Value> dynamic;
    dispatchIndexOpFoldResults(lows, dynamic, staticLow);
    dispatchIndexOpFoldResults(highs, dynamic, staticHigh);
    RankedTensorType known =
        tensor::PadOp::inferResultType(cast<RankedTensorType>(slice.getType()),
                                       staticLow, staticHigh, type.getShape());
    result = tensor::PadOp::create(rewriter, loc, known, slice, lows, highs,
                                   op.getNofold());
  }
  result->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  Region &body = result->getRegion(0);
  rewriter.inlineRegionBefore(op.getRegion(), body, body.begin());
  Value made = result->getResult(0);
  if (made.getType() != type)
    made = tensor::CastOp::create(rewriter, loc, type, made);
  rewriter.replaceOp(op, made);
}

bool shard::expandNegativePadding(Operation *root) {
  SmallVector<tensor::PadOp> pads;
  // The verifier of the op lets pass that widths which are not static have no operands.
  auto lacks = [](ArrayRef<int64_t> widths, ValueRange operands) {
    return llvm::count_if(widths, ShapedType::isDynamic) !=
           int64_t(operands.size());
  };
  root->walk([&](tensor::PadOp op) {
    if (lacks(op.getStaticLow(), op.getLow()) ||
        lacks(op.getStaticHigh(), op.getHigh()))
      return;
    if (llvm::any_of(op.getMixedLowPad(), mayBeNegative) ||
        llvm::any_of(op.getMixedHighPad(), mayBeNegative))
      pads.push_back(op);
  });
  IRRewriter rewriter(root->getContext());
  for (tensor::PadOp op : pads) {
    rewriter.setInsertionPoint(op);
    expand(rewriter, op);
  }
  return !pads.empty();
}
