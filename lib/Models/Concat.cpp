//===- Concat.cpp - Tensors that are put side by side ---------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Concat.h"

#include "shard/IR/TensorSlices.h"
#include "shard/Models/Concats.h"
#include "shard/Partitioning/LocalOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"

using namespace mlir;

namespace shard {

void describeConcat(Operation *op, unsigned joined, MapBuilder &maps) {
  auto result = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  auto isRanked = [](Type type) { return isa<RankedTensorType>(type); };
  if (!result || !llvm::all_of(op->getOperandTypes(), isRanked))
    return;
  for (int64_t dim = 0; dim < result.getRank(); ++dim) {
    if (dim == joined)
      continue;
    AffineExpr loop = maps.loop(result.getDimSize(dim));
    maps.result(0)[dim] = loop;
    for (unsigned index = 0; index < op->getNumOperands(); ++index)
      maps.operand(index)[dim] = loop;
  }
  auto isKnown = [&](Type type) {
    return !cast<RankedTensorType>(type).isDynamicDim(joined);
  };
  if (!isKnown(result) || !llvm::all_of(op->getOperandTypes(), isKnown))
    return;
  AffineExpr loop = maps.loop(result.getDimSize(joined));
  maps.result(0)[joined] = loop;
  int64_t begin = 0;
  for (auto [index, type] : llvm::enumerate(op->getOperandTypes())) {
    int64_t extent = cast<RankedTensorType>(type).getDimSize(joined);
    // An empty operand has no place in the result.
    if (extent > 0)
      maps.operand(index)[joined] = loop - begin;
    begin += extent;
  }
}

/// Where a slice of all of a tensor but in dimension `joined` begins there; nothing if
/// `value` is no such slice.
static std::optional<int64_t> sliceBegin(Value value, unsigned joined) {
  auto slice = value.getDefiningOp<tensor::ExtractSliceOp>();
  if (!slice || slice.getSourceType().getRank() != slice.getType().getRank() ||
      !slice.getSourceType().hasStaticShape() || !slice.hasUnitStride())
    return std::nullopt;
  ArrayRef<int64_t> offsets = slice.getStaticOffsets();
  for (int64_t dim = 0; dim < slice.getType().getRank(); ++dim)
    if (dim != joined &&
        (offsets[dim] != 0 || slice.getType().getDimSize(dim) !=
                                  slice.getSourceType().getDimSize(dim)))
      return std::nullopt;
  if (ShapedType::isDynamic(offsets[joined]))
    return std::nullopt;
  return offsets[joined];
}

Value rolledTensor(Operation *op, unsigned joined) {
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type || op->getNumOperands() < 2 ||
      sliceBegin(op->getOperand(0), joined).value_or(0) == 0)
    return {};
  Value source = op->getOperand(0).getDefiningOp()->getOperand(0);
  if (source.getType() != type)
    return {};
  // Each slice begins where the one in front of it ends, or at 0 behind the last element. As
  // the type of the result is that of the source, they cover it once.
  std::optional<int64_t> next;
  for (Value operand : op->getOperands()) {
    std::optional<int64_t> begin = sliceBegin(operand, joined);
    if (!begin || operand.getDefiningOp()->getOperand(0) != source ||
        (next && *begin != *next))
      return {};
    next =
        *begin + cast<RankedTensorType>(operand.getType()).getDimSize(joined);
    if (*next == type.getDimSize(joined))
      next = 0;
  }
  return source;
}

LogicalResult partitionConcat(Operation *op, unsigned joined,
                              OpBuilder &builder, ArrayRef<Value> operands,
                              PartitionContext &context,
                              SmallVectorImpl<Value> &results) {
  AxisList axes = context.result(0).dims[joined];
  if (axes.empty())
    return partitionByCloning(op, builder, operands, context, results);
  Location loc = op->getLoc();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  int64_t extent = type.getDimSize(joined);
  int64_t width = localExtent(extent, context.grid.groupSize(axes));
  DynamicBlock block = blockOf(builder, loc, context.grid,
                               context.emission.gridSymbol, extent, axes);
  Value begin = getValueOrCreateConstantIndexOp(builder, loc, block.offset);
  auto constant = [&](int64_t number) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, number);
  };
  // Each operand covers the one before it from its first element on.
  Value joint;
  int64_t offset = 0;
  for (auto [operand, local] : llvm::zip_equal(op->getOperands(), operands)) {
    int64_t size = cast<RankedTensorType>(operand.getType()).getDimSize(joined);
    if (size == 0)
      continue;
    if (!joint) {
      joint = local;
    } else {
      Value first =
          builder.createOrFold<arith::SubIOp>(loc, constant(offset), begin);
      first = builder.createOrFold<arith::MaxSIOp>(loc, first, constant(0));
      first = builder.createOrFold<arith::MinSIOp>(loc, first, constant(width));
      Value rest =
          builder.createOrFold<arith::SubIOp>(loc, constant(width), first);
      SmallVector<OpFoldResult> places(type.getRank(), builder.getIndexAttr(0)),
          sizes = tensor::getMixedSizes(builder, loc, local);
      places[joined] = getAsOpFoldResult(first);
      sizes[joined] = getAsOpFoldResult(rest);
      Value part = sliceOf(builder, loc, local, places, sizes);
      joint = insertionOf(builder, loc, part, joint, places, sizes);
    }
    offset += size;
  }
  results.push_back(joint);
  return success();
}

void joinTosaConcats(Operation *root) {
  root->walk([](tosa::ConcatOp op) {
    auto isStatic = [](Type type) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      return tensor && tensor.hasStaticShape();
    };
    if (!llvm::all_of(op->getOperandTypes(), isStatic) ||
        !isStatic(op.getType()))
      return;
    OpBuilder builder(op);
    auto made = tensor::ConcatOp::create(builder, op.getLoc(), op.getType(),
                                         op.getAxis(), op.getInput1());
    made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    op.replaceAllUsesWith(made.getResult());
    op.erase();
  });
}

} // namespace shard
