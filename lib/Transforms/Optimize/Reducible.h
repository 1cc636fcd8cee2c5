//===- Reducible.h - Values that may be reduced ----------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_TRANSFORMS_OPTIMIZE_REDUCIBLE_H
#define SHARD_LIB_TRANSFORMS_OPTIMIZE_REDUCIBLE_H

#include "Optimize/Reduction.h"

namespace shard {

/// A reduction with several users, seen from a tree that has some of them.
struct SharedLeaf {
  mlir::Value value;
  /// Users in the tree, and those of them that take the reduced value.
  unsigned users = 0, taking = 0;
};

/// A value that is reduced, or could be.
struct Reducible {
  /// One of the reductions that it comes from; all are alike.
  Reduction reduce;
  /// The operands that are reducible; none for a reduction itself.
  llvm::SmallVector<mlir::Value, 2> sources;
  /// The numbers of the operands that are equal on all devices, or blocks of such a value where
  /// the reduction scatters. Numbers, because another tree may replace the values before they are
  /// used.
  llvm::SmallVector<unsigned, 1> whole;
  /// Whether one device adds `whole`, instead of all.
  bool addsWhole = false;
  /// Of the cheapest way to compute the value.
  double cost = 0;
  /// Whether that is to reduce the value itself.
  bool here = true;
  /// Leaves that users outside of the tree need, too.
  llvm::SmallVector<SharedLeaf, 1> shared = {};
  /// Seconds that computing takes more without the reductions below, here and for the sources: to
  /// make summands of `whole`, if one device adds it, and of `blocks`, and to compute all of what a
  /// device has a block of behind a reduce_scatter.
  double secondsAdded = 0;
  /// The numbers of the operands of which each device has the block that it gets of what is
  /// scattered.
  llvm::SmallVector<unsigned, 1> blocks = {};

  void addShared(const SharedLeaf &leaf) {
    auto known = llvm::find_if(shared, [&](const SharedLeaf &other) {
      return other.value == leaf.value;
    });
    if (known == shared.end()) {
      shared.push_back(leaf);
      return;
    }
    known->users += leaf.users;
    known->taking += leaf.taking;
  }

  /// Drops the shared leaves whose users are all in this tree. Returns the cost of those that some
  /// user takes reduced; `costOf` gives that of a leaf.
  double dropComplete(llvm::function_ref<double(mlir::Value)> costOf) {
    double cost = 0;
    llvm::erase_if(shared, [&](const SharedLeaf &leaf) {
      llvm::SmallPtrSet<mlir::Operation *, 4> users(leaf.value.user_begin(),
                                                    leaf.value.user_end());
      if (users.size() > leaf.users)
        return false;
      if (leaf.taking > 0)
        cost += costOf(leaf.value);
      return true;
    });
    return cost;
  }

  /// Takes the cheaper way: to reduce the value itself, or what it is made of.
  void choose(double costHere, double costBelow) {
    here = costHere < costBelow;
    cost = std::min(costHere, costBelow);
    if (here)
      for (SharedLeaf &leaf : shared)
        leaf.taking = 0;
  }
};

} // namespace shard

#endif // SHARD_LIB_TRANSFORMS_OPTIMIZE_REDUCIBLE_H
