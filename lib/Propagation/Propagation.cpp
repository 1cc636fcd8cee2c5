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
#include "GatherRemarks.h"
#include "GridRegions.h"
#include "OpenValues.h"
#include "Origins.h"
#include "Reader.h"
#include "Writer.h"

#include "shard/Interfaces/ShardingInterface.h"
#include "shard/Partitioning/Emitter.h"
#include "shard/Partitioning/PlanTrace.h"

#include <set>

using namespace mlir;

namespace shard {

using namespace propagation;

namespace {

//===----------------------------------------------------------------------===//
// Remarks
//===----------------------------------------------------------------------===//

/// Whether dimension `dim` of tensor `number` of `op` is that of padding or a slice of
/// which all users read windows. These are cut out of the tensor before it, and the
/// blocks are never made.
bool isSlidOver(ReadProgram &program, OpId op, size_t number, size_t dim) {
  auto *owner = llvm::dyn_cast_if_present<Operation *>(program.origins[op]);
  if (!owner || program.problem.tensors(op).size() !=
                    owner->getNumOperands() + owner->getNumResults())
    return false;
  Value value = number < owner->getNumOperands()
                    ? owner->getOperand(number)
                    : Value(owner->getResult(number - owner->getNumOperands()));
  auto view = value.getDefiningOp<ShardingInterface>();
  if (!view || !view.isView())
    return false;
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    const LoopTable table = buildLoopTable(use.getOwner());
    return table.operands[use.getOperandNumber()].isWindow(dim);
  });
}

/// Extents of dimensions with the axes that split them.
using SplitExtents = std::set<std::pair<int64_t, AxisList>>;

/// Those of all values.
SplitExtents findSplitExtents(ReadProgram &program, const Solution &solution,
                              const std::vector<Sharding> &shardings) {
  const Problem &problem = program.problem;
  SplitExtents found;
  llvm::DenseSet<std::pair<ShapeId, uint32_t>> seen;
  for (ValueId value = 0; value < problem.numValues(); ++value) {
    uint32_t index = solution.values[program.find(value)];
    ShapeId shape = problem.valueShape[value];
    if (index == kReplicated || !seen.insert({shape, index}).second)
      continue;
    for (auto [extent, axes] :
         llvm::zip_equal(problem.shapes[shape].extents, shardings[index].dims))
      if (!axes.empty())
        found.insert({extent, axes});
  }
  return found;
}

/// The op that a remark about an uneven split is for: where a user has given the
/// bounds of all blocks, where no such blocks are made, and where no value is split like
/// that in the end, there is none. `shardings` are those of the solution.
Operation *unevenlySplit(ReadProgram &program, const Solution &solution,
                         const std::vector<Sharding> &shardings,
                         const SplitExtents &split,
                         const Solution::Note &note) {
  if (!split.count({note.extent, note.axes}))
    return nullptr;
  Problem &problem = program.problem;
  bool isPassedOver = false;
  auto isUneven = [&](OpId op) {
    for (auto [number, value] : llvm::enumerate(problem.tensors(op))) {
      if (value == kNoValue)
        continue;
      ValueId same = program.find(value);
      uint32_t index = solution.values[same];
      if (index == kReplicated || !shardings[index].offsets.empty())
        continue;
      const Shape &shape = problem.shapes[problem.valueShape[same]];
      for (auto [dim, extent, axes] :
           llvm::enumerate(shape.extents, shardings[index].dims)) {
        if (extent != note.extent || axes != note.axes)
          continue;
        if (!isSlidOver(program, op, number, dim))
          return true;
        isPassedOver = true;
      }
    }
    return false;
  };
  bool hasBounds = llvm::any_of(shardings, [](const Sharding &sharding) {
    return !sharding.offsets.empty();
  });
  if (isUneven(note.op) || (!hasBounds && !isPassedOver))
    return program.ownerOf(note.op);
  for (OpId op = 0; op < problem.numOps(); ++op)
    if (isUneven(op) && program.ownerOf(op))
      return program.ownerOf(op);
  return nullptr;
}

