//===- ReducingViews.cpp - Views that drop dimensions ---------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Codegen/Workarounds.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

/// The dimensions of `op`'s source that its result has, in order; those that it
/// drops have one element. Of several in a row it does not matter which.
static SmallVector<int64_t> keptDims(memref::SubViewOp op) {
  ArrayRef<int64_t> shape = op.getType().getShape();
  SmallVector<int64_t> kept;
  for (auto [dim, size] : llvm::enumerate(op.getStaticSizes()))
    if (kept.size() < shape.size() && (size != 1 || shape[kept.size()] == 1))
      kept.push_back(dim);
  return kept;
}

void shard::expandReducingViews(Operation *root, bool onlyStrided) {
  SmallVector<memref::SubViewOp> views;
  root->walk([&](memref::SubViewOp op) {
    bool isStrided = llvm::any_of(op.getStaticStrides(),
                                  [](int64_t stride) { return stride != 1; });
    if (op.getSourceType().getRank() != op.getType().getRank() &&
        (isStrided || !onlyStrided))
      views.push_back(op);
  });
  for (memref::SubViewOp op : views) {
    OpBuilder builder(op);
    auto whole = memref::SubViewOp::create(
        builder, op.getLoc(), op.getSource(), op.getMixedOffsets(),
        op.getMixedSizes(), op.getMixedStrides());
    auto numbers = memref::ExtractStridedMetadataOp::create(
        builder, op.getLoc(), whole.getResult());
    auto [staticStrides, staticOffset] = op.getType().getStridesAndOffset();
    auto known = [&](int64_t number, OpFoldResult otherwise) {
      return ShapedType::isDynamic(number)
                 ? otherwise
                 : OpFoldResult(builder.getIndexAttr(number));
    };
    SmallVector<OpFoldResult> sizes, strides;
    for (auto [dim, from] : llvm::enumerate(keptDims(op))) {
      sizes.push_back(op.getMixedSizes()[from]);
      // Any stride is right where there is one element; the type says which.
      strides.push_back(known(staticStrides[dim], numbers.getStrides()[from]));
    }
    auto cast = memref::ReinterpretCastOp::create(
        builder, op.getLoc(), op.getType(), whole.getResult(),
        known(staticOffset, numbers.getOffset()), sizes, strides);
    op.replaceAllUsesWith(cast.getResult());
    op.erase();
  }
}
