//===- Propagation.cpp - From hints to a sharding per value ---------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Propagation/Propagation.h"

#include "Components.h"
#include "Explain.h"
#include "Reader.h"
#include "Writer.h"

using namespace mlir;

namespace shard {

using namespace propagation;

namespace {

//===----------------------------------------------------------------------===//
// Remarks
//===----------------------------------------------------------------------===//

void addRemarks(const Reader &reader, const Solution &solution, GridOp gridOp,
                std::vector<PropagationRemark> &remarks) {
  for (const Solution::Note &note : solution.notes) {
    Operation *op = reader.ownerOf(note.op);
    std::string text;
    llvm::raw_string_ostream os(text);
    os << "a dimension of extent " << note.extent;
    os << (note.kind == Obstacle::Kind::Uneven ? " is split unevenly"
                                               : " is not split further");
    os << " by";
    int64_t parts = 1;
    for (GridAxis axis : note.axes) {
      const AxisOrigin &part = solution.axes[axis];
      os << (axis == note.axes.front() ? " " : ", ") << "axis "
         << gridOp.axisName(part.axis);
      if (part.size != gridOp.getShape()[part.axis] &&
          !ShapedType::isDynamic(gridOp.getShape()[part.axis]))
        os << ":(" << part.preSize << ")" << part.size;
      parts *= part.size;
    }
    os << " (" << parts << " parts";
    if (note.kind == Obstacle::Kind::Uneven)
      os << ", the last ones short or empty)";
    else
      os << "): the parts do not fit";
    remarks.push_back({op->getLoc(), std::move(text)});
  }
}

} // namespace

//===----------------------------------------------------------------------===//
// Entry
//===----------------------------------------------------------------------===//

const Sharding *PropagationResult::sharding(Value value) const {
  if (!indexed) {
    for (const GridPropagation &grid : grids)
      for (const auto &[value, number] : grid.values)
        index[value] = &grid.shardings[number];
    indexed = true;
  }
  return index.lookup(value);
}

LogicalResult propagateShardings(Operation *root,
                                 const PropagationOptions &options,
                                 PropagationResult &result) {
  SymbolTableCollection symbols;
  llvm::SmallVector<Component> components;
  if (failed(findComponents(root, symbols, components)))
    return failure();
  CostModel costs;
  Planner ownPlanner(costs);
  Planner &planner = options.planner ? *options.planner : ownPlanner;
  for (const Component &component : components) {
    GridOp gridOp = component.grid;
    // An axis of unknown size divides everything by contract.
    Grid grid;
    for (int64_t size : gridOp.getShape())
      grid.shape.push_back(ShapedType::isDynamic(size) ? 1 : size);
    Reader reader(gridOp, grid, symbols);
    if (failed(reader.read(component.functions)))
      return failure();
    auto solved = solve(reader.problem, options);
    if (auto *error = std::get_if<HintError>(&solved))
      return emitError(error->value == kNoValue
                           ? gridOp.getLoc()
                           : reader.hintLocation(error->value))
             << error->text;
    Solution &solution = std::get<Solution>(solved);
    addRemarks(reader, solution, gridOp, result.remarks);
    GridPropagation &out = result.grids.emplace_back();
    out.gridName = gridOp.getSymNameAttr();
    out.gridOp = gridOp;
    out.functions.assign(component.functions.begin(),
                         component.functions.end());
    WrittenReshards reshards =
        writeSolution(reader, solution, planner, options.explain, out);
    if (options.explain)
      explain(root, reader, solution, out, reshards, planner,
              result.explanation);
    for (auto [size, origin] : llvm::zip_equal(out.grid.shape, out.axes))
      if (ShapedType::isDynamic(gridOp.getShape()[origin.axis]))
        size = kDynamic;
  }
  return success();
}

} // namespace shard
