//===- CreatorSplit.cpp - A constant for each user ------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/CreatorSplit.h"

#include "shard/Interfaces/ShardingInterface.h"

#include "mlir/Interfaces/ShapedOpInterfaces.h"

using namespace mlir;

namespace shard {

void CreatorSplit::split(ArrayRef<Operation *> creators) {
  // Users first: a copied fill is one more user of its tensor.empty.
  for (Operation *creator : llvm::reverse(creators)) {
    // Its extents are asked for, maybe for an op that then is on the same value.
    if (llvm::any_of(creator->getUsers(), [](Operation *user) {
          return isa<ShapedDimOpInterface>(user);
        }))
      continue;
    Operation *firstUser = nullptr;
    llvm::SmallDenseMap<Operation *, Operation *, 4> copyOf;
    Copies family{creator};
    Operation *last = creator;
    for (OpOperand &use : llvm::make_early_inc_range(creator->getUses())) {
      Operation *user = use.getOwner();
      if (!firstUser || user == firstUser) {
        firstUser = user;
        continue;
      }
      Operation *&copy = copyOf[user];
      if (!copy) {
        copy = creator->clone();
        last->getBlock()->getOperations().insertAfter(
            mlir::Block::iterator(last), copy);
        last = copy;
        family.push_back(copy);
      }
      use.set(copy->getResult(0));
    }
    if (family.size() > 1)
      families.push_back(std::move(family));
  }
}

void CreatorSplit::merge(const PropagationResult &result) {
  for (const Copies &family : families) {
    // Few shardings, maybe many copies.
    SmallVector<std::pair<const Sharding *, Operation *>, 4> kept;
    for (Operation *copy : family) {
      const Sharding *sharding = result.sharding(copy->getResult(0));
      auto *same = llvm::find_if(kept, [&](const auto &entry) {
        return entry.first == sharding ||
               (entry.first && sharding && *entry.first == *sharding);
      });
      if (same == kept.end()) {
        kept.emplace_back(sharding, copy);
        continue;
      }
      // What stands for both is stated if one of them is. The operands of a copy
      // are copies, too, which stand in front of the whole family.
      if (result.isStated(copy->getResult(0)) &&
          !result.isStated(same->second->getResult(0))) {
        copy->moveBefore(same->second);
        std::swap(copy, same->second);
      }
      copy->getResult(0).replaceAllUsesWith(same->second->getResult(0));
      merged.insert(copy);
    }
  }
}

void CreatorSplit::eraseMerged() {
  for (const Copies &family : families)
    for (Operation *copy : family)
      if (merged.contains(copy))
        copy->erase();
}

} // namespace shard
