//===- CanonicalizeReductions.cpp - Algebra of reductions -----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Canonicalize.h"
#include "Verify.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace shard {

// Reducing along some axes and then along others is reducing along all. The
// mean of integers rounds at each step.
static bool isNestable(ReductionKind kind, Type type) {
  if (kind == ReductionKind::Average)
    return isa<FloatType>(getElementTypeOrSelf(type));
  return kind != ReductionKind::Generic;
}

template <typename OpT>
static bool isPlain(OpT op) {
  return isa<TensorType>(op.getInput().getType()) && op.getCombiner().empty();
}

namespace {
// all_reduce(x, A, k) = x where x is replicated over A and k is idempotent
// all_reduce(all_reduce(x, A, k), B, k) = all_reduce(x, A ++ B, k), where A and
// B are disjoint or k is idempotent
struct NestedAllReduce : OpRewritePattern<AllReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AllReduceOp op,
                                PatternRewriter &rewriter) const override {
    if (!isPlain(op))
      return failure();
    Type type = op.getResult().getType();
    ReductionKind kind = op.getReduction();
    bool idempotent = isIdempotent(kind);
    // Conversion of the input happens before; a second one is not folded.
    if (op.getInput().getType() != type)
      return failure();
    if (idempotent &&
        isReplicatedOver(op.getInput(), op.getGridAttr(), op.getGridAxes())) {
      rewriter.replaceOp(op, op.getInput());
      return success();
    }
    auto inner = op.getInput().getDefiningOp<AllReduceOp>();
    if (!inner || !inner->hasOneUse() || !isPlain(inner) ||
        inner.getGridAttr() != op.getGridAttr() ||
        inner.getReduction() != kind || !isNestable(kind, type))
      return failure();
    SmallVector<GridAxis> axes(inner.getGridAxes());
    for (GridAxis axis : op.getGridAxes()) {
      if (!llvm::is_contained(inner.getGridAxes(), axis)) {
        axes.push_back(axis);
      } else if (!idempotent) {
        return failure();
      }
    }
    rewriter.replaceOpWithNewOp<AllReduceOp>(op, type, inner.getInput(),
                                             op.getGrid(), axes, kind);
    return success();
  }
};

// all_slice(all_reduce(x, A, k), B, d), with the all_reduce used only here:
//   A = B as sets:     reduce_scatter(x, B, k, d)
//   B a subset of A:   all_reduce(reduce_scatter(x, B, k, d), A \ B, k)
// Not where that sends more, as most blocks are padding, which a reduce_scatter sends, too.
struct SliceOfAllReduce : OpRewritePattern<AllSliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AllSliceOp slice,
                                PatternRewriter &rewriter) const override {
    auto reduce = slice.getInput().getDefiningOp<AllReduceOp>();
    if (!reduce || !reduce->hasOneUse() || !isPlain(reduce) ||
        reduce.getGridAttr() != slice.getGridAttr() ||
        slice.getGridAxes().empty() ||
        !isSubset(slice.getGridAxes(), reduce.getGridAxes()))
      return failure();
    if (sendsMore(slice, reduce))
      return failure();
    Type type = slice.getResult().getType();
    ReductionKind kind = reduce.getReduction();
    SmallVector<GridAxis> rest;
    for (GridAxis axis : reduce.getGridAxes())
      if (!llvm::is_contained(slice.getGridAxes(), axis))
        rest.push_back(axis);
    if (!rest.empty() && !isNestable(kind, type))
      return failure();
    Value result = ReduceScatterOp::create(
        rewriter, slice.getLoc(), type, reduce.getInput(), slice.getGrid(),
        slice.getGridAxes(), kind, slice.getSliceAxis().getSExtValue());
    if (!rest.empty())
      result = AllReduceOp::create(rewriter, reduce.getLoc(), type, result,
                                   slice.getGrid(), rest, kind);
    rewriter.replaceOp(slice, result);
    return success();
  }

