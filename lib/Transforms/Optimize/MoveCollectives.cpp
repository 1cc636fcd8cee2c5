//===- MoveCollectives.cpp - Pass shard-move-collectives ------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleOrFunctionPass.h"

#include "Optimize/MoveGraph.h"
#include "Optimize/NarrowCollectives.h"
#include "Optimize/TidyCollectives.h"
#include "shard/Geometry/BlockLayout.h"
#include "shard/IR/ShardingUtils.h"
#include "shard/Transforms/Passes.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace shard {

#define GEN_PASS_DEF_SHARDMOVECOLLECTIVES
#include "shard/Transforms/Passes.h.inc"

/// Each round looks at all of a function.
static constexpr int kMostRounds = 4;

/// The tensor that all devices of a group have, and of whose dimension `dim` `moved` moves the
/// slices that they took of it. Null if it moves something else.
template <typename Op>
static Value slicedBefore(Op moved, llvm::APInt dim, Replication &replication) {
  auto slice = moved.getInput().template getDefiningOp<AllSliceOp>();
  bool isSliced =
      slice && slice.getGridAttr() == moved.getGridAttr() &&
      slice.getGridAxes() == moved.getGridAxes() &&
      slice.getSliceAxis() == dim &&
      tensorTypeOf(slice.getInput()).hasStaticShape() &&
      replication.isReplicated(slice.getInput(), slice.getGridAttr(),
                               slice.getGridAxes());
  return isSliced ? Value(slice.getInput()) : Value();
}

/// What `exchange` gives as slices of a tensor that all devices have; null if it gives others.
static AllSliceOp sliceInstead(AllToAllOp exchange, Replication &replication,
                               SymbolTableCollection &symbols) {
  Value whole = slicedBefore(exchange, exchange.getConcatAxis(), replication);
  int64_t joined = exchange.getConcatAxis().getSExtValue();
  int64_t cut = exchange.getSplitAxis().getSExtValue();
  RankedTensorType type = tensorTypeOf(exchange.getResult());
  if (!whole || joined == cut ||
      tensorTypeOf(whole).getDimSize(joined) != type.getDimSize(joined))
    return {};
  GridOp grid = getGrid(exchange, exchange.getGridAttr(), symbols);
  FailureOr<Grid> sizes = grid ? staticGrid(grid) : FailureOr<Grid>();
  if (failed(sizes))
    return {};
  // Nested blocks need not be those that are exchanged.
  AxisList axes(exchange.getGridAxes().begin(), exchange.getGridAxes().end());
  for (int64_t dim : {joined, cut})
    if (!cutsAtOnce(tensorTypeOf(whole).getDimSize(dim), sizes->sizes(axes)))
      return {};
  OpBuilder builder(exchange);
  return AllSliceOp::create(builder, exchange.getLoc(), type, whole,
                            exchange.getGrid(), exchange.getGridAxes(), cut);
}

/// A gather that gives what `gather` gives of the blocks of another dimension, which have been
/// exchanged for its operand; null if there are none. It sends more.
static AllGatherOp joinedWithExchange(AllGatherOp gather) {
  auto exchange = gather.getInput().getDefiningOp<AllToAllOp>();
  if (!exchange || exchange.getGridAttr() != gather.getGridAttr() ||
      exchange.getGridAxes() != gather.getGridAxes() ||
      exchange.getSplitAxis() != gather.getGatherAxis() ||
      exchange.getConcatAxis() == gather.getGatherAxis() ||
      !exchange->hasOneUse())
    return {};
  OpBuilder builder(gather);
  return AllGatherOp::create(builder, gather.getLoc(),
                             gather.getResult().getType(), exchange.getInput(),
                             gather.getGrid(), gather.getGridAxes(),
                             exchange.getConcatAxis().getSExtValue());
}

namespace {

struct ShardMoveCollectivesPass
    : public ModuleOrFunctionPass<
          impl::ShardMoveCollectivesBase<ShardMoveCollectivesPass>> {
  void runOnOperation() override {
    changed = false;
    WalkResult walked = getOperation()->walk([&](FunctionOpInterface function) {
      return function.isExternal() || succeeded(run(function))
                 ? WalkResult::advance()
                 : WalkResult::interrupt();
    });
    if (walked.wasInterrupted())
      return signalPassFailure();
    // What takes the fewest calls may move a whole tensor for the sake of two slices.
    changed |= narrowCollectives(getOperation());
    if (!changed)
      return markAllAnalysesPreserved();
    // What moved may now stand next to what undoes it.
    tidyCollectives(getOperation());
  }

private:
  /// Drops gathers of slices of what all devices have, and takes other slices of it where these are
  /// exchanged.
  void undoSlices(FunctionOpInterface function, Replication &replication,
                  SymbolTableCollection &symbols) {
    auto replace = [&](Operation *op, Value by) {
      op->getResult(0).replaceAllUsesWith(by);
      replication.forget(op);
      op->erase();
      changed = true;
    };
    function->walk([&](Operation *op) {
      if (auto exchange = dyn_cast<AllToAllOp>(op)) {
        if (AllSliceOp slice = sliceInstead(exchange, replication, symbols))
          replace(op, slice);
      } else if (auto gather = dyn_cast<AllGatherOp>(op)) {
        Value whole = slicedBefore(gather, gather.getGatherAxis(), replication);
        if (whole && whole.getType() == gather.getResult().getType())
          replace(op, whole);
      }
    });
  }

