//===- OpPartitioner.cpp - Ops that compute, on one device ----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Partition/Partitioners.h"

#include "shard/Partitioning/ShardingOption.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Debug.h"
#include "llvm/Support/raw_ostream.h"

#define DEBUG_TYPE "shard-partition"

using namespace mlir;

namespace shard {

/// The option of the loops of `op`, whose table is `table`.
static ShardingOption optionOf(LocalFunction &local, ShardingInterface model,
                               const LoopTable &table,
                               const Emission &emission) {
  Operation *op = model;
  OpTables::Question question{&emission.grid, false, {}};
  for (auto [index, value] : llvm::enumerate(op->getOperands())) {
    const Sharding *sharding = local.locals.lookup(value).sharding;
    if (sharding && !local.foralls.empty() &&
        local.foralls.front().captures(value) && model.isWholeInLoops(index))
      sharding = local.replicatedLike(value);
    question.tensors.push_back(sharding);
  }
  for (Value value : op->getResults())
    question.tensors.push_back(local.shardings.of(value));
  // Propagation states all tensors of an op that disagree: then its choice is to be
  // read off the operands.
  question.areStated = llvm::all_of(op->getOperands(), [&](Value operand) {
    return !isa<RankedTensorType>(operand.getType()) ||
           local.shardings.isStated(operand);
  });
  return local.opTables.optionOf(op, question, [&] {
    SmallVector<Sharding> operands, results;
    for (auto [index, sharding] : llvm::enumerate(question.tensors))
      (index < op->getNumOperands() ? operands : results)
          .push_back(sharding ? *sharding : Sharding());
    if (question.areStated)
      if (std::optional<ShardingOption> stated = optionOfOperands(
              op, table, emission.grid, operands, results, emission.planner))
        return *stated;
    return chooseOption(op, table, emission.grid, operands, results,
                        emission.planner);
  });
}

/// "loops [0], []" and the shardings of the tensors, for debug output.
[[maybe_unused]] static void print(llvm::raw_ostream &os,
                                   const PartitionContext &context) {
  os << "loops ";
  llvm::interleaveComma(context.option.loops, os, [&](const AxisList &axes) {
    os << '[';
    llvm::interleaveComma(axes, os);
    os << ']';
  });
  auto printTensors = [&](StringRef what, ArrayRef<TensorLoops> tensors,
                          llvm::function_ref<Sharding(unsigned)> sharding) {
    for (auto [index, tensor] : llvm::enumerate(tensors))
      if (tensor.isTensor)
        os << ", " << what << ' ' << index << ' ' << toString(sharding(index));
  };
  printTensors("operand", context.table.operands,
               [&](unsigned index) { return context.operand(index); });
  printTensors("result", context.table.results,
               [&](unsigned index) { return context.result(index); });
}

/// Says that parts of a sum of f16, which lie on several devices, must each fit f16.
/// On one device the terms meet in f32, and only the whole must.
static void remarkOverflow(Operation *op, const LoopTable &table,
                           const PartitionContext &context) {
  AxisList axes;
  for (auto [loop, split] : llvm::zip_equal(table.loops, context.option.loops))
    if (loop.kind == LoopKind::Reduction)
      axes.insert(axes.end(), split.begin(), split.end());
  for (auto [index, value] : llvm::enumerate(op->getResults())) {
    if (axes.empty() || !table.results[index].isTensor ||
        !getElementTypeOrSelf(value.getType()).isF16() ||
        table.results[index].reduction != ReductionKind::Sum)
      continue;
    std::string list = llvm::join(
        llvm::map_range(axes,
                        [](GridAxis axis) { return std::to_string(axis); }),
        ", ");
    mlir::emitRemark(op->getLoc())
        << "'" << op->getName() << "' sums f16 in parts, split by "
        << (axes.size() == 1 ? "axis " : "axes ") << list
        << ": a part above 65504 becomes infinity, although the sum may not "
           "be; sum in f32 if that can happen";
  }
}

/// Says of an op that was to compute what windows read of the neighbours' blocks, and
/// does not, that they exchange it.
static void remarkExchange(LocalFunction &local, Operation *op,
                           const PartitionContext &context) {
  if (!context.grown.empty() || !local.recomputed.contains(op) ||
      llvm::none_of(op->getResults(), [&](Value result) {
        return local.growth.contains(result) &&
               !llvm::all_of(local.growth[result], [](const Growth &growth) {
                 return growth.isNone();
               });
      }))
    return;
  mlir::emitRemark(op->getLoc())
      << "'" << op->getName()
      << "' is marked by shard.recompute, but a device cannot compute what it "
         "makes of the neighbours' blocks, because some device has no elements "
         "or because it is split otherwise: halos of its result are exchanged";
}

/// Appends the local operands that `context` asks for.
static LogicalResult localOperandsOf(LocalFunction &local,
                                     ShardingInterface model, GridOp grid,
                                     const PartitionContext &context,
                                     MutableArrayRef<FoundWindow> windows,
                                     SmallVectorImpl<Value> &operands) {
  const LoopTable &table = context.table;
  for (auto [index, value] : llvm::enumerate(model->getOperands())) {
    const Sharding *wanted =
        table.operands[index].isTensor
            ? local.pool.intern(context.operand(index), grid)
            : nullptr;
    FailureOr<Value> operand =
        wanted && (readsWindow(table, index, context.option) ||
                   context.readsGrown(index))
            ? localWindow(local, model, index, windows[index], grid, context)
            : local.localAs(value, wanted, model, "operand " + Twine(index));
    if (failed(operand))
      return failure();
    operands.push_back(*operand);
  }
  return success();
}

/// What a reshard of `value` costs; nothing is known, and 0, of what has no sharding.
static double priceOf(Value value, const Sharding *from, const Sharding &to,
                      const Emission &emission) {
  if (!from || *from == to || from->dims.size() != to.dims.size())
    return 0;
  auto type = cast<RankedTensorType>(value.getType());
  const Plan *plan =
      planWithUnknowns(emission.planner, emission.grid, shapeOf(type),
                       elementBytes(type), *from, to);
  return plan ? plan->cost : 0;
}

/// Notes what is sent to make the result of a view.
static void priceView(LocalFunction &local, ShardingInterface view,
                      const PartitionContext &context,
                      ArrayRef<FoundWindow> windows) {
  Value source = view->getOperand(0), result = view->getResult(0);
  double cost = readsWindow(context.table, 0, context.option)
                    ? windows[0].cost
                    : priceOf(source, local.locals.lookup(source).sharding,
                              context.operand(0), context.emission);
  if (const Sharding *wanted = local.shardings.of(result)) {
    Sharding made = context.result(0);
    cost += priceOf(result, &made, *wanted, context.emission);
  }
  local.viewCosts[result] = cost;
}

/// Takes those axes from the loops of `option` whose sizes the form of `model` on a device has
/// to say, and which are not known. Returns whether there were any.
static bool dropUnknownSizes(ShardingInterface model, const LoopTable &table,
                             ShardingOption &option, const Grid &grid) {
  bool takesAny = model.hasFormOfAnySize(), dropped = false;
  for (auto [loop, axes] : llvm::zip_equal(table.loops, option.loops)) {
    if (takesAny && loop.exchanges == 0)
      continue;
    auto unknown = llvm::find_if(axes, [&](GridAxis axis) {
      return ShapedType::isDynamic(grid.shape[axis]);
    });
    // Axes behind it cut its blocks.
    dropped |= unknown != axes.end();
    axes.erase(unknown, axes.end());
  }
  return dropped;
}

/// Says of an op that takes its operands otherwise than they come, as sizes are not known.
static void remarkUnknownSizes(LocalFunction &local, Operation *op,
                               const PartitionContext &context) {
  for (auto [index, value] : llvm::enumerate(op->getOperands())) {
    const Sharding *has = local.locals.lookup(value).sharding;
    if (!has || !context.table.operands[index].isTensor)
      continue;
    for (auto [from, to] :
         llvm::zip_equal(has->dims, context.operand(index).dims))
      if (to.size() < from.size()) {
        mlir::emitRemark(op->getLoc())
            << "'" << op->getName()
            << "' needs the sizes of the axes that it is to be split by: "
               "operand "
            << index << " is gathered over axes of unknown size";
        return;
      }
  }
}

LogicalResult partitionByModel(LocalFunction &local, ShardingInterface model) {
  Operation *op = model;
  FailureOr<GridOp> grid = local.gridOf(op);
  if (failed(grid))
    return failure();
  const Emission &emission = local.on(*grid).emission;
  const LoopTable &table = local.opTables.tableOf(op);
  ShardingOption option = optionOf(local, model, table, emission);
  bool dropped = dropUnknownSizes(model, table, option, emission.grid);
  if (dropped && option.partialOperands != 0)
    return partitionReplicated(local, op);
  PartitionContext context(emission, table, option);
  if (dropped)
    remarkUnknownSizes(local, op, context);
  context.grown = growthOfLoops(local, model, context);
  remarkExchange(local, op, context);
  remarkOverflow(op, table, context);
  LLVM_DEBUG({
    llvm::dbgs() << "'" << op->getName() << "': ";
    print(llvm::dbgs(), context);
    llvm::dbgs() << "\n";
  });

  SmallVector<Value> operands, results;
  // Fills of windows may be captured.
  if (failed(local.mapCaptures(op)))
    return failure();
  SmallVector<FoundWindow, 1> windows =
      findWindows(local, model, *grid, context);
  if (model.isView())
    priceView(local, model, context, windows);
  if (failed(localOperandsOf(local, model, *grid, context, windows, operands)))
    return failure();
  for (FoundWindow &window : windows)
    context.pieces.push_back(std::move(window.piece));
  if (failed(model.partition(local.builder, operands, context, results)))
    return failure();
  // The model may have taken the piece of a window instead of it.
  for (auto [index, piece] : llvm::enumerate(context.pieces))
    if (piece.value && operands[index].use_empty())
      local.views.insert(operands[index].getDefiningOp());
  noteExtents(local, op, table, windows);
  SmallVector<LocalFunction::WideBlock> wides =
      cutBlocks(local, op, context, results);
  for (auto [index, value] : llvm::enumerate(op->getResults())) {
    const Sharding *natural =
        table.results[index].isTensor
            ? local.pool.intern(context.result(index), *grid)
            : nullptr;
    if (failed(local.setResult(value, results[index], natural, op)))
      return failure();
    if (!wides.empty() && local.locals.lookup(value).value == results[index])
      local.wides[value] = wides[index];
  }
  if (model.isView())
    if (Operation *made =
            local.locals.lookup(op->getResult(0)).value.getDefiningOp())
      local.views.insert(made);
  return success();
}

/// Annotations inside say nothing where everything is replicated.
static void eraseAnnotations(Operation *op) {
  op->walk([](ShardOp annotation) {
    // Unreachable code may have one that takes its own result.
    if (annotation.getResult() == annotation.getSrc())
      return;
    annotation.getResult().replaceAllUsesWith(annotation.getSrc());
    annotation.erase();
  });
}

/// Whether replicating the operands of `op` and what its regions capture takes
/// communication.
static bool gathersOperands(LocalFunction &local, Operation *op) {
  auto isGathered = [&](Value value) {
    // Propagation has put a reshard for this very op in front of it.
    auto annotation = value.getDefiningOp<ShardOp>();
    if (annotation && annotation.getAnnotateForUsers())
      value = annotation.getSrc();
    const Sharding *sharding = local.locals.lookup(value).sharding;
    return sharding && !sharding->isReplicated();
  };
  return op
      ->walk([&](Operation *inner) {
        return llvm::any_of(inner->getOperands(), isGathered)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

LogicalResult partitionReplicated(LocalFunction &local, Operation *op) {
  eraseAnnotations(op);
  bool gathers = gathersOperands(local, op);
  LLVM_DEBUG(llvm::dbgs() << "'" << op->getName() << "': replicated"
                          << (gathers ? ", gathers its operands" : "") << "\n");
  SmallVector<Value> operands;
  auto wanted = [&](unsigned index) {
    return local.replicatedLike(op->getOperand(index));
  };
  if (failed(local.localOperands(op, wanted, operands)) ||
      failed(local.mapCaptures(op)))
    return failure();
  if (gathers)
    mlir::emitRemark(op->getLoc())
        << "'" << op->getName()
        << (local.usesUnknownSizes(op) && isa<ShardingInterface>(op)
                ? "' needs the sizes of the axes that it is to be split by: "
                  "its "
                  "sharded operands are "
                : "' has no sharding model: its sharded operands are ")
        << "gathered on every device";
  // The op itself moves: nothing about it changes.
  op->remove();
  local.builder.insert(op);
  op->setOperands(operands);
  for (Value result : op->getResults())
    if (failed(
            local.setResult(result, result, local.replicatedLike(result), op)))
      return failure();
  return success();
}

} // namespace shard
