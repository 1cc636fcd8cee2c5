//===- SinkReductions.cpp - Pass shard-sink-reductions --------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op f passes a reduction if f(all_reduce(x), ...) = all_reduce(f(x, ...)): the ops that
// propagation lets partial sums through (PartialRule), those that combine as the reduction does, and
// those whose model says so (commutesWith). Values that reductions reach through such ops, each used
// by one op alone, form trees with all_reduces as leaves, or with reduce_scatters if all ops are
// elementwise. What all devices have is added by the first one, what is a block each device adds at
// the place of its own. For each value of a tree there is a choice: reduce there, or where its
// operands are best reduced. From the leaves to the root the cheaper one is kept, by the predicted
// seconds; where they are equal nothing moves.
//
// A leaf may have several users. It costs nothing until all of them are in one tree: up to
// there some op needs its result in any case. From the op on that completes them, the leaf
// is gone if a value that is reduced stands between it and the root on each way.
//
//===----------------------------------------------------------------------===//

#include "ModuleOrFunctionPass.h"

#include "Optimize/Reducible.h"
#include "Optimize/Reduction.h"
#include "Optimize/ReductionOps.h"
#include "Optimize/Replication.h"
#include "Optimize/SplitSums.h"
#include "Optimize/TidyCollectives.h"
#include "shard/Cost/Collectives.h"
#include "shard/Cost/Links.h"
#include "shard/Cost/Ops.h"
#include "shard/IR/ShardingUtils.h"
#include "shard/Interfaces/ShardingInterface.h"
#include "shard/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace shard {

#define GEN_PASS_DEF_SHARDSINKREDUCTIONS
#include "shard/Transforms/Passes.h.inc"

namespace {

class ReductionSink {
public:
  ReductionSink(FunctionOpInterface function, bool reorderSums)
      : function(function), reorderSums(reorderSums) {}

  /// Returns whether anything moved.
  bool run() {
    function->walk([&](mlir::Block *block) {
      if (isa_and_nonnull<RegionBranchOpInterface, LoopLikeOpInterface>(
              block->getParentOp()) ||
          block->getParentOp() == function)
        while (visit(*block))
          changed = true;
    });
    return changed;
  }

private:
  /// Returns whether anything moved: then reductions in front of those that did may stand in
  /// one tree now. Each move takes less time than before, so that this ends.
  bool visit(mlir::Block &block) {
    values.clear();
    bool moved = false;
    for (Operation &op : llvm::make_early_inc_range(block))
      if (Reduction reduce = Reduction::of(&op))
        moved |= lift(reduce);
    for (Operation &op : block)
      if (Reduction reduce = Reduction::of(&op))
        addLeaf(reduce);
      else
        addOp(&op);
    // The roots: values that no op of a tree takes.
    SmallVector<Value> roots;
    for (auto &[value, tree] : values)
      if (!tree.sources.empty() && !keptSlices.contains(value) &&
          !isSource(value) && movesSomething(value))
        roots.push_back(value);
    moved |= !roots.empty();
    for (Value root : roots)
      rewrite(root);
    // Users first. A reduction may have others.
    SmallVector<Operation *> gone = replaced.takeVector();
    llvm::sort(
        gone, [](Operation *a, Operation *b) { return b->isBeforeInBlock(a); });
    for (Operation *op : gone)
      if (op->use_empty())
        erase(op);
    for (Operation *slice : slices)
      if (isOpTriviallyDead(slice))
        erase(slice);
    slices.clear();
    keptSlices.clear();
    return moved;
  }

  void erase(Operation *op) {
    replication.forget(op);
    op->erase();
  }

