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

/// `tensor`, of one dimension, as one of `type`.
static Value unflatten(OpBuilder &builder, Location loc, Value flat,
                       RankedTensorType type) {
  if (type.getRank() == 1)
    return flat;
  if (type.getRank() == 0)
    return tensor::CollapseShapeOp::create(builder, loc, type, flat,
                                           ArrayRef<ReassociationIndices>());
  return tensor::ExpandShapeOp::create(builder, loc, type, flat,
                                       allDims(type.getRank()));
}

/// `last` behind what selects all of the dimension of parts, if there is one.
static SmallVector<OpFoldResult> behind(OpBuilder &builder, int64_t rank,
                                        int64_t first, int64_t last) {
  SmallVector<OpFoldResult> numbers;
  if (rank == 2)
    numbers.push_back(builder.getIndexAttr(first));
  numbers.push_back(builder.getIndexAttr(last));
  return numbers;
}

Value shard::packTensors(OpBuilder &builder, Location loc, ValueRange tensors,
                         int64_t rank, int64_t rows) {
  auto widthOf = [&](Value tensor) {
    return cast<RankedTensorType>(tensor.getType()).getNumElements() / rows;
  };
  int64_t total = 0;
  for (Value tensor : tensors)
    total += widthOf(tensor);
  Type element = getElementTypeOrSelf(tensors.front().getType());
  auto shapeOf = [&](int64_t width) {
    return rank == 2 ? SmallVector<int64_t>{rows, width}
                     : SmallVector<int64_t>{width};
  };
  Value packed = tensor::EmptyOp::create(builder, loc, shapeOf(total), element);
  int64_t offset = 0;
  for (Value tensor : tensors) {
    int64_t width = widthOf(tensor);
    Value part = unflatten(builder, loc, flatten(builder, loc, tensor),
                           RankedTensorType::get(shapeOf(width), element));
    packed = tensor::InsertSliceOp::create(
        builder, loc, part, packed, behind(builder, rank, 0, offset),
        behind(builder, rank, rows, width), behind(builder, rank, 1, 1));
    offset += width;
  }
  return packed;
}

SmallVector<Value> shard::unpackTensors(OpBuilder &builder, Location loc,
                                        Value packed, TypeRange types,
                                        int64_t rows) {
  int64_t rank = cast<RankedTensorType>(packed.getType()).getRank();
  SmallVector<Value> results;
  int64_t offset = 0;
  for (Type resultType : types) {
    auto type = cast<RankedTensorType>(resultType);
    int64_t width = type.getNumElements() / rows;
    Value part = tensor::ExtractSliceOp::create(
        builder, loc, packed, behind(builder, rank, 0, offset),
        behind(builder, rank, rows, width), behind(builder, rank, 1, 1));
    offset += width;
    results.push_back(
        unflatten(builder, loc, flatten(builder, loc, part), type));
  }
  return results;
}
