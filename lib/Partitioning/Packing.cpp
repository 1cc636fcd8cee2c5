//===- Packing.cpp - Several tensors in one -------------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Partitioning/Packing.h"

#include "shard/IR/TensorSlices.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
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

/// The dimensions of a tensor of `rank` with dimension `dim` as two; of the result of
/// `expand` by dimension of the tensor.
static SmallVector<ReassociationIndices> twoDimsFor(int64_t rank, int64_t dim) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t i = 0; i < rank; ++i)
    if (i == dim)
      groups.push_back({i, i + 1});
    else
      groups.push_back({i < dim ? i : i + 1});
  return groups;
}

/// The first dimension of `rank`, and all others as one.
static SmallVector<ReassociationIndices> firstAndRest(int64_t rank) {
  return {{0}, llvm::to_vector<2>(llvm::seq<int64_t>(1, rank))};
}

/// `type` with its dimension `dim` as `rows` parts.
static SmallVector<int64_t> shapeInParts(RankedTensorType type, int64_t dim,
                                         int64_t rows) {
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] /= rows;
  shape.insert(shape.begin() + dim, rows);
  return shape;
}

static Value transpose(OpBuilder &builder, Location loc, Value tensor,
                       ArrayRef<int64_t> permutation) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape;
  for (int64_t dim : permutation)
    shape.push_back(type.getDimSize(dim));
  Value init =
      tensor::EmptyOp::create(builder, loc, shape, type.getElementType());
  return linalg::TransposeOp::create(builder, loc, tensor, init, permutation)
      ->getResult(0);
}

/// `tensor` as one of two dimensions, of which row r is part r of dimension `dim`.
static Value toRows(OpBuilder &builder, Location loc, Value tensor,
                    int64_t rows, int64_t dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Type element = type.getElementType();
  auto inRows =
      RankedTensorType::get({rows, type.getNumElements() / rows}, element);
  if (rows == 1 || shard::isOutermost(type, dim))
    return unflatten(builder, loc, flatten(builder, loc, tensor), inRows);
  Value parts = tensor::ExpandShapeOp::create(
      builder, loc,
      RankedTensorType::get(shapeInParts(type, dim, rows), element), tensor,
      twoDimsFor(type.getRank(), dim));
  SmallVector<int64_t> permutation{dim};
  for (int64_t i = 0; i <= type.getRank(); ++i)
    if (i != dim)
      permutation.push_back(i);
  return tensor::CollapseShapeOp::create(
      builder, loc, inRows, transpose(builder, loc, parts, permutation),
      firstAndRest(type.getRank() + 1));
}

/// The inverse of toRows: a tensor of `type`.
static Value fromRows(OpBuilder &builder, Location loc, Value inRows,
                      RankedTensorType type, int64_t dim) {
  int64_t rows = cast<RankedTensorType>(inRows.getType()).getDimSize(0);
  if (rows == 1 || shard::isOutermost(type, dim))
    return unflatten(builder, loc, flatten(builder, loc, inRows), type);
  // The parts come first, which stand in front of the rest of their dimension later.
  SmallVector<int64_t> shape = shapeInParts(type, dim, rows), permutation;
  shape.erase(shape.begin() + dim);
  shape.insert(shape.begin(), rows);
  for (int64_t i = 0; i <= type.getRank(); ++i)
    permutation.push_back(i < dim ? i + 1 : i == dim ? 0 : i);
  Value parts = tensor::ExpandShapeOp::create(
      builder, loc, RankedTensorType::get(shape, type.getElementType()), inRows,
      firstAndRest(type.getRank() + 1));
  return tensor::CollapseShapeOp::create(
      builder, loc, type, transpose(builder, loc, parts, permutation),
      twoDimsFor(type.getRank(), dim));
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

bool shard::isOutermost(RankedTensorType type, int64_t dim) {
  return llvm::all_of(type.getShape().take_front(dim),
                      [](int64_t extent) { return extent == 1; });
}

Value shard::packTensors(OpBuilder &builder, Location loc, ValueRange tensors,
                         int64_t rank, int64_t rows, ArrayRef<int64_t> cut) {
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
  for (auto [index, tensor] : llvm::enumerate(tensors)) {
    int64_t width = widthOf(tensor);
    Value part = rank == 2 ? toRows(builder, loc, tensor, rows,
                                    cut.empty() ? 0 : cut[index])
                           : flatten(builder, loc, tensor);
    packed = insertionOf(builder, loc, part, packed,
                         behind(builder, rank, 0, offset),
                         behind(builder, rank, rows, width));
    offset += width;
  }
  return packed;
}

SmallVector<Value> shard::unpackTensors(OpBuilder &builder, Location loc,
                                        Value packed, TypeRange types,
                                        int64_t rows,
                                        ArrayRef<int64_t> joined) {
  int64_t rank = cast<RankedTensorType>(packed.getType()).getRank();
  SmallVector<Value> results;
  int64_t offset = 0;
  for (auto [index, resultType] : llvm::enumerate(types)) {
    auto type = cast<RankedTensorType>(resultType);
    int64_t width = type.getNumElements() / rows;
    Value part = sliceOf(builder, loc, packed, behind(builder, rank, 0, offset),
                         behind(builder, rank, rows, width));
    offset += width;
    results.push_back(rank == 2 ? fromRows(builder, loc, part, type,
                                           joined.empty() ? 0 : joined[index])
                                : unflatten(builder, loc, part, type));
  }
  return results;
}
