//===- JoinInsertions.cpp - Insertions side by side become a concat -------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Models/Insertions.h"

#include "shard/IR/ShardingUtils.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace shard {

namespace {

/// The only dimension in which `op` does not write all of the tensor that it inserts into;
/// nothing if `op` is no part of a concatenation.
std::optional<unsigned> joinedDim(tensor::InsertSliceOp op) {
  RankedTensorType source = op.getSourceType(), dest = op.getDestType();
  if (!source.hasStaticShape() || !dest.hasStaticShape() ||
      source.getRank() != dest.getRank() || !op.hasUnitStride() ||
      source.getEncoding() || dest.getEncoding() || hasHint(op))
    return std::nullopt;
  std::optional<unsigned> joined;
  for (int64_t dim = 0; dim < dest.getRank(); ++dim) {
    if (ShapedType::isDynamic(op.getStaticOffsets()[dim]))
      return std::nullopt;
    if (source.getDimSize(dim) == dest.getDimSize(dim))
      continue;
    if (joined)
      return std::nullopt;
    joined = dim;
  }
  return joined;
}

/// Whether another insertion of the same chain follows `op`.
bool isFollowed(tensor::InsertSliceOp op) {
  if (!op->hasOneUse())
    return false;
  OpOperand &use = *op->use_begin();
  auto next = dyn_cast<tensor::InsertSliceOp>(use.getOwner());
  return next && &use == &next.getDestMutable() &&
         joinedDim(next) == joinedDim(op);
}

/// What the chain that ends with `last` inserts, in the order of places, if that is all of
/// the result, each element once.
SmallVector<Value> partsOf(tensor::InsertSliceOp last, unsigned joined) {
  SmallVector<std::pair<int64_t, Value>> parts;
  int64_t rest = last.getDestType().getDimSize(joined);
  for (tensor::InsertSliceOp op = last; op && rest > 0;
       op = op.getDest().getDefiningOp<tensor::InsertSliceOp>()) {
    if ((op != last && !op->hasOneUse()) || joinedDim(op) != joined)
      break;
    parts.push_back({op.getStaticOffsets()[joined], op.getSource()});
    rest -= op.getSourceType().getDimSize(joined);
  }
  if (rest != 0)
    return {};
  llvm::sort(parts, llvm::less_first());
  SmallVector<Value> values;
  int64_t next = 0;
  for (auto [offset, value] : parts) {
    if (offset != next)
      return {};
    next += cast<RankedTensorType>(value.getType()).getDimSize(joined);
    values.push_back(value);
  }
  return values;
}

} // namespace

bool joinInsertions(Operation *root) {
  SmallVector<tensor::InsertSliceOp> ends;
  root->walk([&](tensor::InsertSliceOp op) {
    if (joinedDim(op) && !isFollowed(op))
      ends.push_back(op);
  });
  IRRewriter rewriter(root->getContext());
  bool changed = false;
  for (tensor::InsertSliceOp last : ends) {
    unsigned joined = *joinedDim(last);
    SmallVector<Value> parts = partsOf(last, joined);
    if (parts.size() < 2)
      continue;
    rewriter.setInsertionPoint(last);
    tensor::InsertSliceOp next =
        last.getDest().getDefiningOp<tensor::InsertSliceOp>();
    rewriter.replaceOpWithNewOp<tensor::ConcatOp>(last, last.getType(), joined,
                                                  parts);
    // The others have no use now.
    while (next && next->use_empty()) {
      tensor::InsertSliceOp op = next;
      next = op.getDest().getDefiningOp<tensor::InsertSliceOp>();
      rewriter.eraseOp(op);
    }
    changed = true;
  }
  return changed;
}

} // namespace shard
