//===- SliceModels.cpp - Ops of tensor that cut and join ------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dimension that is taken whole gets a loop; one that is sliced, padded or
// joined gets none and stays unsplit.
//
//===----------------------------------------------------------------------===//

#include "TensorModels.h"

#include "shard/Interfaces/DescribedModel.h"
#include "shard/Partitioning/LocalOps.h"

#include "shard/IR/ShardOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace shard {

namespace {

/// The value whose sharding shard.shard and shard.constraint change into `value`.
Value beforeShardings(Value value) {
  // In code that is not reached they may take each other's results.
  llvm::SmallPtrSet<Operation *, 4> seen;
  while (Operation *def = value.getDefiningOp()) {
    if (!isa<ShardOp, ConstraintOp>(def) || !seen.insert(def).second)
      break;
    value = def->getOperand(0);
  }
  return value;
}

/// Whether `size` is the whole of dimension `dim` of `tensor`: its static extent,
/// or a tensor.dim of it, whatever its sharding is.
bool isExtentOf(OpFoldResult size, Value tensor, int64_t dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return isConstantIntValue(size, type.getDimSize(dim));
  auto value = dyn_cast<Value>(size);
  auto extent = value ? value.getDefiningOp<tensor::DimOp>() : nullptr;
  return extent &&
         beforeShardings(extent.getSource()) == beforeShardings(tensor) &&
         extent.getConstantIndex() == dim;
}

/// Slices and insertions: `small` is the slice, `large` what it is cut from.
template <typename OpTy>
void describeSlice(OpTy op, Value large, MapBuilder &maps,
                   SmallVector<AffineExpr> &small, RankedTensorType smallType,
                   ArrayRef<SmallVector<AffineExpr> *> larges) {
  auto type = cast<RankedTensorType>(large.getType());
  llvm::SmallBitVector dropped = op.getDroppedDims();
  unsigned inner = 0;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (dropped.test(dim))
      continue;
    if (isConstantIntValue(op.getMixedOffsets()[dim], 0) &&
        isConstantIntValue(op.getMixedStrides()[dim], 1) &&
        isExtentOf(op.getMixedSizes()[dim], large, dim) &&
        smallType.getDimSize(inner) == type.getDimSize(dim)) {
      AffineExpr loop = maps.loop(type.getDimSize(dim));
      small[inner] = loop;
      for (SmallVector<AffineExpr> *exprs : larges)
        (*exprs)[dim] = loop;
    }
    ++inner;
  }
}

/// What the local form of a slice or insertion is made of.
struct LocalSlice {
  SmallVector<OpFoldResult> offsets, sizes, strides;
};

/// The offsets, sizes and strides of `op` with the sizes of split dimensions
/// made those of `large`, the local block. The others stay: they belong to
/// dimensions that are not split.
template <typename OpTy>
LocalSlice localSlice(OpTy op, OpBuilder &builder, ArrayRef<Value> operands,
                      unsigned firstIndexOperand, Value large,
                      const Sharding &sharding) {
  LocalSlice slice{op.getMixedOffsets(), op.getMixedSizes(),
                   op.getMixedStrides()};
  for (SmallVector<OpFoldResult> *list :
       {&slice.offsets, &slice.sizes, &slice.strides})
    for (OpFoldResult &entry : *list)
      if (auto value = dyn_cast_if_present<Value>(entry))
        for (unsigned i = firstIndexOperand; i < operands.size(); ++i)
          if (op->getOperand(i) == value)
            entry = operands[i];
  for (auto [dim, axes] : llvm::enumerate(sharding.dims))
    if (!axes.empty())
      slice.sizes[dim] = tensor::getMixedSize(builder, op.getLoc(), large, dim);
  return slice;
}

