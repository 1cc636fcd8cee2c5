//===- CanonicalizeSharding.cpp - Normal forms of shardings and annotations
//-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Canonicalize.h"
#include "Verify.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace shard {

// Replaces SSA values of constants >= 0 by static entries. Negative constants
// stay, so that no valid program becomes an invalid one.
static bool makeStatic(SmallVectorImpl<int64_t> &statics,
                       SmallVectorImpl<Value> &dynamics) {
  SmallVector<Value> kept;
  bool changed = false;
  size_t next = 0;
  for (int64_t &entry : statics) {
    if (!ShapedType::isDynamic(entry))
      continue;
    Value value = dynamics[next++];
    APInt constant;
    if (matchPattern(value, m_ConstantInt(&constant)) &&
        constant.isNonNegative()) {
      entry = constant.getSExtValue();
      changed = true;
    } else {
      kept.push_back(value);
    }
  }
  dynamics.assign(kept.begin(), kept.end());
  return changed;
}

static bool allZero(ArrayRef<int64_t> numbers) {
  return llvm::all_of(numbers, [](int64_t number) { return number == 0; });
}

// Whether the offsets, complete and static, cut every split dimension into
// blocks of one size: the default layout, of the same local types.
static bool areEven(ShardingOp op, ArrayRef<int64_t> offsets, GridOp grid) {
  for (GridAxesAttr axes : op.getSplitAxes()) {
    if (axes.empty())
      continue;
    int64_t blocks = groupSize(grid, axes.asArrayRef());
    if (ShapedType::isDynamic(blocks) ||
        blocks >= static_cast<int64_t>(offsets.size()))
      return false;
    for (int64_t block = 0; block <= blocks; ++block)
      if (ShapedType::isDynamic(offsets[block]) ||
          offsets[block] != block * offsets[1])
        return false;
    offsets = offsets.drop_front(blocks + 1);
  }
  return offsets.empty();
}

namespace {
// Constants become static; halos of zeros and offsets of the default layout go.
struct NormalizeSharding : OpRewritePattern<ShardingOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ShardingOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<int64_t> halos(op.getStaticHaloSizes());
    SmallVector<int64_t> offsets(op.getStaticShardedDimsOffsets());
    SmallVector<Value> dynamicHalos(op.getDynamicHaloSizes());
    SmallVector<Value> dynamicOffsets(op.getDynamicShardedDimsOffsets());
    bool changed = makeStatic(halos, dynamicHalos);
    SmallVector<int64_t> staticOffsets = offsets;
    SmallVector<Value> keptOffsets = dynamicOffsets;
    // Constants that break the rules of static offsets stay values.
    if (makeStatic(staticOffsets, keptOffsets) && isValid(op, staticOffsets)) {
      offsets = staticOffsets;
      dynamicOffsets = keptOffsets;
      changed = true;
    }
    if (!halos.empty() && allZero(halos)) {
      halos.clear();
      changed = true;
    }
    if (!offsets.empty() && dynamicOffsets.empty()) {
      GridOp grid = lookupGrid(op, op.getGridAttr());
      if (grid && areEven(op, offsets, grid)) {
        offsets.clear();
        changed = true;
      }
    }
    if (!changed)
      return failure();
    rewriter.modifyOpInPlace(op, [&] {
      op.setStaticHaloSizes(halos);
      op.getDynamicHaloSizesMutable().assign(dynamicHalos);
      op.setStaticShardedDimsOffsets(offsets);
      op.getDynamicShardedDimsOffsetsMutable().assign(dynamicOffsets);
    });
    return success();
  }

  // Whether `end` is the extent of dimension `dim` of all annotated tensors.
  static bool endsAtExtents(ShardingOp op, int64_t dim, int64_t end) {
    if (ShapedType::isDynamic(end))
      return true;
    return llvm::all_of(op.getResult().getUsers(), [&](Operation *user) {
      auto shard = dyn_cast<ShardOp>(user);
      if (!shard)
        return true;
      auto type = cast<RankedTensorType>(shard.getSrc().getType());
      return dim >= type.getRank() || type.isDynamicDim(dim) ||
             type.getDimSize(dim) == end;
    });
  }

  static bool isValid(ShardingOp op, ArrayRef<int64_t> offsets) {
    GridOp grid = lookupGrid(op, op.getGridAttr());
    if (!grid)
      return false;
    for (auto [dim, axes] : llvm::enumerate(op.getSplitAxes())) {
      if (axes.empty())
        continue;
      int64_t blocks = groupSize(grid, axes.asArrayRef());
      if (ShapedType::isDynamic(blocks) ||
          blocks >= static_cast<int64_t>(offsets.size()))
        return false;
      int64_t last = 0;
      for (auto [index, bound] :
           llvm::enumerate(offsets.take_front(blocks + 1))) {
        if (ShapedType::isDynamic(bound))
          continue;
        if (bound < last || (index == 0 && bound != 0))
          return false;
        last = bound;
      }
      if (!endsAtExtents(op, dim, offsets[blocks]))
        return false;
      offsets = offsets.drop_front(blocks + 1);
    }
    return true;
  }
};

