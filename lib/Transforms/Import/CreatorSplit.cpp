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

using namespace mlir;

namespace shard {

/// Whether `op` is a hint for its operand itself, not for the values that some users
/// of it get.
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
    SmallVector<Operation *, 2> family{creator};
    Operation *last = creator;
    // An op may use it in two layouts, too: the rows and the columns of a mask.
    for (OpOperand &use :
         llvm::make_early_inc_range(llvm::drop_begin(creator->getUses()))) {
      Operation *copy = creator->clone();
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
