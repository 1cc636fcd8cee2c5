//===- RefineBody.cpp - Manual bodies on a refined grid -------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Export/RefineBody.h"

#include "shard/Geometry/BlockLayout.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace shard {

namespace {
/// Moves ops to the refined grid.
class BodyRefiner {
public:
  BodyRefiner(GridOp coarse, FlatSymbolRefAttr fine,
              ArrayRef<SmallVector<GridAxis, 2>> parts)
      : coarse(coarse), fine(fine), parts(parts) {}

  void refine(Operation *op) {
    auto symbol = op->getAttrOfType<FlatSymbolRefAttr>("grid");
    if (!symbol || symbol.getValue() != coarse.getSymName())
      return;
    bool moved =
        llvm::TypeSwitch<Operation *, bool>(op)
            .Case([&](AllReduceOp op) { return refineGroup(op); })
            .Case<AllGatherOp>([&](auto op) {
              return (isWhole(op.getGridAxes()) ||
                      divides(op.getGridAxes(), op.getResult(),
                              op.getGatherAxis())) &&
                     refineGroup(op);
            })
            .Case([&](AllSliceOp op) {
              return (isWhole(op.getGridAxes()) ||
                      divides(op.getGridAxes(), op.getInput(),
                              op.getSliceAxis())) &&
                     refineGroup(op);
            })
            .Case([&](ReduceScatterOp op) {
              return (isWhole(op.getGridAxes()) ||
                      divides(op.getGridAxes(), op.getInput(),
                              op.getScatterAxis())) &&
                     refineGroup(op);
            })
            .Case([&](AllToAllOp op) {
              return (isWhole(op.getGridAxes()) ||
                      (divides(op.getGridAxes(), op.getInput(),
                               op.getSplitAxis()) &&
                       divides(op.getGridAxes(), op.getResult(),
                               op.getConcatAxis()))) &&
                     refineGroup(op);
            })
            // Roots, sources and destinations have one coordinate per axis.
            .Case<BroadcastOp, GatherOp, RecvOp, ReduceOp, ScatterOp, SendOp>(
                [&](auto op) {
                  return isWhole(op.getGridAxes()) && refineGroup(op);
                })
            .Case([&](PermuteOp op) {
              op.setFromAxesAttr(refined(op.getFromAxesAttr()));
              op.setToAxesAttr(refined(op.getToAxesAttr()));
              return true;
            })
            .Case([&](RedistributeOp op) {
              if (!isWhole(op.getGridAxes()) &&
                  !(divides(op.getFrom(), op.getExtents()) &&
                    divides(op.getTo(), op.getExtents())))
                return false;
              op.setFromAttr(refined(op.getFrom()));
              op.setToAttr(refined(op.getTo()));
              return refineGroup(op);
            })
            .Case([&](ShiftOp op) { return refineShift(op); })
            .Case([&](UpdateHaloOp op) {
              op.setSplitAxesAttr(refined(op.getSplitAxes()));
              return true;
            })
            .Case<GridShapeOp, ProcessMultiIndexOp>([&](auto op) {
              if (op.getAxes().empty() || !isWhole(op.getAxes()))
                return false;
              op.setAxesAttr(refined(op.getAxesAttr()));
              return true;
            })
            .Case([](ProcessLinearIndexOp) { return true; })
            .Default([](Operation *) { return false; });
    if (moved)
      op->setAttr("grid", fine);
  }

private:
  /// Whether none of `axes` is cut.
  bool isWhole(ArrayRef<GridAxis> axes) const {
    return llvm::all_of(axes,
                        [&](GridAxis axis) { return parts[axis].size() == 1; });
  }

  std::vector<int64_t> sizesOf(ArrayRef<GridAxis> axes) {
    std::vector<int64_t> sizes;
    for (GridAxis axis : axes)
      sizes.push_back(coarse.getShape()[axis]);
    return sizes;
  }

  /// Whether the devices of a group get equal parts of a dimension of `value`.
  bool divides(ArrayRef<GridAxis> axes, Value value, const APInt &dim) {
    int64_t extent =
        cast<RankedTensorType>(value.getType()).getDimSize(dim.getSExtValue());
    return !ShapedType::isDynamic(extent) &&
           dividesEvenly(extent, sizesOf(axes));
  }

  GridAxesAttr refined(GridAxesAttr axes) const {
    SmallVector<GridAxis> list;
    for (GridAxis axis : axes.asArrayRef())
      llvm::append_range(list, parts[axis]);
    return GridAxesAttr::get(axes.getContext(), list);
  }

  GridAxesArrayAttr refined(GridAxesArrayAttr lists) const {
    SmallVector<GridAxesAttr> result;
    for (GridAxesAttr axes : lists)
      result.push_back(refined(axes));
    return GridAxesArrayAttr::get(lists.getContext(), result);
  }

  /// Whether the axes of each dimension cut it into equal parts.
  bool divides(GridAxesArrayAttr lists, ArrayRef<int64_t> extents) {
    for (auto [axes, extent] : llvm::zip(lists.getAxes(), extents))
      if (!dividesEvenly(extent, sizesOf(axes.asArrayRef())))
        return false;
    return true;
  }

  template <typename OpTy>
  bool refineGroup(OpTy op) const {
    op.setGridAxesAttr(refined(op.getGridAxesAttr()));
    return true;
  }

  bool refineShift(ShiftOp op) {
    SmallVector<GridAxis> along;
    for (GridAxis axis : op.getShiftAxes())
      llvm::append_range(along, parts[axis]);
    op.setShiftAxisAttr(
        IntegerAttr::get(op.getShiftAxisAttr().getType(), along.front()));
    if (along.size() > 1)
      op.setMinorAxesAttr(GridAxesAttr::get(
          op.getContext(), ArrayRef<GridAxis>(along).drop_front()));
    return refineGroup(op);
  }

  GridOp coarse;
  FlatSymbolRefAttr fine;
  ArrayRef<SmallVector<GridAxis, 2>> parts;
};
} // namespace

void refineBody(Region &body, GridOp coarse, FlatSymbolRefAttr fine,
                ArrayRef<SmallVector<GridAxis, 2>> parts) {
  BodyRefiner refiner(coarse, fine, parts);
  body.walk([&](Operation *op) {
    if (isa_and_present<ShardDialect>(op->getDialect()))
      refiner.refine(op);
  });
}

} // namespace shard
