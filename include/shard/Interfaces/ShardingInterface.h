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

/// The loops of an op, and a map from them for each operand and result.
struct LoopsAndMaps {
  llvm::SmallVector<Loop> loops;
  llvm::SmallVector<mlir::AffineMap> maps;
};

/// What the interface of `op` answers to the two questions. The default of
/// ShardingInterface::getLoopsAndMaps.
LoopsAndMaps askLoopsAndMaps(mlir::Operation *op);

/// Whether `op` is a constant whose one result is a ranked tensor. The default of
/// ShardingInterface::isCreator.
bool isConstantTensor(mlir::Operation *op);

/// What ShardingInterface::isCreator says of `op`; for ops without a model, its
/// default.
bool isCreator(mlir::Operation *op);

/// What ShardingInterface::isMadeForEachUser says of `op`; of ops without a model, isCreator.
bool isMadeForEachUser(mlir::Operation *op);

/// Whether `op`, or an op in its regions, may stop the machine on some operands:
/// by its model, or where it has none because it is not speculatable. The default
/// of ShardingInterface::mayTrapOnPadding; asks the models of the ops in the
/// regions, but not that of `op`.
bool mayTrapByEffects(mlir::Operation *op);

/// Whether `op` is elementwise or has indexing maps. The default of
/// ShardingInterface::hasFormOfAnySize.
bool saysNothingOfSizes(mlir::Operation *op);

/// Whether `op` is elementwise and no element may stop it. The default of
/// ShardingInterface::isPointwise.
bool isHarmlessElementwise(mlir::Operation *op);

/// The elementwise ops in the regions of `op`, or 1 if it is elementwise itself; neither
/// casts nor ops on indices count. The default of
/// ShardingInterface::getFlopsPerIteration.
int64_t countFlops(mlir::Operation *op);

/// Whether `op` is a cast. The default of ShardingInterface::isAlias.
bool isCast(mlir::Operation *op);

/// What ShardingInterface::isAlias says of `op`; false for ops without a model.
bool isAlias(mlir::Operation *op);

/// What ShardingInterface::readsSingleElements says of `op`. The default of
/// ShardingInterface::isWholeInLoops.
bool readsSingleElements(mlir::Operation *op, unsigned operand);

/// Annotates the tensors of `op` with the shardings that `option` implies, on
/// the grid named `grid`. The default of
/// ShardingInterface::setShardingAnnotations.
void annotateByOption(mlir::Operation *op, mlir::OpBuilder &builder,
                      llvm::StringRef grid, const ShardingOption &option);

/// Clones `op` with `operands`, its result types made local as `context` says,
/// regions included. The default of ShardingInterface::partition. Defined on the
/// floor Partitioning: only models use it, which stand above that floor.
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
  LoopsAndMaps getLoopsAndMaps(mlir::Operation *op) const {
    const auto &model = *static_cast<const Model *>(this);
    return {model.getShardingLoops(op), model.getShardingMaps(op)};
  }
  ReductionKind getResultReduction(mlir::Operation *op, unsigned) const {
    return firstReductionKind(op);
  }
  PartialRule getPartialRule(mlir::Operation *) const {
    return PartialRule::None;
  }
  bool commutesWith(mlir::Operation *, ReductionKind, unsigned) const {
    return false;
  }
  int32_t getFirstInit(mlir::Operation *) const { return -1; }
  bool isCreator(mlir::Operation *op) const { return isConstantTensor(op); }
  bool isMadeForEachUser(mlir::Operation *op) const {
    return shard::isCreator(op);
  }
  bool mayTrapOnPadding(mlir::Operation *op) const {
    return mayTrapByEffects(op);
  }
  bool isPointwise(mlir::Operation *op) const {
    return isHarmlessElementwise(op);
  }
  mlir::OpFoldResult getWindowFill(mlir::Operation *, unsigned) const {
    return {};
  }
  bool isView(mlir::Operation *) const { return false; }
  Spread getElementSpread(mlir::Operation *, unsigned) const { return {}; }
  bool computesBeyondBlock(mlir::Operation *) const { return false; }
  bool hasFormOfAnySize(mlir::Operation *op) const {
    return saysNothingOfSizes(op);
  }
  std::string getSplitAdvice(mlir::Operation *, unsigned, unsigned) const {
    return {};
  }
  mlir::Value getRolledTensor(mlir::Operation *) const { return {}; }
  int64_t getFlopsPerIteration(mlir::Operation *op) const {
    return countFlops(op);
  }
  bool isAlias(mlir::Operation *op) const { return isCast(op); }
  bool readsSingleElements(mlir::Operation *, unsigned) const { return false; }
  bool isWholeInLoops(mlir::Operation *op, unsigned operand) const {
    return ::shard::readsSingleElements(op, operand);
  }
  bool isShapeOperand(mlir::Operation *, unsigned) const { return false; }
  llvm::SmallVector<int64_t> getFactsOfOperands(mlir::Operation *) const {
    return {};
  }
  bool decidesOption(mlir::Operation *) const { return false; }
  std::optional<ShardingOption>
  getShardingOption(mlir::Operation *, const Grid &,
                    llvm::function_ref<Sharding(unsigned)>,
                    llvm::function_ref<Sharding(unsigned)>) const {
    return std::nullopt;
  }
  void setShardingAnnotations(mlir::Operation *op, mlir::OpBuilder &builder,
                              llvm::StringRef grid,
                              const ShardingOption &option) const {
    annotateByOption(op, builder, grid, option);
  }
  llvm::LogicalResult
  partition(mlir::Operation *op, mlir::OpBuilder &builder,
            llvm::ArrayRef<mlir::Value> operands, PartitionContext &context,
            llvm::SmallVectorImpl<mlir::Value> &results) const {
    return partitionByCloning(op, builder, operands, context, results);
  }
};

} // namespace shard

#endif // SHARD_INTERFACES_SHARDINGINTERFACE_H