  /// Moves an all_reduce in front of ops that its operand comes through, as far as less is
  /// sent there: `all_reduce(extf(x))` is `extf(all_reduce(x))`, if it is of a maximum.
  bool lift(Reduction reduce) {
    bool moved = false;
    while (!reduce.scattered && reduce.kind != ReductionKind::Generic &&
           reduce.kind != ReductionKind::Average) {
      Value input = reduce.op->getOperand(0);
      Operation *def = input.getDefiningOp();
      if (!def || def->getBlock() != reduce.op->getBlock() ||
          !input.hasOneUse() || def->getNumResults() != 1)
        break;
      OpOperand *from = operandToReduce(def, reduce);
      if (!from || !isMemoryEffectFree(def))
        break;
      auto type = cast<RankedTensorType>(from->get().getType());
      std::optional<double> there = costOf(reduce, type);
      if (!there ||
          (type.getElementType() != getElementTypeOrSelf(input) &&
           !mayReduceInstead(type.getElementType())) ||
          *there >= *costOf(reduce, cast<RankedTensorType>(input.getType())))
        break;
      OpBuilder builder(def);
      from->set(reduce.create(builder, reduce.op->getLoc(), type, from->get()));
      reduce.op->getResult(0).replaceAllUsesWith(input);
      erase(reduce.op);
      reduce = Reduction::of(from->get().getDefiningOp());
      moved = true;
    }
    return moved;
  }

  /// The operand of `op` that may be reduced like `reduce` instead of its result; null if
  /// there is none. All others are the same on all devices.
  OpOperand *operandToReduce(Operation *op, const Reduction &reduce) {
    auto model = dyn_cast<ShardingInterface>(op);
    if (!model)
      return nullptr;
    bool moves = model.getPartialRule() == PartialRule::Movement;
    auto passes = [&](OpOperand &operand) {
      return moves ||
             model.commutesWith(reduce.kind, operand.getOperandNumber());
    };
    // First, since to know what devices have the same takes longer.
    if (llvm::none_of(op->getOpOperands(), passes))
      return nullptr;
    OpOperand *found = nullptr;
    for (OpOperand &operand : op->getOpOperands()) {
      auto type = dyn_cast<RankedTensorType>(operand.get().getType());
      if (isDestination(operand)) {
        if (!isNeutralDestination(operand, reduce.kind))
          return nullptr;
        continue;
      }
      if (isSame(operand.get(), reduce))
        continue;
      if (found || !type || !type.hasStaticShape() || !passes(operand))
        return nullptr;
      found = &operand;
    }
    // Movement is of tensors that are all summands.
    if (found && !model.commutesWith(reduce.kind, found->getOperandNumber()) &&
        llvm::count_if(op->getOpOperands(), [](OpOperand &operand) {
          return isa<RankedTensorType>(operand.get().getType()) &&
                 !isDestination(operand);
        }) != 1)
      return nullptr;
    return found && replication.capturesReplicated(op, reduce.grid, reduce.axes)
               ? found
               : nullptr;
  }

  bool isSource(Value value) {
    if (value.use_empty())
      return false;
    Operation *user = *value.user_begin();
    auto found = user->getNumResults() == 1 ? values.find(user->getResult(0))
                                            : values.end();
    return found != values.end() &&
           llvm::is_contained(found->second.sources, value);
  }

  bool movesSomething(Value value) {
    const Reducible &tree = values[value];
    return (tree.here && !tree.sources.empty()) ||
           llvm::any_of(tree.sources,
                        [&](Value source) { return movesSomething(source); });
  }

  void addLeaf(const Reduction &reduce) {
    Value value = reduce.op->getResult(0);
    auto type = cast<RankedTensorType>(value.getType());
    if (reduce.kind == ReductionKind::Generic ||
        reduce.kind == ReductionKind::Average ||
        (!reorderSums && isa<FloatType>(type.getElementType()) &&
         (reduce.kind == ReductionKind::Sum ||
          reduce.kind == ReductionKind::Product)))
      return;
    if (std::optional<double> cost = costOf(reduce, type))
      values[value] = {reduce, {}, {}, false, *cost, true, {}};
  }

