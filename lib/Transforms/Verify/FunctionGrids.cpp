//===- FunctionGrids.cpp - The grid that a function works on --------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionGrids.h"

#include "shard/IR/ShardingUtils.h"

using namespace mlir;

namespace shard {

/// The axes of `set` that have more than one device of `grid`: nothing depends on the only
/// coordinate on an axis.
static AxisSet withSeveral(GridOp grid, AxisSet set) {
  if (set == everyAxis)
    return set;
  for (auto [axis, size] : llvm::enumerate(grid.getShape()))
    if (size == 1 && axis <= size_t(kMaxAxisInSet))
      set &= ~(AxisSet(1) << axis);
  return set;
}

const std::vector<AxisList> &FunctionGrids::runs(GridOp coarse, GridOp fine) {
  auto [it, isNew] = runsOf.try_emplace({coarse, fine});
  if (isNew)
    if (FailureOr<std::vector<AxisList>> found =
            axesInRefinement(coarse, fine, symbols);
        succeeded(found))
      it->second = std::move(*found);
  return it->second;
}

bool FunctionGrids::inherit(Operation *function, Operation *caller) {
  GridOp grid = gridOf.lookup(caller);
  GridOp &own = gridOf[function];
  if (own || !grid)
    return false;
  own = grid;
  return true;
}

AxisSet FunctionGrids::handedOn(AxisSet set, Operation *from, Operation *to) {
  GridOp old = gridOf.lookup(from), own = gridOf.lookup(to);
  if (set == 0 || set == everyAxis || !old || !own || old == own)
    return set;
  const std::vector<AxisList> &finer = runs(old, own),
                              &coarser = runs(own, old);
  if (finer.empty() && coarser.empty())
    return everyAxis;
  AxisSet result = 0;
  for (auto [axis, parts] : llvm::enumerate(finer))
    if (setOf(GridAxis(axis)) & set)
      result |= setOf(parts);
  for (auto [axis, parts] : llvm::enumerate(coarser))
    if (setOf(parts) & set)
      result |= setOf(GridAxis(axis));
  return result;
}

AxisSet FunctionGrids::axesOf(Operation *op, FlatSymbolRefAttr grid,
                              ArrayRef<int16_t> axes) {
  if (axes.empty())
    return 0;
  Operation *function = isa<FunctionOpInterface>(op)
                            ? op
                            : op->getParentOfType<FunctionOpInterface>();
  GridOp known = gridOf.lookup(function);
  GridOp own = getGrid(op, grid, symbols);
  if (!known || !own)
    return everyAxis;
  if (known == own)
    return withSeveral(known, setOf(axes));
  const std::vector<AxisList> &runs = this->runs(own, known);
  AxisSet set = 0;
  for (int16_t axis : axes)
    set |=
        axis >= 0 && size_t(axis) < runs.size() ? setOf(runs[axis]) : everyAxis;
  return withSeveral(known, set);
}

bool FunctionGrids::areSeveral() const {
  GridOp first;
  for (auto [function, grid] : gridOf) {
    if (first && grid && grid != first)
      return true;
    if (grid)
      first = grid;
  }
  return false;
}

void FunctionGrids::add(FunctionOpInterface function) {
  GridOp &finest = gridOf[function];
  FlatSymbolRefAttr last;
  auto name = [&](FlatSymbolRefAttr symbol) {
    if (!symbol || symbol == last)
      return;
    last = symbol;
    GridOp grid = getGrid(function, symbol, symbols);
    if (grid && grid != finest &&
        (!finest || succeeded(axesInRefinement(finest, grid, symbols))))
      finest = grid;
  };
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (auto local = function.getArgAttrOfType<LocalAttr>(i, kLocalAttrName))
      name(local.getSharding().getGrid());
  function->walk([&](Operation *op) {
    if (isa_and_present<ShardDialect>(op->getDialect()))
      name(op->getAttrOfType<FlatSymbolRefAttr>("grid"));
  });
}

} // namespace shard
