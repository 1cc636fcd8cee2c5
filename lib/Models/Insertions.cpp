//===- Insertions.cpp - Insertions with strides become reshapes -----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Models/Insertions.h"

#include "TensorModels.h"

#include "shard/Geometry/BlockLayout.h"
#include "shard/IR/ShardingUtils.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
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
  if (TypedAttr number = splatNumber(tensor))
    return OpFoldResult(number);
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
         !llvm::is_contained(source.getShape(), 0) &&
         !llvm::is_contained(op.getStaticStrides(), 0) &&
         !spreadDims(op).empty() &&
         source.getElementType().isSignlessIntOrIndexOrFloat();
}

/// `element` as a value in front of `op`; zero if there is none.
Value materialize(OpFoldResult element, tensor::InsertSliceOp op,
                  IRRewriter &rewriter) {
  if (auto value = dyn_cast_if_present<Value>(element))
    return value;
  auto attribute = dyn_cast_if_present<Attribute>(element);
  if (!attribute)
    attribute = rewriter.getZeroAttr(op.getSourceType().getElementType());
  return arith::ConstantOp::create(rewriter, op.getLoc(),
                                   cast<TypedAttr>(attribute));
}

/// Whether `op` writes at the index `place` of dimension `dim`.
Value isWritten(tensor::InsertSliceOp op, unsigned dim, Value place,
                OpBuilder &builder, Location loc) {
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  auto compare = [&](arith::CmpIPredicate how, Value left, int64_t right) {
    return arith::CmpIOp::create(builder, loc, how, left, number(right));
  };
  int64_t stride = op.getStaticStrides()[dim];
  Value distance = arith::SubIOp::create(builder, loc, place,
                                         number(op.getStaticOffsets()[dim]));
  // Places in front have large unsigned distances.
  Value inside = compare(arith::CmpIPredicate::ule, distance,
                         (op.getStaticSizes()[dim] - 1) * stride);
  if (stride == 1)
    return inside;
  Value rest = arith::RemUIOp::create(builder, loc, distance, number(stride));
  return arith::AndIOp::create(builder, loc, inside,
                               compare(arith::CmpIPredicate::eq, rest, 0));
}

/// What `op` gives: the elements of `spread`, which has the shape of the result, or `element` if
/// it is null, where it writes, and those of the destination elsewhere.
Value choose(tensor::InsertSliceOp op, Value spread, Value element,
             IRRewriter &rewriter) {
  RankedTensorType type = op.getDestType();
  SmallVector<Value> inputs;
  if (spread)
    inputs.push_back(spread);
  SmallVector<AffineMap> maps(inputs.size() + 1,
                              rewriter.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  auto body = [&](OpBuilder &builder, Location loc, ValueRange arguments) {
    Value written;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      if (op.getStaticSizes()[dim] == type.getDimSize(dim))
        continue;
      Value place = linalg::IndexOp::create(builder, loc, dim);
      Value here = isWritten(op, dim, place, builder, loc);
      written =
          written ? arith::AndIOp::create(builder, loc, written, here) : here;
    }
    Value chosen = arith::SelectOp::create(builder, loc, written,
                                           spread ? arguments.front() : element,
                                           arguments.back());
    linalg::YieldOp::create(builder, loc, chosen);
  };
  return linalg::GenericOp::create(rewriter, op.getLoc(), TypeRange(type),
                                   inputs, ValueRange(op.getDest()), maps,
                                   loops, body)
      .getResult(0);
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
    OpFoldResult around = elementOf(op.getDest()),
                 given = elementOf(op.getSource());
    Value result;
    if (!around && given) {
      result = choose(op, {}, materialize(given, op, rewriter), rewriter);
    } else {
      Value fill = materialize(around, op, rewriter);
      result = Spreader(op, fill, rewriter).build(grid);
      if (!around)
        result = choose(op, result, {}, rewriter);
    }
    rewriter.replaceOp(op, result);
  }
  return !ops.empty();
}

} // namespace shard
