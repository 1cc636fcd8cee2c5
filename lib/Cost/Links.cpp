//===- Links.cpp - The machine and the links of a grid -------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Cost/Links.h"

#include "shard/IR/ShardingUtils.h"

#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace shard {

/// Calls `visit` with `grid` and the grids that it refines, from the finest to the
/// coarsest, until it returns true.
static void visitRefined(GridOp grid, llvm::function_ref<bool(GridOp)> visit) {
  SymbolTableCollection symbols;
  // Grids may refine each other in a circle.
  llvm::SmallPtrSet<Operation *, 4> seen;
  for (GridOp at = grid; at && seen.insert(at).second;) {
    if (visit(at))
      return;
    FlatSymbolRefAttr refined = at.getRefinesAttr();
    at = refined ? getGrid(at, refined, symbols) : GridOp();
  }
}

GridOp baseOf(GridOp grid) {
  GridOp base = grid;
  visitRefined(grid, [&](GridOp at) {
    base = at;
    return false;
  });
  return base;
}

/// The machine that `grid` or a grid that it refines states; nothing if none does.
static std::optional<Machine> statedMachine(GridOp grid) {
  std::optional<Machine> machine;
  visitRefined(grid, [&](GridOp at) {
    auto figures = at->getAttrOfType<DictionaryAttr>(kMachineAttrName);
    if (!figures)
      return false;
    // The verifier has accepted it.
    FailureOr<Machine> read = readMachine(
        figures, [&] { return at->emitOpError() << "shard.machine "; });
    if (succeeded(read))
      machine = *read;
    return true;
  });
  return machine;
}

Machine machineOf(GridOp grid) {
  return statedMachine(grid).value_or(knownMachines().front());
}

/// The list `get` of `grid`, or of the nearest grid that it refines and that has one,
/// by the axes of `grid`; `missing` for each axis without a figure.
static std::vector<double>
figuresOfAxes(GridOp grid,
              llvm::function_ref<std::optional<ArrayRef<double>>(GridOp)> get,
              double missing) {
  std::vector<double> figures(grid.getRank(), missing);
  visitRefined(grid, [&](GridOp at) {
    std::optional<ArrayRef<double>> list = get(at);
    if (!list)
      return false;
    SymbolTableCollection symbols;
    FailureOr<std::vector<AxisList>> parts =
        axesInRefinement(at, grid, symbols);
    if (succeeded(parts))
      for (auto [figure, axes] : llvm::zip(*list, *parts))
        for (GridAxis axis : axes)
          figures[axis] = figure;
    return true;
  });
  return figures;
}

static LinkCostModel linksOf(GridOp grid, ArrayRef<GridAxis> origins,
                             double latency, double bandwidth) {
  auto figuresOf =
      [&](llvm::function_ref<std::optional<ArrayRef<double>>(GridOp)> get,
          double missing) {
        std::vector<double> figures = figuresOfAxes(grid, get, missing);
        std::vector<double> parts;
        for (GridAxis axis : origins)
          parts.push_back(figures[axis]);
        return parts;
      };
  return LinkCostModel(
      figuresOf([](GridOp at) { return at.getLatency(); }, latency),
      figuresOf([](GridOp at) { return at.getBandwidth(); }, bandwidth));
}

static SmallVector<GridAxis> allAxes(GridOp grid) {
  return llvm::to_vector(llvm::seq<GridAxis>(0, grid.getRank()));
}

std::unique_ptr<CostModel> linkCosts(GridOp grid) {
  return linkCosts(grid, allAxes(grid));
}

std::unique_ptr<CostModel> linkCosts(GridOp grid, ArrayRef<GridAxis> origins) {
  std::optional<Machine> machine = statedMachine(grid);
  return std::make_unique<LinkCostModel>(
      linksOf(grid, origins, machine ? machine->linkLatency : 0,
              machine ? machine->linkBandwidth : 1));
}

LinkCostModel linkSeconds(GridOp grid, const Machine &machine) {
  return linksOf(grid, allAxes(grid), machine.linkLatency,
                 machine.linkBandwidth);
}

std::vector<std::string> axisNamesOf(GridOp grid) {
  GridOp base = baseOf(grid);
  auto own = [](GridOp op, int64_t axis) {
    return op.getAxisNames() ? op.axisName(axis) : std::to_string(axis);
  };
  std::vector<std::string> names;
  if (grid == base || base.getRank() == 0) {
    for (int64_t axis = 0; axis < grid.getRank(); ++axis)
      names.push_back(own(grid, axis));
    return names;
  }
  int64_t axis = 0, done = 1;
  for (int64_t size : grid.getShape()) {
    while (done == base.getShape()[axis] && axis + 1 < base.getRank()) {
      ++axis;
      done = 1;
    }
    std::string name = own(base, axis);
    if (size != base.getShape()[axis])
      name += ":(" + std::to_string(done) + ")" + std::to_string(size);
    names.push_back(name);
    done *= size;
  }
  return names;
}

} // namespace shard
