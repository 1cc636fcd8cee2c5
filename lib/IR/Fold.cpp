//===- Fold.cpp - Collectives of constants --------------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A constant is the same on all devices. Collectives that only move elements
// take a splat to a splat; a reduction of n equal splats is one where the value
// does not depend on the order of the additions. What has no elements is a constant.
//
//===----------------------------------------------------------------------===//

#include "Canonicalize.h"

using namespace mlir;

namespace shard {

// The only tensor of `type`, if it has no elements on any device; else null.
static Attribute emptyTensor(Type type) {
  auto shaped = dyn_cast<RankedTensorType>(type);
  if (!shaped || !shaped.hasStaticShape() || shaped.getNumElements() != 0)
    return {};
  Type element = shaped.getElementType();
  if (auto complex = dyn_cast<ComplexType>(element))
    element = complex.getElementType();
  if (!isa<FloatType, IndexType>(element) && !element.isSignlessInteger())
    return {};
  return DenseElementsAttr::get(shaped, ArrayRef<Attribute>());
}

// The splat `input` in the shape of `type`, or all tensors of it; null if that is not possible.
static OpFoldResult resizeSplat(Attribute input, Type type) {
  if (Attribute empty = emptyTensor(type))
    return empty;
  auto splat = dyn_cast_if_present<SplatElementsAttr>(input);
  auto shaped = dyn_cast<RankedTensorType>(type);
  if (!splat || !shaped || !shaped.hasStaticShape() ||
      splat.getElementType() != shaped.getElementType())
    return {};
  return splat.resizeSplat(shaped);
}

OpFoldResult AllGatherOp::fold(FoldAdaptor adaptor) {
  return resizeSplat(adaptor.getInput(), getType());
}
OpFoldResult AllSliceOp::fold(FoldAdaptor adaptor) {
  return resizeSplat(adaptor.getInput(), getType());
}
OpFoldResult AllToAllOp::fold(FoldAdaptor adaptor) {
  return resizeSplat(adaptor.getInput(), getType());
}
OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  return resizeSplat(adaptor.getInput(), getType());
}
OpFoldResult GatherOp::fold(FoldAdaptor adaptor) {
  return resizeSplat(adaptor.getInput(), getType());
}
OpFoldResult PermuteOp::fold(FoldAdaptor adaptor) {
  return resizeSplat(adaptor.getInput(), getType());
}
// Whether the lists split alike, whatever lists follow the last that is not empty.
static bool splitAlike(GridAxesArrayAttr a, GridAxesArrayAttr b) {
  auto splits = [](GridAxesArrayAttr lists) {
    ArrayRef<GridAxesAttr> split = lists.getAxes();
    while (!split.empty() && split.back().empty())
      split = split.drop_back();
    return split;
  };
  return splits(a) == splits(b);
}

OpFoldResult RedistributeOp::fold(FoldAdaptor adaptor) {
  // The same blocks.
  if (splitAlike(getFrom(), getTo()) && getInput().getType() == getType())
    return getInput();
  // There and back.
  auto there = getInput().getDefiningOp<RedistributeOp>();
  if (there && there.getGridAttr() == getGridAttr() &&
      there.getExtents() == getExtents() &&
      splitAlike(there.getTo(), getFrom()) &&
      splitAlike(there.getFrom(), getTo()) &&
      there.getInput().getType() == getType())
    return there.getInput();
  return resizeSplat(adaptor.getInput(), getType());
}
OpFoldResult ScatterOp::fold(FoldAdaptor adaptor) {
  return resizeSplat(adaptor.getInput(), getType());
}
// All devices have the same elements, so that the halos receive what they hold.
OpFoldResult UpdateHaloOp::fold(FoldAdaptor adaptor) {
  return resizeSplat(adaptor.getDestination(), getType());
}
OpFoldResult ShiftOp::fold(FoldAdaptor adaptor) {
  return resizeSplat(adaptor.getInput(), getType());
}

// The reduction of equal integer splats. Floats only where no addition rounds:
// zeros under sum, ones under product, any value under max and min. min and max
// of signed zeros and NaNs of one bit pattern are that pattern.
static OpFoldResult reduceSplat(Operation *op, Attribute input, Type type,
                                ReductionKind kind, FlatSymbolRefAttr symbol,
                                ArrayRef<GridAxis> axes) {
  if (Attribute empty = emptyTensor(type))
    return empty;
  auto splat = dyn_cast_if_present<SplatElementsAttr>(input);
  if (!splat || !resizeSplat(input, type))
    return {};
  if (isIdempotent(kind))
    return resizeSplat(input, type);
  switch (kind) {
  case ReductionKind::Sum:
    if (isa<FloatType>(splat.getElementType())) {
      APFloat value = splat.getSplatValue<APFloat>();
      return value.isPosZero() ? resizeSplat(input, type) : OpFoldResult();
    }
    break;
  case ReductionKind::Product:
    if (isa<FloatType>(splat.getElementType())) {
      APFloat value = splat.getSplatValue<APFloat>();
      return value.isExactlyValue(1.0) ? resizeSplat(input, type)
                                       : OpFoldResult();
    }
    if (isa<IntegerType, IndexType>(splat.getElementType()) &&
        (splat.getSplatValue<APInt>().isOne() ||
         splat.getSplatValue<APInt>().isZero()))
      return resizeSplat(input, type);
    return {};
  default:
    return {};
  }
  // Integers wrap around: n * value.
  auto element = dyn_cast<IntegerType>(splat.getElementType());
  GridOp grid = element ? lookupGrid(op, symbol) : GridOp();
  if (!grid)
    return {};
  APInt value = splat.getSplatValue<APInt>();
  for (GridAxis axis : axes) {
    if (axis < 0 || axis >= grid.getRank() ||
        ShapedType::isDynamic(grid.getShape()[axis]))
      return {};
    value *= APInt(64, grid.getShape()[axis]).zextOrTrunc(value.getBitWidth());
  }
  return SplatElementsAttr::get(cast<RankedTensorType>(type), value);
}

OpFoldResult AllReduceOp::fold(FoldAdaptor adaptor) {
  return reduceSplat(*this, adaptor.getInput(), getType(), getReduction(),
                     getGridAttr(), getGridAxes());
}
OpFoldResult ReduceOp::fold(FoldAdaptor adaptor) {
  return reduceSplat(*this, adaptor.getInput(), getType(), getReduction(),
                     getGridAttr(), getGridAxes());
}
OpFoldResult ReduceScatterOp::fold(FoldAdaptor adaptor) {
  return reduceSplat(*this, adaptor.getInput(), getType(), getReduction(),
                     getGridAttr(), getGridAxes());
}

} // namespace shard
