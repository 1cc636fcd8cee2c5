//===- SliceModels.cpp - Ops of tensor that cut and join ------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dimension that is taken whole is one with that of the result. Where it is sliced,
// padded or joined at places that are known, the loop of the result slides over it.
//
//===----------------------------------------------------------------------===//

#include "Concat.h"
#include "Extents.h"
#include "LoopScans.h"
#include "SliceLookUps.h"
#include "TensorModels.h"

#include "shard/Interfaces/DescribedModel.h"
#include "shard/Partitioning/LocalOps.h"

#include "shard/Geometry/Window.h"
#include "shard/IR/ShardOps.h"
#include "shard/IR/TensorSlices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace shard {

Value beforeShardings(Value value) {
  // In code that is not reached they may take each other's results.
  llvm::SmallPtrSet<Operation *, 4> seen;
  while (Operation *def = value.getDefiningOp()) {
    if (!isa<ShardOp, ConstraintOp>(def) || !seen.insert(def).second)
      break;
    value = def->getOperand(0);
  }
  return value;
}

namespace {

/// The dimensions of unknown extent that slices and insertions have whole: the size is one of
/// `large`, which ops that are alike otherwise do not share.
template <typename OpTy>
SmallVector<int64_t> wholeDims(OpTy op, Value large) {
  SmallVector<int64_t> dims;
  auto type = cast<RankedTensorType>(large.getType());
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim) &&
        isExtentOf(op.getMixedSizes()[dim], large, dim))
      dims.push_back(dim);
  return dims;
}

/// Slices and insertions: `small` is the slice, `large` what it is cut from. Calls
/// `other` for the dimensions that the slice does not have whole: that of the slice, -1
/// where it has none, and of the tensor.
template <typename OpTy>
void describeSlice(OpTy op, Value large, MapBuilder &maps,
                   SmallVector<AffineExpr> &small, RankedTensorType smallType,
                   ArrayRef<SmallVector<AffineExpr> *> larges,
                   llvm::function_ref<void(int64_t, int64_t)> other) {
  auto type = cast<RankedTensorType>(large.getType());
  llvm::SmallBitVector dropped = op.getDroppedDims();
  unsigned inner = 0;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (dropped.test(dim)) {
      other(-1, dim);
      continue;
    }
    if (isConstantIntValue(op.getMixedOffsets()[dim], 0) &&
        isConstantIntValue(op.getMixedStrides()[dim], 1) &&
        isExtentOf(op.getMixedSizes()[dim], large, dim) &&
        smallType.getDimSize(inner) == type.getDimSize(dim)) {
      AffineExpr loop = maps.loop(type.getDimSize(dim));
      small[inner] = loop;
      for (SmallVector<AffineExpr> *exprs : larges)
        (*exprs)[dim] = loop;
    } else {
      other(inner, dim);
    }
    ++inner;
  }
}

/// The offset of `op` in dimension `dim` of a tensor of `type` if it is constant. As on one
/// device (lib/Codegen/MakeTotal.cpp), one that is out of range is moved into it.
template <typename OpTy>
std::optional<int64_t> knownOffset(OpTy op, RankedTensorType type,
                                   int64_t dim) {
  std::optional<int64_t> offset =
      getConstantIntValue(op.getMixedOffsets()[dim]);
  std::optional<int64_t> size = getConstantIntValue(op.getMixedSizes()[dim]);
  std::optional<int64_t> stride =
      getConstantIntValue(op.getMixedStrides()[dim]);
  if (!offset || !size || !stride || *size < 1 || type.isDynamicDim(dim))
    return offset;
  SliceOffsets range = offsetsInRange(type.getDimSize(dim), *size, *stride);
  return range.first > range.last
             ? *offset
             : std::clamp(*offset, range.first, range.last);
}

/// What the local form of a slice or insertion is made of.
struct LocalSlice {
  SmallVector<OpFoldResult> offsets, sizes, strides;
};

