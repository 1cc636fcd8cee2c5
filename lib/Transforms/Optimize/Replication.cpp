//===- Replication.cpp - Values that devices have in common ---------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Optimize/Replication.h"

#include "Optimize/Silence.h"
#include "Verify/AxisSet.h"
#include "shard/IR/ShardingUtils.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace shard {

bool Replication::capturesReplicated(Operation *op, FlatSymbolRefAttr grid,
                                     ArrayRef<GridAxis> axes) {
  llvm::SetVector<Value> above;
  getUsedValuesDefinedAbove(op->getRegions(), above);
  return llvm::all_of(
      above, [&](Value value) { return isReplicated(value, grid, axes); });
}

bool Replication::isReplicated(Value value, FlatSymbolRefAttr grid,
                               ArrayRef<GridAxis> axes) {
  return (axesOf(value, grid).varies & setOf(axes)) == 0;
}

bool Replication::isSplit(Value value, FlatSymbolRefAttr grid,
                          ArrayRef<GridAxis> axes) {
  return (setOf(axes) & ~axesOf(value, grid).splits) == 0;
}

void Replication::forget(Operation *op) {
  for (Value result : op->getResults())
    for (Attribute grid : grids)
      known.erase({result, grid});
}

Replication::Axes Replication::axesOf(Value value, FlatSymbolRefAttr grid) {
  grids.insert(grid);
  // What a value depends on is looked at first, without recursion: chains of ops are
  // long.
  SmallVector<Value> pending{value};
  // In code that is not reached ops may take each other's results.
  llvm::SmallDenseSet<Value, 8> expanded;
  while (!pending.empty()) {
    Value at = pending.back();
    if (known.count({at, grid})) {
      pending.pop_back();
      continue;
    }
    size_t before = pending.size();
    Operation *op = at.getDefiningOp();
    if (op && expanded.insert(at).second) {
      auto wait = [&](Value operand) {
        if (!known.count({operand, grid}) && !expanded.contains(operand))
          pending.push_back(operand);
      };
      llvm::for_each(op->getOperands(), wait);
      llvm::SetVector<Value> above;
      getUsedValuesDefinedAbove(op->getRegions(), above);
      llvm::for_each(above, wait);
    }
    if (pending.size() != before)
      continue;
    known[{at, grid}] = axesUncached(at, grid);
    pending.pop_back();
  }
  return known[{value, grid}];
}

Replication::Axes Replication::axesOfArgument(BlockArgument argument,
                                              FlatSymbolRefAttr grid) {
  const Axes unknown{everyAxis, 0};
  mlir::Block *block = argument.getOwner();
  auto function =
      dyn_cast_if_present<FunctionOpInterface>(block->getParentOp());
  if (!function || !block->isEntryBlock())
    return unknown;
  auto local = dyn_cast_if_present<LocalAttr>(
      function.getArgAttr(argument.getArgNumber(), kLocalAttrName));
  if (!local)
    return unknown;
  auto [entry, isNew] =
      ofLocals.try_emplace({function->getParentOp(), local}, unknown);
  if (isNew)
    entry->second = axesOfLocal(function, local);
  FlatSymbolRefAttr own = local.getSharding().getGrid();
  if (own == grid)
    return entry->second;
  // What all devices have is the same along the axes of each grid of these devices.
  return entry->second.varies == 0 && haveSameDevices(function, own, grid)
             ? Axes{}
             : unknown;
}

bool Replication::haveSameDevices(Operation *op, FlatSymbolRefAttr a,
                                  FlatSymbolRefAttr b) {
  Silence silence(op->getContext());
  auto devicesOf = [&](FlatSymbolRefAttr name) -> std::optional<int64_t> {
    GridOp grid = getGrid(op, name, symbols);
    FailureOr<Grid> sizes = grid ? staticGrid(grid) : FailureOr<Grid>();
    return succeeded(sizes) ? std::optional(sizes->numDevices()) : std::nullopt;
  };
  std::optional<int64_t> count = devicesOf(a);
  return count && count == devicesOf(b);
}

