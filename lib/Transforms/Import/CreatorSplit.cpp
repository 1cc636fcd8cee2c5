//===- CreatorSplit.cpp - A constant for each user ------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/CreatorSplit.h"

#include "shard/IR/ShardOps.h"
#include "shard/Interfaces/ShardingInterface.h"

#include "mlir/Interfaces/ShapedOpInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace shard {

/// Whether `op` is a hint for its operand itself, not for the values that some users
/// of it get.
/// So many ops one after another are copied together, and each so often. Bounds what is copied.
static constexpr unsigned kMaxSteps = 8, kMaxCopies = 256;

/// Whether `op` computes what it computes of places: element by element, of tensors that are computed
/// so, and of scalars.
bool CreatorFinder::isComputedOfPlaces(Operation *op) {
  if (op->getNumResults() != 1 || !isa<ShardingInterface>(op))
    return false;
  unsigned most = 0;
  for (Value operand : op->getOperands()) {
    if (!isa<TensorType>(operand.getType()))
      continue;
    auto known = steps.find(operand.getDefiningOp());
    if (known == steps.end())
      return false;
    most = std::max(most, known->second);
  }
  if (most == 0 || most == kMaxSteps || !isMemoryEffectFree(op) ||
      mayTrapByEffects(op))
    return false;
  bool capturesTensors = false;
  visitUsedValuesDefinedAbove(op->getRegions(), [&](OpOperand *use) {
    capturesTensors |= isa<TensorType>(use->get().getType());
  });
  LoopTable table = buildLoopTable(op);
  if (capturesTensors || table.loops.empty() ||
      llvm::any_of(table.loops, [](const Loop &loop) {
        return loop.kind != LoopKind::Parallel;
      }))
    return false;
  steps[op] = most + 1;
  return true;
}

bool CreatorFinder::add(Operation *op) {
  if (!isMadeForEachUser(op))
    return isComputedOfPlaces(op);
  steps[op] = isCreator(op) ? 0 : 1;
  return true;
}

static bool isHintForAllUsers(Operation *op) {
  if (auto annotation = dyn_cast<ShardOp>(op))
    return !annotation.getAnnotateForUsers();
  if (auto constraint = dyn_cast<ConstraintOp>(op))
    return constraint.use_empty();
  return isa<GroupOp>(op);
}

CreatorFamilies splitCreators(ArrayRef<Operation *> creators) {
  CreatorFamilies families;
  // Users first: a copied fill is one more user of its tensor.empty.
  for (Operation *creator : llvm::reverse(creators)) {
    if (creator->use_empty())
      continue;
    // Its extents are asked for, maybe for an op that then is on the same value.
    // A hint on it is for all of its users: there is one value then.
    if (llvm::any_of(creator->getUsers(), [](Operation *user) {
          return isa<ShapedDimOpInterface>(user) || isHintForAllUsers(user);
        }))
      continue;
    // What is computed in several steps is copied once for each op that uses it.
    bool isForOps = !isMadeForEachUser(creator);
    llvm::SmallPtrSet<Operation *, 4> users(creator->user_begin(),
                                            creator->user_end());
    if (isForOps && users.size() > kMaxCopies)
      continue;
    SmallVector<Operation *, 2> family{creator};
    llvm::SmallDenseMap<Operation *, Operation *, 4> copyFor;
    if (isForOps)
      copyFor[*creator->user_begin()] = creator;
    Operation *last = creator;
    // An op may use it in two layouts, too: the rows and the columns of a mask.
    for (OpOperand &use :
         llvm::make_early_inc_range(llvm::drop_begin(creator->getUses()))) {
      if (Operation *copy = copyFor.lookup(use.getOwner())) {
        use.set(copy->getResult(0));
        continue;
      }
      Operation *copy = creator->clone();
      if (isForOps)
        copyFor[use.getOwner()] = copy;
      last->getBlock()->getOperations().insertAfter(mlir::Block::iterator(last),
                                                    copy);
      last = copy;
      family.push_back(copy);
      use.set(copy->getResult(0));
    }
    if (family.size() > 1)
      families.push_back(std::move(family));
  }
  return families;
}

} // namespace shard
