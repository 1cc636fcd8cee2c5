//===- HintRemover.h - Takes the user's hints away --------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_TRANSFORMS_HINTREMOVER_H
#define SHARD_LIB_TRANSFORMS_HINTREMOVER_H

#include "shard/IR/ShardOps.h"
#include "shard/Propagation/Propagation.h"

namespace shard {

/// Takes away the hints of the user: their meaning is in the result. What
/// changes the sharding of a value for its users stays, as shard.shard.
class HintRemover {
public:
  explicit HintRemover(const PropagationResult &result) : result(result) {}

  void run(mlir::Operation *root) {
    llvm::SmallVector<mlir::Operation *> hints;
    root->walk([&](mlir::Operation *op) {
      if (llvm::isa<ShardingOp, GetShardingOp, ConstraintOp, GroupOp, ShardOp>(
              op))
        hints.push_back(op);
    });
    for (mlir::Operation *hint : llvm::reverse(hints))
      remove(hint);
  }

  /// The value that stands for `value` now; null if it was a mere annotation.
  mlir::Value lookup(mlir::Value value) const {
    auto it = replacements.find(value);
    return it == replacements.end() ? value : it->second;
  }

  bool isSharded(mlir::Value value) const { return result.sharding(value); }

  /// The reshards that stayed and whose result is replicated, of values of one
  /// grid.
  llvm::SmallVector<ShardOp> gathers(const GridPropagation &grid) const {
    return onGrid(toReplicated, grid);
  }

  /// Those that start from a replicated value of the grid.
  llvm::SmallVector<ShardOp> slices(const GridPropagation &grid) const {
    return onGrid(fromReplicated, grid);
  }

private:
  bool changesSharding(mlir::Value from, mlir::Value to) const {
    const Sharding *before = result.sharding(from);
    const Sharding *after = result.sharding(to);
    if (!before || !after)
      return before != after;
    return *before != *after;
  }

  void remove(mlir::Operation *hint) {
    // Handles of annotations that stay get replaced later.
    if (llvm::isa<ShardingOp, GetShardingOp>(hint)) {
      hint->getResult(0).dropAllUses();
      hint->erase();
      return;
    }
    if (llvm::isa<GroupOp>(hint)) {
      hint->erase();
      return;
    }
    mlir::Value input = hint->getOperand(0), output = hint->getResult(0);
    // A value that is made from itself: unreachable code. It says nothing about
    // any other value, and there is none to put in its place.
    if (input == output)
      return;
    if (output.use_empty() || !changesSharding(input, output)) {
      replacements[output] = mlir::Value();
      output.replaceAllUsesWith(input);
      hint->erase();
      return;
    }
    const Sharding *from = result.sharding(input),
                   *to = result.sharding(output);
    bool gathers = !to;
    auto annotation = llvm::dyn_cast<ShardOp>(hint);
    if (!annotation) {
      mlir::OpBuilder builder(hint);
      // The handle is a placeholder until the annotator knows the grid.
      annotation = ShardOp::create(builder, hint->getLoc(), input.getType(),
                                   input, input, builder.getUnitAttr());
      replacements[output] = annotation;
      output.replaceAllUsesWith(annotation);
      hint->erase();
    }
    if (gathers)
      toReplicated.emplace_back(annotation, from);
    else if (!from)
      fromReplicated.emplace_back(annotation, to);
  }

  const PropagationResult &result;
  llvm::DenseMap<mlir::Value, mlir::Value> replacements;
  /// A reshard and the sharding at the end of it that is not replicated.
  using Reshards = llvm::SmallVector<std::pair<ShardOp, const Sharding *>>;

  static llvm::SmallVector<ShardOp> onGrid(const Reshards &reshards,
                                           const GridPropagation &grid) {
    llvm::SmallVector<ShardOp> list;
    llvm::ArrayRef<Sharding> shardings(grid.shardings);
    for (auto [reshard, sharding] : reshards)
      if (sharding >= shardings.begin() && sharding < shardings.end())
        list.push_back(reshard);
    return list;
  }

  Reshards toReplicated, fromReplicated;
};

} // namespace shard

#endif // SHARD_LIB_TRANSFORMS_HINTREMOVER_H
