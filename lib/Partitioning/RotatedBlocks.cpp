//===- RotatedBlocks.cpp - Blocks that travel around a ring ---------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Partitioning/RotatedBlocks.h"

#include "shard/IR/TensorSlices.h"
#include "shard/Partitioning/PartitionContext.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace shard {

Value positionInGroup(OpBuilder &builder, Location loc, const Grid &grid,
                      FlatSymbolRefAttr gridSymbol, const AxisList &axes) {
  auto coordinates = ProcessMultiIndexOp::create(
      builder, loc, gridSymbol.getValue(), ArrayRef<GridAxis>(axes));
  Value position;
  for (auto [axis, coordinate] :
       llvm::zip_equal(axes, coordinates.getResult())) {
    if (!position) {
      position = coordinate;
      continue;
    }
    Value size = arith::ConstantIndexOp::create(builder, loc, grid.shape[axis]);
    position = arith::AddIOp::create(
        builder, loc, arith::MulIOp::create(builder, loc, position, size),
        coordinate);
  }
  return position;
}

Value rotatedOffset(OpBuilder &builder, Location loc, Value position,
                    int64_t size, int64_t steps, int64_t extent) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  if (steps % size != 0) {
    position = arith::AddIOp::create(builder, loc, position,
                                     constant(size - steps % size));
    position = arith::RemUIOp::create(builder, loc, position, constant(size));
  }
  if (extent == 1)
    return position;
  return arith::MulIOp::create(builder, loc, position, constant(extent));
}

/// The offsets and sizes of `block` in a tensor where it begins at `offset` of `dim`.
static std::pair<SmallVector<OpFoldResult>, SmallVector<OpFoldResult>>
placeOf(OpBuilder &builder, ArrayRef<int64_t> block, int64_t dim,
        Value offset) {
  SmallVector<OpFoldResult> offsets(block.size(), builder.getIndexAttr(0));
  offsets[dim] = offset;
  return {offsets, getAsIndexOpFoldResult(builder.getContext(), block)};
}

Value sliceBlock(OpBuilder &builder, Location loc, Value tensor, int64_t dim,
                 Value offset, int64_t extent) {
  SmallVector<int64_t> shape(
      cast<RankedTensorType>(tensor.getType()).getShape());
  shape[dim] = extent;
  auto [offsets, sizes] = placeOf(builder, shape, dim, offset);
  return sliceOf(builder, loc, tensor, offsets, sizes);
}

Value insertBlock(OpBuilder &builder, Location loc, Value tensor, Value block,
                  int64_t dim, Value offset) {
  auto [offsets, sizes] = placeOf(
      builder, cast<RankedTensorType>(block.getType()).getShape(), dim, offset);
  return insertionOf(builder, loc, block, tensor, offsets, sizes);
}

Value unspecifiedTensor(OpBuilder &builder, Location loc,
                        RankedTensorType type) {
  return tensor::EmptyOp::create(builder, loc, type.getShape(),
                                 type.getElementType(), type.getEncoding());
}

Value sumOfTensors(OpBuilder &builder, Location loc, Value a, Value b) {
  if (isa<FloatType>(getElementTypeOrSelf(a.getType())))
    return arith::AddFOp::create(builder, loc, a, b);
  return arith::AddIOp::create(builder, loc, a, b);
}

} // namespace shard
