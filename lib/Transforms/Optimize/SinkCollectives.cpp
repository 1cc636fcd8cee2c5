//===- SinkCollectives.cpp - Collectives that move into branches ----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Unlike MLIR's control-flow-sink this moves only collectives and what is computed
// from them, and only where all devices of a group take the same branch.
//
//===----------------------------------------------------------------------===//

#include "ModuleOrFunctionPass.h"

#include "Verify/SpmdAnalysis.h"
#include "shard/IR/ShardingUtils.h"
#include "shard/Transforms/Passes.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace shard {

#define GEN_PASS_DEF_SHARDSINKCOLLECTIVES
#include "shard/Transforms/Passes.h.inc"

namespace {

class BranchSink {
public:
  explicit BranchSink(Operation *root) : root(root) {}

  /// Returns whether anything moved.
  bool run() {
    // Outer blocks first: what moves into a branch may move on into one in it.
    root->walk<WalkOrder::PreOrder>([&](mlir::Block *block) { visit(*block); });
    return changed;
  }

private:
  void visit(mlir::Block &block) {
    // By op the only region that takes its results. Users stand behind.
    llvm::MapVector<Operation *, Region *> takers;
    for (Operation &op : llvm::reverse(block))
      if (Region *taker = takerOf(&op, takers))
        takers[&op] = taker;
    // Collectives, and what is computed from them.
    SmallVector<Operation *> moved;
    llvm::DenseSet<Operation *> moves;
    for (auto &[op, taker] : llvm::reverse(takers)) {
      if (!sends(op) && llvm::none_of(op->getOperands(), [&](Value operand) {
            return moves.contains(operand.getDefiningOp());
          }))
        continue;
      moves.insert(op);
      moved.push_back(op);
    }
    for (Operation *op : llvm::reverse(moved)) {
      mlir::Block &entry = takers[op]->front();
      op->moveBefore(&entry, entry.begin());
    }
    changed |= !moved.empty();
  }

  static bool sends(Operation *op) {
    return isCollective(op) && !isa<AllSliceOp>(op);
  }

  /// The one region of a branch in the block of `op` that takes all its results, by itself
  /// or through ops that it takes; null if there is none, or if `op` must stay.
  Region *takerOf(Operation *op,
                  const llvm::MapVector<Operation *, Region *> &takers) {
    if (op->use_empty() || op->hasTrait<OpTrait::IsTerminator>())
      return nullptr;
    Region *taker = nullptr;
    for (Operation *user : op->getUsers()) {
      Region *here = user->getBlock() == op->getBlock()
                         ? takers.lookup(user)
                         : branchAround(user, op->getBlock());
      if (!here || (taker && taker != here))
        return nullptr;
      taker = here;
    }
    // Behind the users, since it looks at all ops of a body.
    if (!isMemoryEffectFree(op))
      return nullptr;
    // Those in regions of `op` count too.
    bool isStuck =
        op->walk([&](Operation *inner) {
            return sends(inner) && !isCommon(inner, taker->getParentOp())
                       ? WalkResult::interrupt()
                       : WalkResult::advance();
          }).wasInterrupted();
    return isStuck ? nullptr : taker;
  }

  /// The region of an op of `block` in which `user` is, if it runs at most once and may
  /// not run.
  static Region *branchAround(Operation *user, mlir::Block *block) {
    Operation *op = block->findAncestorOpInBlock(*user);
    auto branch = dyn_cast_if_present<RegionBranchOpInterface>(op);
    if (!branch || isa<LoopLikeOpInterface>(op) || branch.hasLoop() ||
        op->hasTrait<OpTrait::HasParallelRegion>())
      return nullptr;
    SmallVector<RegionSuccessor> ways;
    branch.getEntrySuccessorRegions(
        SmallVector<Attribute>(op->getNumOperands()), ways);
    if (ways.size() < 2)
      return nullptr;
    for (Region &region : op->getRegions())
      if (region.isAncestor(user->getParentRegion()))
        return &region;
    return nullptr;
  }

  /// Whether all devices of each group of `collective` take the same way through
  /// `branch`.
  bool isCommon(Operation *collective, Operation *branch) {
    if (!analysis) {
      analysis.emplace(root, SpmdTrust::Scalars);
      analysis->run();
    }
    return (analysis->groupOf(collective) &
            analysis->decidingIn(cast<RegionBranchOpInterface>(branch))) == 0;
  }

  Operation *root;
  /// Made when it is needed. Ops that move keep their results, and these stay as they are.
  std::optional<SpmdAnalysis> analysis;
  bool changed = false;
};

struct ShardSinkCollectivesPass
    : public ModuleOrFunctionPass<
          impl::ShardSinkCollectivesBase<ShardSinkCollectivesPass>> {
  void runOnOperation() override {
    if (!BranchSink(getOperation()).run())
      markAllAnalysesPreserved();
  }
};

} // namespace

} // namespace shard
