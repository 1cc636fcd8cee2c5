//===- RaggedSteps.cpp - Steps on blocks of unequal extents ---------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RaggedSteps.h"

#include "shard/IR/TensorSlices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace shard {

Value RaggedTensor::wholeOf(int64_t dim) {
  if (!wholes[dim] && emission.extents) {
    auto known = emission.extents->find({local, dim});
    // In the body of a manual computation a block may stand for less.
    if (known != emission.extents->end() &&
        known->second.axes == from.dims[dim])
      wholes[dim] = known->second.whole;
  }
  if (!wholes[dim])
    wholes[dim] = wholeExtent(builder, loc, emission.grid, emission.gridSymbol,
                              tensor::DimOp::create(builder, loc, local, dim),
                              from.dims[dim]);
  return wholes[dim];
}

DynamicBlock RaggedTensor::blockOf(int64_t dim, const AxisList &axes) {
  return blockOfWhole(builder, loc, emission.grid, emission.gridSymbol,
                      wholeOf(dim), axes);
}

Value RaggedTensor::widthOf(int64_t dim, const AxisList &axes) {
  Value width = wholeOf(dim);
  for (GridAxis axis : axes)
    width = widthOfBlocks(builder, loc, width, emission.grid.shape[axis]);
  return width;
}

bool RaggedTensor::changes(const Step &step, const Sharding &before,
                           int64_t dim) const {
  return type.isDynamicDim(dim) && before.dims[dim] != step.result.dims[dim];
}

Value RaggedTensor::padded(const Step &step, const Sharding &before,
                           Value block) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, block);
  SmallVector<OpFoldResult> room = sizes;
  bool any = false;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (!changes(step, before, dim))
      continue;
    any = true;
    // What is sliced makes pieces as long as the largest block behind the step.
    bool isSliced = dim == step.dim && (step.kind == Step::Kind::AllSlice ||
                                        step.kind == Step::Kind::AllToAll ||
                                        step.kind == Step::Kind::ReduceScatter);
    if (!isSliced) {
      room[dim] = widthOf(dim, before.dims[dim]);
      continue;
    }
    Value pieces = arith::ConstantIndexOp::create(
        builder, loc, emission.grid.groupSize(step.axes));
    room[dim] = builder.createOrFold<arith::MulIOp>(
        loc, widthOf(dim, step.result.dims[dim]), pieces);
  }
  if (!any)
    return block;
  Value around =
      tensor::EmptyOp::create(builder, loc, room, type.getElementType());
  SmallVector<OpFoldResult> zeros(sizes.size(), builder.getIndexAttr(0));
  return insertionOf(builder, loc, block, around, zeros, sizes);
}

Value RaggedTensor::valid(const Step &step, const Sharding &before,
                          Value result) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, result);
  bool any = false;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (!changes(step, before, dim))
      continue;
    any = true;
    sizes[dim] = blockOf(dim, step.result.dims[dim]).size;
  }
  return any ? leadingSlice(builder, loc, result, sizes) : result;
}

void RaggedTensor::rememberExtents(Value result, const Sharding &to) const {
  // The extents stand in front of a result that is made here, so that they are there
  // wherever it is.
  Operation *def = result.getDefiningOp();
  if (!emission.extents || result == local || !def ||
      def->getBlock() != builder.getInsertionBlock())
    return;
  for (auto [dim, whole] : llvm::enumerate(wholes))
    if (whole)
      emission.extents->try_emplace({result, int64_t(dim)},
                                    KnownExtent{to.dims[dim], whole});
}

} // namespace shard
