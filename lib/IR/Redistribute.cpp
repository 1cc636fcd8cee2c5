//===- Redistribute.cpp - The op shard.redistribute -----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verify.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace shard {

Redistribution RedistributeOp::getRedistribution(GridOp grid) {
  Redistribution result;
  llvm::append_range(result.extents, getExtents());
  ArrayRef<GridAxis> group = getGridAxes();
  for (GridAxis axis : group)
    result.sizes.push_back(grid.getShape()[axis]);
  auto indices = [&](GridAxesArrayAttr lists) {
    std::vector<std::vector<size_t>> split;
    for (GridAxesAttr axes : lists) {
      split.emplace_back();
      for (GridAxis axis : axes.asArrayRef())
        split.back().push_back(llvm::find(group, axis) - group.begin());
    }
    return split;
  };
  result.from = indices(getFrom());
  result.to = indices(getTo());
  return result;
}

LogicalResult RedistributeOp::verify() {
  auto type = cast<RankedTensorType>(getInput().getType());
  ArrayRef<GridAxis> group = getGridAxes();
  llvm::SmallDenseSet<GridAxis> named;
  for (GridAxesArrayAttr lists : {getFrom(), getTo()}) {
    if (failed(checkSplitAxes(*this, lists.getAxes())))
      return failure();
    // redistribute_c1
    if (static_cast<int64_t>(lists.size()) > type.getRank())
      return emitOpError("has axes for ")
             << lists.size() << " dimensions, but the input has "
             << type.getRank();
    for (GridAxesAttr axes : lists)
      for (GridAxis axis : axes.asArrayRef())
        named.insert(axis);
  }
  // redistribute_c2
  for (GridAxis axis : named)
    if (!llvm::is_contained(group, axis))
      return emitOpError("splits dimensions by axis ")
             << axis << ", which is not one of grid_axes";
  // redistribute_c3
  for (GridAxis axis : group)
    if (!named.contains(axis))
      return emitOpError("has axis ")
             << axis << " in grid_axes, but it splits no dimension";
  // redistribute_c4
  if (static_cast<int64_t>(getExtents().size()) != type.getRank())
    return emitOpError("has ")
           << getExtents().size() << " extents, but the input has "
           << type.getRank() << " dimensions";
  int64_t elements = 1;
  for (int64_t extent : getExtents()) {
    // redistribute_c5
    if (extent < 0)
      return emitOpError("extent ") << extent << " is negative";
    // redistribute_c6
    if (llvm::MulOverflow(elements, std::max<int64_t>(extent, 1), elements))
      return emitOpError("the number of elements does not fit 64 bits");
  }
  return success();
}

LogicalResult RedistributeOp::verifySymbolUses(SymbolTableCollection &symbols) {
  FailureOr<GridOp> grid =
      checkGrid(*this, getGridAttr(), getGridAxes(), symbols);
  if (failed(grid))
    return failure();
  int64_t devices = 1;
  for (GridAxis axis : getGridAxes()) {
    int64_t size = grid->getShape()[axis];
    // redistribute_c7
    if (ShapedType::isDynamic(size))
      return emitOpError("axis ")
             << grid->axisName(axis) << " of unknown size cannot be one of "
             << "grid_axes: who sends what follows from the sizes";
    // redistribute_c8
    if (llvm::MulOverflow(devices, size, devices) ||
        devices > kMaxRedistributingDevices)
      return emitOpError("has groups of more than ")
             << kMaxRedistributingDevices << " devices";
  }
  auto check = [&](StringRef what, GridAxesArrayAttr lists,
                   RankedTensorType type) -> LogicalResult {
    for (auto [dim, extent] : llvm::enumerate(getExtents())) {
      ArrayRef<GridAxis> axes;
      if (dim < lists.size())
        axes = lists.getAxes()[dim].asArrayRef();
      int64_t expected = localExtent(extent, groupSize(*grid, axes));
      // redistribute_c9
      if (type.getDimSize(dim) != expected)
        return emitOpError(what)
               << " has type " << type << ", but the block of an extent of "
               << extent << " has extent " << expected << " in dimension "
               << dim;
    }
    return success();
  };
  if (failed(check("input", getFrom(),
                   cast<RankedTensorType>(getInput().getType()))))
    return failure();
  return check("result", getTo(), cast<RankedTensorType>(getType()));
}

} // namespace shard
