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
#include "shard/IR/ShardingUtils.h"
#include "shard/Transforms/Passes.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace shard {

#define GEN_PASS_DEF_SHARDMOVECOLLECTIVES
#include "shard/Transforms/Passes.h.inc"

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
  LogicalResult run(FunctionOpInterface function) {
    SymbolTableCollection symbols;
    Replication replication;
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
    for (auto &[place, seeds] : kinds)
      while (seeds.next < seeds.collectives.size()) {
        Operation *first = seeds.collectives[seeds.next++];
        if (!first)
          continue;
        std::optional<MovingCollective> collective =
            MovingCollective::of(first, symbols);
        auto graph =
            std::make_unique<MoveGraph>(*collective, seeds, replication, true);
        if (graph->movesReplicatedUnits()) {
          graph->release();
          auto other = std::make_unique<MoveGraph>(*collective, seeds,
                                                   replication, false);
          if (other->secondsSaved() > graph->secondsSaved()) {
            graph = std::move(other);
          } else {
            other->release();
            graph->retake();
          }
        }
        if (graph->secondsSaved() == 0)
          continue;
        if (failed(graph->rewrite(erased)))
          return failure();
        changed = true;
      }
    return success();
  }

  bool changed = false;
};

} // namespace

} // namespace shard