/// The offsets, sizes and strides of `op`, with the operands that are not static
/// taken from `operands`.
template <typename OpTy>
LocalSlice mappedSlice(OpTy op, ArrayRef<Value> operands,
                       unsigned firstIndexOperand) {
  LocalSlice slice{op.getMixedOffsets(), op.getMixedSizes(),
                   op.getMixedStrides()};
  for (SmallVector<OpFoldResult> *list :
       {&slice.offsets, &slice.sizes, &slice.strides})
    for (OpFoldResult &entry : *list)
      if (auto value = dyn_cast_if_present<Value>(entry))
        for (unsigned i = firstIndexOperand; i < operands.size(); ++i)
          if (op->getOperand(i) == value)
            entry = operands[i];
  return slice;
}

/// The part [from, from + size) of a slice, and its place in a block.
struct PartOfBlock {
  OpFoldResult from, size, to;
};

/// The part of a slice of `size` elements at `offset` of dimension `dim`, of `extent`
/// elements, that lies in the block `dest` of this device.
PartOfBlock partOfBlock(OpBuilder &builder, Location loc, int64_t extent,
                        int64_t dim, const AxisList &axes, OpFoldResult offset,
                        OpFoldResult size, Value dest,
                        PartitionContext &context) {
  auto value = [&](OpFoldResult index) {
    return getValueOrCreateConstantIndexOp(builder, loc, index);
  };
  Value local = ShapedType::isDynamic(extent)
                    ? extentOf(builder, loc, dest, dim)
                    : Value();
  DynamicBlock block =
      local ? blockOf(builder, loc, context.grid, context.emission.gridSymbol,
                      extent, axes, local)
            : sharedBlockOf(builder, loc, context.emission, extent, axes);
  // As on one device: an offset that is out of range is moved into it.
  if (isa<Value>(offset)) {
    Value whole = local ? wholeExtent(builder, loc, context.grid,
                                      context.emission.gridSymbol, local, axes)
                        : value(builder.getIndexAttr(extent));
    Value last = builder.createOrFold<arith::SubIOp>(loc, whole, value(size));
    offset = builder.createOrFold<arith::MaxSIOp>(
        loc, builder.createOrFold<arith::MinSIOp>(loc, value(offset), last),
        value(builder.getIndexAttr(0)));
  }
  Value begin = value(block.offset), zero = value(builder.getIndexAttr(0));
  Value room = value(block.size), width = value(size);
  // The begin and the end of the slice, counted from that of the block.
  Value start = builder.createOrFold<arith::SubIOp>(loc, value(offset), begin);
  Value end = builder.createOrFold<arith::AddIOp>(loc, start, width);
  auto clamp = [&](Value index, Value most) -> Value {
    return builder.createOrFold<arith::MinSIOp>(
        loc, builder.createOrFold<arith::MaxSIOp>(loc, index, zero), most);
  };
  Value first = clamp(start, room), last = clamp(end, room);
  Value from =
      clamp(builder.createOrFold<arith::SubIOp>(loc, first, start), width);
  return {OpFoldResult(from),
          builder.createOrFold<arith::SubIOp>(loc, last, first), first};
}

