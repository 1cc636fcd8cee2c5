//===- Annotator.cpp - Writes propagated shardings into the IR ------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The result of propagation becomes text: attributes on function arguments and
// results, elsewhere one shard.shard per value that is not replicated and one
// per use that wants another sharding. What the user wrote is taken away first:
// it is contained in the result.
//
//===----------------------------------------------------------------------===//

#include "Export/Annotator.h"

#include "Export/RefineBody.h"
#include "SignatureAttrs.h"

#include "shard/IR/ShardOps.h"
#include "shard/IR/ShardingUtils.h"
#include "shard/Interfaces/ShardingInterface.h"

#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ParallelCombiningOpInterface.h"

using namespace mlir;

namespace shard {

namespace {

/// Writes the shardings of one grid.
class Annotator {
public:
  Annotator(const GridPropagation &propagation, Operation *root,
            const HintRemover &hints, const CreatorMerge &creators)
      : propagation(propagation), root(root), hints(hints), creators(creators) {
  }

  LogicalResult run() {
    if (failed(resolveGridSymbol()))
      return failure();
    for (const GridPropagation::ValueSharding &entry : propagation.values)
      if (Value value = hints.lookup(entry.value))
        annotateValue(value, entry.sharding);
    for (const GridPropagation::UseSharding &entry : propagation.uses)
      annotateUse(entry);
    for (const GridPropagation::ManualShardings &entry : propagation.manual)
      annotateManual(entry);
    orderRows();
    // Behind the reshards of operands, which were put in front of the op, too.
    for (auto [handle, before] : ownHandles)
      handle->moveBefore(before);
    for (const auto &[function, number, sharding] : propagation.results)
      signatureOf(cast<FunctionOpInterface>(function))
          .setResult(number, kShardingAttrName, attribute(sharding));
    for (const auto &[function, number, sharding] : propagation.arguments)
      signatureOf(cast<FunctionOpInterface>(function))
          .setArgument(number, kShardingAttrName, attribute(sharding));
    for (auto &[function, signature] : signatures)
      signature.write();
    if (propagation.refined)
      refineSignatures();
    return success();
  }

private:
  /// Functions that were solved together are on one grid: what is replicated in
  /// their signatures names the refined one too.
  void refineSignatures() {
    auto refined = [&](Attribute attribute, Type type) -> Attribute {
      auto sharding = dyn_cast_or_null<ShardingAttr>(attribute);
      if (!sharding || sharding.getGrid().getAttr() != propagation.gridName)
        return {};
      return getShardingAttr(
          grid, Sharding::replicated(cast<RankedTensorType>(type).getRank()));
    };
    for (Operation *op : propagation.functions) {
      auto function = cast<FunctionOpInterface>(op);
      for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
        if (Attribute sharding =
                refined(function.getArgAttr(index, kShardingAttrName), type))
          function.setArgAttr(index, kShardingAttrName, sharding);
      for (auto [index, type] : llvm::enumerate(function.getResultTypes()))
        if (Attribute sharding =
                refined(function.getResultAttr(index, kShardingAttrName), type))
          function.setResultAttr(index, kShardingAttrName, sharding);
    }
  }

  /// The grid that the program names, or a new one that refines it.
  LogicalResult resolveGridSymbol() {
    grid = FlatSymbolRefAttr::get(propagation.gridName);
    if (!propagation.refined)
      return success();
    auto module = dyn_cast<ModuleOp>(root);
    auto gridOp = cast<GridOp>(propagation.gridOp);
    if (!module || gridOp->getParentOp() != root)
      return gridOp.emitError()
             << "axes of grid " << grid
             << " must be cut into sub-axes, which adds a grid to the module; "
                "run the pass on the module instead of on a function";
    OpBuilder builder(gridOp->getContext());
    auto refined = GridOp::create(builder, gridOp.getLoc(), gridOp.getSymName(),
                                  ArrayRef<int64_t>(propagation.grid.shape));
    refined.setRefinesAttr(grid);
    refined.setUnevenDynamic(gridOp.getUnevenDynamic());
    SymbolTable symbols(module);
    grid = FlatSymbolRefAttr::get(
        symbols.insert(refined, std::next(mlir::Block::iterator(gridOp))));
    return success();
  }