void addRemarks(ReadProgram &program, const Solution &solution, GridOp gridOp,
                const std::vector<Sharding> &shardings,
                std::vector<PropagationRemark> &remarks) {
  SplitExtents split;
  if (!solution.notes.empty())
    split = findSplitExtents(program, solution, shardings);
  for (const Solution::Note &note : solution.notes) {
    Operation *op =
        note.kind == Obstacle::Kind::Uneven
            ? unevenlySplit(program, solution, shardings, split, note)
            : program.ownerOf(note.op);
    if (!op)
      continue;
    std::string text;
    llvm::raw_string_ostream os(text);
    if (ShapedType::isDynamic(note.extent))
      os << "a dimension of unknown extent";
    else
      os << "a dimension of extent " << note.extent;
    os << (note.kind == Obstacle::Kind::Uneven ? " is split unevenly"
                                               : " is not split further");
    os << " by";
    int64_t parts = 1;
    for (GridAxis axis : note.axes) {
      const AxisPart &part = solution.axes[axis];
      os << (axis == note.axes.front() ? " " : ", ");
      printAxis(os, part, gridOp);
      parts *= part.size;
    }
    os << " (" << parts << " parts";
    if (note.kind == Obstacle::Kind::Uneven)
      os << ", the last ones short or empty)";
    else if (ShapedType::isStatic(note.extent))
      os << "): the parts do not fit";
    else if (gridOp.getUnevenDynamic())
      os << "): windows over it are split by one axis, and what merges it by "
            "none";
    else
      os << "): windows over it are split on a grid with uneven_dynamic only "
            "(--uneven-dynamic)";
    remarks.push_back({op->getLoc(), std::move(text)});
  }
}

/// Remarks on the hints that were not followed all the way.
void addDropped(ReadProgram &program, const Solution &solution, GridOp gridOp,
                std::vector<PropagationRemark> &remarks) {
  for (const Solution::DroppedPart &dropped : solution.dropped) {
    std::string text;
    llvm::raw_string_ostream os(text);
    os << program.hints.describe(dropped.value) << " ends in dimension "
       << dropped.dim << " before ";
    printAxis(os, dropped.part, gridOp);
    if (dropped.other == kNoValue)
      os << ": a manual_computation cuts this axis otherwise";
    else
      os << ": " << program.hints.describe(dropped.other)
         << " cuts this axis otherwise";
    os << ", and no grid has both cuts";
    remarks.push_back(
        {program.hints.locationOf(dropped.value), std::move(text)});
  }
}

/// Remarks on hints that are not read and not in `told`, which each grid of a program finds.
void addUnread(const ReadProgram &program,
               llvm::SmallPtrSetImpl<Operation *> &told,
               std::vector<PropagationRemark> &remarks) {
  for (auto [hint, op] : program.unread)
    if (told.insert(hint).second)
      remarks.push_back(
          {hint->getLoc(), ("the hint has no effect: propagation does not look "
                            "into the regions of '" +
                            op->getName().getStringRef() +
                            "', which each device runs as they are")
                               .str()});
}

} // namespace

//===----------------------------------------------------------------------===//
// Entry
//===----------------------------------------------------------------------===//

const Sharding *PropagationResult::stated(Value value) const {
  if (!indexed) {
    for (const GridPropagation &grid : grids)
      for (const auto &[value, number] : grid.values)
        index[value] = &grid.shardings[number];
    indexed = true;
  }
  return index.lookup(value);
}

const Sharding *PropagationResult::sharding(Value value) const {
  const Sharding *known = stated(value);
  return known && !known->isReplicated() ? known : nullptr;
}

bool PropagationResult::isStated(Value value) const { return stated(value); }

