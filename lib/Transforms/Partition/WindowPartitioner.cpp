//===- WindowPartitioner.cpp - Operands over which loops slide ------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The window of an operand is cut out of the operand's block, or out of the block of
// a value that the operand is a view of: where a convolution reads a padded tensor,
// the halos of the tensor before padding are exchanged, and the padding is put around
// the window. The padded tensor itself, in blocks, is then of no use and erased; it
// would have cost an exchange of its own, because padding moves the borders of blocks.
//
//===----------------------------------------------------------------------===//

#include "Partition/Partitioners.h"

#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace shard {

namespace {

/// How many views and annotations lie between an operand and what its window is cut
/// from, at most.
constexpr int kMaxViews = 16;

/// No more users of a view are looked at.
constexpr int kMaxUsers = 64;

/// What is annotated in `value`, or `value` itself.
Value beforeAnnotations(Value value) {
  for (int steps = 0; steps < kMaxViews; ++steps) {
    auto annotation = value.getDefiningOp<ShardOp>();
    if (!annotation)
      break;
    value = annotation.getSrc();
  }
  return value;
}

/// Looks for the value that the window of an operand is cut from at the least cost.
class SourceSearch {
public:
  /// With `passesViews`, views are not looked at, unless nothing else will do: what they
  /// are views of is to be exchanged once, for all that is computed of it. Nor are those
  /// of a stencil.
  SourceSearch(LocalFunction &local, Operation *reader, GridOp grid,
               const Sharding &wanted, bool passesViews)
      : local(local), reader(reader), grid(grid), wanted(wanted),
        passesViews(passesViews) {}

  FoundWindow found;

  /// Starts with `operand` itself.
  void run(Value operand, const WindowSource &start) {
    search(operand, start);
    if (found.value)
      return;
    passesViews = passesStencils = false;
    search(operand, start);
  }

private:
  void search(Value operand, const WindowSource &start) {
    WindowSource next = start;
    consider(operand, next);
    for (int steps = 0; steps < kMaxViews; ++steps) {
      Operation *def = operand.getDefiningOp();
      if (!def)
        return;
      if (isa<ShardOp>(def)) {
        operand = def->getOperand(0);
      } else {
        auto view = dyn_cast<ShardingInterface>(def);
        if (!view || !view.isView())
          return;
        operand = def->getOperand(0);
        if (!throughView(local.opTables.tableOf(def),
                         cast<RankedTensorType>(operand.getType()),
                         view.getWindowFill(0), next))
          return;
        foundForm = {};
      }
      consider(operand, next);
    }
  }

  /// Whether `value` is an annotation of the result of a view, or one itself.
  static bool isOfView(Value value) {
    value = beforeAnnotations(value);
    auto view = value.getDefiningOp<ShardingInterface>();
    return view && view.isView();
  }

  /// What it costs that the local form of `value`, a view, was made, if the op that
  /// reads the window is its only user.
  double costOfMaking(Value value) const {
    value = beforeAnnotations(value);
    auto cost = local.viewCosts.find(value);
    Readers readers;
    countReaders(value, readers);
    return cost != local.viewCosts.end() && readers.others == 0 &&
                   readers.views == 0
               ? cost->second
               : 0;
  }

  /// Whether several views of `value`, a view, are all that uses it: a stencil. Together they
  /// read what one exchange of the value gives that all are views of. One of them alone may
  /// find its elements for less in the blocks of `value`.
  bool isStencil(Value value) const {
    auto view = dyn_cast<ShardingInterface>(reader);
    if (!view || !view.isView())
      return false;
    Readers readers;
    countReaders(beforeAnnotations(value), readers);
    return readers.others == 0 && readers.views > 0;
  }

  /// The users of a view but for the op that reads the window, annotations left out.
  struct Readers {
    int views = 0, others = 0, budget = kMaxUsers;
  };
  void countReaders(Value value, Readers &readers, int annotations = 0) const {
    for (Operation *user : value.getUsers()) {
      if (user == reader)
        continue;
      auto view = dyn_cast<ShardingInterface>(user);
      if (--readers.budget < 0 || annotations == kMaxViews)
        ++readers.others;
      else if (isa<ShardOp>(user))
        countReaders(user->getResult(0), readers, annotations + 1);
      else if (view && view.isView() && user->getBlock() == reader->getBlock())
        ++readers.views;
      else
        ++readers.others;
      if (readers.others > 0)
        return;
    }
  }