  ShardingAttr attribute(ShardingIndex index) {
    ShardingAttr &known = attributes[index];
    if (!known)
      known = getShardingAttr(grid, propagation.shardings[index]);
    return known;
  }

  /// The shard.sharding of `index`, one per block of code that is isolated. One with
  /// numbers that are SSA values stands in front of `before`, where they are visible.
  Value handle(ShardingIndex index, mlir::Block *block, Operation *before) {
    if (propagation.shardings[index].hasRunTimeNumbers()) {
      OpBuilder builder(before);
      ShardingOp own = buildSharding(builder, before->getLoc(), grid.getValue(),
                                     propagation.shardings[index]);
      ownHandles.emplace_back(own, before);
      return own.getResult();
    }
    Operation *isolated = block->getParentOp();
    if (!isolated->hasTrait<OpTrait::IsIsolatedFromAbove>())
      isolated = isolated->getParentWithTrait<OpTrait::IsIsolatedFromAbove>();
    ShardingOp &op = handles[{isolated, index}];
    if (!op) {
      mlir::Block *entry = &isolated->getRegion(0).front();
      ShardingOp &last = lastHandle[isolated];
      OpBuilder builder(root->getContext());
      if (last)
        builder.setInsertionPointAfter(last);
      else
        builder.setInsertionPointToStart(entry);
      op = buildSharding(builder, builder.getUnknownLoc(), grid.getValue(),
                         propagation.shardings[index]);
      last = op;
    }
    return op.getResult();
  }

  SignatureAttrs &signatureOf(FunctionOpInterface function) {
    return signatures.try_emplace(function, function).first->second;
  }

  /// Whether the numbers of `sharding` that are SSA values stand in front of `op`.
  bool areKnownAt(const Sharding &sharding, Operation *op) {
    auto isKnown = [&](int64_t number) {
      return !isRunTime(number) ||
             dominance.properlyDominates(runTimeValue(number), op);
    };
    return llvm::all_of(sharding.halos, isKnown) &&
           llvm::all_of(sharding.offsets, isKnown);
  }

  /// What is made of nothing for one op, and may stand in front of the numbers of the
  /// layout that it has, is made directly in front of that op.
  void moveToUser(Operation *creator) {
    if (moved.contains(creator))
      return;
    // Together with what is made of it, while that is known to be made of nothing.
    SmallVector<Operation *> row;
    Operation *user = creator;
    while (isCreator(user) && user->hasOneUse() && !moved.contains(user)) {
      row.push_back(user);
      user = *user->user_begin();
    }
    for (Operation *op : row) {
      op->moveBefore(user);
      moved.insert(op);
    }
  }

  void annotateValue(Value value, ShardingIndex index) {
    if (stateInSignature(value, index))
      return;
    Operation *def = value.getDefiningOp();
    if (def && creators.isMerged(def))
      return;
    // A reshard that the user asked for carries the sharding itself.
    if (auto reshard = dyn_cast_if_present<ShardOp>(def)) {
      reshard.getShardingMutable().assign(handle(index, def->getBlock(), def));
      return;
    }
    if (def && !areKnownAt(propagation.shardings[index], def))
      moveToUser(def);
    stateBehind(value, handle(index, value.getParentBlock(), def));
  }

  /// Entry arguments of functions say it in an attribute.
  bool stateInSignature(Value value, ShardingIndex index) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || !argument.getOwner()->isEntryBlock())
      return false;
    auto function =
        dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
    if (!function)
      return false;
    signatureOf(function).setArgument(argument.getArgNumber(),
                                      kShardingAttrName, attribute(index));
    return true;
  }

