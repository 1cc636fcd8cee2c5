//===- Insertions.cpp - Insertions with strides become reshapes -----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Models/Insertions.h"

#include "shard/Geometry/BlockLayout.h"
#include "shard/IR/ShardingUtils.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

#include <numeric>

using namespace mlir;

namespace shard {

namespace {

/// The element that all of `tensor` is; null if there is none.
OpFoldResult elementOf(Value tensor) {
  if (auto fill = tensor.getDefiningOp<linalg::FillOp>()) {
    Value element = fill.getInputs().front();
    if (element.getType() == getElementTypeOrSelf(tensor))
      return element;
    return {};
  }
  DenseElementsAttr elements;
  if (matchPattern(tensor, m_Constant(&elements)) && elements.isSplat())
    if (auto element = dyn_cast<TypedAttr>(elements.getSplatValue<Attribute>()))
      if (isa<FloatType, IntegerType, IndexType>(element.getType()))
        return element;
  return {};
}

/// The dimensions in which `op` leaves elements out.
SmallVector<unsigned> spreadDims(tensor::InsertSliceOp op) {
  SmallVector<unsigned> dims;
  for (auto [dim, stride] : llvm::enumerate(op.getStaticStrides()))
    if (stride != 1 && op.getStaticSizes()[dim] > 1)
      dims.push_back(dim);
  return dims;
}

bool canSpread(tensor::InsertSliceOp op) {
  auto isKnown = [](ArrayRef<int64_t> list) {
    return llvm::all_of(list, [](int64_t entry) {
      return !ShapedType::isDynamic(entry) && entry >= 0;
    });
  };
  RankedTensorType source = op.getSourceType(), dest = op.getDestType();
  return !hasHint(op) && source.hasStaticShape() && dest.hasStaticShape() &&
         !source.getEncoding() && !dest.getEncoding() &&
         source.getRank() == dest.getRank() && isKnown(op.getStaticOffsets()) &&
         isKnown(op.getStaticSizes()) && isKnown(op.getStaticStrides()) &&
         !llvm::is_contained(source.getShape(), 0) && !spreadDims(op).empty() &&
         elementOf(op.getDest());
}

/// The number that the axes of `grid` divide, as many of them as `extent` has elements
/// for.
int64_t divisibleBy(int64_t extent, ArrayRef<int64_t> grid) {
  int64_t parts = 1;
  for (int64_t size : grid)
    if (size > 0 && size <= extent / parts)
      parts *= size;
  // An axis of its own, where there is no room for several.
  for (int64_t size : grid)
    if (size > 0 && size <= extent &&
        parts / std::gcd(parts, size) <= extent / size)
      parts = std::lcm(parts, size);
  return parts;
}

class Spreader {
public:
  Spreader(tensor::InsertSliceOp op, Value fill, IRRewriter &rewriter)
      : op(op), fill(fill), rewriter(rewriter), loc(op.getLoc()) {}

  Value build(ArrayRef<int64_t> grid) {
    RankedTensorType type = op.getSourceType();
    SmallVector<unsigned> dims = spreadDims(op);
    SmallVector<int64_t> whole(type.getShape());
    for (unsigned dim : dims)
      whole[dim] = ceilDiv(whole[dim], divisibleBy(whole[dim], grid)) *
                   divisibleBy(whole[dim], grid);
    Value image = padded(op.getSource(), {}, whole);
    // Dimensions [d, 1] become [d, stride].
    SmallVector<int64_t> apart, spread;
    SmallVector<ReassociationIndices> groups(type.getRank());
    for (auto [dim, extent] : llvm::enumerate(whole)) {
      ReassociationIndices &group = groups[dim];
      auto add = [&](int64_t before, int64_t after) {
        group.push_back(int64_t(apart.size()));
        apart.push_back(before);
        spread.push_back(after);
      };
      add(extent, extent);
      if (llvm::is_contained(dims, dim)) {
        add(1, op.getStaticStrides()[dim]);
        whole[dim] *= op.getStaticStrides()[dim];
      }
    }
    Value parts = tensor::ExpandShapeOp::create(
        rewriter, loc, type.clone(apart), image, groups);
    Value flat = tensor::CollapseShapeOp::create(
        rewriter, loc, type.clone(whole), padded(parts, {}, spread), groups);
    return placed(flat);
  }

private:
  /// `tensor` at the offsets of the insertion, as far as the result goes.
  Value placed(Value tensor) {
    ArrayRef<int64_t> offsets = op.getStaticOffsets();
    SmallVector<int64_t> result(op.getDestType().getShape());
    SmallVector<int64_t> sizes(
        cast<RankedTensorType>(tensor.getType()).getShape());
    for (auto [dim, size] : llvm::enumerate(sizes))
      size = std::min(size, result[dim] - offsets[dim]);
    if (cast<RankedTensorType>(tensor.getType()).getShape() !=
        ArrayRef(sizes)) {
      SmallVector<OpFoldResult> zeros(sizes.size(), rewriter.getIndexAttr(0)),
          ones(sizes.size(), rewriter.getIndexAttr(1));
      tensor = tensor::ExtractSliceOp::create(
          rewriter, loc, tensor, zeros,
          getAsIndexOpFoldResult(rewriter.getContext(), sizes), ones);
    }
    return padded(tensor, offsets, result);
  }

  /// `tensor` with `low` elements in front, none without, and behind as many that it has
  /// the extents `shape`.
  Value padded(Value tensor, ArrayRef<int64_t> low, ArrayRef<int64_t> shape) {
    auto type = cast<RankedTensorType>(tensor.getType());
    if (type.getShape() == shape)
      return tensor;
    SmallVector<int64_t> lows(low), highs;
    lows.resize(shape.size(), 0);
    for (auto [dim, extent] : llvm::enumerate(shape))
      highs.push_back(extent - lows[dim] - type.getDimSize(dim));
    MLIRContext *context = rewriter.getContext();
    return tensor::PadOp::create(rewriter, loc, type.clone(shape), tensor,
                                 getAsIndexOpFoldResult(context, lows),
                                 getAsIndexOpFoldResult(context, highs), fill);
  }

  tensor::InsertSliceOp op;
  Value fill;
  IRRewriter &rewriter;
  Location loc;
};

} // namespace

bool spreadInsertions(Operation *root, ArrayRef<int64_t> grid) {
  SmallVector<tensor::InsertSliceOp> ops;
  root->walk([&](tensor::InsertSliceOp op) {
    if (canSpread(op))
      ops.push_back(op);
  });
  IRRewriter rewriter(root->getContext());
  for (tensor::InsertSliceOp op : ops) {
    rewriter.setInsertionPoint(op);
    OpFoldResult element = elementOf(op.getDest());
    auto fill = dyn_cast<Value>(element);
    if (!fill)
      fill = arith::ConstantOp::create(
          rewriter, op.getLoc(), cast<TypedAttr>(cast<Attribute>(element)));
    rewriter.replaceOp(op, Spreader(op, fill, rewriter).build(grid));
  }
  return !ops.empty();
}

} // namespace shard