  /// Takes `candidate` if its local form will do and costs no more than what was
  /// found: what lies nearer to the origin is of use to more ops.
  void consider(Value candidate, WindowSource &next) {
    if (isOfView(candidate) &&
        (passesViews || (passesStencils && isStencil(candidate))))
      return;
    if (local.planned)
      local.planned->searched.insert(candidate);
    LocalFunction::LocalValue form = local.locals.lookup(candidate);
    if (!form.value || !form.sharding || !fits(*form.sharding, next))
      return;
    GridOp home = local.pool.gridOf(form.sharding);
    if (home && home != grid)
      return;
    auto costOf = [&](const WindowSource &source,
                      const HaloExchange &exchange) {
      return hasComputedHalos(local, candidate, source, exchange)
                 ? 0
                 : exchange.cost + costOfMaking(candidate);
    };
    if (form.value == foundForm.value && form.sharding == foundForm.sharding) {
      double cost = costOf(found.source, found.exchange);
      if (cost <= found.cost) {
        found.value = candidate;
        found.cost = cost;
      }
      return;
    }
    next.sharding = *form.sharding;
    noteSpread(beforeAnnotations(candidate).getDefiningOp(), next);
    HaloExchange exchange = planExchange(next, local.on(grid).emission);
    double cost = costOf(next, exchange);
    if (!exchange.isKnown || (found.value && cost > found.cost))
      return;
    found = {candidate, next, std::move(exchange), cost};
    foundForm = form;
  }

  /// Whether windows of a tensor under `sharding` can be cut.
  bool fits(const Sharding &sharding, const WindowSource &next) const {
    if (sharding.hasHalosOrOffsets() || sharding.partial != wanted.partial ||
        (!wanted.partial.empty() && sharding.reduction != wanted.reduction))
      return false;
    for (auto [dim, axes] : llvm::enumerate(sharding.dims)) {
      bool isPlain = next.dims[dim].isBlock(next.type.getDimSize(dim));
      if (axes != wanted.dims[dim] &&
          (!axes.empty() || (isPlain && next.type.isDynamicDim(dim))))
        return false;
    }
    return true;
  }

  LocalFunction &local;
  Operation *reader;
  GridOp grid;
  const Sharding &wanted;
  bool passesViews, passesStencils = true;
  /// The local form of what was found, as long as the window is the same: that of an annotated
  /// value is often that of the annotation.
  LocalFunction::LocalValue foundForm;
};

} // namespace

SmallVector<FoundWindow, 1> findWindows(LocalFunction &local,
                                        ShardingInterface op, GridOp grid,
                                        const PartitionContext &context) {
  SmallVector<FoundWindow, 1> windows;
  llvm::SmallDenseSet<Value, 4> shifted;
  for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
    if (!context.table.operands[index].isTensor ||
        (!readsWindow(context.table, index, context.option) &&
         !context.readsGrown(index)))
      continue;
    auto type = cast<RankedTensorType>(operand.getType());
    const Sharding *wanted = local.pool.intern(context.operand(index), grid);
    WindowSource start{windowOf(context.table, index, type, context.option),
                       op.getWindowFill(index), type, *wanted};
    growWindow(context, index, start.dims);
    SourceSearch search(local, op, grid, *wanted, context.readsGrown(index));
    search.run(operand, start);
    windows.resize(op->getNumOperands());
    windows[index] = std::move(search.found);
    if (!windows[index].value)
      windows[index].source = start;
    else if (!windows[index].exchange.shifted.empty())
      shifted.insert(windows[index].value);
  }
  // The other operand of a roll needs the same part of the same blocks: one shift
  // serves both.
  for (FoundWindow &window : windows)
    if (window.value && shifted.contains(window.value) &&
        window.exchange.shifted.empty())
      window.exchange = planExchange(window.source, context.emission,
                                     /*prefersShifts=*/true);
  return windows;
}

/// A value of the same extents that was made earlier: in front of annotations, and of ops
/// that combine something into a destination.
static Value earlierAlike(LocalFunction &local, Value value, unsigned dim) {
  for (int step = 0; step < kMaxViews; ++step) {
    if (local.wholes.contains({value, dim}))
      return value;
    Operation *def = value.getDefiningOp();
    auto destination = dyn_cast_or_null<DestinationStyleOpInterface>(def);
    if (isa_and_present<ShardOp>(def))
      value = def->getOperand(0);
    else if (destination && destination.hasPureTensorSemantics())
      value = destination.getTiedOpOperand(cast<OpResult>(value))->get();
    else
      break;
  }
  return value;
}