  void stateBehind(Value value, Value sharding) {
    OpBuilder builder(root->getContext());
    Operation *made = sharding.getDefiningOp();
    Operation *def = value.getDefiningOp();
    if (def)
      builder.setInsertionPointAfter(def);
    else if (made->getBlock() == value.getParentBlock())
      builder.setInsertionPointAfter(lastHandleIn(made));
    else
      builder.setInsertionPointToStart(value.getParentBlock());
    auto annotation = ShardOp::create(builder, value.getLoc(), value.getType(),
                                      value, sharding, UnitAttr());
    if (!def || def->getNumResults() > 1)
      rows[{def, value.getParentBlock()}].push_back(annotation);
    if (def) {
      value.replaceAllUsesExcept(annotation, annotation);
      return;
    }
    // Ops that combine slices in parallel write to the block argument itself.
    value.replaceUsesWithIf(annotation, [&](OpOperand &use) {
      auto combine = dyn_cast<ParallelCombiningOpInterface>(use.getOwner());
      auto isUse = [&](OpOperand &dest) { return &dest == &use; };
      return use.getOwner() != annotation &&
             !(combine &&
               llvm::any_of(combine.getUpdatedDestinations(), isUse));
    });
  }

  /// The op whose results, or the block whose arguments, a row annotates.
  using RowPlace = std::pair<Operation *, mlir::Block *>;

  /// The annotation of a value of `place` that `op` is, or null.
  static ShardOp rowMember(Operation *op, const RowPlace &place) {
    auto annotation = dyn_cast_if_present<ShardOp>(op);
    if (!annotation || annotation.getAnnotateForUsers())
      return {};
    Value source = annotation.getSrc();
    return RowPlace(source.getDefiningOp(), source.getParentBlock()) == place
               ? annotation
               : ShardOp();
  }

  /// Several results of an op, and the arguments of a block, are annotated in
  /// their order, whatever order they, and the grids that they are on, were solved in.
  void orderRows() {
    for (auto &[place, row] : rows) {
      llvm::SmallPtrSet<Operation *, 8> members(row.begin(), row.end());
      // Those of other grids stand in front or behind.
      for (Operation *end :
           {row.front().getOperation(), row.back().getOperation()})
        for (bool forward : {false, true})
          for (Operation *op = end; rowMember(op, place);
               op = forward ? op->getNextNode() : op->getPrevNode())
            if (members.insert(op).second)
              row.push_back(cast<ShardOp>(op));
      if (row.size() < 2)
        continue;
      Operation *first = row.front();
      while (members.contains(first->getPrevNode()))
        first = first->getPrevNode();
      Operation *before = first->getPrevNode();
      mlir::Block *block = first->getBlock();
      llvm::sort(row, [](ShardOp a, ShardOp b) {
        return numberOf(a.getSrc()) < numberOf(b.getSrc());
      });
      for (ShardOp annotation : row) {
        if (before)
          annotation->moveAfter(before);
        else
          annotation->moveBefore(block, block->begin());
        before = annotation;
      }
    }
  }

  static unsigned numberOf(Value value) {
    if (auto result = dyn_cast<OpResult>(value))
      return result.getResultNumber();
    return cast<BlockArgument>(value).getArgNumber();
  }

  /// The last shard.sharding of the row that `handle` stands in.
  static Operation *lastHandleIn(Operation *handle) {
    while (isa_and_present<ShardingOp>(handle->getNextNode()))
      handle = handle->getNextNode();
    return handle;
  }

  void annotateUse(const GridPropagation::UseSharding &entry) {
    // Uses of one value in one block that want one sharding share the reshard.
    OpOperand &use = *entry.use;
    // The user was a hint that said nothing.
    if (!use.get())
      return;
    if (creators.isMerged(use.getOwner()))
      return;
    Operation *anchor = entry.anchor;
    ShardOp &annotation =
        reshards[{use.get(), {anchor->getBlock(), entry.sharding}}];
    if (!annotation) {
      Value sharding = handle(entry.sharding, anchor->getBlock(), anchor);
      OpBuilder builder(anchor);
      annotation =
          ShardOp::create(builder, anchor->getLoc(), use.get().getType(),
                          use.get(), sharding, builder.getUnitAttr());
      // A row of reshards may be moved; each has its sharding in front of it.
      if (propagation.shardings[entry.sharding].hasRunTimeNumbers())
        ownHandles.back().second = annotation;
    } else if (anchor->isBeforeInBlock(annotation)) {
      // A region's edges list the uses of its terminators first.
      annotation->moveBefore(anchor);
    }
    use.set(annotation);
  }

