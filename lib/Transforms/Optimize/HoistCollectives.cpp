//===- HoistCollectives.cpp - Collectives that move out of loops ----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Unlike MLIR's loop-invariant-code-motion this moves only collectives and what
// they are computed from: other tensors would live through the loop, and a
// destination that is made in the loop would be copied in each iteration.
//
//===----------------------------------------------------------------------===//

#include "ModuleOrFunctionPass.h"
#include "Optimize/TidyCollectives.h"

#include "shard/IR/ShardingUtils.h"
#include "shard/Transforms/Passes.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "shard-hoist-collectives"

using namespace mlir;

namespace shard {

#define GEN_PASS_DEF_SHARDHOISTCOLLECTIVES
#include "shard/Transforms/Passes.h.inc"

namespace {

class LoopHoist {
public:
  explicit LoopHoist(LoopLikeOpInterface loop) : loop(loop) {}

  /// Moves the collectives in front of the loop; returns how many.
  unsigned run() {
    // A loop that never runs would pay for what it does not use.
    if (std::optional<APInt> trips = loop.getStaticTripCount();
        trips && trips->isZero())
      return 0;
    unsigned collectives = 0;
    for (Region *region : loop.getLoopRegions()) {
      // Ops of other blocks may never run.
      if (region->empty())
        continue;
      for (Operation &op : region->front()) {
        if (!isInvariant(&op))
          continue;
        invariant.insert(&op);
        if (isCollective(&op)) {
          ++collectives;
          addWithSources(&op);
        }
      }
    }
    // In their order, so that each stands behind what it uses.
    for (Operation *op : invariant)
      if (moved.contains(op))
        loop.moveOutOfLoop(op);
    return collectives;
  }

private:
  /// Whether `op` gives the same in each iteration and may run in front of the loop.
  bool isInvariant(Operation *op) {
    if (!isMemoryEffectFree(op) || !isSpeculatable(op) ||
        op->hasTrait<OpTrait::IsTerminator>())
      return false;
    return !op->walk([&](Operation *inner) {
                return llvm::all_of(
                           inner->getOperands(),
                           [&](Value value) { return isKnown(op, value); })
                           ? WalkResult::advance()
                           : WalkResult::interrupt();
              }).wasInterrupted();
  }

  bool isKnown(Operation *op, Value value) {
    return loop.isDefinedOutsideOfLoop(value) ||
           op->isAncestor(value.getParentBlock()->getParentOp()) ||
           invariant.contains(value.getDefiningOp());
  }

  void addWithSources(Operation *root) {
    SmallVector<Operation *> pending{root};
    while (!pending.empty()) {
      Operation *op = pending.pop_back_val();
      if (!op || !invariant.contains(op) || !moved.insert(op).second)
        continue;
      op->walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          pending.push_back(operand.getDefiningOp());
      });
    }
  }

  LoopLikeOpInterface loop;
  llvm::SetVector<Operation *> invariant;
  llvm::DenseSet<Operation *> moved;
};

struct ShardHoistCollectivesPass
    : public ModuleOrFunctionPass<
          impl::ShardHoistCollectivesBase<ShardHoistCollectivesPass>> {
  void runOnOperation() override {
    bool changed = false;
    // Inner loops first: what leaves one may leave the next.
    getOperation()->walk([&](LoopLikeOpInterface loop) {
      unsigned moved = LoopHoist(loop).run();
      changed |= moved > 0;
      LLVM_DEBUG(if (moved) llvm::dbgs()
                 << moved << " collectives move out of a loop at "
                 << loop->getLoc() << "\n");
    });
    if (!changed)
      return markAllAnalysesPreserved();
    // What loops have in common is one op when it stands in front of them.
    mergeEqualOps(getOperation());
  }
};

} // namespace

} // namespace shard
