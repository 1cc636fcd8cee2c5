//===- Tiles.cpp - Tiles that a dimension does not fill -------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Models/Tiles.h"

#include "shard/IR/ShardingUtils.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Utils/Utils.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace shard {

namespace {

/// `plain`, the type of the tensor that is not tiled, with the extents that complete tiles
/// have; nothing where they are complete, or something is not known.
template <typename OpTy>
std::optional<RankedTensorType> completed(OpTy op, Value plain, Value tiled) {
  auto plainType = dyn_cast<RankedTensorType>(plain.getType());
  auto tiledType = dyn_cast<RankedTensorType>(tiled.getType());
  if (!plainType || !tiledType || !plainType.hasStaticShape() ||
      !tiledType.hasStaticShape() || plainType.getEncoding() ||
      tiledType.getEncoding() || hasHint(op))
    return std::nullopt;
  int64_t rank = plainType.getRank();
  ArrayRef<int64_t> permutation = op.getOuterDimsPerm();
  SmallVector<int64_t> shape(plainType.getShape());
  for (int64_t outer = 0; outer < rank; ++outer) {
    int64_t dim = permutation.empty() ? outer : permutation[outer];
    const auto *tile = llvm::find(op.getInnerDimsPos(), dim);
    if (tile == op.getInnerDimsPos().end())
      continue;
    int64_t inner = rank + (tile - op.getInnerDimsPos().begin());
    shape[dim] = tiledType.getDimSize(outer) * tiledType.getDimSize(inner);
  }
  // An op may have less tiles than its dimension asks for; MLIR's verifier does not look.
  bool grows = false;
  for (auto [extent, whole] : llvm::zip_equal(plainType.getShape(), shape)) {
    if (whole < extent)
      return std::nullopt;
    grows |= whole > extent;
  }
  if (!grows)
    return std::nullopt;
  return plainType.clone(shape);
}

void complete(IRRewriter &rewriter, linalg::PackOp op, RankedTensorType type) {
  rewriter.setInsertionPoint(op);
  Value padded =
      tensor::createPadHighOp(type, op.getSource(), op.getPaddingValue(),
                              /*nofold=*/false, op.getLoc(), rewriter);
  rewriter.replaceOpWithNewOp<linalg::PackOp>(
      op, padded, op.getDest(), op.getInnerDimsPos(), op.getMixedTiles(),
      /*paddingValue=*/std::nullopt, op.getOuterDimsPerm());
}

void complete(IRRewriter &rewriter, linalg::UnPackOp op,
              RankedTensorType type) {
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                        type.getElementType());
  Value whole = linalg::UnPackOp::create(
                    rewriter, loc, op.getSource(), empty, op.getInnerDimsPos(),
                    op.getMixedTiles(), op.getOuterDimsPerm())
                    ->getResult(0);
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<OpFoldResult> zeros(result.getRank(), rewriter.getIndexAttr(0)),
      ones(result.getRank(), rewriter.getIndexAttr(1));
  rewriter.replaceOpWithNewOp<tensor::ExtractSliceOp>(
      op, result, whole, zeros,
      getAsIndexOpFoldResult(op.getContext(), result.getShape()), ones);
}

} // namespace

bool completeTiles(Operation *root) {
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) {
    if (isa<linalg::PackOp, linalg::UnPackOp>(op))
      ops.push_back(op);
  });
  IRRewriter rewriter(root->getContext());
  bool changed = false;
  for (Operation *op : ops) {
    if (auto pack = dyn_cast<linalg::PackOp>(op)) {
      std::optional<RankedTensorType> type =
          completed(pack, pack.getSource(), pack.getDest());
      if (!type || !pack.getPaddingValue())
        continue;
      complete(rewriter, pack, *type);
    } else {
      auto unpack = cast<linalg::UnPackOp>(op);
      std::optional<RankedTensorType> type =
          completed(unpack, unpack.getDest(), unpack.getSource());
      if (!type)
        continue;
      complete(rewriter, unpack, *type);
    }
    changed = true;
  }
  return changed;
}

} // namespace shard
