//===- Reshapes.cpp - Rewrites that keep dimensions apart -----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Models/Reshapes.h"

#include "ConstantDims.h"
#include "MergedDims.h"
#include "SlicesOfMerges.h"

#include "shard/IR/ShardDialect.h"
#include "shard/IR/ShardingUtils.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace shard {

bool mergesDims(Operation *op) {
  auto collapse = dyn_cast<tensor::CollapseShapeOp>(op);
  return collapse &&
         (mergedDims(collapse).any() ||
          llvm::any_of(op->getUsers(), llvm::IsaPred<tensor::ExpandShapeOp>));
}

bool isHinted(Operation *op) {
  return hasHint(op) ||
         llvm::any_of(op->getResultTypes(),
                      [](Type type) {
                        auto tensor = dyn_cast<RankedTensorType>(type);
                        return tensor && tensor.getEncoding();
                      }) ||
         llvm::any_of(op->getUsers(), [](Operation *user) {
           return isa_and_nonnull<ShardDialect>(user->getDialect());
         });
}

/// Whether `op` has one input, and combines elements along a merged dimension of it.
static bool combinesMerged(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 1)
    return false;
  OpOperand *input = op.getDpsInputOperand(0);
  auto merge = input->get().getDefiningOp<tensor::CollapseShapeOp>();
  if (!merge)
    return false;
  AffineMap map = op.getMatchingIndexingMap(input);
  return llvm::any_of(mergedDims(merge).set_bits(), [&](unsigned dim) {
    auto loop = dyn_cast<AffineDimExpr>(map.getResult(dim));
    return loop && op.getIteratorTypesArray()[loop.getPosition()] ==
                       utils::IteratorType::reduction;
  });
}

/// Whether all dimensions of `operand` of `user` that `loop` indexes come apart.
static bool comesApartAlong(linalg::LinalgOp user, OpOperand &operand,
                            unsigned loop) {
  AffineMap map = user.getMatchingIndexingMap(&operand);
  for (auto [dim, expr] : llvm::enumerate(map.getResults()))
    if (expr.isFunctionOfDim(loop) && !comesApart(operand.get(), dim))
      return false;
  return true;
}

/// The extents that dimension `dim` of `op` is made of, without those of one element.
static SmallVector<int64_t> mergedExtents(tensor::CollapseShapeOp op,
                                          unsigned dim) {
  SmallVector<int64_t> extents;
  ReassociationIndices merged = op.getReassociationIndices()[dim];
  for (int64_t inner : merged)
    if (int64_t extent = op.getSrcType().getDimSize(inner); extent != 1)
      extents.push_back(extent);
  return extents;
}

/// Whether each dimension of `operand` of `user` that `loop` indexes is made of dimensions of
/// `extents`, which are known.
static bool isMergedAlike(linalg::LinalgOp user, OpOperand &operand,
                          unsigned loop, ArrayRef<int64_t> extents) {
  AffineMap map = user.getMatchingIndexingMap(&operand);
  auto collapse = operand.get().getDefiningOp<tensor::CollapseShapeOp>();
  for (auto [dim, expr] : llvm::enumerate(map.getResults()))
    if (expr.isFunctionOfDim(loop) &&
        (!collapse || !isa<AffineDimExpr>(expr) ||
         mergedExtents(collapse, dim) != extents ||
         llvm::is_contained(extents, ShapedType::kDynamic)))
      return false;
  return true;
}

/// The merged dimensions of `operand` whose loops can be taken apart without a reshape
/// of another input: parallel loops where the result is split again, and reductions over what
/// all inputs merge alike.
static llvm::SmallBitVector expandableDims(OpOperand &operand) {
  auto collapse = operand.get().getDefiningOp<tensor::CollapseShapeOp>();
  auto user = dyn_cast<linalg::LinalgOp>(operand.getOwner());
  if (!collapse || !user || !user.isDpsInput(&operand) || isHinted(collapse) ||
      isHinted(user))
    return {};
  unsigned budget = kMaxVisits;
  bool isSplitLater = reachesSplit(user, budget);
  llvm::SmallBitVector merged = mergedDims(collapse), found = merged;
  AffineMap map = user.getMatchingIndexingMap(&operand);
  SmallVector<utils::IteratorType> kinds = user.getIteratorTypesArray();
  for (unsigned dim : merged.set_bits()) {
    auto loop = dyn_cast<AffineDimExpr>(map.getResult(dim));
    auto comesApart = [&](OpOperand *other) {
      unsigned visits = kMaxVisits;
      return kinds[loop.getPosition()] == utils::IteratorType::parallel
                 ? (isSplitLater ||
                    isCombinedLater(user, loop.getPosition(), visits)) &&
                       comesApartAlong(user, *other, loop.getPosition())
                 : isMergedAlike(user, *other, loop.getPosition(),
                                 mergedExtents(collapse, dim));
    };
    if (!loop || !llvm::all_of(user.getDpsInputOperands(), comesApart))
      found.reset(dim);
  }
  return found;
}

