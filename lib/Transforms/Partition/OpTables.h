//===- OpTables.h - Loop tables and options of ops that are alike -*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layers of a program have ops that are alike, with the same shardings. Their loop table is
// built once, and how their loops are split is searched once.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_TRANSFORMS_OPTABLES_H
#define SHARD_LIB_TRANSFORMS_OPTABLES_H

#include "shard/Interfaces/LikeOps.h"
#include "shard/Interfaces/LoopTable.h"

#include <deque>
#include <map>

namespace shard {

/// Knows the ops of one function, which must live as long as this.
class OpTables {
public:
  /// The loop table of `op`, which has a sharding model.
  const LoopTable &tableOf(mlir::Operation *op) { return knownOf(op).table; }

  /// What decides how the loops of an op are split: the grid, whether the program states all
  /// operands, and the shardings of the operands and results, null where there is none. Equal
  /// shardings have one address.
  struct Question {
    const Grid *grid;
    bool areStated;
    llvm::SmallVector<const Sharding *> tensors;
  };
  /// The option of `op`: what `choose` returns for the first of all ops that are alike, unless
  /// the model of the op has a choice of its own.
  ShardingOption optionOf(mlir::Operation *op, const Question &question,
                          llvm::function_ref<ShardingOption()> choose);

private:
  using Key = std::vector<const void *>;
  /// What is known of ops that are alike.
  struct Known {
    LoopTable table;
    std::map<Key, ShardingOption> options;
  };
  Known &knownOf(mlir::Operation *op);

  LikeOps likeOps;
  /// By the numbers of `likeOps`.
  std::deque<Known> known;
};

} // namespace shard

#endif // SHARD_LIB_TRANSFORMS_OPTABLES_H
