//===- AssignGroups.cpp - Pass shard-assign-groups ------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Groups/DeviceOrder.h"
#include "ModuleOrFunctionPass.h"

#include "shard/IR/ShardingUtils.h"
#include "shard/Transforms/Passes.h"
#include "shard/Transforms/Transforms.h"

#include "mlir/IR/Builders.h"

#include <map>

using namespace mlir;

namespace shard {

#define GEN_PASS_DEF_SHARDASSIGNGROUPS
#include "shard/Transforms/Passes.h.inc"

namespace {

/// Rows of physical devices, of which `width` make a row.
DenseIntElementsAttr rowsOf(MLIRContext *context, ArrayRef<int64_t> numbers,
                            int64_t width) {
  auto type = RankedTensorType::get(
      {static_cast<int64_t>(numbers.size()) / width, width},
      IntegerType::get(context, 64));
  return DenseIntElementsAttr::get(type, numbers);
}

/// The axes of the group of a collective that is no shift and no permute.
AxisList axesOf(Operation *op) {
  AxisList axes;
  if (auto halo = dyn_cast<UpdateHaloOp>(op)) {
    for (GridAxesAttr list : halo.getSplitAxes().getAxes())
      llvm::append_range(axes, list.asArrayRef());
    return axes;
  }
  if (auto list = op->getAttrOfType<DenseI16ArrayAttr>("grid_axes"))
    llvm::append_range(axes, list.asArrayRef());
  return axes;
}

class GroupWriter {
public:
  LogicalResult write(Operation *op) {
    if (!isCollective(op) || isa<AllSliceOp>(op))
      return success();
    GridOp gridOp = getGrid(op, symbols);
    FailureOr<Grid> grid = gridOp ? staticGrid(gridOp) : FailureOr<Grid>();
    if (failed(grid))
      return op->emitOpError("has groups that depend on an axis of unknown "
                             "size: give every axis of its grid a size");
    if (grid->numDevices() > kMostListedDevices)
      return op->emitOpError("is on a grid of ")
             << grid->numDevices() << " devices, which are too many to be "
             << "listed one by one: at most " << kMostListedDevices;
    ids = deviceIdsOf(gridOp, symbols);
    if (auto shift = dyn_cast<ShiftOp>(op))
      setPairs(op, pairsOf(shift, *grid));
    else if (auto permute = dyn_cast<PermuteOp>(op))
      setPairs(op, pairsOf(permute, *grid));
    else
      op->setAttr("replica_groups", groups(op, gridOp, *grid, axesOf(op)));
    return success();
  }

private:
  int64_t idAt(int64_t position) const {
    return ids.empty() ? position : ids[position];
  }

  DenseIntElementsAttr groups(Operation *op, GridOp gridOp, const Grid &grid,
                              const AxisList &axes) {
    DenseIntElementsAttr &known = written[{gridOp, axes}];
    if (known)
      return known;
    std::vector<int64_t> rows = positionsByGroup(grid, axes);
    for (int64_t &position : rows)
      position = idAt(position);
    return known = rowsOf(op->getContext(), rows, grid.groupSize(axes));
  }

  /// Sets pairs of positions (from, to).
  void setPairs(Operation *op, std::vector<int64_t> pairs) {
    for (int64_t &position : pairs)
      position = idAt(position);
    op->setAttr("source_target_pairs", rowsOf(op->getContext(), pairs, 2));
  }

  std::vector<int64_t> pairsOf(ShiftOp op, const Grid &grid) {
    AxisList axes;
    llvm::append_range(axes, op.getShiftAxes());
    int64_t count = grid.groupSize(axes), offset = op.getOffset();
    // Modulo or clamped first: sums may overflow.
    offset = op.getRotate() ? offset % count
                            : std::clamp(offset, -2 * count, 2 * count);
    std::vector<int64_t> positions = positionsByGroup(grid, axes), pairs;
    for (size_t first = 0; first < positions.size(); first += count)
      for (int64_t i = 0; i < count; ++i) {
        int64_t to = op.getMirror() ? offset - i : i + offset;
        if (op.getRotate())
          to = (to % count + count) % count;
        if (to >= 0 && to < count)
          pairs.insert(pairs.end(),
                       {positions[first + i], positions[first + to]});
      }
    return pairs;
  }

  /// The block of the device with one number along `from_axes` goes to that with this
  /// number along `to_axes`; coordinates on the axes of one list only go back to those
  /// of the other.
  static std::vector<int64_t> pairsOf(PermuteOp op, const Grid &grid) {
    AxisList before, after;
    auto add = [](AxisList &list, ArrayRef<GridAxis> axes) {
      for (GridAxis axis : axes)
        if (!llvm::is_contained(list, axis))
          list.push_back(axis);
    };
    add(before, op.getFromAxes());
    add(before, op.getToAxes());
    add(after, op.getToAxes());
    add(after, op.getFromAxes());
    std::vector<int64_t> sources = positionsByGroup(grid, before),
                         targets = positionsByGroup(grid, after), pairs;
    for (auto [from, to] : llvm::zip_equal(sources, targets))
      pairs.insert(pairs.end(), {from, to});
    return pairs;
  }

  SymbolTableCollection symbols;
  ArrayRef<int64_t> ids;
  std::map<std::pair<Operation *, AxisList>, DenseIntElementsAttr> written;
};

} // namespace

/// Groups are those of collectives, which annotations become.
static LogicalResult checkPartitioned(ModuleOp module) {
  WalkResult walked = module.walk([](Operation *op) {
    if (!isa<ShardOp, ConstraintOp>(op))
      return WalkResult::advance();
    op->emitOpError(
        "is an annotation: groups are written on the collectives of a "
        "partitioned program; run shard-partition or shard-spmd first");
    return WalkResult::interrupt();
  });
  return failure(walked.wasInterrupted());
}

LogicalResult assignGroups(ModuleOp module, int64_t devicesPerNode) {
  if (failed(checkPartitioned(module)))
    return failure();
  if (devicesPerNode > 0 && failed(orderDevices(module, devicesPerNode)))
    return failure();
  GroupWriter writer;
  WalkResult walked = module.walk([&](Operation *op) {
    return failed(writer.write(op)) ? WalkResult::interrupt()
                                    : WalkResult::advance();
  });
  return success(!walked.wasInterrupted());
}

namespace {

struct ShardAssignGroupsPass
    : public impl::ShardAssignGroupsBase<ShardAssignGroupsPass> {
  using Base::Base;

  void getDependentDialects(DialectRegistry &registry) const override {
    registerShardDialect(registry);
  }
  void runOnOperation() override {
    if (devicesPerNode < 0) {
      getOperation().emitError("devices-per-node ")
          << devicesPerNode.getValue() << ": expected a number from 0 on";
      return signalPassFailure();
    }
    if (failed(assignGroups(getOperation(), devicesPerNode)))
      signalPassFailure();
  }
};

} // namespace

} // namespace shard