/// Of a dimension that the slice has few elements of, each device gives those that it has,
/// and the neutral element for the others: the result is a partial sum.
struct ExtractSliceModel
    : public DescribedModel<ExtractSliceModel, tensor::ExtractSliceOp> {
  void describe(tensor::ExtractSliceOp op, MapBuilder &maps) const {
    auto slide = [&](int64_t inner, int64_t dim) {
      if (isLookUp(op, dim)) {
        maps.operand(0)[dim] = maps.loop(Loop::reduce(
            op.getSourceType().getDimSize(dim), ReductionKind::Sum));
        return;
      }
      std::optional<int64_t> offset = knownOffset(op, op.getSourceType(), dim);
      std::optional<int64_t> stride =
          getConstantIntValue(op.getMixedStrides()[dim]);
      if (inner < 0 || !offset || !stride)
        return;
      Loop slides = Loop::parallel(op.getType().getDimSize(inner));
      if (op.getType().isDynamicDim(inner)) {
        if (!op.isDynamicSize(dim) || !op.getSourceType().isDynamicDim(dim))
          return;
        slides = Loop::sliding({int32_t(op.getIndexOfDynamicSize(dim)), -1, 0});
      }
      AffineExpr loop = maps.loop(slides);
      maps.result(0)[inner] = loop;
      maps.operand(0)[dim] = loop * *stride + *offset;
    };
    describeSlice(op, op.getSource(), maps, maps.result(0), op.getType(),
                  {&maps.operand(0)}, slide);
  }
  SmallVector<int64_t> getFactsOfOperands(Operation *op) const {
    auto slice = cast<tensor::ExtractSliceOp>(op);
    return wholeDims(slice, slice.getSource());
  }
  PartialRule getPartialRule(Operation *op) const {
    return PartialRule::Movement;
  }
  bool isView(Operation *) const { return true; }
  bool isAlias(Operation *) const { return true; }
  std::string getSplitAdvice(Operation *op, unsigned, unsigned dim) const {
    auto slice = cast<tensor::ExtractSliceOp>(op);
    return adviceOnSlice(op, slice.getMixedOffsets()[dim]);
  }
  LogicalResult partition(Operation *op, OpBuilder &builder,
                          ArrayRef<Value> operands, PartitionContext &context,
                          SmallVectorImpl<Value> &results) const {
    auto slice = cast<tensor::ExtractSliceOp>(op);
    LocalSlice parts = mappedSlice(slice, operands, 1);
    const TensorLoops &tensor = context.table.operands[0];
    auto local =
        cast<RankedTensorType>(context.localResultType(slice.getType(), 0));
    Value isInside;
    // The slice of the local tensor, and its place in the result.
    RankedTensorType own = local;
    SmallVector<OpFoldResult> places(local.getRank(), builder.getIndexAttr(0)),
        extents(local.getRank());
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    bool isPart = false;
    // Of a dimension that is split the operand has all elements of the slice: its
    // block, or its window, which begins with the first of them.
    for (auto [dim, axes] : llvm::enumerate(context.operand(0).dims)) {
      if (axes.empty())
        continue;
      if (isLookedUp(context.table, dim) &&
          !isConstantIntValue(parts.sizes[dim], 1)) {
        PartOfBlock part = partOfBlock(
            builder, op->getLoc(), slice.getSourceType().getDimSize(dim), dim,
            axes, parts.offsets[dim], parts.sizes[dim], operands[0], context);
        unsigned inner = dim;
        for (unsigned outer = 0; outer < dim; ++outer)
          inner -= dropped.test(outer);
        places[inner] = part.from;
        extents[inner] = parts.sizes[dim];
        parts.offsets[dim] = part.to;
        parts.sizes[dim] = part.size;
        SmallVector<int64_t> shape(own.getShape());
        shape[inner] = ShapedType::kDynamic;
        own = own.clone(shape);
        isPart = true;
        continue;
      }
      if (isLookedUp(context.table, dim)) {
        PlaceInBlock place =
            placeInBlock(builder, op->getLoc(), parts.offsets[dim],
                         slice.getSourceType().getDimSize(dim), axes,
                         operands[0], dim, context);
        parts.offsets[dim] = place.nearest;
        isInside = isInside ? builder.createOrFold<arith::AndIOp>(
                                  op->getLoc(), isInside, place.isInside)
                            : place.isInside;
        continue;
      }
      // A negative stride begins at the last one.
      int64_t offset = tensor.isWindow(dim) ? tensor.windows[dim]->offset -
                                                  context.windowStart(0, dim)
                                            : 0;
      parts.offsets[dim] = builder.getIndexAttr(offset);
      parts.sizes[dim] =
          tensor::getMixedSize(builder, op->getLoc(), operands[0], dim);
      if (!tensor.isWindow(dim))
        continue;
      const Loop &loop = context.table.loops[tensor.dims[dim].front()];
      parts.sizes[dim] =
          loop.slidesOverUnknown
              ? iterationsIn(builder, op->getLoc(), parts.sizes[dim],
                             tensor.windows[dim]->stride)
              : builder.getIndexAttr(
                    localExtent(loop.extent, context.grid.groupSize(axes)));
    }
    if (isWhole(parts, local, operands[0]))
      results.push_back(operands[0]);
    else
      results.push_back(tensor::ExtractSliceOp::create(
          builder, op->getLoc(), own, operands[0], parts.offsets, parts.sizes,
          parts.strides));
    if (isPart)
      results.back() = inNeutral(builder, op->getLoc(), results.back(), local,
                                 places, extents);
    if (isInside)
      results.back() =
          sliceOrNeutral(builder, op->getLoc(), results.back(), isInside);
    return success();
  }

private:
  /// Whether dimension `dim` of the source is looked up.
  static bool isLookedUp(const LoopTable &table, int64_t dim) {
    const TensorLoops &source = table.operands[0];
    return !source.dims[dim].empty() && !source.isWindow(dim) &&
           table.loops[source.dims[dim].front()].kind == LoopKind::Reduction;
  }

  /// How many iterations read one element each of a window of `span` elements, `stride`
  /// apart: those at its ends and others between.
  static OpFoldResult iterationsIn(OpBuilder &builder, Location loc,
                                   OpFoldResult span, int64_t stride) {
    if (stride == 1)
      return span;
    return widthOfBlocks(builder, loc,
                         getValueOrCreateConstantIndexOp(builder, loc, span),
                         stride);
  }

  /// Whether a slice of `source`, of type `local`, is all of it.
  static bool isWhole(const LocalSlice &slice, RankedTensorType local,
                      Value source) {
    return source.getType() == local && local.hasStaticShape() &&
           llvm::all_of(
               slice.offsets,
               [](OpFoldResult at) { return isConstantIntValue(at, 0); }) &&
           llvm::all_of(slice.strides, [](OpFoldResult stride) {
             return isConstantIntValue(stride, 1);
           });
  }
};

