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

/// The dimension in which parts are joined: one behind the other, or, with a stride, element by
/// element.
struct Joined {
  unsigned dim;
  int64_t stride;

  bool operator==(const Joined &other) const {
    return dim == other.dim && stride == other.stride;
  }
};

/// The only dimension in which `op` does not write all of the tensor that it inserts into;
/// nothing if `op` is no part of a concatenation.
std::optional<Joined> joinedBy(tensor::InsertSliceOp op) {
  RankedTensorType source = op.getSourceType(), dest = op.getDestType();
  if (!source.hasStaticShape() || !dest.hasStaticShape() ||
      source.getRank() != dest.getRank() || source.getEncoding() ||
      dest.getEncoding() || hasHint(op))
    return std::nullopt;
  std::optional<Joined> joined;
  for (int64_t dim = 0; dim < dest.getRank(); ++dim) {
    int64_t size = op.getStaticSizes()[dim],
            stride = op.getStaticStrides()[dim];
    if (ShapedType::isDynamic(op.getStaticOffsets()[dim]) ||
        ShapedType::isDynamic(size) || ShapedType::isDynamic(stride))
      return std::nullopt;
    if (size == 1)
      stride = 1;
    if (size == dest.getDimSize(dim) && stride == 1)
      continue;
    if (joined ||
        (stride != 1 && (stride < 1 || size * stride != dest.getDimSize(dim))))
      return std::nullopt;
    joined = Joined{unsigned(dim), stride};
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
         joinedBy(next) == joinedBy(op);
}

/// The insertions of the chain that ends with `last`, in the order of places, if they write all
/// of the result, each element once.
SmallVector<tensor::InsertSliceOp> partsOf(tensor::InsertSliceOp last,
                                           Joined joined) {
  SmallVector<std::pair<int64_t, tensor::InsertSliceOp>> parts;
  int64_t rest = last.getDestType().getDimSize(joined.dim);
  for (tensor::InsertSliceOp op = last; op && rest > 0;
       op = op.getDest().getDefiningOp<tensor::InsertSliceOp>()) {
    if ((op != last && !op->hasOneUse()) || !(joinedBy(op) == joined))
      break;
    parts.push_back({op.getStaticOffsets()[joined.dim], op});
    rest -= op.getStaticSizes()[joined.dim];
  }
  if (rest != 0)
    return {};
  llvm::sort(parts, llvm::less_first());
  SmallVector<tensor::InsertSliceOp> ops;
  int64_t next = 0;
  for (auto [offset, op] : parts) {
    if (offset != next)
      return {};
    next += joined.stride == 1 ? op.getStaticSizes()[joined.dim] : 1;
    ops.push_back(op);
  }
  return ops;
}

/// What `parts` write. With a stride the places inside a group of elements are a dimension of
/// their own, along which the parts are joined.
Value join(OpBuilder &builder, ArrayRef<tensor::InsertSliceOp> parts,
           Joined joined) {
  tensor::InsertSliceOp first = parts.front();
  Location loc = first.getLoc();
  RankedTensorType type = first.getDestType();
  SmallVector<Value> values;
  for (tensor::InsertSliceOp part : parts)
    values.push_back(part.getSource());
  if (joined.stride == 1)
    return tensor::ConcatOp::create(builder, loc, type, joined.dim, values);

  // The dimensions of `type` with that of the places behind the joined one.
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0, wide = 0; dim < type.getRank(); ++dim) {
    groups.push_back({wide++});
    if (dim == joined.dim)
      groups.back().push_back(wide++);
  }
  for (Value &value : values) {
    auto part = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape(part.getShape());
    shape.insert(shape.begin() + joined.dim + 1, 1);
    value = tensor::ExpandShapeOp::create(builder, loc, part.clone(shape),
                                          value, groups);
  }
  Value places = tensor::ConcatOp::create(builder, loc, joined.dim + 1, values);
  return tensor::CollapseShapeOp::create(builder, loc, type, places, groups);
}

} // namespace

bool joinInsertions(Operation *root) {
  SmallVector<tensor::InsertSliceOp> ends;
  root->walk([&](tensor::InsertSliceOp op) {
    if (joinedBy(op) && !isFollowed(op))
      ends.push_back(op);
  });
  IRRewriter rewriter(root->getContext());
  bool changed = false;
  for (tensor::InsertSliceOp last : ends) {
    Joined joined = *joinedBy(last);
    SmallVector<tensor::InsertSliceOp> parts = partsOf(last, joined);
    if (parts.size() < 2)
      continue;
    rewriter.setInsertionPoint(last);
    tensor::InsertSliceOp next =
        last.getDest().getDefiningOp<tensor::InsertSliceOp>();
    rewriter.replaceOp(last, join(rewriter, parts, joined));
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