  /// The seconds of a reduction like `reduce` to a value of `type`.
  std::optional<double> costOf(const Reduction &reduce, RankedTensorType type) {
    GridOp grid = getGrid(reduce.op, reduce.grid, symbols);
    std::optional<int64_t> bytes = bytesOfType(reduce.inputType(type));
    FailureOr<Grid> sizes = grid ? staticGrid(grid) : FailureOr<Grid>();
    if (!bytes || failed(sizes))
      return std::nullopt;
    Collective kind =
        reduce.scattered ? Collective::ReduceScatter : Collective::AllReduce;
    AxisList axes(reduce.axes.begin(), reduce.axes.end());
    double sent = bytesSent(kind, sizes->groupSize(axes), double(*bytes));
    auto &model = costs[grid];
    if (!model)
      model =
          std::make_unique<LinkCostModel>(linkSeconds(grid, machineOf(grid)));
    return sent > 0 ? model->cost(kind, axes, sent) : 0;
  }

  /// The same for a reduction of what `op` makes, which a slice may follow.
  std::optional<double> costBehind(Operation *op, const Reduction &reduce,
                                   RankedTensorType type) {
    std::optional<double> cost = costOf(reduce, type);
    auto slice = op->hasOneUse() ? dyn_cast<AllSliceOp>(*op->user_begin())
                                 : AllSliceOp();
    if (!cost || !slice || reduce.scattered)
      return cost;
    GridOp grid = getGrid(reduce.op, reduce.grid, symbols);
    return *cost + secondsOfSplitSum(grid, *staticGrid(grid), reduce.axes,
                                     slice, type, slice.getResult().getType());
  }

  /// The reducible that `value` is, if `user` is its only user, or if it is a reduction
  /// and `mayShare`.
  const Reducible *reducible(Value value, Operation *user, bool mayShare) {
    auto found = values.find(value);
    if (found == values.end() || (!isUsedBy(value, user) &&
                                  !(mayShare && found->second.sources.empty())))
      return nullptr;
    return &found->second;
  }

  void addOp(Operation *op) {
    if (op->getNumResults() != 1 ||
        llvm::none_of(op->getOperands(),
                      [&](Value operand) { return values.count(operand); }))
      return;
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!type || !type.hasStaticShape())
      return;
    auto isShared = [&](Value operand) {
      return values.count(operand) && !isUsedBy(operand, op);
    };
    std::optional<Reducible> tree = treeOf(op, type, /*mayShare=*/true);
    if (!tree && llvm::any_of(op->getOperands(), isShared))
      tree = treeOf(op, type, /*mayShare=*/false);
    // Last, since it looks at all ops of a body.
    if (tree && isMemoryEffectFree(op))
      values[op->getResult(0)] = std::move(*tree);
  }

  /// The tree with the root `op`, which makes a tensor of `type`. Leaves with several users
  /// belong to it if `mayShare`; else their results are values like others.
  std::optional<Reducible> treeOf(Operation *op, RankedTensorType type,
                                  bool mayShare) {
    Reducible tree;
    double below = 0;
    for (Value operand : op->getOperands())
      if (const Reducible *source = reducible(operand, op, mayShare)) {
        if (tree.reduce && !tree.reduce.isLike(source->reduce))
          return std::nullopt;
        tree.reduce = source->reduce;
        if (llvm::is_contained(tree.sources, operand))
          continue;
        tree.sources.push_back(operand);
        tree.secondsAdded += source->secondsAdded;
        for (const SharedLeaf &leaf : source->shared)
          tree.addShared(leaf);
        if (isUsedBy(operand, op))
          below += source->cost;
        else
          tree.addShared({operand, 1, 1});
      }
    if (!tree.reduce || (tree.reduce.scattered && !isElementwise(op)) ||
        !passes(op, type.getElementType(), tree))
      return std::nullopt;
    std::optional<double> here = costBehind(op, tree.reduce, type);
    if (!here)
      return std::nullopt;
    addComputing(op, tree);
    below += tree.dropComplete([&](Value leaf) { return values[leaf].cost; });
    tree.choose(*here + tree.secondsAdded, below);
    return tree;
  }