/// Each device inserts the part of the slice that lies in its block. Of a slice at a
/// known place it has the window over its block, of another one all.
struct InsertSliceModel
    : public DescribedModel<InsertSliceModel, tensor::InsertSliceOp> {
  void describe(tensor::InsertSliceOp op, MapBuilder &maps) const {
    auto cut = [&](int64_t inner, int64_t dim) {
      int64_t extent = op.getDestType().getDimSize(dim);
      if (!isConstantIntValue(op.getMixedStrides()[dim], 1))
        return;
      AffineExpr loop = maps.loop(extent);
      maps.operand(1)[dim] = maps.result(0)[dim] = loop;
      // The whole slice then.
      if (ShapedType::isDynamic(extent))
        return;
      std::optional<int64_t> offset = knownOffset(op, op.getDestType(), dim);
      if (inner >= 0 && offset && op.getSourceType().getDimSize(inner) > 0)
        maps.operand(0)[inner] = loop - *offset;
    };
    describeSlice(op, op.getDest(), maps, maps.operand(0), op.getSourceType(),
                  {&maps.operand(1), &maps.result(0)}, cut);
  }
  SmallVector<int64_t> getFactsOfOperands(Operation *op) const {
    auto insertion = cast<tensor::InsertSliceOp>(op);
    return wholeDims(insertion, insertion.getDest());
  }
  PartialRule getPartialRule(Operation *op) const {
    return PartialRule::Movement;
  }
  LogicalResult partition(Operation *op, OpBuilder &builder,
                          ArrayRef<Value> operands, PartitionContext &context,
                          SmallVectorImpl<Value> &results) const {
    auto slice = cast<tensor::InsertSliceOp>(op);
    Location loc = op->getLoc();
    LocalSlice parts = mappedSlice(slice, operands, 2);
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    if (insertPiece(dropped, parts, context)) {
      results.push_back(tensor::InsertSliceOp::create(
          builder, loc, context.pieces.front().value, operands[1],
          parts.offsets, parts.sizes, parts.strides));
      return success();
    }
    Value source = operands[0];
    SmallVector<OpFoldResult> from, sizes;
    bool cuts = false;
    // The dimension in the source with those that have come back, and in that of the op.
    unsigned inner = 0, stated = 0;
    for (auto [dim, axes] : llvm::enumerate(context.operand(1).dims)) {
      bool isDropped = dropped.test(dim);
      unsigned own = inner, number = stated;
      inner += !isDropped;
      stated += !isDropped;
      if (!isDropped) {
        from.push_back(builder.getIndexAttr(0));
        sizes.push_back(tensor::getMixedSize(builder, loc, source, own));
      }
      if (axes.empty())
        continue;
      const TensorLoops &table = context.table.operands[0];
      bool isWindow = !isDropped && table.isWindow(number);
      if (!isDropped && !isWindow && !table.dims[number].empty()) {
        parts.sizes[dim] = tensor::getMixedSize(builder, loc, operands[1], dim);
        continue;
      }
      cuts = true;
      PartOfBlock part = partOfBlock(
          builder, loc, slice.getDestType().getDimSize(dim), dim, axes,
          parts.offsets[dim], parts.sizes[dim], operands[1], context);
      parts.offsets[dim] = part.to;
      parts.sizes[dim] = part.size;
      if (!isDropped) {
        from[own] = isWindow ? part.to : part.from;
        sizes[own] = part.size;
        continue;
      }
      // The dimension comes back: the part may be of no elements.
      source = withDimension(builder, loc, source, own);
      from.push_back(part.from);
      sizes.push_back(part.size);
      inner = own + 1;
    }
    if (cuts)
      source = sliceOf(builder, loc, source, from, sizes);
    results.push_back(tensor::InsertSliceOp::create(
        builder, loc, source, operands[1], parts.offsets, parts.sizes,
        parts.strides));
    return success();
  }

private:
  /// Makes `parts` the place of the piece of the slice that lies in the block of this
  /// device: the window over the block holds it where the block does. False where there is
  /// no piece, or where a dimension is split that the slice does not slide over.
  static bool insertPiece(const llvm::SmallBitVector &dropped,
                          LocalSlice &parts, const PartitionContext &context) {
    if (context.pieces.empty() || !context.pieces.front().value)
      return false;
    const WindowPiece &piece = context.pieces.front();
    const TensorLoops &table = context.table.operands[0];
    LocalSlice place = parts;
    unsigned inner = 0;
    for (auto [dim, axes] : llvm::enumerate(context.operand(1).dims)) {
      if (dropped.test(dim)) {
        if (!axes.empty())
          return false;
        continue;
      }
      if (!axes.empty() && table.isWindow(inner))
        place.offsets[dim] = piece.to[inner];
      else if (!axes.empty() && table.dims[inner].empty())
        return false;
      place.sizes[dim] = piece.sizes[inner];
      ++inner;
    }
    parts = std::move(place);
    return true;
  }

  /// `source` with a dimension of extent 1 in front of its dimension `dim`.
  static Value withDimension(OpBuilder &builder, Location loc, Value source,
                             unsigned dim) {
    auto type = cast<RankedTensorType>(source.getType());
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(builder, loc, source);
    sizes.insert(sizes.begin() + dim, builder.getIndexAttr(1));
    SmallVector<int64_t> shape(type.getShape());
    shape.insert(shape.begin() + dim, 1);
    SmallVector<ReassociationIndices> groups(type.getRank());
    for (int64_t wide = 0; wide <= type.getRank() && type.getRank(); ++wide)
      groups[std::min<int64_t>(wide <= int64_t(dim) ? wide : wide - 1,
                               type.getRank() - 1)]
          .push_back(wide);
    return tensor::ExpandShapeOp::create(builder, loc, type.clone(shape),
                                         source, groups, sizes);
  }
};

} // namespace

void attachSliceModels(MLIRContext *context) {
  tensor::ConcatOp::attachInterface<
      ConcatModel<tensor::ConcatOp, &tensor::ConcatOp::getDim>>(*context);
  tensor::ExtractSliceOp::attachInterface<ExtractSliceModel>(*context);
  tensor::InsertSliceOp::attachInterface<InsertSliceModel>(*context);
}

} // namespace shard
