//===- Packing.cpp - Several tensors in one -------------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Partitioning/Packing.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

/// All dimensions of a tensor of `rank` as one; none for a tensor of one element
/// without dimensions.
static SmallVector<ReassociationIndices> allDims(int64_t rank) {
  if (rank == 0)
    return {};
  return {llvm::to_vector<2>(llvm::seq<int64_t>(0, rank))};
}

/// `tensor` as one of one dimension.
static Value flatten(OpBuilder &builder, Location loc, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (type.getRank() == 1)
    return tensor;
  auto flat =
      RankedTensorType::get({type.getNumElements()}, type.getElementType());
  if (type.getRank() == 0)
    return tensor::ExpandShapeOp::create(builder, loc, flat, tensor,
                                         allDims(0));
  return tensor::CollapseShapeOp::create(builder, loc, flat, tensor,
                                         allDims(type.getRank()));
}

static SmallVector<OpFoldResult> one(OpBuilder &builder, int64_t number) {
  return {builder.getIndexAttr(number)};
}

Value shard::packTensors(OpBuilder &builder, Location loc, ValueRange tensors) {
  int64_t total = 0;
  for (Value tensor : tensors)
    total += cast<RankedTensorType>(tensor.getType()).getNumElements();
  Type element = getElementTypeOrSelf(tensors.front().getType());
  Value packed =
      tensor::EmptyOp::create(builder, loc, ArrayRef<int64_t>{total}, element);
  int64_t offset = 0;
  for (Value tensor : tensors) {
    Value flat = flatten(builder, loc, tensor);
    int64_t size = cast<RankedTensorType>(flat.getType()).getDimSize(0);
    packed = tensor::InsertSliceOp::create(builder, loc, flat, packed,
                                           one(builder, offset),
                                           one(builder, size), one(builder, 1));
    offset += size;
  }
  return packed;
}

SmallVector<Value> shard::unpackTensors(OpBuilder &builder, Location loc,
                                        Value packed, TypeRange types) {
  SmallVector<Value> results;
  int64_t offset = 0;
  for (Type resultType : types) {
    auto type = cast<RankedTensorType>(resultType);
    int64_t size = type.getNumElements();
    Value flat = tensor::ExtractSliceOp::create(
        builder, loc, packed, one(builder, offset), one(builder, size),
        one(builder, 1));
    offset += size;
    if (type.getRank() == 0)
      flat = tensor::CollapseShapeOp::create(builder, loc, type, flat,
                                             ArrayRef<ReassociationIndices>());
    else if (type.getRank() > 1)
      flat = tensor::ExpandShapeOp::create(builder, loc, type, flat,
                                           allDims(type.getRank()));
    results.push_back(flat);
  }
  return results;
}