namespace {
/// Solves the functions of one component for one of its grids.
class GridSolver {
public:
  GridSolver(Operation *root, const PropagationOptions &options,
             SymbolTableCollection &symbols, PropagationResult &result)
      : root(root), options(options), symbols(symbols), result(result) {}

  LogicalResult solve(const Component &component, GridOp gridOp) {
    ReadProgram program = programFor(gridOp);
    if (failed(Reader(program, gridOp, symbols, result.crossings)
                   .read(component.functions)))
      return failure();
    if (component.grids.size() > 1 && failed(keepOwn(program, gridOp)))
      return failure();
    auto solved = propagation::solve(program.problem, options);
    if (auto *error = std::get_if<HintError>(&solved))
      return report(*error, program, gridOp);
    auto &solution = std::get<Solution>(solved);
    // Reshards are planned on the axes that hints cut those of the grid into.
    llvm::SmallVector<GridAxis> origins;
    for (const AxisPart &part : solution.axes)
      origins.push_back(part.axis);
    std::unique_ptr<CostModel> costs = linkCosts(gridOp, origins);
    Planner planner(*costs, planTrace());
    result.grids.emplace_back();
    WrittenReshards reshards =
        writeSolution(program, solution, planner, options, result.grids.back());
    finish(component, gridOp, program, solution, planner, reshards);
    return checkKinds(result.grids.back());
  }

  /// Adds what is explained of the moves between grids, once all are solved.
  void addCrossings() {
    for (auto &[op, entry] : crossings)
      result.explanation.reshards.push_back(std::move(entry));
  }

  /// Notes which values are on which grid of `component`, and the annotations that
  /// move values between grids.
  LogicalResult findCrossings(const Component &component) {
    ReadProgram program = programFor(component.grids.front());
    if (failed(
            Reader(program, component.grids.front(), symbols, result.crossings)
                .read(component.functions)))
      return failure();
    GridRegions regions(program);
    if (failed(regions.find()))
      return failure();
    result.crossings.insert_range(regions.crossings);
    for (const auto &[value, id] : program.numbers.values)
      if (GridOp grid = regions.gridOf(id))
        result.gridOf[value] = grid;
    return success();
  }

private:
  ReadProgram programFor(GridOp gridOp) {
    // An axis of unknown size divides everything by contract.
    Grid grid;
    for (int64_t size : gridOp.getShape())
      grid.shape.push_back(ShapedType::isDynamic(size) ? 1 : size);
    grid.unevenDynamic = gridOp.getUnevenDynamic();
    return ReadProgram(gridOp, grid, symbols);
  }

  /// What is on another grid is stated by the solution for that grid.
  LogicalResult keepOwn(ReadProgram &program, GridOp gridOp) {
    GridRegions regions(program);
    if (failed(regions.find()))
      return failure();
    auto isElsewhere = [&](ValueId value) {
      return value == kNoValue || regions.gridOf(value) != gridOp;
    };
    llvm::erase_if(program.hints.annotated, isElsewhere);
    llvm::erase_if(program.hints.resharded, isElsewhere);
    llvm::erase_if(program.asked, isElsewhere);
    return success();
  }

  LogicalResult report(const HintError &error, ReadProgram &program,
                       GridOp gridOp) {
    InFlightDiagnostic diagnostic =
        emitError(error.value == kNoValue
                      ? gridOp.getLoc()
                      : program.hints.locationOf(error.value))
        << error.text;
    if (error.other != kNoValue)
      diagnostic.attachNote(program.hints.locationOf(error.other))
          << program.hints.describe(error.other) << " cuts the axis otherwise";
    return diagnostic;
  }

  /// An error where a value of a group, or a hint, is partial by a kind that is not for
  /// its elements.
  static LogicalResult checkKinds(const GridPropagation &out) {
    for (const auto &[value, number] : out.values) {
      const Sharding &sharding = out.shardings[number];
      Type element = getElementTypeOrSelf(value.getType());
      if (!sharding.partial.empty() &&
          !combinesElements(sharding.reduction, element))
        return emitError(value.getLoc())
               << "a value of " << element << " is partial by "
               << keyword(sharding.reduction)
               << ", which is for integers, by its hint or that of a value "
                  "that "
                  "has the same sharding (shard.group); use another kind, or "
                  "take it out of the group";
    }
    return checkGeneric(out);
  }

