//===- TensorModels.cpp - Ops of tensor that make and read tensors --------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops that fill a tensor, ask for its size, or reach for slices by computed
// indices.
//
//===----------------------------------------------------------------------===//

#include "TensorModels.h"

#include "shard/Interfaces/DescribedModel.h"
#include "shard/Partitioning/LocalOps.h"

#include "shard/IR/ShardOps.h"
#include "shard/Models/Models.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace shard {

namespace {

struct EmptyModel : public DescribedModel<EmptyModel, tensor::EmptyOp> {
  bool isCreator(Operation *) const { return true; }
  bool isPointwise(Operation *) const { return true; }
  bool computesBeyondBlock(Operation *) const { return true; }
  void describe(tensor::EmptyOp op, MapBuilder &maps) const {
    describeResult(op, maps);
  }
  LogicalResult partition(Operation *op, OpBuilder &builder,
                          ArrayRef<Value> operands, PartitionContext &context,
                          SmallVectorImpl<Value> &results) const {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    auto local = cast<RankedTensorType>(context.localResultType(type, 0));
    results.push_back(tensor::EmptyOp::create(
        builder, op->getLoc(), local,
        localExtents(builder, op->getLoc(), type, operands, context.emission,
                     context.result(0))));
    return success();
  }
};

struct SplatModel : public DescribedModel<SplatModel, tensor::SplatOp> {
  bool isCreator(Operation *) const { return true; }
  bool isPointwise(Operation *) const { return true; }
  bool computesBeyondBlock(Operation *) const { return true; }
  void describe(tensor::SplatOp op, MapBuilder &maps) const {
    describeResult(op, maps);
  }
  LogicalResult partition(Operation *op, OpBuilder &builder,
                          ArrayRef<Value> operands, PartitionContext &context,
                          SmallVectorImpl<Value> &results) const {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    auto local = cast<RankedTensorType>(context.localResultType(type, 0));
    results.push_back(tensor::SplatOp::create(
        builder, op->getLoc(), operands.front(), local,
        localExtents(builder, op->getLoc(), type, operands.drop_front(),
                     context.emission, context.result(0))));
    return success();
  }
};

/// The global extent is the local one times the number of blocks, where these are equal.
struct DimModel : public DescribedModel<DimModel, tensor::DimOp> {
  void describe(tensor::DimOp op, MapBuilder &maps) const {
    auto source = dyn_cast<RankedTensorType>(op.getSource().getType());
    if (!source || !op.getConstantIndex())
      return;
    for (auto [dim, extent] : llvm::enumerate(source.getShape()))
      maps.operand(0)[dim] = maps.loop(extent);
  }
  PartialRule getPartialRule(Operation *op) const {
    return PartialRule::Movement;
  }
  LogicalResult partition(Operation *op, OpBuilder &builder,
                          ArrayRef<Value> operands, PartitionContext &context,
                          SmallVectorImpl<Value> &results) const {
    auto dimOp = cast<tensor::DimOp>(op);
    auto source = dyn_cast<RankedTensorType>(dimOp.getSource().getType());
    std::optional<int64_t> dim = dimOp.getConstantIndex();
    Location loc = op->getLoc();
    if (source && dim && *dim >= 0 && *dim < source.getRank()) {
      if (!source.isDynamicDim(*dim)) {
        results.push_back(arith::ConstantIndexOp::create(
            builder, loc, source.getDimSize(*dim)));
        return success();
      }
      int64_t parts = context.grid.groupSize(context.operand(0).dims[*dim]);
      if (parts > 1) {
        Value local = tensor::DimOp::create(builder, loc, operands[0], *dim);
        results.push_back(wholeExtent(builder, loc, context.grid,
                                      context.emission.gridSymbol, local,
                                      context.operand(0).dims[*dim]));
        return success();
      }
    }
    return partitionByCloning(op, builder, operands, context, results);
  }
};

/// The rank is the same everywhere.
struct RankModel : public DescribedModel<RankModel, tensor::RankOp> {
  void describe(tensor::RankOp op, MapBuilder &maps) const {
    if (auto source = dyn_cast<RankedTensorType>(op.getTensor().getType()))
      for (auto [dim, extent] : llvm::enumerate(source.getShape()))
        maps.operand(0)[dim] = maps.loop(extent);
  }
  PartialRule getPartialRule(Operation *op) const {
    return PartialRule::Movement;
  }
};

/// The elements are scalars, equal on all devices.
struct FromElementsModel
    : public DescribedModel<FromElementsModel, tensor::FromElementsOp> {
  void describe(tensor::FromElementsOp op, MapBuilder &maps) const {
    describeResult(op, maps);
  }
  LogicalResult partition(Operation *op, OpBuilder &builder,
                          ArrayRef<Value> operands, PartitionContext &context,
                          SmallVectorImpl<Value> &results) const {
    return partitionAsBlockOfWhole(op, builder, operands, context, results);
  }
};

/// Each device computes its block; the body's indices count globally.
struct GenerateModel
    : public DescribedModel<GenerateModel, tensor::GenerateOp> {
  void describe(tensor::GenerateOp op, MapBuilder &maps) const {
    describeResult(op, maps);
  }
  LogicalResult partition(Operation *op, OpBuilder &builder,
                          ArrayRef<Value> operands, PartitionContext &context,
                          SmallVectorImpl<Value> &results) const {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    SmallVector<Value> extents =
        localExtents(builder, op->getLoc(), type, operands, context.emission,
                     context.result(0));
    Operation *local = op->clone();
    local->setOperands(extents);
    local->getResult(0).setType(context.localResultType(type, 0));
    globaliseIndexArguments(builder, op->getLoc(), local->getRegion(0).front(),
                            type, context.result(0), extents, context.emission);
    builder.insert(local);
    results.push_back(local->getResult(0));
    return success();
  }
};

} // namespace

void registerTensorModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    // Models build ops of these dialects.
    context->loadDialect<arith::ArithDialect, cf::ControlFlowDialect>();
    attachElementModels(context);
    attachGatherModels(context);
    attachReshapeModels(context);
    attachPadModel(context);
    attachSliceModels(context);
    tensor::DimOp::attachInterface<DimModel>(*context);
    tensor::EmptyOp::attachInterface<EmptyModel>(*context);
    tensor::FromElementsOp::attachInterface<FromElementsModel>(*context);
    tensor::GenerateOp::attachInterface<GenerateModel>(*context);
    tensor::RankOp::attachInterface<RankModel>(*context);
    tensor::SplatOp::attachInterface<SplatModel>(*context);
  });
}

} // namespace shard
