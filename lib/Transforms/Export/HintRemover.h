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

/// Erases the hints, which the result takes into account. A hint that changes the
/// sharding of a value for its users becomes a shard.shard.
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

  /// The value that replaces `value`; null if it was only an annotation.
  mlir::Value lookup(mlir::Value value) const {
    auto it = replacements.find(value);
    return it == replacements.end() ? value : it->second;
  }

private:
  bool stays(mlir::Operation *hint) const {
    return result.crossings.contains(hint) || result.binding.contains(hint);
  }

  bool changesSharding(mlir::Value from, mlir::Value to) const {
    const Sharding *before = result.sharding(from);
    const Sharding *after = result.sharding(to);
    if (!before || !after)
      return before != after;
    return *before != *after;
  }

  void remove(mlir::Operation *hint) {
    if (llvm::isa<ShardingOp, GetShardingOp>(hint)) {
      // Annotations that stay get other handles later. What else uses the sharding,
      // a shard_shape, keeps it.
      for (mlir::OpOperand &use :
           llvm::make_early_inc_range(hint->getResult(0).getUses()))
        if (llvm::isa<ShardOp>(use.getOwner()))
          use.drop();
      if (hint->use_empty())
        hint->erase();
      return;
    }
    if (llvm::isa<GroupOp>(hint)) {
      hint->erase();
      return;
    }
    mlir::Value input = hint->getOperand(0), output = hint->getResult(0);
    // A value that is made from itself, in unreachable code. No other value could
    // replace it.
    if (input == output)
      return;
    if (output.use_empty() ||
        (!stays(hint) && !changesSharding(input, output))) {
      replacements[output] = mlir::Value();
      output.replaceAllUsesWith(input);
      retire(hint);
      return;
    }
    if (llvm::isa<ShardOp>(hint))
      return;
    mlir::OpBuilder builder(hint);
    // The handle is a placeholder until the annotator knows the grid.
    auto annotation = ShardOp::create(builder, hint->getLoc(), input.getType(),
                                      input, input, builder.getUnitAttr());
    replacements[output] = annotation;
    output.replaceAllUsesWith(annotation);
    retire(hint);
  }

  /// Takes `hint` out of the program. Uses that the result of propagation lists may
  /// be its own, so that it lives on, without operands, as long as this.
  void retire(mlir::Operation *hint) {
    hint->dropAllReferences();
    hint->remove();
    retired.emplace_back(hint);
  }

  const PropagationResult &result;
  llvm::DenseMap<mlir::Value, mlir::Value> replacements;
  std::vector<mlir::OwningOpRef<mlir::Operation *>> retired;
};

} // namespace shard

#endif // SHARD_LIB_TRANSFORMS_HINTREMOVER_H
