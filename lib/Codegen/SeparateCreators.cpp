//===- SeparateCreators.cpp - A fill and a destination for each use -------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs fill one tensor with zeros and use it as the init of many ops. As one
// buffer it lives from its first use to its last, and each op but one writes to a copy
// of it. A fill for each use costs less than the copy, lives no longer than that use
// needs, and has one user, so that fusion makes a scalar of it where that user is
// elementwise. A tensor.empty that many ops share as destination would likewise live
// from the first of them to the last.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace shard;

/// Whether `op` makes a tensor from nothing but scalars.
static bool isFree(Operation *op) {
  if (isa<tensor::EmptyOp>(op))
    return true;
  auto fill = dyn_cast<linalg::FillOp>(op);
  return fill && fill.hasPureTensorSemantics() &&
         fill.output().getDefiningOp<tensor::EmptyOp>();
}

/// Moves `op` in front of its first use, and a copy of it in front of each other one.
/// Uses inside of one op of the block count as one: a loop would repeat the op.
static void separate(Operation *op) {
  mlir::Block *block = op->getBlock();
  Value result = op->getResult(0);
  SmallVector<std::pair<Operation *, SmallVector<OpOperand *, 1>>> uses;
  DenseMap<Operation *, size_t> nested;
  for (OpOperand &use : result.getUses()) {
    Operation *ancestor = block->findAncestorOpInBlock(*use.getOwner());
    if (!ancestor)
      return;
    if (ancestor != use.getOwner()) {
      auto [known, isNew] = nested.try_emplace(ancestor, uses.size());
      if (!isNew) {
        uses[known->second].second.push_back(&use);
        continue;
      }
    }
    uses.push_back({ancestor, {&use}});
  }
  for (auto [index, use] : llvm::enumerate(uses)) {
    auto &[user, operands] = use;
    if (index + 1 == uses.size()) {
      op->moveBefore(user);
      return;
    }
    OpBuilder builder(user);
    Operation *copy = builder.clone(*op);
    for (OpOperand *operand : operands)
      operand->set(copy->getResult(0));
  }
}

void codegen::separateCreators(ModuleOp module) {
  SmallVector<Operation *> creators;
  module.walk([&](Operation *op) {
    if (isFree(op))
      creators.push_back(op);
  });
  // A fill before the empty tensor that it fills.
  for (Operation *op : llvm::reverse(creators))
    separate(op);
}