private:
  /// Whether a reduce_scatter over the axes of `slice`, and an all_reduce of its result over the
  /// other ones of `reduce`, send more elements than `reduce`.
  static bool sendsMore(AllSliceOp slice, AllReduceOp reduce) {
    int64_t dim = slice.getSliceAxis().getSExtValue();
    int64_t extent =
        cast<ShapedType>(slice.getInput().getType()).getDimSize(dim);
    int64_t block =
        cast<ShapedType>(slice.getResult().getType()).getDimSize(dim);
    GridOp grid = lookupGrid(slice, slice.getGridAttr());
    if (!grid || ShapedType::isDynamic(extent) || ShapedType::isDynamic(block))
      return false;
    int64_t all = groupSize(grid, reduce.getGridAxes());
    int64_t blocks = groupSize(grid, slice.getGridAxes());
    if (ShapedType::isDynamic(all) || ShapedType::isDynamic(blocks))
      return false;
    // Elements times `all`: each device sends n - n / p of a reduce_scatter of n elements over p
    // devices, and twice as many of an all_reduce.
    double scattered = double(block) * double(blocks - 1) * double(all);
    double completed = 2 * double(block) * double(all - blocks);
    return scattered + completed > 2 * double(extent) * double(all - 1);
  }
};

// all_gather(reduce_scatter(x, A, k, d), A, d) = all_reduce(x, A, k), with the
// reduce_scatter used only here
struct GatherOfReduceScatter : OpRewritePattern<AllGatherOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AllGatherOp gather,
                                PatternRewriter &rewriter) const override {
    auto scatter = gather.getInput().getDefiningOp<ReduceScatterOp>();
    if (!scatter || !scatter->hasOneUse() || !scatter.getCombiner().empty() ||
        scatter.getGridAttr() != gather.getGridAttr() ||
        scatter.getGridAxes() != gather.getGridAxes() ||
        scatter.getScatterAxis() != gather.getGatherAxis())
      return failure();
    auto input = cast<ShapedType>(scatter.getInput().getType());
    auto result = cast<ShapedType>(gather.getResult().getType());
    if (input.getShape() != result.getShape())
      return failure();
    rewriter.replaceOpWithNewOp<AllReduceOp>(
        gather, result, scatter.getInput(), gather.getGrid(),
        gather.getGridAxes(), scatter.getReduction());
    return success();
  }
};

// reduce_scatter(x, A, k, d) = all_slice(x, A, d) where x is replicated over A
// and k is idempotent
struct ReduceScatterOfReplicated : OpRewritePattern<ReduceScatterOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReduceScatterOp op,
                                PatternRewriter &rewriter) const override {
    auto input = cast<ShapedType>(op.getInput().getType());
    auto result = cast<ShapedType>(op.getResult().getType());
    if (!isIdempotent(op.getReduction()) ||
        input.getElementType() != result.getElementType() ||
        !isReplicatedOver(op.getInput(), op.getGridAttr(), op.getGridAxes()))
      return failure();
    rewriter.replaceOpWithNewOp<AllSliceOp>(op, result, op.getInput(),
                                            op.getGrid(), op.getGridAxes(),
                                            op.getScatterAxis().getSExtValue());
    return success();
  }
};

// reduce(x, A, k, root) = x where x is replicated over A and k is idempotent
struct ReduceOfReplicated : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReduceOp op,
                                PatternRewriter &rewriter) const override {
    if (!isIdempotent(op.getReduction()) ||
        op.getInput().getType() != op.getResult().getType() ||
        !isReplicatedOver(op.getInput(), op.getGridAttr(), op.getGridAxes()))
      return failure();
    rewriter.replaceOp(op, op.getInput());
    return success();
  }
};
} // namespace

void populateGatherOfReduceScatter(RewritePatternSet &patterns) {
  patterns.add<GatherOfReduceScatter>(patterns.getContext());
}

