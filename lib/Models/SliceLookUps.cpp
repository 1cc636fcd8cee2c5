//===- SliceLookUps.cpp - Slices of few elements of a dimension -----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SliceLookUps.h"
#include "LoopScans.h"
#include "TensorModels.h"

#include "shard/IR/ShardOps.h"
#include "shard/IR/TensorSlices.h"
#include "shard/Partitioning/Emitter.h"
#include "shard/Partitioning/LocalOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace shard {

/// No more users of a tensor are looked at, so that the work stays linear.
static constexpr unsigned kMaxUsers = 64;

/// Whether `index` changes in a loop that `source` is made in front of: it is gathered there at
/// once. What the loop itself makes or carries, each iteration would gather.
static bool isOfLoopBehind(Value source, OpFoldResult index) {
  auto value = dyn_cast<Value>(index);
  auto loopOf = [](Region *region) {
    while (region &&
           !isa_and_nonnull<LoopLikeOpInterface>(region->getParentOp()))
      region = region->getParentOp() ? region->getParentRegion() : nullptr;
    return region;
  };
  Region *loop = value ? loopOf(value.getParentRegion()) : nullptr;
  return loop && !isIn(beforeShardings(source), *loop);
}

/// Whether `op` has one element of dimension `dim`, which has more, or some at a place that only
/// the run knows, and no loop that slides. Slices of what lies in front of a loop, which the loop
/// takes one after another, are none.
static bool takesFew(tensor::ExtractSliceOp op, int64_t dim) {
  RankedTensorType source = op.getSourceType();
  std::optional<int64_t> size = getConstantIntValue(op.getMixedSizes()[dim]);
  return !source.isDynamicDim(dim) && size && *size > 0 &&
         source.getDimSize(dim) > *size &&
         (*size == 1 || isConstantIntValue(op.getMixedStrides()[dim], 1)) &&
         isSummable(source.getElementType()) &&
         (op.getDroppedDims().test(dim) ||
          !getConstantIntValue(op.getMixedOffsets()[dim])) &&
         !isOfLoopBehind(op.getSource(), op.getMixedOffsets()[dim]);
}

bool isLookUp(tensor::ExtractSliceOp op, int64_t dim) {
  if (!takesFew(op, dim))
    return false;
  RankedTensorType type = op.getSourceType();
  int64_t taken = 0;
  unsigned budget = kMaxUsers;
  // In code that is not reached they may take each other's results.
  llvm::SmallPtrSet<Operation *, 8> seen;
  SmallVector<Value> values{beforeShardings(op.getSource())};
  while (!values.empty())
    for (Operation *user : values.pop_back_val().getUsers()) {
      if (isa<ShardOp, ConstraintOp>(user)) {
        if (seen.insert(user).second)
          llvm::append_range(values, user->getResults());
        continue;
      }
      if (budget-- == 0)
        return true;
      auto slice = dyn_cast<tensor::ExtractSliceOp>(user);
      if (!slice || !takesFew(slice, dim))
        continue;
      // Without known extents a slice counts as whole in its other dimensions.
      taken += !type.hasStaticShape() ? 1
               : slice.getType().hasStaticShape()
                   ? slice.getType().getNumElements()
                   : type.getNumElements() / type.getDimSize(dim);
    }
  int64_t all =
      type.hasStaticShape() ? type.getNumElements() : type.getDimSize(dim);
  return taken <= all / 2;
}

PlaceInBlock placeInBlock(OpBuilder &builder, Location loc, OpFoldResult offset,
                          int64_t extent, const AxisList &axes, Value local,
                          int64_t dim, const PartitionContext &context) {
  auto value = [&](OpFoldResult index) {
    return getValueOrCreateConstantIndexOp(builder, loc, index);
  };
  Value zero = value(builder.getIndexAttr(0));
  auto clamp = [&](Value index, Value last) {
    return builder.createOrFold<arith::MinSIOp>(
        loc, builder.createOrFold<arith::MaxSIOp>(loc, index, zero), last);
  };
  // As on one device: an offset that is out of range is moved into it.
  Value place = clamp(value(offset), value(builder.getIndexAttr(extent - 1)));
  Value width = extentOf(builder, loc, local, dim);
  DynamicBlock block =
      blockOf(builder, loc, context.grid, context.emission.gridSymbol, extent,
              axes, width);
  Value index =
      builder.createOrFold<arith::SubIOp>(loc, place, value(block.offset));
  // As unsigned numbers, indices before the block are beyond its end too.
  Value isInside = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ult, index, value(block.size));
  Value last = builder.createOrFold<arith::SubIOp>(
      loc, width, value(builder.getIndexAttr(1)));
  return {clamp(index, last), isInside};
}

Value sliceOrNeutral(OpBuilder &builder, Location loc, Value slice,
                     Value isInside) {
  auto type = cast<RankedTensorType>(slice.getType());
  TypedAttr neutral = neutralElement(ReductionKind::Sum, type.getElementType());
  Value empty = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, slice),
      type.getElementType());
  AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  auto body = [&](OpBuilder &inner, Location at, ValueRange arguments) {
    Value otherwise = arith::ConstantOp::create(inner, at, neutral);
    linalg::YieldOp::create(
        inner, at,
        arith::SelectOp::create(inner, at, isInside, arguments[0], otherwise)
            .getResult());
  };
  return linalg::GenericOp::create(builder, loc, empty.getType(), slice, empty,
                                   ArrayRef{identity, identity}, loops, body)
      .getResult(0);
}

Value inNeutral(OpBuilder &builder, Location loc, Value slice,
                RankedTensorType type, ArrayRef<OpFoldResult> places,
                ArrayRef<OpFoldResult> extents) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, slice),
                            whole = sizes;
  for (auto [size, extent, given] :
       llvm::zip_equal(whole, type.getShape(), extents))
    if (ShapedType::isStatic(extent))
      size = builder.getIndexAttr(extent);
    else if (given)
      size = given;
  Value around = filledTensor(
      builder, loc, type,
      neutralElement(ReductionKind::Sum, type.getElementType()), whole);
  return insertionOf(builder, loc, slice, around, places, sizes);
}

} // namespace shard
