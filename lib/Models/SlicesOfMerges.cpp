//===- SlicesOfMerges.cpp - Slices in front of merges ---------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SlicesOfMerges.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace shard {

static bool takesWhole(tensor::ExtractSliceOp op, unsigned dim) {
  return isZeroInteger(op.getMixedOffsets()[dim]) &&
         isConstantIntValue(op.getMixedStrides()[dim], 1) &&
         isConstantIntValue(op.getMixedSizes()[dim],
                            op.getSourceType().getDimSize(dim));
}

bool sliceBeforeMerge(tensor::ExtractSliceOp op, tensor::CollapseShapeOp merge,
                      PatternRewriter &rewriter) {
  RankedTensorType source = merge.getSrcType();
  if (!source.hasStaticShape() || !op.getResultType().hasStaticShape())
    return false;
  OpFoldResult zero = rewriter.getIndexAttr(0), one = rewriter.getIndexAttr(1);
  SmallVector<OpFoldResult> offsets, sizes, strides;
  SmallVector<int64_t> shape;
  SmallVector<ReassociationIndices> groups;
  llvm::SmallBitVector dropped = op.getDroppedDims();
  for (auto [dim, group] : llvm::enumerate(merge.getReassociationIndices())) {
    bool isMerged = group.size() > 1;
    if (isMerged && (dropped.test(dim) || !takesWhole(op, dim)))
      return false;
    ReassociationIndices kept;
    for (int64_t inner : group) {
      int64_t extent =
          isMerged ? source.getDimSize(inner) : op.getStaticSizes()[dim];
      offsets.push_back(isMerged ? zero : op.getMixedOffsets()[dim]);
      sizes.push_back(rewriter.getIndexAttr(extent));
      strides.push_back(isMerged ? one : op.getMixedStrides()[dim]);
      if (dropped.test(dim))
        continue;
      kept.push_back(int64_t(shape.size()));
      shape.push_back(extent);
    }
    if (!kept.empty())
      groups.push_back(kept);
  }
  Value slice = tensor::ExtractSliceOp::create(
      rewriter, op.getLoc(), op.getResultType().clone(shape), merge.getSrc(),
      offsets, sizes, strides);
  rewriter.replaceOpWithNewOp<tensor::CollapseShapeOp>(op, op.getResultType(),
                                                       slice, groups);
  return true;
}

} // namespace shard
