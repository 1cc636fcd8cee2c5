//===- ProgramGrids.cpp - The grids of a program --------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Partition/ProgramGrids.h"

#include "shard/IR/ShardingUtils.h"
#include "shard/Partitioning/PlanTrace.h"

#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace shard {

Planner &ProgramGrids::plannerOf(GridOp grid) {
  auto &[costs, planner] = planners[grid];
  if (!planner) {
    costs = linkCosts(grid);
    planner = std::make_unique<Planner>(*costs, planTrace());
  }
  return *planner;
}

void ProgramGrids::remarkOtherMachines() {
  GridOp first;
  Machine known;
  if (isa<ModuleOp>(root))
    for (GridOp grid : root->getRegion(0).getOps<GridOp>()) {
      if (grid.getRefinesAttr())
        continue;
      Machine machine = machineOf(grid);
      if (!first) {
        first = grid;
        known = machine;
      }
      // Grids may have links of their own.
      machine.linkBandwidth = known.linkBandwidth;
      machine.linkLatency = known.linkLatency;
      machine.name = known.name;
      if (!(machine == known))
        mlir::emitRemark(grid.getLoc())
            << "the devices have other figures by the " << kMachineAttrName
            << " of this grid than by that of @" << first.getSymName()
            << "; all grids of a module are of the same devices, and "
               "predictions take what ops compute from the first one";
    }
}

FailureOr<GridOp> ProgramGrids::refined(GridOp first, GridOp second,
                                        const Refinement &refinement,
                                        Location loc) {
  const std::vector<int64_t> &shape = refinement.grid.shape;
  for (GridOp grid : {first, second})
    if (grid.getShape() == ArrayRef<int64_t>(shape))
      return grid;
  GridOp &known = added[{first, shape}];
  if (known)
    return known;
  Operation *table = first->getParentOp();
  if (!root->isAncestor(table))
    return emitError(loc) << "moves a value from grid @" << first.getSymName()
                          << " to grid @" << second.getSymName()
                          << ", which adds a grid that refines both to the "
                             "module; run the pass on the module instead of on "
                             "a function";
  OpBuilder builder(first->getContext());
  known = GridOp::create(builder, first.getLoc(), first.getSymName(),
                         ArrayRef<int64_t>(shape));
  known.setUnevenDynamic(first.getUnevenDynamic());
  // Where axes of both clash (2x3 and 3x2) it refines none of them.
  for (GridOp grid : {second, first})
    if (axesWithin(Grid{grid.getShape().vec()}, refinement.grid))
      known.setRefinesAttr(FlatSymbolRefAttr::get(grid.getSymNameAttr()));
  SymbolTableCollection symbols;
  ArrayRef<int64_t> ids = deviceIdsOf(first, symbols);
  if (!known.getRefinesAttr()) {
    if (!ids.empty())
      known.setDeviceIds(ids);
    if (Attribute machine = baseOf(first)->getAttr(kMachineAttrName))
      known->setAttr(kMachineAttrName, machine);
  }
  SymbolTable(table).insert(known, std::next(mlir::Block::iterator(first)));
  return known;
}

} // namespace shard
