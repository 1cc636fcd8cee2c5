//===- SpmdAnalysis.cpp - What differs between devices --------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SpmdAnalysis.h"

#include "PartedBlocks.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace shard {

void SpmdAnalysis::run() {
  root->walk([&](FunctionOpInterface function) {
    if (!function.isExternal())
      functions.push_back(function);
  });
  for (FunctionOpInterface function : functions) {
    bits.add(function);
    seedArguments(function);
    function->walk([&](CallOpInterface call) {
      callers[calleeOf(call)].push_back(function);
    });
    wait(function);
  }
  // A function is visited again where what comes in by its callers, or out of the
  // functions that it calls, has changed.
  while (!waiting.empty()) {
    FunctionOpInterface function = waiting.pop_back_val();
    isWaiting.erase(function);
    do {
      changed = false;
      visitRegion(function.getFunctionBody(), calledUnder.lookup(function));
    } while (changed);
  }
}

void SpmdAnalysis::visitCollectives(VisitFn visit) {
  visitCollective = visit;
  for (FunctionOpInterface function : functions)
    visitRegion(function.getFunctionBody(), calledUnder.lookup(function));
  visitCollective = nullptr;
}

void SpmdAnalysis::wait(FunctionOpInterface function) {
  if (isWaiting.insert(function).second)
    waiting.push_back(function);
}
void SpmdAnalysis::grow(AxisSet &set, AxisSet by) {
  if ((set | by) == set)
    return;
  set |= by;
  changed = true;
}
void SpmdAnalysis::vary(Value value, AxisSet set) {
  if (set != 0)
    grow(varies[value], set);
}
void SpmdAnalysis::grow(ExtentSets &sets, const ExtentSets &by) {
  sets.resize(std::max(sets.size(), by.size()));
  for (auto [set, more] : llvm::zip(sets, by))
    grow(set, more);
}
/// The extents of `value` may vary as `by` says: dimension by dimension, or, where it
/// is about other dimensions, all of them along any.
void SpmdAnalysis::resize(Value value, const ExtentSets &by) {
  auto tensor = dyn_cast<ShapedType>(value.getType());
  AxisSet any = unionOf(by);
  if (any == 0 || !tensor || (tensor.hasRank() && tensor.hasStaticShape()))
    return;
  ExtentSets &sets = resized[value];
  size_t rank = tensor.hasRank() ? tensor.getRank() : 1;
  sets.resize(rank);
  for (size_t dim = 0; dim < rank; ++dim)
    if (!tensor.hasRank() || tensor.isDynamicDim(dim))
      grow(sets[dim], by.size() == rank ? by[dim] : any);
}
void SpmdAnalysis::resize(Value value, AxisSet set) {
  resize(value, everyDim(value, set));
}
/// `to` may be `from`, or another value: that depends on what varies along the
/// axes `deciding`.
void SpmdAnalysis::hand(Value to, Value from, AxisSet deciding) {
  vary(to, along(from) | deciding);
  resize(to, resized.lookup(from));
  resize(to, deciding);
}
AxisSet SpmdAnalysis::along(ValueRange values) const {
  AxisSet set = 0;
  for (Value value : values)
    set |= along(value);
  return set;
}

AxisSet SpmdAnalysis::axesOf(Operation *op, FlatSymbolRefAttr grid,
                             ArrayRef<int16_t> axes) {
  return bits.axesOf(op, grid, axes);
}

AxisSet SpmdAnalysis::allAxesOf(Operation *op, FlatSymbolRefAttr grid) {
  GridOp own = getGrid(op, grid, symbols);
  return own ? axesOf(op, grid,
                      llvm::to_vector(llvm::seq<int16_t>(own.getRank())))
             : everyAxis;
}

static SmallVector<int16_t> joined(ArrayRef<GridAxesAttr> lists) {
  SmallVector<int16_t> axes;
  for (GridAxesAttr list : lists)
    if (list)
      llvm::append_range(axes, list.asArrayRef());
  return axes;
}

static FlatSymbolRefAttr gridName(Operation *collective) {
  return collective->getAttrOfType<FlatSymbolRefAttr>("grid");
}

AxisSet SpmdAnalysis::axesOf(Operation *collective,
                             ArrayRef<GridAxesAttr> lists) {
  return axesOf(collective, gridName(collective), joined(lists));
}

AxisSet SpmdAnalysis::ownAxesOf(Operation *collective,
                                ArrayRef<GridAxesAttr> lists) {
  return bits.ownAxesOf(collective, gridName(collective), joined(lists));
}

