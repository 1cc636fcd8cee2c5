//===- ExpandReshapes.cpp - Move merges of dimensions behind their users --===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Models/Reshapes.h"
#include "shard/Partitioning/LocalOps.h"
#include "shard/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/SetVector.h"

namespace shard {

#define GEN_PASS_DEF_SHARDEXPANDRESHAPES
#include "shard/Transforms/Passes.h.inc"

namespace {

struct ShardExpandReshapesPass
    : public impl::ShardExpandReshapesBase<ShardExpandReshapesPass> {
  using ShardExpandReshapesBase::ShardExpandReshapesBase;

  void runOnOperation() override {
    bool changed = dropUnitsOfSlices(getOperation());
    changed |= splitBeforePadding(getOperation());
    changed |= moveMerges();
    // Merges and splits may stand between an op and the slices of its result.
    changed |= takeChunksApart(getOperation());
    // What other rewrites know as slices that keep their dimensions is done.
    changed |= takeUnitsOfSlicesApart(getOperation());
    if (!changed)
      markAllAnalysesPreserved();
  }

private:
  bool moveMerges() {
    // Merges and the ops that they reach; all others stay as they are.
    llvm::SetVector<mlir::Operation *> ops;
    getOperation()->walk([&](mlir::Operation *op) {
      if (!mergesDims(op))
        return;
      ops.insert(op);
      ops.insert(op->user_begin(), op->user_end());
    });
    if (ops.empty())
      return false;
    mlir::RewritePatternSet patterns(&getContext());
    populateExpandLoopsPatterns(patterns);
    populateFoldPatterns(patterns);
    mlir::GreedyRewriteConfig config;
    config.setStrictness(mlir::GreedyRewriteStrictness::AnyOp)
        .setRegionSimplificationLevel(mlir::GreedySimplifyRegionLevel::Disabled)
        .enableFolding(false)
        .enableConstantCSE(false);
    bool changed = false;
    (void)applyOpPatternsGreedily(ops.getArrayRef(), std::move(patterns),
                                  config, &changed);
    // Merges that ops have taken apart would still be computed, and gathered.
    return eraseDeadReshapes(getOperation()) || changed;
  }
};

} // namespace

} // namespace shard
