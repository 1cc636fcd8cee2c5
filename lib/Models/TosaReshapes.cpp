//===- TosaReshapes.cpp - Reshapes beside an unknown extent ---------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Models/TosaReshapes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace shard {

namespace {
/// The dimensions of two shapes in groups that have as many elements on both sides.
struct SharedGroups {
  SmallVector<ReassociationIndices> from, to;
  SmallVector<int64_t> extents;
};
} // namespace

/// Adds the dimensions of `shape` from `next` on, until one is neither 1 nor belongs to the
/// group. Returns its extent, or 0 at the end.
static int64_t passOnes(ArrayRef<int64_t> shape, size_t &next,
                        ReassociationIndices &group) {
  while (next < shape.size() && shape[next] == 1)
    group.push_back(next++);
  return next < shape.size() ? shape[next] : 0;
}

/// The smallest groups; an unknown extent is a group, with extents of 1 beside it. Nothing if
/// the unknown extents of both sides are not known to be the same.
static std::optional<SharedGroups> groupsOf(ArrayRef<int64_t> from,
                                            ArrayRef<int64_t> to) {
  SharedGroups groups;
  size_t i = 0, j = 0;
  while (true) {
    ReassociationIndices left, right;
    int64_t leftSize = passOnes(from, i, left),
            rightSize = passOnes(to, j, right);
    if (leftSize == 0 || rightSize == 0) {
      if (leftSize != rightSize || groups.extents.empty())
        return std::nullopt;
      groups.from.back().append(left);
      groups.to.back().append(right);
      return groups;
    }
    left.push_back(i++);
    right.push_back(j++);
    while (leftSize != rightSize) {
      bool growsLeft = leftSize < rightSize;
      ArrayRef<int64_t> shape = growsLeft ? from : to;
      size_t &next = growsLeft ? i : j;
      int64_t &size = growsLeft ? leftSize : rightSize;
      if (size < 0 || next == shape.size() || shape[next] <= 0 ||
          __builtin_mul_overflow(size, shape[next], &size))
        return std::nullopt;
      (growsLeft ? left : right).push_back(next++);
    }
    groups.from.push_back(std::move(left));
    groups.to.push_back(std::move(right));
    groups.extents.push_back(leftSize);
  }
}

/// `source` as `type`: a collapse_shape to one dimension for each group, and an expand_shape.
static Value reshapeGroups(OpBuilder &builder, Location loc, Value source,
                           RankedTensorType type, const SharedGroups &groups) {
  auto from = cast<RankedTensorType>(source.getType());
  auto shared = RankedTensorType::get(groups.extents, type.getElementType());
  Value value = source;
  if (shared.getRank() != from.getRank())
    value = tensor::CollapseShapeOp::create(builder, loc, shared, value,
                                            groups.from);
  if (shared.getRank() == type.getRank())
    return value;
  SmallVector<OpFoldResult> extents;
  for (int64_t extent : type.getShape()) {
    if (ShapedType::isStatic(extent)) {
      extents.push_back(builder.getIndexAttr(extent));
      continue;
    }
    auto dim = llvm::find(from.getShape(), extent) - from.getShape().begin();
    extents.push_back(tensor::getMixedSize(builder, loc, source, dim));
  }
  return tensor::ExpandShapeOp::create(builder, loc, type, value, groups.to,
                                       extents);
}

static bool hasOneUnknown(RankedTensorType type) {
  return type && !type.getEncoding() && type.getNumDynamicDims() == 1 &&
         !llvm::is_contained(type.getShape(), 0);
}

void lowerDynamicTosaReshapes(Operation *root) {
  SmallVector<tosa::ReshapeOp> reshapes;
  root->walk([&](tosa::ReshapeOp op) { reshapes.push_back(op); });
  IRRewriter rewriter(root->getContext());
  for (tosa::ReshapeOp op : reshapes) {
    auto from = dyn_cast<RankedTensorType>(op.getInput1().getType());
    auto to = dyn_cast<RankedTensorType>(op.getType());
    if (!hasOneUnknown(from) || !hasOneUnknown(to))
      continue;
    std::optional<SharedGroups> groups =
        groupsOf(from.getShape(), to.getShape());
    if (!groups)
      continue;
    rewriter.setInsertionPoint(op);
    rewriter.replaceOp(
        op, reshapeGroups(rewriter, op.getLoc(), op.getInput1(), to, *groups));
  }
}

} // namespace shard