/// The index operand that says how long dimension `dim` of `value` is, if the op that
/// makes it takes no tensor; else null.
static Value statedExtent(LocalFunction &local, Value value, unsigned dim) {
  Operation *def = value.getDefiningOp();
  // Ops with tensors come first: a host may not have registered their interface, and
  // asking for it would end the process.
  if (!def || llvm::any_of(def->getOperandTypes(), [](Type type) {
        return isa<RankedTensorType>(type);
      }))
    return {};
  auto made = dyn_cast<ReifyRankedShapedTypeOpInterface>(def);
  ReifiedRankedShapedTypeDims extents;
  if (!made || failed(made.reifyResultShapes(local.builder, extents)))
    return {};
  return dyn_cast<Value>(extents[cast<OpResult>(value).getResultNumber()][dim]);
}

/// The unknown extent of dimension `dim` of `global`.
static FailureOr<Value> wholeExtentOf(LocalFunction &local, Operation *user,
                                      Value global, unsigned dim) {
  global = earlierAlike(local, global, dim);
  if (Value known = local.wholes.lookup({global, dim}))
    return known;
  if (Value stated = statedExtent(local, global, dim))
    return local.localAs(stated, nullptr, user, "the extent of a window");
  LocalFunction::LocalValue form = local.locals.lookup(global);
  const Emission &emission = local.emissionFor(form.sharding);
  Location loc = form.value.getLoc();
  Value whole = wholeExtent(
      local.builder, loc, emission.grid, emission.gridSymbol,
      extentOf(local.builder, loc, form.value, dim), form.sharding->dims[dim]);
  if (form.value.getParentBlock() == local.builder.getInsertionBlock())
    local.wholes[{global, dim}] = whole;
  return whole;
}

/// The number of iterations of a loop of `op` that slides over an unknown extent.
static FailureOr<Value> iterationsOf(LocalFunction &local, Operation *op,
                                     const IterationCount &count) {
  Value operand = op->getOperand(count.operand);
  if (count.dim < 0)
    return local.localAs(operand, nullptr, op, "the extent of a window");
  FailureOr<Value> extent = wholeExtentOf(local, op, operand, count.dim);
  if (failed(extent))
    return failure();
  return sumOf(local.builder, op->getLoc(), *extent, count.more);
}

/// Builds the extents that `window` of operands of `op` needs when the program runs.
static LogicalResult buildExtents(LocalFunction &local, Operation *op,
                                  FoundWindow &window) {
  WindowSource &source = window.exchange.rest;
  for (auto [dim, slid] : llvm::enumerate(source.dims)) {
    if (!slid.slidesOverUnknown())
      continue;
    if (!local.foralls.empty())
      return op->emitOpError("reads a window of a dimension of unknown extent "
                             "in an scf.forall, which is not supported; give "
                             "the tensor a static shape");
    FailureOr<Value> counted = iterationsOf(local, op, slid.count);
    if (failed(counted))
      return failure();
    FailureOr<Value> whole = wholeExtentOf(local, op, window.value, dim);
    if (failed(whole))
      return failure();
    slid.counted = *counted;
    source.wholes.resize(source.dims.size());
    source.wholes[dim] = *whole;
  }
  return success();
}

/// Ends the run where `op` reads elements that operand `index` does not have: no device has
/// them, and each one would take for them what lies in its window there. One device finds
/// that when it runs the op (shard-check-extents).
static LogicalResult checkReads(LocalFunction &local, ShardingInterface op,
                                unsigned index,
                                const PartitionContext &context) {
  // What lies outside has a value then.
  if (op.getWindowFill(index))
    return success();
  const TensorLoops &tensor = context.table.operands[index];
  for (unsigned dim = 0; dim < tensor.dims.size(); ++dim) {
    if (!tensor.isWindow(dim))
      continue;
    int32_t number = tensor.dims[dim].front();
    const Loop &loop = context.table.loops[number];
    if (!loop.slidesOverUnknown || context.option.loops[number].empty())
      continue;
    FailureOr<Value> counted = iterationsOf(local, op, loop.count);
    FailureOr<Value> whole =
        wholeExtentOf(local, op, op->getOperand(index), dim);
    if (failed(counted) || failed(whole))
      return failure();
    requireInside(local.builder, op->getLoc(), *tensor.windows[dim], *counted,
                  *whole,
                  "dimension " + Twine(dim) + " of operand " + Twine(index) +
                      " of '" + op->getName().getStringRef() +
                      "' is too short: what the op reads has elements outside "
                      "of it");
  }
  return success();
}

