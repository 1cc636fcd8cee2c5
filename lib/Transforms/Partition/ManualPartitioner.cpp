//===- ManualPartitioner.cpp - Code for one device ------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Partition/Partitioners.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace shard {

namespace {

class ManualPartitioner {
public:
  ManualPartitioner(LocalFunction &local, ManualComputationOp op)
      : local(local), op(op), grid(local.shardings.gridNamed(op)),
        planningGrid(local.on(grid).planningGrid) {
    for (auto axis : op.getManualAxes().getAsRange<AxisRefAttr>())
      manualAxes.push_back(*grid.axisNumber(axis));
    inside = planningGrid;
    for (GridAxis axis : manualAxes)
      inside.shape[axis] = 1;
  }

  LogicalResult run(RebuildOp rebuild) {
    if (failed(takeOperands()) || failed(gatherCaptures()))
      return failure();
    {
      llvm::SaveAndRestore guard(planningGrid, inside);
      for (Operation &inner : llvm::make_early_inc_range(
               op.getBody().front().without_terminator()))
        if (failed(rebuild(&inner)))
          return failure();
    }
    if (failed(giveResults()))
      return failure();
    for (const auto &[value, before] : outside)
      local.locals[value] = before;
    return success();
  }

private:
  /// An error where manual axes cut a dynamic dimension into blocks of unequal extents,
  /// which code for one device does not know of.
  LogicalResult refuseRagged(Type type, const Sharding &sharding,
                             StringRef what, unsigned index) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !planningGrid.unevenDynamic)
      return success();
    for (auto [dim, axes] : llvm::enumerate(sharding.dims))
      for (GridAxis axis : axes)
        if (tensor.isDynamicDim(dim) && llvm::is_contained(manualAxes, axis))
          return op->emitOpError("splits dynamic dimension ")
                 << dim << " of " << what << index
                 << " by a manual axis on a grid with uneven_dynamic, where "
                    "blocks have unequal extents; leave it whole, or give the "
                    "extent in the type";
    return success();
  }

  FailureOr<const Sharding *> shardingAt(ArrayAttr list, unsigned index,
                                         Type type) {
    return local.shardings.resolveFor(op, cast<ShardingAttr>(list[index]),
                                      type);
  }

  LogicalResult takeOperands() {
    for (BlockArgument argument : op.getBody().getArguments()) {
      unsigned index = argument.getArgNumber();
      Value input = op.getInputs()[index];
      FailureOr<const Sharding *> in =
          shardingAt(op.getInShardings(), index, input.getType());
      if (failed(in))
        return failure();
      if (failed(refuseRagged(input.getType(), **in, "operand ", index)))
        return failure();
      FailureOr<Value> taken =
          local.localAs(input, *in, op, "operand " + Twine(index));
      if (failed(taken))
        return failure();
      local.locals[argument] = {*taken, withoutManualAxes(*in)};
      const Sharding *stated = local.shardings.of(argument);
      llvm::SaveAndRestore guard(planningGrid, inside);
      FailureOr<Value> asStated =
          local.localAs(argument, stated, op, "body argument");
      if (failed(asStated))
        return failure();
      local.locals[argument] = {*asStated, stated};
    }
    return success();
  }

  /// Every device of the manual axes sees the whole of a tensor that the body takes
  /// from outside.
  LogicalResult gatherCaptures() {
    llvm::SetVector<Value> captured;
    op.getBody().walk([&](Operation *inner) {
      for (Value value : inner->getOperands()) {
        // A region that is being rebuilt has no op around it yet: its values, too, come from
        // outside.
        Region *home = value.getParentRegion();
        Operation *around = home ? home->getParentOp() : nullptr;
        if (!around || !op->isAncestor(around))
          captured.insert(value);
      }
    });
    for (Value value : captured) {
      LocalFunction::LocalValue before = local.locals.lookup(value);
      if (!before.sharding)
        continue;
      const Sharding *whole = withoutManualAxes(before.sharding);
      FailureOr<Value> gathered =
          local.localAs(value, whole, op, "a captured value");
      if (failed(gathered))
        return failure();
      if (whole == before.sharding)
        continue;
      outside.emplace_back(value, before);
      local.locals[value] = {*gathered, whole};
    }
    return success();
  }

  LogicalResult giveResults() {
    Operation *terminator = op.getBody().front().getTerminator();
    for (auto [index, value] : llvm::enumerate(terminator->getOperands())) {
      Value result = op.getResult(index);
      FailureOr<const Sharding *> out =
          shardingAt(op.getOutShardings(), index, result.getType());
      if (failed(out) ||
          failed(refuseRagged(result.getType(), **out, "result ", index)))
        return failure();
      FailureOr<Value> given;
      {
        llvm::SaveAndRestore guard(planningGrid, inside);
        given = local.localAs(value, withoutManualAxes(*out), op,
                              "returned value " + Twine(index));
      }
      if (failed(given) || failed(local.setResult(result, *given, *out, op)))
        return failure();
    }
    return success();
  }

  const Sharding *withoutManualAxes(const Sharding *sharding) {
    if (local.pool.gridOf(sharding) != grid)
      return sharding;
    Sharding free = *sharding;
    for (GridAxis axis : manualAxes) {
      for (AxisList &axes : free.dims)
        llvm::erase(axes, axis);
      llvm::erase(free.partial, axis);
    }
    return local.pool.intern(free, grid);
  }

  LocalFunction &local;
  ManualComputationOp op;
  GridOp grid;
  /// The grid of plans on `grid`.
  Grid &planningGrid;
  AxisList manualAxes;
  /// The grid of plans in the body.
  Grid inside;
  /// What captured values are outside of the body, where manual axes split them.
  SmallVector<std::pair<Value, LocalFunction::LocalValue>> outside;
};

} // namespace

LogicalResult partitionManual(LocalFunction &local, ManualComputationOp op,
                              RebuildOp rebuild) {
  return ManualPartitioner(local, op).run(rebuild);
}

} // namespace shard
