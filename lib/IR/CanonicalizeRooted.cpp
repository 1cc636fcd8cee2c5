//===- CanonicalizeRooted.cpp - Algebra of collectives from or to one device
//-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Canonicalize.h"

using namespace mlir;

namespace shard {

namespace {
template <typename A, typename B>
bool sameRoot(A a, B b) {
  return a.getRoot() == b.getRoot() &&
         llvm::equal(a.getRootDynamic(), b.getRootDynamic());
}

// broadcast(x, A, root) = x where x is replicated over A
struct BroadcastOfReplicated : OpRewritePattern<BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BroadcastOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getInput().getType() != op.getResult().getType() ||
        !isReplicatedOver(op.getInput(), op.getGridAttr(), op.getGridAxes()))
      return failure();
    rewriter.replaceOp(op, op.getInput());
    return success();
  }
};

// gather(scatter(x, A, d, root), A, d, root) = x; on the other devices the
// result is unspecified
struct GatherOfScatter : OpRewritePattern<GatherOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(GatherOp gather,
                                PatternRewriter &rewriter) const override {
    auto scatter = gather.getInput().getDefiningOp<ScatterOp>();
    if (!scatter || scatter.getGridAttr() != gather.getGridAttr() ||
        scatter.getGridAxes() != gather.getGridAxes() ||
        scatter.getScatterAxis() != gather.getGatherAxis() ||
        !sameRoot(scatter, gather) ||
        scatter.getInput().getType() != gather.getResult().getType())
      return failure();
    rewriter.replaceOp(gather, scatter.getInput());
    return success();
  }
};

// scatter(gather(x, A, d, root), A, d, root) = x
// scatter(x, A, d, root) = all_slice(x, A, d) where x is replicated over A
struct SimplifyScatter : OpRewritePattern<ScatterOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ScatterOp scatter,
                                PatternRewriter &rewriter) const override {
    if (isReplicatedOver(scatter.getInput(), scatter.getGridAttr(),
                         scatter.getGridAxes())) {
      rewriter.replaceOpWithNewOp<AllSliceOp>(
          scatter, scatter.getResult().getType(), scatter.getInput(),
          scatter.getGrid(), scatter.getGridAxes(),
          scatter.getScatterAxis().getSExtValue());
      return success();
    }
    auto gather = scatter.getInput().getDefiningOp<GatherOp>();
    if (!gather || scatter.getGridAttr() != gather.getGridAttr() ||
        scatter.getGridAxes() != gather.getGridAxes() ||
        scatter.getScatterAxis() != gather.getGatherAxis() ||
        !sameRoot(scatter, gather) ||
        gather.getInput().getType() != scatter.getResult().getType())
      return failure();
    rewriter.replaceOp(scatter, gather.getInput());
    return success();
  }
};
} // namespace

void BroadcastOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<DropOneDeviceGroup<BroadcastOp>, BroadcastOfReplicated>(context);
}

void GatherOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<DropOneDeviceGroup<GatherOp>, GatherOfScatter>(context);
}

void ScatterOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<DropOneDeviceGroup<ScatterOp>, SimplifyScatter>(context);
}

void SendOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *context) {
  patterns.add<DropOneDeviceGroup<SendOp>>(context);
}

void RecvOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *context) {
  patterns.add<DropOneDeviceGroup<RecvOp>>(context);
}

} // namespace shard
