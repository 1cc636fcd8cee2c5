//===- SdyMeshes.cpp - The meshes of what names none ----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A barrier or an edge of Shardy names no mesh, but a constraint needs one. It is that of the
// nearest sharding along the values that flow in and out, so that a program with several
// meshes stays on each where it was.
//
//===----------------------------------------------------------------------===//

#include "SdyOps.h"

#include "shard/IR/ShardOps.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

#include <deque>

using namespace mlir;

namespace shard {

static FlatSymbolRefAttr gridOf(Attribute attribute) {
  if (auto list = dyn_cast_or_null<ArrayAttr>(attribute))
    attribute = list.empty() ? Attribute() : list[0];
  auto sharding = dyn_cast_or_null<ShardingAttr>(attribute);
  return sharding ? sharding.getGrid() : FlatSymbolRefAttr();
}

/// The grid that `op` names.
static FlatSymbolRefAttr gridOf(Operation *op) {
  if (auto constraint = dyn_cast<ConstraintOp>(op))
    return op->hasAttr(kAnyMeshMark) ? FlatSymbolRefAttr()
                                     : gridOf(constraint.getSharding());
  if (auto annotation = dyn_cast<ShardOp>(op)) {
    auto handle = annotation.getSharding().getDefiningOp<ShardingOp>();
    return handle ? handle.getGridAttr() : FlatSymbolRefAttr();
  }
  if (auto manual = dyn_cast<ManualComputationOp>(op))
    return manual.getGridAttr();
  return gridOf(op->getDiscardableAttr(kShardingAttrName));
}

namespace {
/// A walk from one value to the nearest ones, until one has a sharding.
class Search {
public:
  FlatSymbolRefAttr run(ConstraintOp from) {
    known.insert(from);
    add(from->getOperands());
    add(from->getResults());
    while (!grid && !worklist.empty()) {
      Value value = worklist.front();
      worklist.pop_front();
      visit(value);
    }
    return grid;
  }

private:
  void add(ValueRange values) {
    for (Value value : values)
      if (isa<RankedTensorType>(value.getType()) && seen.insert(value).second)
        worklist.push_back(value);
  }

  /// All that `op` takes, makes and hands into and out of its regions.
  void visit(Operation *op) {
    if (isa<FunctionOpInterface>(op) || !known.insert(op).second)
      return;
    if (!grid)
      grid = gridOf(op);
    add(op->getOperands());
    add(op->getResults());
    for (Region &region : op->getRegions())
      for (mlir::Block &block : region) {
        add(block.getArguments());
        if (block.mightHaveTerminator())
          add(block.getTerminator()->getOperands());
      }
  }

  void visit(Value value) {
    auto note = [&](Attribute attribute) {
      if (!grid)
        grid = gridOf(attribute);
    };
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      Operation *parent = argument.getOwner()->getParentOp();
      auto function = dyn_cast<FunctionOpInterface>(parent);
      if (function && argument.getOwner()->isEntryBlock())
        note(function.getArgAttr(argument.getArgNumber(), kShardingAttrName));
      visit(parent);
    } else {
      visit(value.getDefiningOp());
    }
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      auto function = dyn_cast<FunctionOpInterface>(user->getParentOp());
      if (function && user->hasTrait<OpTrait::ReturnLike>())
        note(function.getResultAttr(use.getOperandNumber(), kShardingAttrName));
      else if (user->hasTrait<OpTrait::IsTerminator>())
        visit(user->getParentOp());
      visit(user);
    }
  }

  FlatSymbolRefAttr grid;
  std::deque<Value> worklist;
  DenseSet<Value> seen;
  DenseSet<Operation *> known;
};
} // namespace

void chooseMeshes(Operation *module) {
  module->walk([](ConstraintOp op) {
    if (!op->hasAttr(kAnyMeshMark))
      return;
    ShardingAttr sharding = op.getSharding();
    FlatSymbolRefAttr grid = Search().run(op);
    if (grid && grid != sharding.getGrid())
      op.setShardingAttr(ShardingAttr::get(grid, sharding.getDims()));
  });
  module->walk([](ConstraintOp op) { op->removeAttr(kAnyMeshMark); });
}

} // namespace shard