  /// Counts what the elementwise `op` takes more for a whole than for a block, and what makeSummand
  /// will do for `tree`: it reads and writes each value and reads what stands in its place.
  void addComputing(Operation *op, Reducible &tree) {
    GridOp grid = getGrid(tree.reduce.op, tree.reduce.grid, symbols);
    Machine machine = machineOf(grid);
    if (std::optional<OpCost> cost =
            tree.reduce.scattered ? costOfOp(op) : std::nullopt)
      tree.secondsAdded +=
          cost->seconds(machine) *
          double(staticGrid(grid)->groupSize(tree.reduce.axes) - 1);
    auto add = [&](Type type) {
      tree.secondsAdded +=
          3 * double(bytesOfType(type).value_or(0)) / machine.memoryBandwidth;
    };
    for (unsigned number : tree.whole)
      if (Type type = op->getOperand(number).getType();
          tree.addsWhole && !isIdempotent(tree.reduce.kind) &&
          isa<RankedTensorType>(type))
        add(type);
    for (unsigned number : tree.blocks)
      add(tree.reduce.inputType(
          cast<RankedTensorType>(op->getOperand(number).getType())));
  }

  /// Whether the reduction of the sources of `tree` may follow `op`, which gives elements of
  /// type `element`. Adds the operands that one device has to add to `tree`.
  bool passes(Operation *op, Type element, Reducible &tree) {
    const Reduction &reduce = tree.reduce;
    PartialRule rule = PartialRule::None;
    auto model = dyn_cast<ShardingInterface>(op);
    if (model)
      rule = model.getPartialRule();
    bool sums = reduce.kind == ReductionKind::Sum;
    if (rule != PartialRule::Movement && !sums)
      rule = PartialRule::None;
    bool combines = combinesLike(op, reduce.kind);
    bool commutes = false;
    for (OpOperand &operand : op->getOpOperands())
      commutes |= rule == PartialRule::None && !combines && model &&
                  operand.get() == tree.sources.front() &&
                  model.commutesWith(reduce.kind, operand.getOperandNumber());
    if (rule == PartialRule::None && !combines && !commutes)
      return false;
    Type reduced = getElementTypeOrSelf(tree.sources.front());
    if (element != reduced && !(commutes && mayReduceInstead(element)))
      return false;
    bool one = commutes || (rule == PartialRule::Multilinear && !combines);
    unsigned numReduced = 0;
    for (OpOperand &operand : op->getOpOperands()) {
      if (isDestination(operand)) {
        if (llvm::is_contained(tree.sources, operand.get()) ||
            !isNeutralDestination(operand, reduce.kind))
          return false;
        continue;
      }
      if (llvm::is_contained(tree.sources, operand.get())) {
        ++numReduced;
        continue;
      }
      Value whole = wholeOf(operand.get(), reduce);
      if (!whole && splatOf(operand.get()))
        whole = operand.get();
      if (!whole || !isSame(whole, reduce)) {
        if (one || !reduce.scattered ||
            !canBePartial(operand.get(), reduce.kind, reduced))
          return false;
        tree.blocks.push_back(operand.getOperandNumber());
        continue;
      }
      // Additive ops and ops that move elements take nothing else than sums.
      if (!one && isa<RankedTensorType>(whole.getType()) &&
          !canBePartial(whole, reduce.kind, reduced))
        return false;
      tree.whole.push_back(operand.getOperandNumber());
      if (whole != operand.get())
        keptSlices.insert(operand.get());
    }
    tree.addsWhole = !one;
    return (!one || numReduced == 1) &&
           replication.capturesReplicated(op, reduce.grid, reduce.axes);
  }

  Value summandOf(OpBuilder &builder, Location loc, Value value,
                  const Reduction &like, bool isBlock) {
    GridOp grid = getGrid(like.op, like.grid, symbols);
    return makeSummand(builder, loc, value, like, isBlock, *staticGrid(grid),
                       *costs[grid]);
  }

