//===- Joins.cpp - Slices of joined tensors, joins of them ----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Frontends reflect a tensor at one border after the other: the first join is sliced for the
// second, and joined again. The blocks of the join between are not those of the tensor, so that
// more is sent than for slices and joins of the tensor itself.
//
//===----------------------------------------------------------------------===//

#include "shard/Models/Insertions.h"

#include "shard/IR/ShardingUtils.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace shard {

namespace {

/// Whether operands and result of `op` have static types without encodings.
bool isPlain(tensor::ConcatOp op) {
  return !hasHint(op) && llvm::all_of(op->getOperandTypes(), [](Type type) {
    auto tensor = cast<RankedTensorType>(type);
    return tensor.hasStaticShape() && !tensor.getEncoding();
  });
}

/// A part of a join, and the place where a slice of the join begins in it.
struct PartPlace {
  Value part;
  int64_t offset;
};

/// The part of `concat` that `slice` lies in, if it is known and only one.
std::optional<PartPlace> partOf(tensor::ExtractSliceOp slice,
                                tensor::ConcatOp concat) {
  unsigned dim = concat.getDim();
  int64_t offset = slice.getStaticOffsets()[dim],
          size = slice.getStaticSizes()[dim],
          stride = slice.getStaticStrides()[dim];
  if (ShapedType::isDynamic(offset) || ShapedType::isDynamic(size) ||
      ShapedType::isDynamic(stride) || size == 0 || hasHint(slice))
    return std::nullopt;
  int64_t last = offset + (size - 1) * stride;
  int64_t begin = 0;
  for (Value part : concat.getInputs()) {
    int64_t end =
        begin + cast<RankedTensorType>(part.getType()).getDimSize(dim);
    if (std::min(offset, last) >= begin && std::max(offset, last) < end)
      return PartPlace{part, offset - begin};
    begin = end;
  }
  return std::nullopt;
}

/// Makes slices of their parts of all slices of `concat`, if each lies in one: a join of which
/// others are read as well, as one that is rolled, is there anyway.
bool sliceParts(tensor::ConcatOp concat, IRRewriter &rewriter) {
  SmallVector<std::pair<tensor::ExtractSliceOp, PartPlace>> slices;
  for (Operation *user : concat->getUsers()) {
    auto slice = dyn_cast<tensor::ExtractSliceOp>(user);
    if (!slice)
      continue;
    std::optional<PartPlace> place = partOf(slice, concat);
    if (!place)
      return false;
    slices.push_back({slice, *place});
  }
  for (auto [slice, place] : slices) {
    SmallVector<OpFoldResult> offsets = slice.getMixedOffsets();
    offsets[concat.getDim()] = rewriter.getIndexAttr(place.offset);
    rewriter.setInsertionPoint(slice);
    rewriter.replaceOpWithNewOp<tensor::ExtractSliceOp>(
        slice, slice.getType(), place.part, offsets, slice.getMixedSizes(),
        slice.getMixedStrides());
  }
  return !slices.empty();
}

/// The join of `op` and of the joins that are its parts and that nothing else reads, or null.
tensor::ConcatOp joinOfParts(tensor::ConcatOp op, IRRewriter &rewriter) {
  if (!isPlain(op))
    return nullptr;
  SmallVector<Value> parts;
  SmallVector<Operation *> joined;
  for (Value part : op.getInputs()) {
    auto inner = part.getDefiningOp<tensor::ConcatOp>();
    if (inner && inner.getDim() == op.getDim() && inner->hasOneUse() &&
        isPlain(inner)) {
      llvm::append_range(parts, inner.getInputs());
      joined.push_back(inner);
    } else {
      parts.push_back(part);
    }
  }
  if (joined.empty())
    return nullptr;
  rewriter.setInsertionPoint(op);
  auto made = rewriter.replaceOpWithNewOp<tensor::ConcatOp>(op, op.getType(),
                                                            op.getDim(), parts);
  for (Operation *inner : joined)
    rewriter.eraseOp(inner);
  return made;
}

} // namespace

bool simplifyJoins(Operation *root) {
  IRRewriter rewriter(root->getContext());
  bool changed = false;
  SmallVector<tensor::ConcatOp> joins;
  root->walk([&](tensor::ConcatOp op) {
    if (isPlain(op))
      joins.push_back(op);
  });
  // From the last to the first: a slice of a part may be one of a join, too.
  for (tensor::ConcatOp op : llvm::reverse(joins))
    changed |= sliceParts(op, rewriter);
  root->walk([&](tensor::ConcatOp op) {
    while (tensor::ConcatOp join = joinOfParts(op, rewriter)) {
      op = join;
      changed = true;
    }
  });
  return changed;
}

} // namespace shard
