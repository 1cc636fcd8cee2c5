//===- Lowerings.cpp - Patterns under the names of LLVM's -----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Partitioning/Lowerings.h"

#include "shard/IR/ShardingUtils.h"
#include "shard/IR/TensorSlices.h"
#include "shard/Partitioning/PartitionContext.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace shard {

namespace {

/// A grid with the sizes that are known.
Grid sizesOf(GridOp grid) {
  Grid sizes;
  sizes.shape.assign(grid.getShape().begin(), grid.getShape().end());
  return sizes;
}

struct LowerProcessMultiIndex : OpRewritePattern<ProcessMultiIndexOp> {
  LowerProcessMultiIndex(MLIRContext *context, SymbolTableCollection &symbols)
      : OpRewritePattern(context), symbols(symbols) {}

  LogicalResult matchAndRewrite(ProcessMultiIndexOp op,
                                PatternRewriter &rewriter) const override {
    GridOp gridOp = getGrid(op, op.getGridAttr(), symbols);
    if (!gridOp)
      return failure();
    Location loc = op.getLoc();
    Grid grid = sizesOf(gridOp);
    Value rest = ProcessLinearIndexOp::create(rewriter, loc, gridOp);
    // The innermost axis varies fastest.
    SmallVector<Value> coordinates(grid.shape.size());
    for (GridAxis axis = grid.shape.size(); axis-- > 0;) {
      coordinates[axis] = rest;
      if (axis == 0)
        break;
      Value size = sizeOfGroup(rewriter, loc, grid, op.getGridAttr(), {axis});
      coordinates[axis] =
          rewriter.createOrFold<arith::RemUIOp>(loc, rest, size);
      rest = rewriter.createOrFold<arith::DivUIOp>(loc, rest, size);
    }
    SmallVector<Value> results;
    for (GridAxis axis : op.getAxes())
      results.push_back(coordinates[axis]);
    rewriter.replaceOp(op, op.getAxes().empty() ? coordinates : results);
    return success();
  }

private:
  SymbolTableCollection &symbols;
};

struct LowerAllSlice : OpRewritePattern<AllSliceOp> {
  LowerAllSlice(MLIRContext *context, SymbolTableCollection &symbols)
      : OpRewritePattern(context), symbols(symbols) {}

  LogicalResult matchAndRewrite(AllSliceOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<RankedTensorType>(op.getInput().getType());
    auto resultType = dyn_cast<RankedTensorType>(op.getType());
    GridOp gridOp = getGrid(op, op.getGridAttr(), symbols);
    if (!type || !resultType || !gridOp)
      return failure();
    Location loc = op.getLoc();
    Value input = op.getInput();
    Grid grid = sizesOf(gridOp);
    AxisList axes(op.getGridAxes().begin(), op.getGridAxes().end());
    int64_t dim = op.getSliceAxis().getSExtValue();
    Value localExtent;
    if (type.isDynamicDim(dim))
      localExtent = divided(rewriter, loc, op, grid, axes, dim);
    DynamicBlock block = blockOf(rewriter, loc, grid, op.getGridAttr(),
                                 type.getDimSize(dim), axes, localExtent);
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(rewriter, loc, input);
    SmallVector<OpFoldResult> zeros(type.getRank(), rewriter.getIndexAttr(0)),
        offsets = zeros;
    offsets[dim] = block.offset;
    sizes[dim] = block.size;
    Value slice = sliceOf(rewriter, loc, input, offsets, sizes);
    auto isPadded = [&] {
      return !type.isDynamicDim(dim) && !resultType.isDynamicDim(dim) &&
             !dividesEvenly(type.getDimSize(dim), grid.sizes(axes));
    };
    if (isPadded()) {
      SmallVector<OpFoldResult> padded = sizes;
      padded[dim] = rewriter.getIndexAttr(resultType.getDimSize(dim));
      Value whole = tensor::EmptyOp::create(rewriter, loc, padded,
                                            resultType.getElementType());
      slice = insertionOf(rewriter, loc, slice, whole, zeros, sizes);
    }
    rewriter.replaceOp(
        op, rewriter.createOrFold<tensor::CastOp>(loc, resultType, slice));
    return success();
  }

private:
  /// The extent of a block of a dynamic dimension, which the axes must divide.
  static Value divided(PatternRewriter &rewriter, Location loc, AllSliceOp op,
                       const Grid &grid, const AxisList &axes, int64_t dim) {
    Value extent = tensor::DimOp::create(rewriter, loc, op.getInput(), dim);
    Value parts = sizeOfGroup(rewriter, loc, grid, op.getGridAttr(), axes);
    Value rest = arith::RemUIOp::create(rewriter, loc, extent, parts);
    Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
    Value divides = arith::CmpIOp::create(rewriter, loc,
                                          arith::CmpIPredicate::eq, rest, zero);
    cf::AssertOp::create(rewriter, loc, divides,
                         "dimension " + std::to_string(dim) +
                             " of all_slice does not divide evenly among the "
                             "devices of its group");
    return arith::DivUIOp::create(rewriter, loc, extent, parts);
  }

  SymbolTableCollection &symbols;
};

} // namespace

void populateProcessMultiIndexOpLoweringPatterns(
    RewritePatternSet &patterns, SymbolTableCollection &symbols) {
  patterns.add<LowerProcessMultiIndex>(patterns.getContext(), symbols);
}

void populateAllSliceOpLoweringPatterns(RewritePatternSet &patterns,
                                        SymbolTableCollection &symbols) {
  patterns.add<LowerAllSlice>(patterns.getContext(), symbols);
}

void populateAllOpLoweringPatterns(RewritePatternSet &patterns,
                                   SymbolTableCollection &symbols) {
  populateProcessMultiIndexOpLoweringPatterns(patterns, symbols);
  populateAllSliceOpLoweringPatterns(patterns, symbols);
}

void populateSimplificationPatterns(RewritePatternSet &patterns,
                                    SymbolTableCollection &) {
  MLIRContext *context = patterns.getContext();
  for (RegisteredOperationName op : context->getRegisteredOperations())
    if (op.getDialectNamespace() == ShardDialect::getDialectNamespace())
      op.getCanonicalizationPatterns(patterns, context);
}

} // namespace shard