AxisSet SpmdAnalysis::endedAlong(AxisSet set, Operation *collective,
                                 ArrayRef<GridAxesAttr> lists) {
  return bits.endedAlong(set, collective, gridName(collective), joined(lists));
}

std::string SpmdAnalysis::describe(Operation *collective, AxisSet set) {
  return bits.describe(collective, gridName(collective), set);
}

/// Whether an argument without a sharding counts as the same on all devices. Callers of a
/// function that is looked at alone are not known.
bool SpmdAnalysis::isTrusted(BlockArgument argument) const {
  return trust == SpmdTrust::Program ||
         (argument.getType().isIntOrIndexOrFloat() &&
          !isa<FunctionOpInterface>(root));
}

void SpmdAnalysis::seedArguments(FunctionOpInterface function) {
  for (auto [index, argument] : llvm::enumerate(function.getArguments())) {
    auto local = function.getArgAttrOfType<LocalAttr>(index, kLocalAttrName);
    if (!local) {
      if (!isTrusted(argument)) {
        vary(argument, everyAxis);
        resize(argument, everyAxis);
      }
      continue;
    }
    FlatSymbolRefAttr name = local.getSharding().getGrid();
    GridOp grid = getGrid(function, name, symbols);
    auto resolved = grid
                        ? resolve(local.getSharding(), grid, local.getType(),
                                  [&] { return emitError(function->getLoc()); })
                        : FailureOr<ResolvedSharding>();
    AxisSet set = 0;
    if (failed(resolved)) {
      set = everyAxis;
    } else {
      SmallVector<int16_t> axes;
      for (const ResolvedDim &dim : resolved->dims)
        for (const AxisPart &axis : dim.axes)
          axes.push_back(axis.axis);
      for (const AxisPart &axis : resolved->partial)
        axes.push_back(axis.axis);
      set = axesOf(function, name, axes);
    }
    vary(argument, set);
    if (failed(resolved))
      resize(argument, set);
    else if (!resolved->offsets.empty() || grid.getUnevenDynamic())
      resize(argument, splitAxesOf(function, name, *resolved));
  }
}

/// For each dimension the axes that split it.
ExtentSets SpmdAnalysis::splitAxesOf(Operation *op, FlatSymbolRefAttr grid,
                                     const ResolvedSharding &sharding) {
  ExtentSets sets;
  for (const ResolvedDim &dim : sharding.dims) {
    SmallVector<int16_t> axes;
    for (const AxisPart &axis : dim.axes)
      axes.push_back(axis.axis);
    sets.push_back(axesOf(op, grid, axes));
  }
  return sets;
}

/// The axes along which the extent that `dim` asks for varies.
AxisSet SpmdAnalysis::askedExtentAlong(ShapedDimOpInterface dim) const {
  ExtentSets sets = resized.lookup(dim.getShapedValue());
  std::optional<int64_t> known = getConstantIntValue(dim.getDimension());
  if (known && *known >= 0 && *known < int64_t(sets.size()))
    return sets[*known];
  AxisSet of = unionOf(sets);
  if (auto number = dyn_cast<Value>(dim.getDimension()))
    of |= along(number);
  return of;
}

//===--------------------------------------------------------------------===//
// Control flow. `under`: the axes along which devices may have parted ways.
//===--------------------------------------------------------------------===//

void SpmdAnalysis::visitRegion(Region &region, AxisSet under) {
  if (region.empty())
    return;
  PartedBlocks parted =
      findPartedBlocks(region, postDominators, [&](Operation *terminator) {
        return decidingOf(terminator);
      });
  for (auto [block, set] : parted.arguments)
    for (BlockArgument argument : block->getArguments()) {
      vary(argument, set);
      resize(argument, set);
    }
  for (mlir::Block &block : region)
    for (Operation &op : block)
      visitOp(&op, under | parted.under.lookup(&block));
}

/// What decides where a terminator goes: the operands that it does not hand on.
AxisSet SpmdAnalysis::decidingOf(Operation *terminator) const {
  auto branch = dyn_cast<BranchOpInterface>(terminator);
  AxisSet set = 0;
  for (OpOperand &operand : terminator->getOpOperands())
    if (!branch ||
        !branch.getSuccessorBlockArgument(operand.getOperandNumber()))
      set |= along(operand.get());
  return set;
}

/// Whether the results of `op`, no op of the dialect, may differ where operands do not.
bool SpmdAnalysis::mayDiffer(Operation *op) const {
  return trust == SpmdTrust::Scalars && !isMemoryEffectFree(op);
}