struct ExtractSliceModel
    : public DescribedModel<ExtractSliceModel, tensor::ExtractSliceOp> {
  void describe(tensor::ExtractSliceOp op, MapBuilder &maps) const {
    describeSlice(op, op.getSource(), maps, maps.result(0), op.getType(),
                  {&maps.operand(0)});
  }
  PartialRule getPartialRule(Operation *op) const {
    return PartialRule::Movement;
  }
  LogicalResult partition(Operation *op, OpBuilder &builder,
                          ArrayRef<Value> operands, PartitionContext &context,
                          SmallVectorImpl<Value> &results) const {
    auto slice = cast<tensor::ExtractSliceOp>(op);
    LocalSlice parts = localSlice(slice, builder, operands, 1, operands[0],
                                  context.operand(0));
    auto local =
        cast<RankedTensorType>(context.localResultType(slice.getType(), 0));
    results.push_back(tensor::ExtractSliceOp::create(
        builder, op->getLoc(), local, operands[0], parts.offsets, parts.sizes,
        parts.strides));
    return success();
  }
};

struct InsertSliceModel
    : public DescribedModel<InsertSliceModel, tensor::InsertSliceOp> {
  void describe(tensor::InsertSliceOp op, MapBuilder &maps) const {
    describeSlice(op, op.getDest(), maps, maps.operand(0), op.getSourceType(),
                  {&maps.operand(1), &maps.result(0)});
  }
  PartialRule getPartialRule(Operation *op) const {
    return PartialRule::Movement;
  }
  LogicalResult partition(Operation *op, OpBuilder &builder,
                          ArrayRef<Value> operands, PartitionContext &context,
                          SmallVectorImpl<Value> &results) const {
    auto slice = cast<tensor::InsertSliceOp>(op);
    LocalSlice parts = localSlice(slice, builder, operands, 2, operands[1],
                                  context.operand(1));
    results.push_back(tensor::InsertSliceOp::create(
        builder, op->getLoc(), operands[0], operands[1], parts.offsets,
        parts.sizes, parts.strides));
    return success();
  }
};

struct PadModel : public DescribedModel<PadModel, tensor::PadOp> {
  void describe(tensor::PadOp op, MapBuilder &maps) const {
    // A body that asks where it is would get local indices.
    if (!op.getConstantPaddingValue())
      return;
    for (auto [dim, low, high] :
         llvm::enumerate(op.getMixedLowPad(), op.getMixedHighPad()))
      if (isConstantIntValue(low, 0) && isConstantIntValue(high, 0))
        maps.operand(0)[dim] = maps.result(0)[dim] =
            maps.loop(op.getSourceType().getDimSize(dim));
  }
  PartialRule getPartialRule(Operation *op) const {
    Value padding = cast<tensor::PadOp>(op).getConstantPaddingValue();
    bool isZero = padding && (matchPattern(padding, m_AnyZeroFloat()) ||
                              matchPattern(padding, m_Zero()));
    return isZero ? PartialRule::Additive : PartialRule::None;
  }
};

struct ConcatModel : public DescribedModel<ConcatModel, tensor::ConcatOp> {
  void describe(tensor::ConcatOp op, MapBuilder &maps) const {
    for (int64_t dim = 0; dim < op.getType().getRank(); ++dim) {
      if (dim == int64_t(op.getDim()))
        continue;
      AffineExpr loop = maps.loop(op.getType().getDimSize(dim));
      maps.result(0)[dim] = loop;
      for (unsigned index = 0; index < op->getNumOperands(); ++index)
        maps.operand(index)[dim] = loop;
    }
  }
  PartialRule getPartialRule(Operation *op) const {
    return PartialRule::Movement;
  }
};

} // namespace

void attachSliceModels(MLIRContext *context) {
  tensor::ConcatOp::attachInterface<ConcatModel>(*context);
  tensor::ExtractSliceOp::attachInterface<ExtractSliceModel>(*context);
  tensor::InsertSliceOp::attachInterface<InsertSliceModel>(*context);
  tensor::PadOp::attachInterface<PadModel>(*context);
}

} // namespace shard