/// Whether a merge goes behind its user, or a split in front of the op that makes its
/// operand.
static bool canExpand(OpOperand *operand) {
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(operand->getOwner())) {
    if (isHinted(expand) || isHinted(expand.getSrc().getDefiningOp()))
      return false;
    for (auto [dim, group] : llvm::enumerate(expand.getReassociationIndices()))
      if (group.size() > 1 && !comesApart(operand->get(), dim))
        return false;
    return true;
  }
  llvm::SmallBitVector dims = expandableDims(*operand);
  return dims.any() &&
         dims == mergedDims(
                     operand->get().getDefiningOp<tensor::CollapseShapeOp>());
}

/// `op` as two ops, of which the second one merges the dimensions in `last`.
static Value mergeInTwo(tensor::CollapseShapeOp op,
                        const llvm::SmallBitVector &last,
                        PatternRewriter &rewriter) {
  SmallVector<ReassociationIndices> first, second;
  int64_t between = 0;
  for (auto [dim, group] : llvm::enumerate(op.getReassociationIndices())) {
    ReassociationIndices &merged = second.emplace_back();
    if (!last[dim]) {
      first.push_back(group);
      merged.push_back(between++);
      continue;
    }
    for (int64_t inner : group) {
      first.push_back({inner});
      merged.push_back(between++);
    }
  }
  Value kept = tensor::CollapseShapeOp::create(rewriter, op.getLoc(),
                                               op.getSrc(), first);
  return tensor::CollapseShapeOp::create(rewriter, op.getLoc(),
                                         op.getResultType(), kept, second);
}

namespace {
/// Splits merges of which a user can take only a part.
struct SplitMerge : OpRewritePattern<tensor::CollapseShapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::CollapseShapeOp op,
                                PatternRewriter &rewriter) const override {
    llvm::SmallBitVector merged = mergedDims(op);
    if (merged.count() < 2)
      return failure();
    for (OpOperand &use : op->getUses()) {
      llvm::SmallBitVector last = expandableDims(use);
      if (last.none() || last == merged)
        continue;
      Value value = mergeInTwo(op, last, rewriter);
      rewriter.modifyOpInPlace(use.getOwner(), [&] { use.set(value); });
      return success();
    }
    return failure();
  }
};

/// Makes one op of two merges where no user could take the second one apart, which hides the first
/// one from them.
struct JoinMerges : OpRewritePattern<tensor::CollapseShapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::CollapseShapeOp op,
                                PatternRewriter &rewriter) const override {
    auto merge = op.getSrc().getDefiningOp<tensor::CollapseShapeOp>();
    if (!merge || isHinted(merge) || isHinted(op) ||
        llvm::any_of(op->getUses(),
                     [](OpOperand &use) { return expandableDims(use).any(); }))
      return failure();
    SmallVector<ReassociationIndices> inner = merge.getReassociationIndices(),
                                      groups;
    for (const ReassociationIndices &group : op.getReassociationIndices()) {
      ReassociationIndices &joined = groups.emplace_back();
      for (int64_t dim : group)
        joined.append(inner[dim]);
    }
    rewriter.replaceOpWithNewOp<tensor::CollapseShapeOp>(
        op, op.getResultType(), merge.getSrc(), groups);
    return success();
  }
};

/// Prepares ops that could take a merge apart.
struct DropConstantDims : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    auto isMerged = [](Value input) {
      auto merge = input.getDefiningOp<tensor::CollapseShapeOp>();
      return merge && mergedDims(merge).any();
    };
    unsigned budget = kMaxVisits;
    return success(
        !isHinted(op) && llvm::any_of(op.getInputs(), isMerged) &&
        (combinesAll(op) || combinesMerged(op) || reachesSplit(op, budget)) &&
        dropConstantDims(op, rewriter));
  }
};

/// Puts elementwise ops on tensors in front of merges that are taken apart again, or combined.
struct ComputeBeforeMerge : RewritePattern {
  explicit ComputeBeforeMerge(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    tensor::CollapseShapeOp merge = mergeOfOperands(op);
    if (!merge || isHinted(op))
      return failure();
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    RankedTensorType source = merge.getSrcType();
    SmallVector<ReassociationIndices> groups = merge.getReassociationIndices();
    IRMapping apart;
    for (Value operand : op->getOperands()) {
      auto tensor = dyn_cast<RankedTensorType>(operand.getType());
      if (!tensor)
        continue;
      auto other = operand.getDefiningOp<tensor::CollapseShapeOp>();
      apart.map(operand, other ? other.getSrc()
                               : tensor::ExpandShapeOp::create(
                                     rewriter, op->getLoc(),
                                     source.clone(tensor.getElementType()),
                                     operand, groups)
                                     .getResult());
    }
    Operation *computed = rewriter.clone(*op, apart);
    computed->getResult(0).setType(source.clone(type.getElementType()));
    rewriter.replaceOpWithNewOp<tensor::CollapseShapeOp>(
        op, type, computed->getResult(0), groups);
    return success();
  }
};

