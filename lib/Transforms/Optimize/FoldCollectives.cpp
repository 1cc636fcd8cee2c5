//===- FoldCollectives.cpp - Fold collectives and equal ops ---------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleOrFunctionPass.h"
#include "Optimize/ReductionOps.h"
#include "Optimize/TidyCollectives.h"

#include "shard/Cost/Collectives.h"
#include "shard/IR/ShardDialect.h"
#include "shard/Models/Canonicalizations.h"
#include "shard/Models/LateInits.h"
#include "shard/Partitioning/LocalOps.h"
#include "shard/Transforms/Passes.h"

#include "mlir/Interfaces/ViewLikeInterface.h"
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

/// Folds collectives of fills as those of constants.
struct FoldCollectiveOfFill : RewritePattern {
  explicit FoldCollectiveOfFill(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isa_and_present<ShardDialect>(op->getDialect()) ||
        op->getNumOperands() != 1 || op->getNumResults() != 1)
      return failure();
    Value input = op->getOperand(0);
    auto type = dyn_cast<RankedTensorType>(input.getType());
    if (!type || !type.hasStaticShape())
      return failure();
    Attribute element = filledElement(input);
    SmallVector<OpFoldResult> folded;
    if (!isa_and_present<IntegerAttr, FloatAttr>(element) ||
        failed(op->fold(DenseElementsAttr::get(type, element), folded)))
      return failure();
    if (folded.empty())
      return success();
    if (auto value = dyn_cast<Value>(folded.front())) {
      rewriter.replaceOp(op, value);
      return success();
    }
    Operation *constant = op->getDialect()->materializeConstant(
        rewriter, cast<Attribute>(folded.front()), op->getResult(0).getType(),
        op->getLoc());
    if (!constant)
      return failure();
    rewriter.replaceOp(op, constant);
    return success();
  }
};

/// Folds insertions in place, from the first one: one at the place of that before it takes the
/// destination of that, which has taken its own then. The greedy driver begins at the last one, which
/// would climb the whole chain.
void foldInsertions(Operation *root) {
  root->walk([&](OffsetSizeAndStrideOpInterface op) {
    SmallVector<OpFoldResult> folded;
    (void)op->fold(folded);
  });
}

struct ShardFoldCollectivesPass
    : public ModuleOrFunctionPass<
          impl::ShardFoldCollectivesBase<ShardFoldCollectivesPass>> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet all(context);
    populateCanonicalizationPatterns(all);
    all.add<DropSilentHalo, FoldCollectiveOfFill>(context);
    populateFoldPatterns(all);
    populateLateInitPatterns(all);
    patterns = std::move(all);
    return success();
  }

  void runOnOperation() override {
    Operation *root = getOperation();
    GreedyRewriteConfig config;
    config.enableFolding(false);
    // To simplify regions finds nothing without branches, and takes time.
    if (!hasBranches(root))
      config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    dropIdentityTransposes(root);
    splatEqualOperands(root);
    foldInsertions(root);
    // Where it stops before the last pattern, the program is as valid. The driver does not tell
    // that it merged or moved constants, so no analysis is said to be as before.
    (void)applyPatternsGreedily(root, patterns, config);
    mergeEqualOps(root);
  }

private:
  FrozenRewritePatternSet patterns;
};

} // namespace

} // namespace shard
