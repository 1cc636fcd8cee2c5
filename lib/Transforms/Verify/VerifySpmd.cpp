//===- VerifySpmd.cpp - Do all devices reach the same collectives? --------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value *varies* along a grid axis if devices that differ in that coordinate
// only may hold different values. Process indices vary, and so do divided and
// partial tensors; a gather, a reduction or a broadcast over an axis ends it. The
// extents of a tensor are a matter of their own: dynamic dimensions divide evenly
// by contract, unless the grid has uneven_dynamic, so that devices have blocks of one
// shape unless sizes are computed from what varies.
//
// Where a branch or a loop bound varies along an axis, devices may part ways along
// it, and a collective whose groups lie along that axis must not stand there: some
// devices of a group would wait for others forever.
//
// The analysis is a fixpoint over sets of axes, one per value, one per function
// for the way it is called; sets only grow. It assumes that scalars given to
// functions from outside are the same on all devices.
//
//===----------------------------------------------------------------------===//

#include "FunctionGrids.h"
#include "PartedBlocks.h"
#include "VaryingExtents.h"

#include "shard/Transforms/Transforms.h"

#include "shard/IR/ShardOps.h"
#include "shard/IR/ShardingUtils.h"
#include "shard/Interfaces/DataFlowEdges.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/ShapedOpInterfaces.h"

using namespace mlir;

namespace shard {

namespace {

class SpmdVerifier {
public:
  explicit SpmdVerifier(Operation *root) : root(root) {}