/// Puts slices in front of merges that are taken apart again.
struct SliceBeforeMerge : OpRewritePattern<tensor::ExtractSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExtractSliceOp op,
                                PatternRewriter &rewriter) const override {
    auto merge = op.getSource().getDefiningOp<tensor::CollapseShapeOp>();
    unsigned budget = kMaxVisits;
    return success(merge && mergedDims(merge).any() && !isHinted(merge) &&
                   !isHinted(op) && reachesSplit(op, budget) &&
                   sliceBeforeMerge(op, merge, rewriter));
  }
};
} // namespace

/// Extents whose products are those of two shapes of equally many elements.
struct CommonExtents {
  SmallVector<int64_t> extents;
  /// For each dimension of the shapes how many of `extents` it is made of.
  SmallVector<int64_t> first, second;
};

/// The fewest such extents; none if the dimensions of the shapes overlap in part, as those of
/// 4x6 and 6x4 do.
static std::optional<CommonExtents> commonExtents(ArrayRef<int64_t> first,
                                                  ArrayRef<int64_t> second) {
  CommonExtents common{{},
                       SmallVector<int64_t>(first.size()),
                       SmallVector<int64_t>(second.size())};
  int64_t left = first[0], right = second[0];
  for (size_t i = 0, j = 0; i < first.size() || j < second.size();) {
    if (left == 0 || right == 0 || (left % right != 0 && right % left != 0))
      return std::nullopt;
    int64_t extent = std::min(left, right);
    common.extents.push_back(extent);
    ++common.first[std::min(i, first.size() - 1)];
    ++common.second[std::min(j, second.size() - 1)];
    left /= extent;
    right /= extent;
    // Behind the end of one shape the other one has dimensions of one element.
    bool isFirstDone = left == 1, isSecondDone = right == 1;
    if (isFirstDone && i < first.size())
      left = ++i < first.size() ? first[i] : 1;
    if (isSecondDone && j < second.size())
      right = ++j < second.size() ? second[j] : 1;
  }
  return common;
}

namespace {
/// Splits dimensions before it merges others, where an op takes apart what it has from a merge
/// in another way: `8x(6*6)x4` that is merged as a whole and split to `(8*6)x(6*4)` keeps
/// `8x6x6x4` between the two.
struct SplitBeforeMerge : OpRewritePattern<tensor::ExpandShapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExpandShapeOp op,
                                PatternRewriter &rewriter) const override {
    auto merge = op.getSrc().getDefiningOp<tensor::CollapseShapeOp>();
    if (!merge || isHinted(merge) || isHinted(op) ||
        !merge.getSrcType().hasStaticShape())
      return failure();
    ArrayRef<int64_t> before = merge.getSrcType().getShape(),
                      behind = op.getResultType().getShape();
    SmallVector<int64_t> extents;
    SmallVector<ReassociationIndices> split, merged;
    bool merges = false, splits = false;
    for (auto [from, to] : llvm::zip_equal(merge.getReassociationIndices(),
                                           op.getReassociationIndices())) {
      merges |= from.size() > 1;
      splits |= to.size() > 1;
      std::optional<CommonExtents> common =
          commonExtents(before.slice(from.front(), from.size()),
                        behind.slice(to.front(), to.size()));
      if (!common)
        return failure();
      appendGroups(common->first, extents.size(), split);
      appendGroups(common->second, extents.size(), merged);
      extents.append(common->extents);
    }
    if (!merges || !splits)
      return failure();
    Value apart = tensor::ExpandShapeOp::create(
        rewriter, op.getLoc(), merge.getSrcType().clone(extents),
        merge.getSrc(), split);
    rewriter.replaceOpWithNewOp<tensor::CollapseShapeOp>(op, op.getResultType(),
                                                         apart, merged);
    return success();
  }

private:
  /// Appends groups of so many dimensions each, the first of which is `next`.
  static void appendGroups(ArrayRef<int64_t> sizes, int64_t next,
                           SmallVector<ReassociationIndices> &groups) {
    for (int64_t size : sizes) {
      ReassociationIndices &group = groups.emplace_back();
      for (int64_t i = 0; i < size; ++i)
        group.push_back(next++);
    }
  }
};
} // namespace