// A second annotation of one value, equal in sharding and in flag, in one block
// is the first; so is an unflagged annotation of an annotated value with its
// own sharding. An annotation for users never becomes one for the value.
struct FoldDuplicateShard : OpRewritePattern<ShardOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ShardOp op,
                                PatternRewriter &rewriter) const override {
    auto same = [&](ShardOp other) {
      return other && equalShardings(other.getSharding(), op.getSharding());
    };
    auto source = op.getSrc().getDefiningOp<ShardOp>();
    if (!op.getAnnotateForUsers() && same(source)) {
      rewriter.replaceOp(op, source.getResult());
      return success();
    }
    // The users of one value are few, or the first ones are duplicates.
    constexpr int kLimit = 16;
    int seen = 0;
    for (Operation *user : op.getSrc().getUsers()) {
      if (++seen > kLimit)
        break;
      auto other = dyn_cast<ShardOp>(user);
      if (!other || other == op || other.getSrc() != op.getSrc() ||
          other->getBlock() != op->getBlock() ||
          other.getAnnotateForUsers() != op.getAnnotateForUsers() ||
          !same(other) || !other->isBeforeInBlock(op))
        continue;
      rewriter.replaceOp(op, other.getResult());
      return success();
    }
    return failure();
  }
};

// get_sharding(shard(x, s)) = s
struct GetShardingOfShard : OpRewritePattern<GetShardingOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(GetShardingOp op,
                                PatternRewriter &rewriter) const override {
    auto shard = op.getSource().getDefiningOp<ShardOp>();
    if (!shard)
      return failure();
    rewriter.replaceOp(op, shard.getSharding());
    return success();
  }
};

// The sizes of axes that are known are constants.
struct StaticGridShape : OpRewritePattern<GridShapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(GridShapeOp op,
                                PatternRewriter &rewriter) const override {
    GridOp grid = lookupGrid(op, op.getGridAttr());
    if (!grid)
      return failure();
    SmallVector<GridAxis> axes(op.getAxes()), unknown;
    if (axes.empty())
      llvm::append_range(axes, llvm::seq<GridAxis>(0, grid.getRank()));
    for (GridAxis axis : axes) {
      if (axis < 0 || axis >= grid.getRank())
        return failure();
      if (ShapedType::isDynamic(grid.getShape()[axis]))
        unknown.push_back(axis);
    }
    if (unknown.size() == axes.size())
      return failure();
    ValueRange rest;
    if (!unknown.empty())
      rest = GridShapeOp::create(rewriter, op.getLoc(), grid,
                                 ArrayRef<int16_t>(unknown))
                 .getResult();
    SmallVector<Value> results;
    size_t next = 0;
    for (GridAxis axis : axes) {
      int64_t size = grid.getShape()[axis];
      results.push_back(ShapedType::isDynamic(size)
                            ? Value(rest[next++])
                            : Value(arith::ConstantIndexOp::create(
                                  rewriter, op.getLoc(), size)));
    }
    rewriter.replaceOp(op, results);
    return success();
  }
};

// The coordinate on an axis of size 1 is 0.
struct CoordinateOnUnitAxis : OpRewritePattern<ProcessMultiIndexOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ProcessMultiIndexOp op,
                                PatternRewriter &rewriter) const override {
    GridOp grid = lookupGrid(op, op.getGridAttr());
    if (!grid)
      return failure();
    SmallVector<GridAxis> axes(op.getAxes());
    if (axes.empty())
      llvm::append_range(axes, llvm::seq<GridAxis>(0, grid.getRank()));
    bool changed = false;
    for (auto [axis, result] : llvm::zip_equal(axes, op->getResults()))
      if (axis >= 0 && axis < grid.getRank() && grid.getShape()[axis] == 1 &&
          !result.use_empty()) {
        Value zero = arith::ConstantIndexOp::create(rewriter, op.getLoc(), 0);
        rewriter.replaceAllUsesWith(result, zero);
        changed = true;
      }
    return success(changed);
  }
};

// Constants become static; a halo of zeros needs no update.
struct SimplifyUpdateHalo : OpRewritePattern<UpdateHaloOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(UpdateHaloOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getHaloSizes().empty() && allZero(op.getStaticHaloSizes())) {
      rewriter.replaceOp(op, op.getDestination());
      return success();
    }
    SmallVector<int64_t> halos(op.getStaticHaloSizes());
    SmallVector<Value> dynamics(op.getHaloSizes());
    auto type = cast<ShapedType>(op.getDestination().getType());
    if (!makeStatic(halos, dynamics))
      return failure();
    // Widths that do not fit stay values: the program is not valid, but not for
    // the verifier to stop here.
    size_t next = 0;
    for (auto [dim, axes] : llvm::enumerate(op.getSplitAxes())) {
      if (axes.empty())
        continue;
      int64_t low = halos[next++], high = halos[next++], sum;
      if (!ShapedType::isDynamic(low) && !ShapedType::isDynamic(high) &&
          !type.isDynamicDim(dim) &&
          (llvm::AddOverflow(low, high, sum) || sum > type.getDimSize(dim)))
        return failure();
    }
    rewriter.modifyOpInPlace(op, [&] {
      op.setStaticHaloSizes(halos);
      op.getHaloSizesMutable().assign(dynamics);
    });
    return success();
  }
};
} // namespace

void ShardingOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                             MLIRContext *context) {
  patterns.add<NormalizeSharding>(context);
}

void ShardOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                          MLIRContext *context) {
  patterns.add<FoldDuplicateShard>(context);
}

void GetShardingOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                MLIRContext *context) {
  patterns.add<GetShardingOfShard>(context);
}

void GridShapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<StaticGridShape>(context);
}

void ProcessMultiIndexOp::getCanonicalizationPatterns(
    RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<CoordinateOnUnitAxis>(context);
}

void UpdateHaloOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                               MLIRContext *context) {
  patterns.add<SimplifyUpdateHalo>(context);
}

} // namespace shard
