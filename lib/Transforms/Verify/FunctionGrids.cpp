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
  auto [it, isNew] = runsOf.try_emplace({own, known});
  if (isNew)
    if (FailureOr<std::vector<AxisList>> found =
            axesInRefinement(own, known, symbols);
        succeeded(found))
      it->second = std::move(*found);
  const std::vector<AxisList> &runs = it->second;
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
