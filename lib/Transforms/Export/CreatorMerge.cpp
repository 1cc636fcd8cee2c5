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

void CreatorMerge::run(const PropagationResult &result) {
  for (const auto &family : families) {
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

void CreatorMerge::eraseMerged() {
  for (const auto &family : families)
    for (Operation *copy : family)
      if (merged.contains(copy))
        copy->erase();
}

} // namespace shard
