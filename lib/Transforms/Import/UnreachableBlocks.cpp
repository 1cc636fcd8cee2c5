//===- UnreachableBlocks.cpp - Blocks that nothing reaches ---------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnreachableBlocks.h"

#include "OpHints.h"

#include "shard/IR/ShardOps.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/DepthFirstIterator.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace shard {

/// Adds the hints in the blocks of `region`, those of inner regions included, that no path from
/// its entry reaches.
static void findLostHints(Region &region, SetVector<Operation *> &lost) {
  llvm::df_iterator_default_set<mlir::Block *> reached;
  for (mlir::Block *block : llvm::depth_first_ext(&region.front(), reached))
    (void)block;
  for (mlir::Block &block : region) {
    if (reached.contains(&block))
      continue;
    block.walk([&](Operation *op) {
      if (isa<ShardOp, ConstraintOp, GroupOp>(op) || hasOpHint(op))
        lost.insert(op);
    });
  }
}

void dropUnreachableBlocks(Operation *root) {
  SmallVector<FunctionOpInterface> functions;
  root->walk(
      [&](FunctionOpInterface function) { functions.push_back(function); });
  IRRewriter rewriter(root->getContext());
  for (FunctionOpInterface function : functions) {
    SetVector<Operation *> lost;
    function->walk([&](Operation *op) {
      for (Region &region : op->getRegions())
        if (!region.empty() && !region.hasOneBlock())
          findLostHints(region, lost);
    });
    for (Operation *op : lost)
      emitRemark(op->getLoc())
          << "the hint of '" << op->getName()
          << "' has no effect: no branch reaches its block, which is dropped";
    (void)eraseUnreachableBlocks(rewriter, function->getRegions());
  }
}

} // namespace shard
