//===- FoldCollectives.cpp - Fold collectives and equal ops ---------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleOrFunctionPass.h"
#include "Optimize/TidyCollectives.h"

#include "shard/Cost/Collectives.h"
#include "shard/Models/Canonicalizations.h"
#include "shard/Partitioning/LocalOps.h"
#include "shard/Transforms/Passes.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace shard {

#define GEN_PASS_DEF_SHARDFOLDCOLLECTIVES
#include "shard/Transforms/Passes.h.inc"

namespace {

/// Whether a region in `root` has several blocks.
bool hasBranches(Operation *root) {
  return root
      ->walk([](Operation *op) {
        return llvm::all_of(op->getRegions(),
                            [](Region &region) {
                              return llvm::hasNItemsOrLess(region, 1);
                            })
                   ? WalkResult::advance()
                   : WalkResult::interrupt();
      })
      .wasInterrupted();
}

/// Drops exchanges of halos in which no device sends anything: by `shard.windows` each device
/// reads what it has. They cost a call, and what is in front of them has to wait for it.
struct DropSilentHalo : OpRewritePattern<UpdateHaloOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(UpdateHaloOp op,
                                PatternRewriter &rewriter) const override {
    if (!isa<RankedTensorType>(op.getType()))
      return failure();
    SymbolTableCollection symbols;
    std::optional<CollectiveCost> cost = costOfCollective(op, symbols);
    if (!cost || !cost->sent || cost->sent->base != 0 ||
        !cost->sent->more.empty())
      return failure();
    rewriter.replaceOp(op, op.getDestination());
    return success();
  }
};

struct ShardFoldCollectivesPass
    : public ModuleOrFunctionPass<
          impl::ShardFoldCollectivesBase<ShardFoldCollectivesPass>> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet all(context);
    populateCanonicalizationPatterns(all);
    all.add<DropSilentHalo>(context);
    populateFoldPatterns(all);
    patterns = std::move(all);
    return success();
  }

  void runOnOperation() override {
    Operation *root = getOperation();
    GreedyRewriteConfig config;
    // From the top: an insertion that replaces what another one inserts takes the destination of
    // that, which has taken its own then. From below each would climb the whole chain.
    config.enableFolding(false).setUseTopDownTraversal(true);
    // To simplify regions finds nothing without branches, and takes time.
    if (!hasBranches(root))
      config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    bool isDropped = dropIdentityTransposes(root);
    bool isFolded = false, isShared = false;
    // Where it stops before the last pattern, the program is as valid.
    (void)applyPatternsGreedily(root, patterns, config, &isFolded);
    mergeEqualOps(root, &isShared);
    if (!isDropped && !isFolded && !isShared)
      markAllAnalysesPreserved();
  }

private:
  FrozenRewritePatternSet patterns;
};

} // namespace

} // namespace shard