  void annotateManual(const GridPropagation::ManualShardings &entry) {
    auto op = cast<ManualComputationOp>(entry.op);
    auto gridOp = cast<GridOp>(propagation.gridOp);
    ArrayAttr manual =
        propagation.refined ? refinedAxes(op) : op.getManualAxes();
    // Manual axes that a sharding does not use replicate, which it has to say.
    auto attribute = [&](const Sharding &sharding) {
      SmallVector<AxisRefAttr> replicated;
      for (auto reference : manual.getAsRange<AxisRefAttr>()) {
        // Refined axes are numbers of a grid that is not in the program yet.
        GridAxis axis = propagation.refined ? GridAxis(reference.getNumber())
                                            : *gridOp.axisNumber(reference);
        if (!llvm::is_contained(sharding.partial, axis) &&
            llvm::none_of(sharding.dims, [&](const AxisList &axes) {
              return llvm::is_contained(axes, axis);
            }))
          replicated.push_back(
              AxisRefAttr::get(op.getContext(), int64_t(axis)));
      }
      ShardingAttr plain = getShardingAttr(grid, sharding);
      return ShardingAttr::get(op.getContext(), grid, plain.getDims(),
                               plain.getPartialKind(), plain.getPartialAxes(),
                               replicated, plain.getHalos(),
                               plain.getOffsets());
    };
    auto attributes = [&](const std::vector<Sharding> &shardings) {
      SmallVector<Attribute> list;
      for (const Sharding &sharding : shardings)
        list.push_back(attribute(sharding));
      return ArrayAttr::get(op.getContext(), list);
    };
    op.setInShardingsAttr(attributes(entry.in));
    op.setOutShardingsAttr(attributes(entry.out));
    if (!propagation.refined)
      return;
    op.setManualAxesAttr(manual);
    op.setGridAttr(grid);
    refineBody(op.getBody(), gridOp, grid, partsOfAxes());
  }

  /// For each axis of the given grid the axes of the result that it is cut into.
  SmallVector<SmallVector<GridAxis, 2>> partsOfAxes() const {
    SmallVector<SmallVector<GridAxis, 2>> parts(
        cast<GridOp>(propagation.gridOp).getRank());
    for (auto [axis, part] : llvm::enumerate(propagation.axes))
      parts[part.axis].push_back(axis);
    return parts;
  }

  /// The manual axes of `op` as axes of the grid of the result.
  ArrayAttr refinedAxes(ManualComputationOp op) {
    auto original = cast<GridOp>(propagation.gridOp);
    SmallVector<Attribute> list;
    for (auto reference : op.getManualAxes().getAsRange<AxisRefAttr>()) {
      AxisPart manual = *original.axisPart(reference);
      for (auto [axis, part] : llvm::enumerate(propagation.axes))
        if (manual.contains(part))
          list.push_back(AxisRefAttr::get(op.getContext(), int64_t(axis)));
    }
    return ArrayAttr::get(op.getContext(), list);
  }

  const GridPropagation &propagation;
  Operation *root;
  const HintRemover &hints;
  const CreatorMerge &creators;
  llvm::MapVector<Operation *, SignatureAttrs> signatures;
  FlatSymbolRefAttr grid;
  DenseMap<ShardingIndex, ShardingAttr> attributes;
  DenseMap<std::pair<Operation *, ShardingIndex>, ShardingOp> handles;
  DenseMap<Operation *, ShardingOp> lastHandle;
  DominanceInfo dominance;
  llvm::DenseSet<Operation *> moved;
  /// The shardings with numbers that are SSA values, and what each stands in front of.
  SmallVector<std::pair<ShardingOp, Operation *>, 0> ownHandles;
  /// The annotations of the results of an op, or of the arguments of a block.
  llvm::MapVector<RowPlace, SmallVector<ShardOp, 1>> rows;
  DenseMap<std::pair<Value, std::pair<mlir::Block *, ShardingIndex>>, ShardOp>
      reshards;
};

} // namespace

LogicalResult annotate(const GridPropagation &propagation, Operation *root,
                       const HintRemover &hints, const CreatorMerge &creators) {
  return Annotator(propagation, root, hints, creators).run();
}

} // namespace shard
