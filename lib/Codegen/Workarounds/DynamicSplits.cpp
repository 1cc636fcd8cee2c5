//===- DynamicSplits.cpp - Dimensions split into several unknown ones -----===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Codegen/Workarounds.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

static bool splitsIntoUnknowns(memref::ExpandShapeOp op) {
  ArrayRef<int64_t> shape = op.getType().getShape();
  return llvm::any_of(op.getReassociationIndices(),
                      [&](ArrayRef<int64_t> group) {
                        return llvm::count_if(group, [&](int64_t dim) {
                                 return ShapedType::isDynamic(shape[dim]);
                               }) > 1;
                      });
}

void shard::expandDynamicSplits(Operation *root) {
  SmallVector<memref::ExpandShapeOp> splits;
  root->walk([&](memref::ExpandShapeOp op) {
    if (splitsIntoUnknowns(op))
      splits.push_back(op);
  });
  for (memref::ExpandShapeOp op : splits) {
    OpBuilder builder(op);
    Location loc = op.getLoc();
    auto source =
        memref::ExtractStridedMetadataOp::create(builder, loc, op.getSrc());
    auto [staticStrides, staticOffset] = op.getType().getStridesAndOffset();
    SmallVector<OpFoldResult> sizes = op.getMixedOutputShape();
    SmallVector<OpFoldResult> strides(sizes.size());
    for (auto [from, group] : llvm::enumerate(op.getReassociationIndices())) {
      Value stride = source.getStrides()[from];
      // The last dimension has the source's stride, one in front of it the product of
      // that and of the extents behind.
      for (int64_t dim : llvm::reverse(group)) {
        strides[dim] = ShapedType::isDynamic(staticStrides[dim])
                           ? OpFoldResult(stride)
                           : builder.getIndexAttr(staticStrides[dim]);
        Value extent =
            getValueOrCreateConstantIndexOp(builder, loc, sizes[dim]);
        stride = arith::MulIOp::create(builder, loc, stride, extent);
      }
    }
    OpFoldResult offset = ShapedType::isDynamic(staticOffset)
                              ? OpFoldResult(source.getOffset())
                              : builder.getIndexAttr(staticOffset);
    auto cast = memref::ReinterpretCastOp::create(
        builder, loc, op.getType(), op.getSrc(), offset, sizes, strides);
    op.replaceAllUsesWith(cast.getResult());
    op.erase();
  }
}
