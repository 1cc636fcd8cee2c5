//===- BufferizationModels.cpp - Tensor ops of bufferization --------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Models/Models.h"

#include "shard/Interfaces/DescribedModel.h"
#include "shard/Partitioning/LocalOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/DialectRegistry.h"

using namespace mlir;

namespace shard {

namespace {

/// A new tensor, or a copy of one.
struct AllocTensorModel
    : public DescribedModel<AllocTensorModel, bufferization::AllocTensorOp> {
  void describe(bufferization::AllocTensorOp op, MapBuilder &maps) const {
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (!type)
      return;
    describeResult(op, maps);
    if (op.getCopy())
      maps.operand(op.getDynamicSizes().size()) = maps.result(0);
  }
  PartialRule getPartialRule(Operation *op) const {
    return cast<bufferization::AllocTensorOp>(op).getCopy()
               ? PartialRule::Movement
               : PartialRule::None;
  }
  LogicalResult partition(Operation *op, OpBuilder &builder,
                          ArrayRef<Value> operands, PartitionContext &context,
                          SmallVectorImpl<Value> &results) const {
    auto alloc = cast<bufferization::AllocTensorOp>(op);
    auto type = dyn_cast<RankedTensorType>(alloc.getType());
    size_t sizes = alloc.getDynamicSizes().size();
    if (!type)
      return partitionWithPadding(op, builder, operands, context, results);
    SmallVector<Value> inputs =
        localExtents(builder, op->getLoc(), type, operands.take_front(sizes),
                     context.emission, context.result(0));
    llvm::append_range(inputs, operands.drop_front(sizes));
    return partitionWithPadding(op, builder, inputs, context, results);
  }
};

/// What ends the life of a tensor ends that of its blocks.
struct DeallocTensorModel
    : public DescribedModel<DeallocTensorModel,
                            bufferization::DeallocTensorOp> {
  void describe(bufferization::DeallocTensorOp op, MapBuilder &maps) const {
    if (auto type = dyn_cast<RankedTensorType>(op.getTensor().getType()))
      for (auto [dim, extent] : llvm::enumerate(type.getShape()))
        maps.operand(0)[dim] = maps.loop(extent);
  }
  LogicalResult partition(Operation *op, OpBuilder &builder,
                          ArrayRef<Value> operands, PartitionContext &context,
                          SmallVectorImpl<Value> &results) const {
    return partitionWithPadding(op, builder, operands, context, results);
  }
};

/// The source becomes the content of the destination, whose own is not read. A
/// destination in memory is written whole by every device.
struct MaterializeModel
    : public DescribedModel<MaterializeModel,
                            bufferization::MaterializeInDestinationOp> {
  void describe(bufferization::MaterializeInDestinationOp op,
                MapBuilder &maps) const {
    auto source = dyn_cast<RankedTensorType>(op.getSource().getType());
    auto dest = dyn_cast<RankedTensorType>(op.getDest().getType());
    if (!source || !dest || !op.getResult())
      return;
    for (auto [dim, extent] : llvm::enumerate(source.getShape()))
      maps.operand(0)[dim] = maps.operand(1)[dim] = maps.result(0)[dim] =
          maps.loop(extent);
  }
  PartialRule getPartialRule(Operation *op) const {
    return op->getNumResults() ? PartialRule::Movement : PartialRule::None;
  }
  int32_t getFirstInit(Operation *) const { return 1; }
  LogicalResult partition(Operation *op, OpBuilder &builder,
                          ArrayRef<Value> operands, PartitionContext &context,
                          SmallVectorImpl<Value> &results) const {
    return partitionWithPadding(op, builder, operands, context, results);
  }
};

} // namespace

void registerBufferizationModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context,
                            bufferization::BufferizationDialect *) {
    context->loadDialect<arith::ArithDialect, cf::ControlFlowDialect>();
    bufferization::AllocTensorOp::attachInterface<AllocTensorModel>(*context);
    bufferization::DeallocTensorOp::attachInterface<DeallocTensorModel>(
        *context);
    bufferization::MaterializeInDestinationOp::attachInterface<
        MaterializeModel>(*context);
  });
}

} // namespace shard