bool combinesAs(Operation *op, ReductionKind kind) {
  switch (kind) {
  case ReductionKind::Sum:
    return isa<arith::AddFOp, arith::AddIOp>(op);
  case ReductionKind::Average:
    return isa<arith::AddFOp>(op);
  case ReductionKind::Product:
    return isa<arith::MulFOp, arith::MulIOp>(op);
  case ReductionKind::Max:
    return isa<arith::MaximumFOp, arith::MaxSIOp>(op);
  case ReductionKind::Min:
    return isa<arith::MinimumFOp, arith::MinSIOp>(op);
  case ReductionKind::UMax:
    return isa<arith::MaxUIOp>(op);
  case ReductionKind::UMin:
    return isa<arith::MinUIOp>(op);
  case ReductionKind::BitwiseAnd:
    return isa<arith::AndIOp>(op);
  case ReductionKind::BitwiseOr:
    return isa<arith::OrIOp>(op);
  case ReductionKind::BitwiseXor:
    return isa<arith::XOrIOp>(op);
  case ReductionKind::Generic:
    return false;
  }
  return false;
}

void dropOverflowFlags(Operation *op) {
  auto none = arith::IntegerOverflowFlagsAttr::get(
      op->getContext(), arith::IntegerOverflowFlags::none);
  op->walk([&](arith::ArithIntegerOverflowFlagsInterface inner) {
    inner->setAttr(inner.getIntegerOverflowAttrName(), none);
  });
}

/// Whether the two reduce over the same devices in the same way.
static bool isSameReduction(AllReduceOp a, AllReduceOp b) {
  return sameSet(a.getGridAxes(), b.getGridAxes());
}

/// The order of axes says which device has which block.
static bool isSameReduction(ReduceScatterOp a, ReduceScatterOp b) {
  return a.getGridAxes() == b.getGridAxes() &&
         a.getScatterAxis() == b.getScatterAxis();
}

namespace {
// The sum of two sums is one sum of the sums on each device, and so on: one
// all_reduce or reduce_scatter instead of two, where nothing else uses them. In
// another block the devices may not be together.
template <typename OpT>
struct CombineReductions : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    Type inputType = op.getInput().getType();
    if (!op->hasOneUse() || !isPlain(op) ||
        getElementTypeOrSelf(inputType) !=
            getElementTypeOrSelf(op.getResult().getType()))
      return failure();
    Operation *user = *op->user_begin();
    if (user->getBlock() != op->getBlock() || user->getNumOperands() != 2 ||
        !combinesAs(user, op.getReduction()))
      return failure();
    bool isFirst = user->getOperand(0) == op.getResult();
    auto other =
        user->getOperand(isFirst ? 1 : 0).template getDefiningOp<OpT>();
    if (!other || other == op || !other->hasOneUse() || !isPlain(other) ||
        other->getBlock() != op->getBlock() ||
        other.getInput().getType() != inputType ||
        other.getGridAttr() != op.getGridAttr() ||
        other.getReduction() != op.getReduction() ||
        !isSameReduction(op, other))
      return failure();
    rewriter.setInsertionPoint(user);
    Operation *local = rewriter.clone(*user);
    local->setOperand(isFirst ? 0 : 1, op.getInput());
    local->setOperand(isFirst ? 1 : 0, other.getInput());
    local->getResult(0).setType(inputType);
    dropOverflowFlags(local);
    Operation *combined = rewriter.clone(*op);
    combined->setOperand(0, local->getResult(0));
    combined->setLoc(user->getLoc());
    rewriter.replaceOp(user, combined);
    rewriter.eraseOp(op);
    rewriter.eraseOp(other);
    return success();
  }
};
} // namespace

void populateSliceOfAllReduce(RewritePatternSet &patterns) {
  patterns.add<SliceOfAllReduce>(patterns.getContext());
}

void AllReduceOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<DropOneDeviceGroup<AllReduceOp>, DropOneDeviceAxes<AllReduceOp>,
               NestedAllReduce, CombineReductions<AllReduceOp>,
               ExtentOfInput<AllReduceOp>>(context);
}

void ReduceOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<DropOneDeviceGroup<ReduceOp>, ReduceOfReplicated>(context);
}

void ReduceScatterOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                  MLIRContext *context) {
  patterns
      .add<DropOneDeviceGroup<ReduceScatterOp>,
           DropOneDeviceAxes<ReduceScatterOp>, ReduceScatterOfReplicated,
           CombineReductions<ReduceScatterOp>, ExtentOfInput<ReduceScatterOp>>(
          context);
}

} // namespace shard