/// Whether `op` only drops dimensions of one element of a slice that has one of many.
static bool dropsUnitsOfSlice(tensor::CollapseShapeOp op) {
  auto slice = op.getSrc().getDefiningOp<tensor::ExtractSliceOp>();
  // A hint about the loops of the reshape says nothing about those of the slice.
  if (!slice || isHinted(slice) || hasHint(op) || mergedDims(op).any())
    return false;
  return llvm::any_of(llvm::enumerate(slice.getMixedSizes()), [&](auto size) {
    return isConstantIntValue(size.value(), 1) &&
           slice.getSourceType().getDimSize(size.index()) != 1;
  });
}

bool dropUnitsOfSlices(Operation *root) {
  SmallVector<tensor::CollapseShapeOp> ops;
  root->walk([&](tensor::CollapseShapeOp op) {
    if (dropsUnitsOfSlice(op))
      ops.push_back(op);
  });
  IRRewriter rewriter(root->getContext());
  for (tensor::CollapseShapeOp op : ops) {
    auto slice = op.getSrc().getDefiningOp<tensor::ExtractSliceOp>();
    rewriter.setInsertionPoint(op);
    auto dropped = tensor::ExtractSliceOp::create(
        rewriter, slice.getLoc(), op.getResultType(), slice.getSource(),
        slice.getMixedOffsets(), slice.getMixedSizes(),
        slice.getMixedStrides());
    dropped->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    rewriter.replaceOp(op, dropped);
    if (slice.use_empty())
      rewriter.eraseOp(slice);
  }
  return !ops.empty();
}

/// Whether `op` takes or makes parts of tensors at places of their own: windows of windows are
/// windows of one tensor.
static bool isView(Operation *op) {
  return isa_and_nonnull<tensor::ConcatOp, tensor::ExtractSliceOp,
                         tensor::InsertSliceOp, tensor::PadOp,
                         tensor::ParallelInsertSliceOp>(op);
}

/// The dimensions of the source of `op` of which it keeps one element at a known place, unless it
/// is a part of what other such ops make or read.
static llvm::SmallBitVector keptUnits(tensor::ExtractSliceOp op) {
  llvm::SmallBitVector units(op.getSourceType().getRank());
  if (isHinted(op) || isView(op.getSource().getDefiningOp()) ||
      llvm::any_of(op->getUsers(), isView))
    return units;
  llvm::SmallBitVector dropped = op.getDroppedDims();
  for (auto [dim, size] : llvm::enumerate(op.getStaticSizes()))
    if (size == 1 && !dropped[dim] && op.getSourceType().getDimSize(dim) > 1 &&
        ShapedType::isStatic(op.getStaticOffsets()[dim]))
      units.set(dim);
  return units;
}

bool takeUnitsOfSlicesApart(Operation *root) {
  SmallVector<tensor::ExtractSliceOp> ops;
  root->walk([&](tensor::ExtractSliceOp op) {
    if (keptUnits(op).any())
      ops.push_back(op);
  });
  IRRewriter rewriter(root->getContext());
  bool changed = false;
  for (tensor::ExtractSliceOp op : ops) {
    llvm::SmallBitVector dropped = op.getDroppedDims() | keptUnits(op);
    SmallVector<int64_t> shape;
    for (auto [dim, size] : llvm::enumerate(op.getStaticSizes()))
      if (!dropped[dim])
        shape.push_back(size);
    RankedTensorType type = op.getType().clone(shape);
    auto groups = getReassociationIndicesForReshape(op.getType(), type);
    if (!groups)
      continue;
    rewriter.setInsertionPoint(op);
    auto slice = tensor::ExtractSliceOp::create(
        rewriter, op.getLoc(), type, op.getSource(), op.getMixedOffsets(),
        op.getMixedSizes(), op.getMixedStrides());
    rewriter.replaceOpWithNewOp<tensor::ExpandShapeOp>(op, op.getType(), slice,
                                                       *groups);
    changed = true;
  }
  return changed;
}

bool eraseDeadReshapes(Operation *root) {
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) {
    if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op))
      ops.push_back(op);
  });
  bool changed = false;
  for (Operation *op : llvm::reverse(ops))
    if (op->use_empty()) {
      op->erase();
      changed = true;
    }
  return changed;
}

bool statesOtherExtents(Operation *op) {
  auto expand = dyn_cast<tensor::ExpandShapeOp>(op);
  return expand &&
         expand.getStaticOutputShape() != expand.getResultType().getShape();
}

void populateExpandLoopsPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  linalg::populateFoldReshapeOpsByExpansionPatterns(patterns, canExpand);
  patterns.add<ComputeBeforeMerge, DropConstantDims, SplitMerge, JoinMerges,
               SliceBeforeMerge, SplitBeforeMerge>(context);
  tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
  linalg::FillOp::getCanonicalizationPatterns(patterns, context);
  tensor::populateFoldTensorEmptyPatterns(patterns);
}

} // namespace shard