  /// Joins exchanges with the gathers behind them where ops that move behind one gather leave
  /// nothing to send.
  LogicalResult joinExchanges(FunctionOpInterface function,
                              Replication &replication,
                              SymbolTableCollection &symbols) {
    SmallVector<AllGatherOp> gathers;
    function->walk([&](AllGatherOp gather) { gathers.push_back(gather); });
    for (AllGatherOp gather : gathers) {
      AllGatherOp joined = joinedWithExchange(gather);
      auto collective = joined ? MovingCollective::of(joined, symbols)
                               : std::optional<MovingCollective>();
      if (!collective) {
        if (joined)
          joined->erase();
        continue;
      }
      Operation *exchange = gather.getInput().getDefiningOp();
      gather.getResult().replaceAllUsesWith(joined);
      MoveSeeds seeds;
      MoveGraph graph(*collective, seeds, replication, /*widensUnits=*/false);
      if (graph.secondsSaved() == 0 || graph.sendsStill()) {
        joined.getResult().replaceAllUsesWith(gather);
        replication.forget(joined);
        joined->erase();
        continue;
      }
      for (Operation *op : {gather.getOperation(), exchange}) {
        replication.forget(op);
        op->erase();
      }
      if (failed(graph.rewrite([&](Operation *op) { replication.forget(op); })))
        return failure();
      changed = true;
    }
    return success();
  }

  LogicalResult run(FunctionOpInterface function) {
    SymbolTableCollection symbols;
    Replication replication;
    // Where a collective has moved past another one, that may follow. What moves costs less each
    // time; few programs take more than two rounds.
    for (int round = 0; round < kMostRounds; ++round) {
      undoSlices(function, replication, symbols);
      if (round == 0 && failed(joinExchanges(function, replication, symbols)))
        return failure();
      FailureOr<bool> moved = move(function, replication, symbols);
      if (failed(moved))
        return failure();
      if (!*moved)
        return success();
      changed = true;
    }
    return success();
  }

  /// Moves what a graph finds to cost less elsewhere. Returns whether anything moved.
  FailureOr<bool> move(FunctionOpInterface function, Replication &replication,
                       SymbolTableCollection &symbols) {
    llvm::MapVector<std::pair<mlir::Block *, Attribute>, MoveSeeds> kinds;
    function->walk([&](Operation *op) {
      auto collective = MovingCollective::of(op, symbols);
      if (!collective)
        return;
      MoveSeeds &seeds = kinds[{op->getBlock(), collective->key()}];
      seeds.places[op] = seeds.collectives.size();
      seeds.collectives.push_back(op);
    });
    llvm::DenseMap<mlir::Block *, SmallVector<MoveSeeds *>> kindsOf;
    for (auto &[place, seeds] : kinds)
      kindsOf[place.first].push_back(&seeds);
    auto erased = [&](Operation *op) {
      replication.forget(op);
      for (MoveSeeds *seeds : kindsOf[op->getBlock()])
        seeds->drop(op);
    };
    bool moved = false;
    for (auto &[place, seeds] : kinds)
      while (seeds.next < seeds.collectives.size()) {
        Operation *first = seeds.collectives[seeds.next++];
        if (!first)
          continue;
        std::optional<MovingCollective> collective =
            MovingCollective::of(first, symbols);
        std::unique_ptr<MoveGraph> graph =
            cheapestGraph(*collective, seeds, replication);
        if (graph->secondsSaved() == 0)
          continue;
        if (failed(graph->rewrite(erased)))
          return failure();
        moved = true;
      }
    return moved;
  }

  static std::unique_ptr<MoveGraph>
  cheapestGraph(const MovingCollective &collective, MoveSeeds &seeds,
                Replication &replication) {
    auto graph =
        std::make_unique<MoveGraph>(collective, seeds, replication, true);
    if (!graph->movesReplicatedUnits())
      return graph;
    graph->release();
    auto other =
        std::make_unique<MoveGraph>(collective, seeds, replication, false);
    if (other->secondsSaved() > graph->secondsSaved())
      return other;
    other->release();
    graph->retake();
    return graph;
  }

  bool changed = false;
};

} // namespace

} // namespace shard
