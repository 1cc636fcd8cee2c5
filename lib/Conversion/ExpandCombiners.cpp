//===- ExpandCombiners.cpp - Reductions by a region -----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime does not call functions of the program. A reduction that a region
// defines becomes an all_gather of the inputs, along a dimension of its own, and a
// reduction of that dimension on each device, in the order of the devices.
//
//===----------------------------------------------------------------------===//

#include "shard/Conversion/Conversion.h"
#include "shard/Conversion/Passes.h"

#include "shard/IR/ShardOps.h"
#include "shard/IR/ShardingUtils.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace shard;

namespace shard {
#define GEN_PASS_DEF_SHARDEXPANDCOMBINERS
#include "shard/Conversion/Passes.h.inc"
} // namespace shard

/// `value` as elements of type `element`, as a collective converts its input; null if
/// there is no such conversion.
static Value convertElements(OpBuilder &builder, Location loc, Value value,
                             Type element) {
  auto from = cast<RankedTensorType>(value.getType());
  if (from.getElementType() == element)
    return value;
  int64_t rank = from.getRank();
  Value empty = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, value), element);
  SmallVector<AffineMap> maps(2, builder.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  bool isConverted = true;
  auto generic = linalg::GenericOp::create(
      builder, loc, empty.getType(), value, empty, maps, iterators,
      [&](OpBuilder &nested, Location at, ValueRange args) {
        Value result = convertScalarToDtype(nested, at, args[0], element,
                                            /*isUnsignedCast=*/false);
        isConverted = result && result.getType() == element;
        linalg::YieldOp::create(nested, at, isConverted ? result : args[1]);
      });
  return isConverted ? generic.getResult(0) : Value();
}

/// The inputs of `group` devices side by side along a new dimension 0.
static Value gatherInputs(OpBuilder &builder, Operation *op, Value value,
                          int64_t group) {
  Location loc = op->getLoc();
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<ReassociationIndices> dims;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    dims.push_back({dim + 1});
  if (!dims.empty())
    dims.front().insert(dims.front().begin(), 0);
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin(), 1);
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, value);
  sizes.insert(sizes.begin(), builder.getIndexAttr(1));
  Value row = tensor::ExpandShapeOp::create(
      builder, loc, RankedTensorType::get(shape, type.getElementType()), value,
      dims, sizes);
  shape.front() = group;
  return AllGatherOp::create(
      builder, loc, RankedTensorType::get(shape, type.getElementType()),
      op->getAttrOfType<FlatSymbolRefAttr>("grid"),
      op->getAttrOfType<GridAxesAttr>("grid_axes"), row,
      builder.getIndexAttr(0));
}

/// The rows of `gathered` combined, from the first to the last, by `combiner`.
static Value combineRows(OpBuilder &builder, Location loc, Value gathered,
                         Region &combiner) {
  auto type = cast<RankedTensorType>(gathered.getType());
  int64_t rank = type.getRank();
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(builder, loc, gathered);
  SmallVector<OpFoldResult> offsets(rank, builder.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(rank, builder.getIndexAttr(1));
  auto rows = [&](int64_t first, int64_t count) {
    offsets[0] = builder.getIndexAttr(first);
    sizes[0] = builder.getIndexAttr(count);
  };
  rows(0, 1);
  auto rowType = RankedTensorType::get(type.getShape().drop_front(),
                                       type.getElementType());
  Value first = tensor::ExtractSliceOp::create(builder, loc, rowType, gathered,
                                               offsets, sizes, strides);
  rows(1, type.getDimSize(0) - 1);
  Value others = tensor::ExtractSliceOp::create(builder, loc, gathered, offsets,
                                                sizes, strides);
  // Dimension 0 is the innermost loop: one element after another is combined.
  SmallVector<AffineExpr> result, input;
  for (int64_t dim = 0; dim + 1 < rank; ++dim)
    result.push_back(builder.getAffineDimExpr(dim));
  input.push_back(builder.getAffineDimExpr(rank - 1));
  llvm::append_range(input, result);
  MLIRContext *context = builder.getContext();
  SmallVector<AffineMap> maps = {AffineMap::get(rank, 0, input, context),
                                 AffineMap::get(rank, 0, result, context)};
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  iterators.back() = utils::IteratorType::reduction;
  return linalg::GenericOp::create(
             builder, loc, rowType, others, first, maps, iterators,
             [&](OpBuilder &nested, Location at, ValueRange args) {
               IRMapping mapping;
               mapping.map(combiner.getArgument(0), args[1]);
               mapping.map(combiner.getArgument(1), args[0]);
               mlir::Block &body = combiner.front();
               for (Operation &inner : body.without_terminator())
                 nested.clone(inner, mapping);
               linalg::YieldOp::create(
                   nested, at,
                   mapping.lookupOrDefault(
                       body.getTerminator()->getOperand(0)));
             })
      .getResult(0);
}

static LogicalResult expandCombiner(Operation *op,
                                    SymbolTableCollection &symbols) {
  OpBuilder builder(op);
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type)
    return op->emitOpError("on memrefs has a combiner, which is supported on "
                           "tensors only");
  FailureOr<Grid> grid = staticGrid(getGrid(op, symbols));
  if (failed(grid))
    return op->emitOpError("has a combiner, but its grid has an axis of "
                           "unknown size");
  auto named = op->getAttrOfType<GridAxesAttr>("grid_axes");
  AxisList axes(named.asArrayRef().begin(), named.asArrayRef().end());
  int64_t group = grid->groupSize(axes);
  Value value = convertElements(builder, op->getLoc(), op->getOperand(0),
                                type.getElementType());
  if (!value)
    return op->emitOpError("has a combiner, but its input does not convert to "
                           "elements of type ")
           << type.getElementType();
  if (group > 1)
    value =
        combineRows(builder, op->getLoc(),
                    gatherInputs(builder, op, value, group), op->getRegion(0));
  if (auto scatter = dyn_cast<ReduceScatterOp>(op))
    value = AllSliceOp::create(builder, op->getLoc(), type,
                               scatter.getGridAttr(), scatter.getGridAxesAttr(),
                               value, scatter.getScatterAxisAttr());
  if (value.getType() != type)
    value = tensor::CastOp::create(builder, op->getLoc(), type, value);
  op->getResult(0).replaceAllUsesWith(value);
  op->erase();
  return success();
}

LogicalResult shard::expandCombiners(ModuleOp module) {
  SmallVector<Operation *> reductions;
  module.walk([&](Operation *op) {
    if (isa<AllReduceOp, ReduceOp, ReduceScatterOp>(op) &&
        op->getNumRegions() > 0)
      reductions.push_back(op);
  });
  SymbolTableCollection symbols;
  for (Operation *op : reductions)
    if (failed(expandCombiner(op, symbols)))
      return failure();
  return success();
}

namespace {
struct ShardExpandCombiners
    : public shard::impl::ShardExpandCombinersBase<ShardExpandCombiners> {
  void runOnOperation() override {
    if (failed(expandCombiners(getOperation())))
      signalPassFailure();
  }
};
} // namespace
