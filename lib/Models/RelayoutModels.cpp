//===- RelayoutModels.cpp - linalg ops outside of its interface -----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// linalg.pack and linalg.unpack split a dimension into tiles: the number of the
// tile and the place inside are digits of its index, where the tiles fill the
// dimension exactly. A dimension with an incomplete tile gets no loop; shard-complete-tiles
// makes it one without. Tiles
// themselves are not split: their size is part of the op.
//
//===----------------------------------------------------------------------===//

#include "RelayoutModels.h"

#include "shard/Interfaces/DescribedModel.h"
#include "shard/Partitioning/LocalOps.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace shard {

namespace {

/// Relates a plain tensor to its tiled form. `tiled` and `plain` are lists: the
/// operand and, where it is the destination, the result with it.
template <typename OpTy>
void describeTiles(OpTy op, RankedTensorType plainType,
                   RankedTensorType tiledType, MapBuilder &maps,
                   ArrayRef<SmallVector<AffineExpr> *> plain,
                   ArrayRef<SmallVector<AffineExpr> *> tiled) {
  int64_t rank = plainType.getRank();
  ArrayRef<int64_t> permutation = op.getOuterDimsPerm();
  for (int64_t outer = 0; outer < rank; ++outer) {
    int64_t dim = permutation.empty() ? outer : permutation[outer];
    int64_t extent = plainType.getDimSize(dim);
    int64_t count = tiledType.getDimSize(outer);
    const auto *tile = llvm::find(op.getInnerDimsPos(), dim);
    if (tile == op.getInnerDimsPos().end()) {
      if (extent != count)
        continue;
      AffineExpr loop = maps.loop(extent);
      for (SmallVector<AffineExpr> *exprs : plain)
        (*exprs)[dim] = loop;
      for (SmallVector<AffineExpr> *exprs : tiled)
        (*exprs)[outer] = loop;
      continue;
    }
    int64_t inner = rank + (tile - op.getInnerDimsPos().begin());
    int64_t size = tiledType.getDimSize(inner);
    if (ShapedType::isDynamic(extent) || ShapedType::isDynamic(count) ||
        ShapedType::isDynamic(size) || count * size != extent)
      continue;
    AffineExpr number = maps.loop(count);
    AffineExpr place = maps.loop(Loop::invalid(size));
    for (SmallVector<AffineExpr> *exprs : plain)
      (*exprs)[dim] = number * size + place;
    for (SmallVector<AffineExpr> *exprs : tiled) {
      (*exprs)[outer] = number;
      (*exprs)[inner] = place;
    }
  }
}

struct PackModel : public DescribedModel<PackModel, linalg::PackOp> {
  void describe(linalg::PackOp op, MapBuilder &maps) const {
    auto source = dyn_cast<RankedTensorType>(op.getSource().getType());
    auto dest = dyn_cast<RankedTensorType>(op.getDest().getType());
    if (source && dest)
      describeTiles(op, source, dest, maps, {&maps.operand(0)},
                    {&maps.operand(1), &maps.result(0)});
  }
  PartialRule getPartialRule(Operation *op) const {
    return cast<linalg::PackOp>(op).getPaddingValue() ? PartialRule::None
                                                      : PartialRule::Movement;
  }
  int32_t getFirstInit(Operation *) const { return 1; }
  LogicalResult partition(Operation *op, OpBuilder &builder,
                          ArrayRef<Value> operands, PartitionContext &context,
                          SmallVectorImpl<Value> &results) const {
    return partitionWithPadding(op, builder, operands, context, results);
  }
};

struct UnPackModel : public DescribedModel<UnPackModel, linalg::UnPackOp> {
  void describe(linalg::UnPackOp op, MapBuilder &maps) const {
    auto source = dyn_cast<RankedTensorType>(op.getSource().getType());
    auto dest = dyn_cast<RankedTensorType>(op.getDest().getType());
    if (source && dest)
      describeTiles(op, dest, source, maps, {&maps.operand(1), &maps.result(0)},
                    {&maps.operand(0)});
  }
  PartialRule getPartialRule(Operation *) const {
    return PartialRule::Movement;
  }
  int32_t getFirstInit(Operation *) const { return 1; }
  LogicalResult partition(Operation *op, OpBuilder &builder,
                          ArrayRef<Value> operands, PartitionContext &context,
                          SmallVectorImpl<Value> &results) const {
    return partitionWithPadding(op, builder, operands, context, results);
  }
};

} // namespace

void attachRelayoutModels(MLIRContext *context) {
  linalg::PackOp::attachInterface<PackModel>(*context);
  linalg::UnPackOp::attachInterface<UnPackModel>(*context);
  attachSoftmaxModel(context);
}

} // namespace shard