  LogicalResult run() {
    root->walk([&](FunctionOpInterface function) {
      if (!function.isExternal())
        functions.push_back(function);
    });
    for (FunctionOpInterface function : functions) {
      grids.add(function);
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
    reporting = true;
    for (FunctionOpInterface function : functions)
      visitRegion(function.getFunctionBody(), calledUnder.lookup(function));
    return failure(foundError);
  }

private:
  void wait(FunctionOpInterface function) {
    if (isWaiting.insert(function).second)
      waiting.push_back(function);
  }
  void grow(AxisSet &set, AxisSet by) {
    if ((set | by) == set)
      return;
    set |= by;
    changed = true;
  }
  void vary(Value value, AxisSet set) {
    if (set != 0)
      grow(varies[value], set);
  }
  void grow(ExtentSets &sets, const ExtentSets &by) {
    sets.resize(std::max(sets.size(), by.size()));
    for (auto [set, more] : llvm::zip(sets, by))
      grow(set, more);
  }
  /// The extents of `value` may vary as `by` says: dimension by dimension, or, where it
  /// is about other dimensions, all of them along any.
  void resize(Value value, const ExtentSets &by) {
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
  void resize(Value value, AxisSet set) { resize(value, everyDim(value, set)); }
  /// `to` may be `from`, or another value: that depends on what varies along the
  /// axes `deciding`.
  void hand(Value to, Value from, AxisSet deciding) {
    vary(to, along(from) | deciding);
    resize(to, resized.lookup(from));
    resize(to, deciding);
  }
  AxisSet along(Value value) const { return varies.lookup(value); }
  /// The axes along which the extents of `value` vary.
  AxisSet extentsAlong(Value value) const {
    return unionOf(resized.lookup(value));
  }
  AxisSet along(ValueRange values) const {
    AxisSet set = 0;
    for (Value value : values)
      set |= along(value);
    return set;
  }

  AxisSet axesOf(Operation *op, FlatSymbolRefAttr grid,
                 ArrayRef<int16_t> axes) {
    return grids.axesOf(op, grid, axes);
  }

  void seedArguments(FunctionOpInterface function) {
    for (auto [index, argument] : llvm::enumerate(function.getArguments())) {
      auto local = function.getArgAttrOfType<LocalAttr>(index, kLocalAttrName);
      if (!local)
        continue;
      FlatSymbolRefAttr name = local.getSharding().getGrid();
      GridOp grid = getGrid(function, name, symbols);
      auto resolved =
          grid ? resolve(local.getSharding(), grid, local.getType(),
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
  ExtentSets splitAxesOf(Operation *op, FlatSymbolRefAttr grid,
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
  AxisSet askedExtentAlong(ShapedDimOpInterface dim) const {
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

  void visitRegion(Region &region, AxisSet under) {
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
  AxisSet decidingOf(Operation *terminator) const {
    auto branch = dyn_cast<BranchOpInterface>(terminator);
    AxisSet set = 0;
    for (OpOperand &operand : terminator->getOpOperands())
      if (!branch ||
          !branch.getSuccessorBlockArgument(operand.getOperandNumber()))
        set |= along(operand.get());
    return set;
  }

  void visitOp(Operation *op, AxisSet under) {
    if (op->getNumRegions() > 0 && !isa<ShardDialect>(op->getDialect()))
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
                  : dim ? askedExtentAlong(dim)
                        : along(op->getOperands());
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
  void visitRegionOp(Operation *op, AxisSet under) {
    AxisSet deciding = under;
    auto branch = dyn_cast<RegionBranchOpInterface>(op);
    if (branch) {
      RegionEdges edges(branch);
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
      for (auto [operand, input] : edges.edges())
        hand(input, operand->get(), deciding);
      for (Value result : op->getResults()) {
        vary(result, deciding);
        resize(result, deciding);
      }
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
      for (OpResult result : op->getResults()) {
        vary(result, inside | deciding);
        resize(result, resultExtents(result, rules));
        resize(result, under);
      }
    }
  }

  /// Runs `step`; returns whether it made anything grow, which is no change of the
  /// function that is visited.
  template <typename StepFn>
  bool growsElsewhere(StepFn &&step) {
    bool before = std::exchange(changed, false);
    step();
    return std::exchange(changed, before);
  }

  void visitReturn(Operation *op) {
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

  Operation *calleeOf(CallOpInterface call) {
    return call.resolveCallableInTable(&symbols);
  }

  void visitCall(CallOpInterface call, AxisSet under) {
    Operation *callee = calleeOf(call);
    auto function = dyn_cast_or_null<FunctionOpInterface>(callee);
    if (!function || function.isExternal()) {
      AxisSet set = along(call->getOperands()) | under;
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

  /// The axes along which the results vary, given the operands.
  AxisSet visitShardOp(Operation *op, AxisSet under) {
    AxisSet inputs = along(op->getOperands());
    return llvm::TypeSwitch<Operation *, AxisSet>(op)
        .Case([&](ProcessMultiIndexOp index) {
          return index.getAxes().empty()
                     ? everyAxis
                     : axesOf(op, index.getGridAttr(), index.getAxes());
        })
        .Case([&](ProcessLinearIndexOp) { return everyAxis; })
        .Case([&](AllSliceOp slice) {
          return inputs | axesOf(op, slice.getGridAttr(), slice.getGridAxes());
        })
        .Case<AllGatherOp, AllReduceOp, BroadcastOp>([&](auto collective) {
          AxisSet group = groupOf(collective, under);
          return inputs == everyAxis ? everyAxis : inputs & ~group;
        })
        .Case<AllToAllOp, GatherOp, RecvOp, RedistributeOp, ReduceOp,
              ReduceScatterOp, ScatterOp, SendOp, ShiftOp>(
            [&](auto collective) {
              return inputs | groupOf(collective, under);
            })
        .Case([&](PermuteOp permute) {
          AxisSet group =
              axesOf(op, permute.getGridAttr(), permute.getFromAxes()) |
              axesOf(op, permute.getGridAttr(), permute.getToAxes());
          check(op, group, under);
          return inputs | group;
        })
        .Case([&](UpdateHaloOp halo) {
          AxisSet group = 0;
          for (GridAxesAttr axes : halo.getSplitAxes())
            group |= axesOf(op, halo.getGridAttr(), axes.asArrayRef());
          check(op, group, under);
          return inputs | group;
        })
        // The result is the value; the input only lives until then.
        .Case([&](WaitOp wait) { return along(wait.getValue()); })
        .Default([&](Operation *) { return inputs; });
  }

  template <typename OpTy>
  AxisSet groupOf(OpTy collective, AxisSet under) {
    AxisSet group =
        axesOf(collective, collective.getGridAttr(), collective.getGridAxes());
    check(collective, group, under);
    return group;
  }

  void check(Operation *op, AxisSet group, AxisSet under) {
    if (!reporting)
      return;
    for (Operation *around = op->getParentOp();
         around && !isa<FunctionOpInterface>(around);
         around = around->getParentOp()) {
      if (!around->hasTrait<OpTrait::HasParallelRegion>())
        continue;
      foundError = true;
      op->emitOpError() << "is in '" << around->getName()
                        << "', whose iterations have no order: the devices of "
                           "its group may be in different ones";
      return;
    }
    if ((group & under) == 0)
      return;
    foundError = true;
    InFlightDiagnostic error =
        op->emitOpError() << "is not reached by all devices of its group: "
                             "whether it runs depends on the coordinate on "
                          << toString(group & under);
    if (Operation *branch = partingOp(op, group & under))
      error.attachNote(branch->getLoc())
          << "devices part ways here; move the collective out of it, or make "
             "what decides the same on all devices of a group";
  }

  /// The innermost op around `op` whose operands vary along `axes`.
  Operation *partingOp(Operation *op, AxisSet axes) {
    for (Operation *around = op->getParentOp(); around && around != root;
         around = around->getParentOp()) {
      if (isa<FunctionOpInterface>(around))
        break;
      if (along(around->getOperands()) & axes)
        return around;
    }
    for (mlir::Block &block : *op->getParentRegion())
      if (block.getNumSuccessors() > 1 &&
          (along(block.getTerminator()->getOperands()) & axes))
        return block.getTerminator();
    return nullptr;
  }

  Operation *root;
  ExtentRules rules{[this](Value value) { return along(value); },
                    [this](Value value) { return resized.lookup(value); }};
  SmallVector<FunctionOpInterface> functions;
  PostDominanceInfo postDominators;
  /// The axes along which values and, of those of dynamic shape, extents vary.
  DenseMap<Value, AxisSet> varies;
  DenseMap<Value, ExtentSets> resized;
  DenseMap<Operation *, AxisSet> calledUnder;
  DenseMap<Operation *, SmallVector<FunctionOpInterface>> callers;
  /// The functions to visit.
  SmallVector<FunctionOpInterface> waiting;
  DenseSet<Operation *> isWaiting;
  /// Of each result of a function, its values and its extents.
  DenseMap<std::pair<Operation *, unsigned>, std::pair<AxisSet, ExtentSets>>
      returned;
  SymbolTableCollection symbols;
  FunctionGrids grids{symbols};
  bool changed = false, reporting = false, foundError = false;
};

} // namespace

LogicalResult verifySpmd(Operation *root) { return SpmdVerifier(root).run(); }

} // namespace shard
