//===- CreatorMerge.cpp - One constant for equal shardings ----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Export/CreatorMerge.h"

using namespace mlir;

namespace shard {

/// Whether hints reach values of `result` from more than one grid.
static bool hasSeveralGrids(const PropagationResult &result) {
  Operation *first = nullptr;
  for (const auto &[value, grid] : result.gridOf) {
    if (grid && first && grid != first)
      return true;
    first = first ? first : grid;
  }
  return false;
}

void CreatorMerge::run(const PropagationResult &result) {
  bool severalGrids = hasSeveralGrids(result);
  // Families of users come first: of what only merged copies use, nothing is left.
  for (const auto &family : families) {
    // Few shardings, maybe many copies.
    struct Kept {
      const Sharding *sharding;
      /// Null where no hint reaches the copy.
      Operation *grid, *copy;
    };
    SmallVector<Kept, 4> kept;
    for (Operation *copy : family) {
      if (!copy->use_empty() &&
          llvm::all_of(copy->getUsers(), [&](Operation *user) {
            return merged.contains(user);
          })) {
        merged.insert(copy);
        continue;
      }
      const Sharding *sharding = result.sharding(copy->getResult(0));
      Operation *grid = result.gridOf.lookup(copy->getResult(0));
      bool isStated = result.isStated(copy->getResult(0));
      // Each stands where its user is, behind the numbers of the run.
      if (sharding && sharding->hasRunTimeNumbers())
        continue;
      auto *same = llvm::find_if(kept, [&](const Kept &entry) {
        // Of what no annotation names a grid for, the grid does not matter. With several, an op
        // that no hint reaches must not take operands that are stated on two of them.
        bool mayShare =
            entry.grid == grid || (!severalGrids && (!entry.grid || !grid)) ||
            (!isStated && !result.isStated(entry.copy->getResult(0)));
        return mayShare &&
               (entry.sharding == sharding ||
                (entry.sharding && sharding && *entry.sharding == *sharding));
      });
      if (same == kept.end()) {
        kept.push_back({sharding, grid, copy});
        continue;
      }
      if (!same->grid)
        same->grid = grid;
      // What stands for both is stated if one of them is. The operands of a copy
      // are copies, too, which stand in front of the whole family.
      if (isStated && !result.isStated(same->copy->getResult(0))) {
        copy->moveBefore(same->copy);
        std::swap(copy, same->copy);
      }
      copy->getResult(0).replaceAllUsesWith(same->copy->getResult(0));
      merged.insert(copy);
    }
  }
}

void CreatorMerge::eraseMerged() {
  for (const auto &family : families)
    for (Operation *copy : family)
      if (merged.contains(copy))
        copy->erase();
}

} // namespace shard
