//===- ShardingInterface.h - What an op tells about sharding ----*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The op interface of sharding, and what a model has at hand when it builds the
// per-device form of its op.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_INTERFACES_SHARDINGINTERFACE_H
#define SHARD_INTERFACES_SHARDINGINTERFACE_H

#include "shard/Interfaces/LoopTable.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"

namespace shard {

class PartitionContext;

/// The kind of the first reduction loop of `op`, sum without one. The default
/// of ShardingInterface::getResultReduction.
ReductionKind firstReductionKind(mlir::Operation *op);

/// Whether `op` makes one tensor out of nothing, at no cost: a constant,
/// tensor.empty, tensor.splat, or a linalg.fill of a tensor.empty. Such a value
/// can be made anew for each user, in the sharding that the user wants.
bool isCreator(mlir::Operation *op);

/// Clones `op` with `operands`, its result types made local as `context` says,
/// regions included. The default of ShardingInterface::partition.
llvm::LogicalResult
partitionByCloning(mlir::Operation *op, mlir::OpBuilder &builder,
                   llvm::ArrayRef<mlir::Value> operands,
                   PartitionContext &context,
                   llvm::SmallVectorImpl<mlir::Value> &results);

} // namespace shard

#include "shard/Interfaces/ShardingInterface.h.inc"

namespace shard {

/// The base of models that fit many ops at once (attached by trait or by
/// another interface): like ExternalModel, with the interface's defaults.
template <typename Model>
struct GenericShardingModel : public ShardingInterface::FallbackModel<Model> {
  ReductionKind getResultReduction(mlir::Operation *op, unsigned) const {
    return firstReductionKind(op);
  }
  PartialRule getPartialRule(mlir::Operation *) const {
    return PartialRule::None;
  }
  int32_t getFirstInit(mlir::Operation *) const { return -1; }
  llvm::LogicalResult
  partition(mlir::Operation *op, mlir::OpBuilder &builder,
            llvm::ArrayRef<mlir::Value> operands, PartitionContext &context,
            llvm::SmallVectorImpl<mlir::Value> &results) const {
    return partitionByCloning(op, builder, operands, context, results);
  }
};

} // namespace shard

#endif // SHARD_INTERFACES_SHARDINGINTERFACE_H
