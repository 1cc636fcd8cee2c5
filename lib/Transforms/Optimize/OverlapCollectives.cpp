//===- OverlapCollectives.cpp - Pass shard-overlap-collectives ------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Optimize/OverlapCollectives.h"
#include "ModuleOrFunctionPass.h"

#include "shard/Cost/Collectives.h"
#include "shard/Cost/Links.h"
#include "shard/Cost/Ops.h"
#include "shard/IR/Overlap.h"
#include "shard/IR/ShardingUtils.h"
#include "shard/Transforms/Passes.h"

#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "shard-overlap-collectives"

#include <cmath>

using namespace mlir;

namespace shard {

#define GEN_PASS_DEF_SHARDOVERLAPCOLLECTIVES
#include "shard/Transforms/Passes.h.inc"

namespace {

/// So many ops in front of a collective and behind it are looked at.
constexpr int kMaxOps = 256;

/// Whether other devices may have part in `op`, or it may not be moved past.
bool isBorder(Operation *op) {
  if (isCollective(op) || isa<CallOpInterface>(op) ||
      op->hasTrait<OpTrait::IsTerminator>())
    return true;
  return op
      ->walk([](Operation *inner) {
        return isCollective(inner) || isa<CallOpInterface>(inner)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether `op`, or an op in it, takes a value of `made`.
bool takesOneOf(Operation *op, const llvm::DenseSet<Operation *> &made) {
  return op
      ->walk([&](Operation *inner) {
        return llvm::any_of(inner->getOperands(),
                            [&](Value operand) {
                              return made.contains(operand.getDefiningOp());
                            })
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

class Overlapper {
public:
  explicit Overlapper(double minGain) : minGain(minGain) {}

  void run(mlir::Block &block) {
    left.clear();
    SmallVector<Operation *> collectives;
    for (Operation &op : block)
      if (canStart(&op) && !op.use_empty() &&
          !llvm::any_of(op.getUsers(), llvm::IsaPred<WaitOp>))
        collectives.push_back(&op);
    for (Operation *op : collectives)
      overlap(op);
  }

private:
  /// What `op` takes, in seconds; 0 where that is not known.
  double secondsSending(Operation *op) {
    std::optional<CollectiveCost> cost = costOfCollective(op, symbols);
    GridOp grid = getGrid(op, symbols);
    if (!cost || !cost->sent || !grid)
      return 0;
    double bytes = double(cost->sent->most(cost->groupSize));
    if (bytes <= 0)
      return 0;
    machine = machineOf(grid);
    AxisList axes(cost->axes.begin(), cost->axes.end());
    // The kind has no part in the cost of links.
    return linkSeconds(grid, machine).cost(Collective::Permute, axes, bytes);
  }

  /// What `op` computes and hides no other collective with, in seconds.
  double secondsLeft(Operation *op) {
    auto [known, isNew] = left.try_emplace(op, 0);
    if (isNew)
      if (std::optional<OpCost> cost = costOfOp(op))
        known->second = cost->seconds(machine);
    return known->second;
  }

  void overlap(Operation *op) {
    double wanted = secondsSending(op), hidden = 0;
    if (wanted <= 0)
      return;
    llvm::SmallVector<Operation *> hiding;
    auto hide = [&](Operation *by) {
      hiding.push_back(by);
      hidden += secondsLeft(by);
    };
    // Ops between the collective and the first that needs it.
    Operation *user = firstUser(op);
    bool open = true;
    for (Operation *at = op->getNextNode(); at != user && open;
         at = at->getNextNode()) {
      open = !isBorder(at);
      if (open)
        hide(at);
    }
    Operation *start = placeAbove(op, wanted, hidden, hide);
    SmallVector<Operation *> moved;
    if (open && hidden < wanted)
      moved = opsBehind(op, user, wanted, hidden, hide);
    double gain = std::min(hidden, wanted);
    if (gain <= 0 || gain < minGain)
      return;
    LLVM_DEBUG(llvm::dbgs() << "hides " << gain << " of " << wanted << " s of "
                            << *op << "\n");
    for (Operation *by : hiding) {
      double taken = std::min(gain, left[by]);
      left[by] -= taken;
      gain -= taken;
    }
    if (start != op)
      op->moveBefore(start);
    for (Operation *other : moved)
      other->moveBefore(user);
    OpBuilder builder(user);
    auto wait = WaitOp::create(builder, op->getLoc(), op->getResult(0),
                               op->getOperand(0));
    op->getResult(0).replaceAllUsesExcept(wait.getResult(), wait);
  }

  /// The op of the block that needs the result of `op` first, or ends the block.
  static Operation *firstUser(Operation *op) {
    Operation *first = op->getBlock()->getTerminator();
    for (Operation *user : op->getUsers()) {
      Operation *here = op->getBlock()->findAncestorOpInBlock(*user);
      if (here && here->isBeforeInBlock(first))
        first = here;
    }
    return first;
  }

  /// The op that `op` may stand in front of, so that the ops between hide it.
  template <typename HideFn>
  Operation *placeAbove(Operation *op, double wanted, double &hidden,
                        HideFn &&hide) {
    Operation *start = op;
    int looked = 0;
    for (Operation *at = op->getPrevNode();
         at && hidden < wanted && looked++ < kMaxOps && !isBorder(at) &&
         !takesOneOf(op, {at});
         at = at->getPrevNode()) {
      hide(at);
      // What costs nothing need not be passed.
      if (left[at] > 0)
        start = at;
    }
    return start;
  }

  /// The ops behind `user`, itself one that needs the result, that may stand in front
  /// of it and hide the collective `op`, with those that they need.
  template <typename HideFn>
  SmallVector<Operation *> opsBehind(Operation *op, Operation *user,
                                     double wanted, double &hidden,
                                     HideFn &&hide) {
    SmallVector<Operation *> moved;
    size_t useful = 0;
    llvm::DenseSet<Operation *> staying{op, user};
    int looked = 0;
    for (Operation *at = user->getNextNode();
         !isBorder(user) && at && hidden < wanted && looked++ < kMaxOps &&
         !isBorder(at);
         at = at->getNextNode()) {
      // An assertion may guard what follows.
      if (!isMemoryEffectFree(at))
        break;
      if (isa<WaitOp>(at) || takesOneOf(at, staying)) {
        staying.insert(at);
        continue;
      }
      moved.push_back(at);
      hide(at);
      if (left[at] > 0)
        useful = moved.size();
    }
    moved.truncate(useful);
    return moved;
  }

  double minGain;
  Machine machine;
  SymbolTableCollection symbols;
  llvm::DenseMap<Operation *, double> left;
};

} // namespace

void overlapCollectives(Operation *root, double minGain) {
  Overlapper overlapper(minGain * 1e-6);
  root->walk([&](mlir::Block *block) {
    if (!block->empty() && block->back().hasTrait<OpTrait::IsTerminator>())
      overlapper.run(*block);
  });
}

namespace {

struct ShardOverlapCollectivesPass
    : public ModuleOrFunctionPass<
          impl::ShardOverlapCollectivesBase<ShardOverlapCollectivesPass>> {
  using ModuleOrFunctionPass::ModuleOrFunctionPass;

  void runOnOperation() override {
    if (std::isnan(minGain)) {
      getOperation()->emitError() << "shard-overlap-collectives: min-gain is a "
                                     "number of microseconds, not nan";
      return signalPassFailure();
    }
    overlapCollectives(getOperation(), minGain);
  }
};

} // namespace

} // namespace shard
