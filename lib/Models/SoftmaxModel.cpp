//===- SoftmaxModel.cpp - Softmax along a split dimension -----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rows of a softmax are independent. Where the dimension along which it runs is split,
// it becomes its four steps, with an all_reduce behind each of the two that look at a whole
// row:
//
//       max = all_reduce max (maximum of the own elements of the row)
//       e   = exp(x - max)
//       sum = all_reduce sum (sum of the own e of the row)
//       e / sum
//
// Where it is whole, the op stays as it is.
//
//===----------------------------------------------------------------------===//

#include "BodyReductions.h"
#include "RelayoutModels.h"

#include "shard/IR/ShardOps.h"
#include "shard/IR/TensorSlices.h"
#include "shard/Interfaces/DescribedModel.h"
#include "shard/Partitioning/LocalOps.h"
#include "shard/Partitioning/PartitionContext.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace shard {

namespace {

/// Those of MLIR's steps of a softmax that reduce a row, by their place.
constexpr ReductionKind kReductions[] = {ReductionKind::Max,
                                         ReductionKind::Sum};

struct SoftmaxModel : public DescribedModel<SoftmaxModel, linalg::SoftmaxOp> {
  void describe(linalg::SoftmaxOp op, MapBuilder &maps) const {
    auto input = dyn_cast<RankedTensorType>(op.getInput().getType());
    auto output = dyn_cast<RankedTensorType>(op.getOutput().getType());
    if (!input || !output)
      return;
    for (auto [dim, extent] : llvm::enumerate(input.getShape())) {
      Loop loop = Loop::parallel(extent);
      if (dim == op.getDimension()) {
        // Of other elements MLIR has no decomposition, or shard no all_reduce.
        Type element = input.getElementType();
        bool isKnown = element.isF16() || element.isBF16() || element.isF32() ||
                       element.isF64();
        if (!isKnown || element != output.getElementType())
          continue;
        loop.exchanges = std::size(kReductions);
      }
      maps.operand(0)[dim] = maps.operand(1)[dim] = maps.result(0)[dim] =
          maps.loop(loop);
    }
  }

  bool hasFormOfAnySize(Operation *) const { return true; }

  LogicalResult partition(Operation *op, OpBuilder &builder,
                          ArrayRef<Value> operands, PartitionContext &context,
                          SmallVectorImpl<Value> &results) const {
    auto softmax = cast<linalg::SoftmaxOp>(op);
    int64_t dim = softmax.getDimension();
    const DimLoops &loops = context.table.operands[0].dims[dim];
    if (loops.empty() || context.option.loops[loops.front()].empty())
      return partitionWithPadding(op, builder, operands, context, results);

    // A row without its padding.
    Location loc = op->getLoc();
    Value input = operands[0];
    bool hasPadding = context.isUneven(loops.front());
    SmallVector<OpFoldResult> extents =
        tensor::getMixedSizes(builder, loc, input);
    if (hasPadding) {
      extents[dim] =
          context.loopBlock(builder, loc, loops.front(), operands).size;
      input = leadingSlice(builder, loc, input, extents);
    }
    FailureOr<Value> local = computeSteps(builder, softmax, input, extents,
                                          context.option.loops[loops.front()],
                                          context.emission.gridSymbol);
    if (failed(local))
      return failure();

    auto type = cast<RankedTensorType>(
        context.localResultType(op->getResult(0).getType(), 0));
    if (hasPadding) {
      SmallVector<OpFoldResult> padded = extents;
      padded[dim] = builder.getIndexAttr(type.getDimSize(dim));
      Value around =
          tensor::EmptyOp::create(builder, loc, padded, type.getElementType());
      SmallVector<OpFoldResult> zeros(extents.size(), builder.getIndexAttr(0));
      local = insertionOf(builder, loc, *local, around, zeros, extents);
    }
    results.push_back(builder.createOrFold<tensor::CastOp>(loc, type, *local));
    return success();
  }

private:
  /// Combines what each device has of the result of `reduction`. A device may have no
  /// element: MLIR's maximum then is NaN, which it starts from.
  static void combine(OpBuilder &builder, linalg::GenericOp reduction,
                      const AxisList &axes, FlatSymbolRefAttr grid,
                      ReductionKind kind) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(reduction);
    OpOperand &init = reduction.getDpsInitsMutable()[0];
    init.set(neutralTensor(builder, reduction.getLoc(), kind, init.get()));
    builder.setInsertionPointAfter(reduction);
    Value own = reduction->getResult(0);
    auto all = AllReduceOp::create(builder, reduction.getLoc(), own.getType(),
                                   own, grid.getValue(), axes, kind);
    own.replaceAllUsesExcept(all.getResult(), all);
  }

  /// The softmax of the rows whose blocks along `axes` are `input`, of the extents
  /// `extents`, on each device.
  static FailureOr<Value> computeSteps(OpBuilder &builder, linalg::SoftmaxOp op,
                                       Value input,
                                       ArrayRef<OpFoldResult> extents,
                                       const AxisList &axes,
                                       FlatSymbolRefAttr grid) {
    Location loc = op.getLoc();
    Value empty = tensor::EmptyOp::create(
        builder, loc, extents, getElementTypeOrSelf(input.getType()));
    input = builder.createOrFold<tensor::CastOp>(loc, empty.getType(), input);
    auto local = linalg::SoftmaxOp::create(builder, loc, empty.getType(), input,
                                           empty, op.getDimension());
    FailureOr<SmallVector<Value>> steps = local.decomposeOperation(builder);
    if (failed(steps))
      return op.emitError("cannot be split along its dimension ")
             << op.getDimension();
    const ReductionKind *next = std::begin(kReductions);
    for (Operation &step : llvm::make_early_inc_range(
             llvm::make_range(std::next(empty.getDefiningOp()->getIterator()),
                              local->getIterator()))) {
      auto reduction = dyn_cast<linalg::GenericOp>(step);
      if (!reduction || reduction.getNumReductionLoops() == 0)
        continue;
      assert(next != std::end(kReductions) && "a softmax reduces twice");
      combine(builder, reduction, axes, grid, *next++);
    }
    assert(next == std::end(kReductions) && "a softmax reduces twice");
    local.erase();
    return steps->front();
  }
};

} // namespace

void attachSoftmaxModel(MLIRContext *context) {
  linalg::SoftmaxOp::attachInterface<SoftmaxModel>(*context);
}

} // namespace shard