Replication::Axes Replication::axesOfLocal(FunctionOpInterface function,
                                           LocalAttr local) {
  // On a grid with an axis of unknown size it fails.
  Silence silence(function->getContext());
  FailureOr<LocalSharding> read = resolveLocal(function, local, symbols);
  if (failed(read))
    return {everyAxis, 0};
  uint64_t axes = 0;
  auto add = [&](const AxisList &list) {
    axes |= setOf(ArrayRef<GridAxis>(list.data(), list.size()));
  };
  llvm::for_each(read->sharding.dims, add);
  add(read->sharding.partial);
  return {axes, axes};
}

bool Replication::isBlock(Value value, int64_t dim, int64_t whole,
                          FlatSymbolRefAttr grid, ArrayRef<GridAxis> axes) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return isBlockOfArgument(argument, dim, whole, grid, axes);
  auto slice = value.getDefiningOp<AllSliceOp>();
  return slice && slice.getGridAttr() == grid && slice.getGridAxes() == axes &&
         slice.getSliceAxis().getSExtValue() == dim &&
         slice.getInput().getType().getDimSize(dim) == whole;
}

bool Replication::isBlockOfArgument(BlockArgument argument, int64_t dim,
                                    int64_t whole, FlatSymbolRefAttr grid,
                                    ArrayRef<GridAxis> axes) {
  auto function = dyn_cast_if_present<FunctionOpInterface>(
      argument.getOwner()->getParentOp());
  if (!function || !argument.getOwner()->isEntryBlock())
    return false;
  auto local = function.getArgAttrOfType<LocalAttr>(argument.getArgNumber(),
                                                    kLocalAttrName);
  if (!local || local.getSharding().getGrid() != grid)
    return false;
  Silence silence(function->getContext());
  FailureOr<LocalSharding> read = resolveLocal(function, local, symbols);
  return succeeded(read) && !read->sharding.hasHalosOrOffsets() &&
         local.getType().getDimSize(dim) == whole &&
         ArrayRef<GridAxis>(read->sharding.dims[dim]) == axes;
}

/// Whether the body of the op, if it computes single elements, reads those of `operand`.
static bool isRead(OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (op->getNumRegions() != 1 || !op->getRegion(0).hasOneBlock())
    return true;
  mlir::Block &body = op->getRegion(0).front();
  return body.getNumArguments() != op->getNumOperands() ||
         !body.getArgument(operand.getOperandNumber()).use_empty();
}

Replication::Axes Replication::axesUncached(Value value,
                                            FlatSymbolRefAttr grid) {
  const Axes unknown{everyAxis, 0};
  Operation *op = value.getDefiningOp();
  if (!op)
    return axesOfArgument(cast<BlockArgument>(value), grid);
  if (op->hasTrait<OpTrait::ConstantLike>())
    return {};
  Axes axes;
  auto take = [&](Value taken) {
    Axes from = known.lookup({taken, grid});
    axes.varies |= from.varies;
    axes.splits |= from.splits;
  };
  for (OpOperand &operand : op->getOpOperands()) {
    uint64_t before = axes.splits;
    take(operand.get());
    // A destination that is written over.
    if (!isRead(operand))
      axes.splits = before;
  }
  if (isa_and_nonnull<ShardDialect>(op->getDialect())) {
    // These make their result equal along their axes. The padding of blocks that are
    // gathered is not taken along.
    auto list = op->getAttrOfType<DenseI16ArrayAttr>("grid_axes");
    if (op->getAttr("grid") != grid || !list)
      return unknown;
    // Each device gets another block.
    if (isa<AllToAllOp, ReduceScatterOp>(op))
      return {everyAxis, setOf(list.asArrayRef())};
    if (!isa<AllGatherOp, AllReduceOp, AllSliceOp>(op))
      return unknown;
    // Devices along other axes take the same block.
    uint64_t own = setOf(list.asArrayRef());
    if (isa<AllSliceOp>(op))
      return {axes.varies | own, axes.splits | own};
    return {axes.varies & ~own, axes.splits & ~own};
  }
  // Ops with regions whose values come and go are not followed.
  if (!isMemoryEffectFree(op) || isa<RegionBranchOpInterface>(op))
    return unknown;
  llvm::SetVector<Value> above;
  getUsedValuesDefinedAbove(op->getRegions(), above);
  llvm::for_each(above, take);
  WalkResult walk = op->walk([](Operation *inner) {
    return isa_and_nonnull<ShardDialect>(inner->getDialect())
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return walk.wasInterrupted() ? unknown : axes;
}

} // namespace shard