  bool isSame(Value value, const Reduction &reduce) {
    return replication.isReplicated(value, reduce.grid, reduce.axes);
  }

  /// Gives `value` its cheapest form; returns what stands for it.
  Value rewrite(Value value) {
    Reducible tree = values[value];
    if (tree.sources.empty() || !movesSomething(value))
      return value;
    Operation *op = value.getDefiningOp();
    OpBuilder builder(op);
    if (!tree.here) {
      for (Value source : tree.sources) {
        Value better = rewrite(source);
        if (better != source)
          op->replaceUsesOfWith(source, better);
      }
      return value;
    }
    Value partial = withoutReduction(value);
    Value reduced =
        tree.reduce.create(builder, op->getLoc(), value.getType(), partial);
    value.replaceAllUsesWith(reduced);
    return reduced;
  }

  /// What stands for an operand of `op` that is equal on all devices among summands.
  Value wholeFor(Operation *op, unsigned number, const Reducible &tree) {
    OpBuilder builder(op);
    Value value = op->getOperand(number), whole = wholeOf(value, tree.reduce);
    if (!whole)
      whole = splatLike(builder, value, tree.reduce);
    else if (whole != value)
      slices.insert(value.getDefiningOp());
    return tree.addsWhole && isa<RankedTensorType>(whole.getType())
               ? summandOf(builder, op->getLoc(), whole, tree.reduce,
                           /*isBlock=*/false)
               : whole;
  }

  /// The summand of this device of `value`.
  Value withoutReduction(Value value) {
    Reducible tree = values[value];
    Operation *op = value.getDefiningOp();
    replaced.insert(op);
    if (tree.sources.empty())
      return op->getOperand(0);
    IRMapping mapping;
    for (Value source : tree.sources)
      mapping.map(source, withoutReduction(source));
    OpBuilder builder(op);
    for (unsigned number : tree.whole)
      mapping.map(op->getOperand(number), wholeFor(op, number, tree));
    for (unsigned number : tree.blocks)
      mapping.map(op->getOperand(number),
                  summandOf(builder, op->getLoc(), op->getOperand(number),
                            tree.reduce, /*isBlock=*/true));
    Operation *clone = builder.clone(*op, mapping);
    dropOverflowFlags(clone);
    // A destination that is a block tells the shape alone; a summand has that of the whole.
    if (tree.reduce.scattered)
      for (OpOperand &operand : clone->getOpOperands())
        if (isDestination(operand))
          operand.set(mapping.lookup(tree.sources.front()));
    clone->getResult(0).setType(
        tree.reduce.inputType(cast<RankedTensorType>(value.getType())));
    return clone->getResult(0);
  }

  FunctionOpInterface function;
  bool reorderSums;
  SymbolTableCollection symbols;
  Replication replication;
  llvm::DenseMap<Operation *, std::unique_ptr<CostModel>> costs;
  llvm::MapVector<Value, Reducible> values;
  llvm::SetVector<Operation *> replaced;
  /// Made what is added whole into blocks.
  llvm::SetVector<Operation *> slices;
  /// What trees take for wholes of which these are slices: they stay slices.
  llvm::DenseSet<Value> keptSlices;
  bool changed = false;
};

struct ShardSinkReductionsPass
    : public ModuleOrFunctionPass<
          impl::ShardSinkReductionsBase<ShardSinkReductionsPass>> {
  using ModuleOrFunctionPass::ModuleOrFunctionPass;

  void runOnOperation() override {
    bool changed = false;
    getOperation()->walk([&](FunctionOpInterface function) {
      if (function.isExternal() || !ReductionSink(function, reorderSums).run())
        return;
      // Trees that had a leaf in common may have the same reductions now.
      tidyCollectives(function);
      changed = true;
    });
    if (!changed)
      markAllAnalysesPreserved();
  }
};

} // namespace

} // namespace shard