void SpmdAnalysis::visitOp(Operation *op, AxisSet under) {
  if (op->getNumRegions() > 0 &&
      !isa_and_present<ShardDialect>(op->getDialect()))
    return visitRegionOp(op, under);
  if (auto branch = dyn_cast<BranchOpInterface>(op)) {
    for (auto [operand, argument] : branchEdges(branch))
      hand(argument, operand->get(), under);
    return;
  }
  if (auto call = dyn_cast<CallOpInterface>(op))
    return visitCall(call, under);
  auto dim = dyn_cast<ShapedDimOpInterface>(op);
  AxisSet set = isa_and_present<ShardDialect>(op->getDialect())
                    ? visitShardOp(op, under)
                : dim           ? askedExtentAlong(dim)
                : mayDiffer(op) ? everyAxis
                                : along(op->getOperands()) | storedIn(op);
  visitStores(op, set | under);
  for (OpResult result : op->getResults()) {
    vary(result, set | under);
    resize(result, resultExtents(result, rules));
    resize(result, under);
  }
  if (op->hasTrait<OpTrait::ReturnLike>() &&
      isa<FunctionOpInterface>(op->getParentOp()))
    visitReturn(op);
}

/// What decides on the way through the regions are the operands that are not
/// handed on, of the op and of its terminators.
AxisSet SpmdAnalysis::decidingIn(RegionBranchOpInterface op) const {
  RegionEdges edges(op);
  AxisSet deciding = 0;
  auto addDeciding = [&](Operation *point) {
    for (OpOperand &operand : point->getOpOperands())
      if (!edges.byOperand().contains(&operand))
        deciding |= along(operand.get());
  };
  addDeciding(op);
  for (Region &region : op->getRegions())
    for (mlir::Block &block : region)
      if (!block.empty() && block.back().hasTrait<OpTrait::IsTerminator>())
        addDeciding(&block.back());
  return deciding;
}

/// What no edge leads to in `op` may be anything, but for the counters of loops.
void SpmdAnalysis::varyOffEdges(RegionBranchOpInterface op,
                                const RegionEdges &edges) {
  DenseSet<Value> known;
  for (auto [operand, input] : edges.edges())
    known.insert(input);
  if (auto loop = dyn_cast<LoopLikeOpInterface>(*op))
    if (std::optional<SmallVector<Value>> counters =
            loop.getLoopInductionVars())
      known.insert(counters->begin(), counters->end());
  auto check = [&](Value value) {
    if (!known.contains(value)) {
      vary(value, everyAxis);
      resize(value, everyAxis);
    }
  };
  for (Value result : op->getResults())
    check(result);
  for (Region &region : op->getRegions())
    for (Value argument : region.getArguments())
      check(argument);
}

void SpmdAnalysis::visitRegionOp(Operation *op, AxisSet under) {
  AxisSet deciding = under;
  auto branch = dyn_cast<RegionBranchOpInterface>(op);
  if (branch) {
    deciding |= decidingIn(branch);
    RegionEdges edges(branch);
    for (auto [operand, input] : edges.edges())
      hand(input, operand->get(), deciding);
    for (Value result : op->getResults()) {
      vary(result, deciding);
      resize(result, deciding);
    }
    if (trust == SpmdTrust::Scalars)
      varyOffEdges(branch, edges);
  } else {
    deciding |= along(op->getOperands());
    for (Region &region : op->getRegions())
      for (Value argument : region.getArguments()) {
        vary(argument, deciding);
        resize(argument, deciding);
      }
  }
  AxisSet inside = 0;
  for (Region &region : op->getRegions()) {
    // An op that is no branch (linalg.generic) runs its body on all devices.
    visitRegion(region, branch ? deciding : under);
    if (!branch)
      region.walk(
          [&](Operation *inner) { inside |= along(inner->getOperands()); });
  }
  if (!branch) {
    visitStores(op, inside | deciding);
    for (OpResult result : op->getResults()) {
      vary(result, mayDiffer(op) ? everyAxis : inside | deciding);
      resize(result, resultExtents(result, rules));
      resize(result, under);
    }
  }
}

/// Runs `step`; returns whether it made anything grow, which is no change of the
/// function that is visited.
bool SpmdAnalysis::growsElsewhere(llvm::function_ref<void()> step) {
  bool before = std::exchange(changed, false);
  step();
  return std::exchange(changed, before);
}

void SpmdAnalysis::visitReturn(Operation *op) {
  Operation *function = op->getParentOp();
  bool grows = growsElsewhere([&] {
    for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
      auto &[values, extents] = returned[{function, index}];
      grow(values, along(operand));
      grow(extents, resized.lookup(operand));
    }
  });
  if (grows)
    for (FunctionOpInterface caller : callers.lookup(function))
      wait(caller);
}