void noteExtents(LocalFunction &local, Operation *op, const LoopTable &table,
                 ArrayRef<FoundWindow> windows) {
  auto countedOf = [&](const IterationCount &count) {
    for (const FoundWindow &window : windows)
      for (const DimWindow &slid : window.exchange.rest.dims)
        if (slid.counted && slid.count == count)
          return slid.counted;
    return Value();
  };
  for (auto [index, result] : llvm::enumerate(table.results))
    for (auto [dim, loops] : llvm::enumerate(result.dims))
      if (loops.size() == 1 && table.loops[loops.front()].slidesOverUnknown)
        if (Value counted = countedOf(table.loops[loops.front()].count))
          local.wholes[{op->getResult(index), unsigned(dim)}] = counted;
}

FailureOr<Value> localWindow(LocalFunction &local, ShardingInterface op,
                             unsigned index, FoundWindow &window, GridOp grid,
                             const PartitionContext &context) {
  Value block;
  if (window.value) {
    block = local.locals.lookup(window.value).value;
  } else {
    window.value = op->getOperand(index);
    window.exchange = planExchange(window.source, context.emission);
    FailureOr<Value> made = local.localAs(
        window.value, local.pool.intern(context.operand(index), grid), op,
        "operand " + Twine(index));
    if (failed(made))
      return failure();
    block = *made;
  }
  if (failed(buildExtents(local, op, window)) ||
      failed(checkReads(local, op, index, context)))
    return failure();
  if (local.planned && window.exchange.cost > 0)
    local.planned->kept.emplace_back(
        op->getLoc(),
        ("the exchange of what '" + op->getName().getStringRef() +
         "' reads of operand " + Twine(index) + " beyond its block")
            .str());
  const auto *forall =
      llvm::find_if(local.foralls, [&](const LocalFunction::OpenForall &open) {
        return open.captures(window.value);
      });
  // What is sent is sent for this op, whichever op its local form reads the window with.
  Location place = NameLoc::get(
      local.builder.getStringAttr(op->getName().getStringRef()), op->getLoc());
  return emitWindow(
      local.builder, place, block, window.source, window.exchange,
      context.emission, forall == local.foralls.end() ? nullptr : forall->local,
      local.exchanges, computedHalos(local, window.value, window.exchange),
      &window.piece);
}

/// Erases those of `ops` that are of no use, and whatever is then of none. Later ops
/// come first.
static void eraseDead(ArrayRef<Operation *> ops) {
  llvm::DenseSet<Operation *> erased;
  llvm::SetVector<Operation *> pending;
  for (Operation *op : ops) {
    pending.insert(op);
    while (!pending.empty()) {
      Operation *next = pending.pop_back_val();
      if (erased.contains(next) || !isOpTriviallyDead(next))
        continue;
      for (Value operand : next->getOperands())
        if (Operation *def = operand.getDefiningOp())
          pending.insert(def);
      // With what is inside, which may be in `ops` too.
      next->walk([&](Operation *inner) { erased.insert(inner); });
      next->erase();
    }
  }
}

void tidyWindows(LocalFunction &local) {
  // What was made may have been replaced since: the program says what is there.
  Region &body = local.function.getFunctionBody();
  auto find = [&](const llvm::DenseSet<Operation *> &made) {
    SmallVector<Operation *> found;
    if (!made.empty())
      body.walk([&](Operation *op) {
        if (made.contains(op))
          found.push_back(op);
      });
    return found;
  };
  SmallVector<Operation *> views = find(local.views);
  std::reverse(views.begin(), views.end());
  eraseDead(views);
  SmallVector<UpdateHaloOp> exchanges;
  for (Operation *op : find(local.exchanges))
    if (auto exchange = dyn_cast<UpdateHaloOp>(op))
      exchanges.push_back(exchange);
  mergeExchanges(exchanges);
}

} // namespace shard
