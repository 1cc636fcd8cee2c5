//===- TidyCollectives.cpp - What a move leaves behind --------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Optimize/TidyCollectives.h"

#include "shard/IR/ShardDialect.h"
#include "shard/IR/ShardingUtils.h"
#include "shard/Partitioning/LocalOps.h"

#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace shard {

void foldCollectives(Operation *root) {
  SmallVector<Operation *> collectives;
  root->walk([&](Operation *op) {
    if (isCollective(op))
      collectives.push_back(op);
  });
  MLIRContext *context = root->getContext();
  RewritePatternSet patterns(context);
  for (RegisteredOperationName name : context->getRegisteredOperations())
    if (name.getDialectNamespace() == ShardDialect::getDialectNamespace())
      name.getCanonicalizationPatterns(patterns, context);
  (void)applyOpPatternsGreedily(
      collectives, std::move(patterns),
      GreedyRewriteConfig().setStrictness(
          GreedyRewriteStrictness::ExistingAndNewOps));
}

void mergeEqualOps(Operation *root) {
  IRRewriter rewriter(root->getContext());
  DominanceInfo dominance(root);
  bool isChanged = false;
  eliminateCommonSubExpressions(rewriter, dominance, root, &isChanged);
  if (isChanged)
    splatEqualOperands(root);
}

void tidyCollectives(Operation *root) {
  foldCollectives(root);
  mergeEqualOps(root);
}

} // namespace shard