  /// An error where a value would have to become partial by `generic`, which has no neutral
  /// element: only what comes so stays so.
  static LogicalResult checkGeneric(const GridPropagation &out) {
    auto isGeneric = [](const Sharding &sharding) {
      return !sharding.partial.empty() &&
             sharding.reduction == ReductionKind::Generic;
    };
    if (llvm::none_of(out.shardings, isGeneric))
      return success();
    DenseMap<Value, const Sharding *> has;
    for (const auto &[value, number] : out.values)
      has[value] = &out.shardings[number];
    auto check = [&](Value from, const Sharding &to, Operation *user) {
      const Sharding *sharding = has.lookup(from);
      if (!isGeneric(to) || (sharding && isGeneric(*sharding) &&
                             llvm::includes(sharding->partial, to.partial)))
        return success();
      InFlightDiagnostic error =
          emitError(user->getLoc())
          << "a value is to become partial by generic, which has no neutral "
             "element, by a hint; use another kind, or none";
      error.attachNote(from.getLoc()) << "the value";
      return LogicalResult(error);
    };
    for (const auto &[use, number, anchor] : out.uses)
      if (failed(check(use->get(), out.shardings[number], use->getOwner())))
        return failure();
    for (const auto &[value, number] : out.values)
      if (Operation *op = value.getDefiningOp();
          isa_and_present<ShardOp, ConstraintOp>(op) &&
          failed(check(op->getOperand(0), out.shardings[number], op)))
        return failure();
    return success();
  }

  /// Completes the last one of `result.grids`, and adds what is said of it.
  void finish(const Component &component, GridOp gridOp, ReadProgram &program,
              Solution &solution, Planner &planner,
              const WrittenReshards &reshards) {
    GridPropagation &out = result.grids.back();
    out.gridName = gridOp.getSymNameAttr();
    out.gridOp = gridOp;
    out.functions.assign(component.functions.begin(),
                         component.functions.end());
    addRemarks(program, solution, gridOp, out.shardings, result.remarks);
    addDropped(program, solution, gridOp, result.remarks);
    addUnread(program, unread, result.remarks);
    addGathers(program, solution, options, out, reshards, result.remarks);
    result.binding.insert_range(program.binding);
    if (options.explain) {
      if (!named)
        named.emplace(root);
      explain(*named, program, solution, out, reshards, planner,
              result.explanation);
      if (!result.crossings.empty())
        explainCrossings(*named, program, solution, out, result, crossings);
    }
    for (auto [size, origin] : llvm::zip_equal(out.grid.shape, out.axes))
      if (ShapedType::isDynamic(gridOp.getShape()[origin.axis]))
        size = kDynamic;
  }

  Operation *root;
  const PropagationOptions &options;
  SymbolTableCollection &symbols;
  PropagationResult &result;
  CrossingEntries crossings;
  /// With options.explain.
  std::optional<NamedProgram> named;
  llvm::SmallPtrSet<Operation *, 4> unread;
};
} // namespace

LogicalResult propagateShardings(Operation *root,
                                 const PropagationOptions &options,
                                 PropagationResult &result) {
  SymbolTableCollection symbols;
  llvm::SmallVector<Component> components;
  if (failed(findComponents(root, symbols, components)))
    return failure();
  GridSolver solver(root, options, symbols, result);
  for (const Component &component : components) {
    if (component.grids.size() > 1 && failed(solver.findCrossings(component)))
      return failure();
    for (GridOp gridOp : component.grids)
      if (failed(solver.solve(component, gridOp)))
        return failure();
  }
  solver.addCrossings();
  return success();
}

} // namespace shard