Operation *SpmdAnalysis::calleeOf(CallOpInterface call) {
  return call.resolveCallableInTable(&symbols);
}

void SpmdAnalysis::visitCall(CallOpInterface call, AxisSet under) {
  Operation *callee = calleeOf(call);
  auto function = dyn_cast_or_null<FunctionOpInterface>(callee);
  bool strict = trust == SpmdTrust::Scalars;
  if (!function || function.isExternal() ||
      (strict && isa<FunctionOpInterface>(root))) {
    AxisSet set = strict ? everyAxis : along(call->getOperands()) | under;
    for (Value result : call->getResults()) {
      vary(result, set);
      resize(result, set);
    }
    return;
  }
  bool grows = growsElsewhere([&] {
    grow(calledUnder[function], under);
    if (auto arguments = callEdges(call, function))
      for (auto [operand, argument] : *arguments)
        hand(argument, operand->get(), 0);
  });
  if (grows)
    wait(function);
  for (auto [index, result] : llvm::enumerate(call->getResults())) {
    auto [values, extents] = returned.lookup({callee, index});
    vary(result, values | under);
    resize(result, extents);
    resize(result, under);
  }
}

//===--------------------------------------------------------------------===//
// Ops of the dialect
//===--------------------------------------------------------------------===//

/// The axes along which the result of a collective varies that takes blocks split by the
/// axes `from` to blocks split by the axes `to`. Where the input is the same along the axes
/// of `to` alone, as it is unless the program is wrong, devices that differ in axes of
/// `from` alone get one block.
AxisSet SpmdAnalysis::exchanged(Operation *move, AxisSet inputs,
                                ArrayRef<GridAxesAttr> from,
                                ArrayRef<GridAxesAttr> to) {
  AxisSet toAlone = ownAxesOf(move, to) & ~ownAxesOf(move, from);
  bool isSplitByFrom = (inputs & toAlone) == 0;
  return (isSplitByFrom ? endedAlong(inputs, move, from)
                        : inputs | axesOf(move, from)) |
         axesOf(move, to);
}

/// The axes along which the groups of `collective` lie; nothing for one that does not say.
static std::optional<SmallVector<int16_t>> groupAxes(Operation *collective) {
  if (auto halo = dyn_cast<UpdateHaloOp>(collective))
    return joined(halo.getSplitAxes().getAxes());
  if (auto permute = dyn_cast<PermuteOp>(collective))
    return joined({permute.getFromAxesAttr(), permute.getToAxesAttr()});
  auto axes = collective->getAttrOfType<GridAxesAttr>("grid_axes");
  if (!axes || !gridName(collective))
    return std::nullopt;
  return llvm::to_vector(axes.asArrayRef());
}

/// The axes along which the results vary, given the operands.
AxisSet SpmdAnalysis::visitShardOp(Operation *op, AxisSet under) {
  AxisSet inputs = along(op->getOperands());
  if (auto index = dyn_cast<ProcessMultiIndexOp>(op))
    return index.getAxes().empty()
               ? allAxesOf(op, index.getGridAttr())
               : axesOf(op, index.getGridAttr(), index.getAxes());
  if (auto index = dyn_cast<ProcessLinearIndexOp>(op))
    return allAxesOf(op, index.getGridAttr());
  // The result is the value; the input only lives until then.
  if (auto wait = dyn_cast<WaitOp>(op))
    return along(wait.getValue());
  if (!isCollective(op))
    return inputs;
  // A slice sends nothing.
  if (!isa<AllSliceOp>(op) && visitCollective)
    visitCollective(op, groupOf(op), under);
  if (isa<AllGatherOp, AllReduceOp, BroadcastOp>(op))
    return endedAlong(inputs, op, op->getAttrOfType<GridAxesAttr>("grid_axes"));
  if (auto move = dyn_cast<RedistributeOp>(op))
    return exchanged(op, inputs, move.getFrom().getAxes(),
                     move.getTo().getAxes());
  if (auto move = dyn_cast<PermuteOp>(op))
    return exchanged(op, inputs, move.getFromAxesAttr(), move.getToAxesAttr());
  std::optional<SmallVector<int16_t>> axes = groupAxes(op);
  return inputs | (axes ? axesOf(op, gridName(op), *axes) : everyAxis);
}

AxisSet SpmdAnalysis::groupOf(Operation *collective) {
  std::optional<SmallVector<int16_t>> axes = groupAxes(collective);
  return axes ? bits.ownAxesOf(collective, gridName(collective), *axes)
              : everyAxis;
}

} // namespace shard
