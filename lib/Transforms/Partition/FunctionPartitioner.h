//===- FunctionPartitioner.h - The program of one device --------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rebuilds the blocks of a function with local types. For each op in order: the
// option of its loops is chosen from how its operands come and how its results
// are wanted, operands are resharded to it, the op's model builds the local op,
// and the results are resharded to what their annotations say. Region and block
// arguments have the sharding of their class; whatever branches to them
// reshards to it (PartitionEdges.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_TRANSFORMS_FUNCTIONPARTITIONER_H
#define SHARD_LIB_TRANSFORMS_FUNCTIONPARTITIONER_H

#include "Partition/FunctionShardings.h"

#include "shard/Interfaces/DataFlowEdges.h"
#include "shard/Interfaces/RegionLoopsInterface.h"
#include "shard/Partitioning/PartitionContext.h"
#include "shard/Transforms/Transforms.h"

namespace shard {

class FunctionPartitioner {
public:
  using SignatureLookup = llvm::function_ref<const SignatureShardings *(
      mlir::Operation *call, llvm::StringRef callee)>;

  FunctionPartitioner(mlir::FunctionOpInterface function,
                      const FunctionShardings &shardings, ShardingPool &pool,
                      Planner &planner, SignatureLookup signatureOf,
                      const PartitionOptions &options);

  /// The function is called where `axes` are manual: plans must not take devices
  /// along them for replicas.
  void setManual(const AxisList &axes) {
    for (GridAxis axis : axes)
      planningGrid.shape[axis] = 1;
  }

  /// Replaces the body and the type of the function. Errors are emitted.
  llvm::LogicalResult run();

private:
  struct LocalValue {
    mlir::Value value;
    /// Null for what is no ranked tensor.
    const Sharding *sharding = nullptr;
  };

  void updateSignature();

  /// Rebuilds the blocks of `from` in `to`; the arguments of the entry block of
  /// a function body are treated as the signature says.
  llvm::LogicalResult rebuild(mlir::Region &from, mlir::Region &to);
  llvm::LogicalResult rebuildOp(mlir::Operation *op);

  llvm::LogicalResult rebuildAnnotation(ShardOp op);
  llvm::LogicalResult rebuildReturn(mlir::Operation *op);
  llvm::LogicalResult rebuildCall(mlir::Operation *op, llvm::StringRef callee);
  llvm::LogicalResult rebuildManual(ManualComputationOp op);
  llvm::LogicalResult gatherCaptures(
      ManualComputationOp op,
      llvm::SmallVectorImpl<std::pair<mlir::Value, LocalValue>> &outside);
  const Sharding *withoutManualAxes(ManualComputationOp op,
                                    const Sharding &sharding);
  llvm::LogicalResult rebuildBranch(mlir::BranchOpInterface branch);
  llvm::LogicalResult rebuildRegionBranch(mlir::Operation *op,
                                          const RegionEdges &edges);
  llvm::LogicalResult rebuildTerminator(mlir::Operation *op);
  /// A loop whose iterations insert slices into shared tensors, and the terminator
  /// of its body.
  llvm::LogicalResult rebuildForall(RegionLoopsInterface loops);
  llvm::LogicalResult rebuildInParallel(RegionLoopsInterface loops,
                                        mlir::Operation *op);
  llvm::LogicalResult rebuildByModel(ShardingInterface model);
  /// Operands, captured values and results replicated; with a remark where that
  /// takes communication.
  llvm::LogicalResult rebuildReplicated(mlir::Operation *op);

  /// The shardings in which the edges of a region branch op and of its
  /// terminators take their operands.
  llvm::DenseMap<mlir::OpOperand *, const Sharding *> edgeOperands;
  llvm::LogicalResult
  localEdgeOperands(mlir::Operation *op,
                    llvm::SmallVectorImpl<mlir::Value> &operands);

  /// The local form of `value` under `wanted` (null for non-tensors), resharded
  /// where it differs; `what` names the use for people.
  mlir::FailureOr<mlir::Value> localAs(mlir::Value value,
                                       const Sharding *wanted,
                                       mlir::Operation *user,
                                       const llvm::Twine &what);
  mlir::FailureOr<mlir::Value> localReplicated(mlir::Value value,
                                               mlir::Operation *user,
                                               const llvm::Twine &what);
  const Sharding *replicatedLike(mlir::Value value);
  /// Records the local form of a result, resharded to its annotation.
  llvm::LogicalResult setResult(mlir::Value global, mlir::Value local,
                                const Sharding *natural, mlir::Operation *op);
  llvm::LogicalResult mapCaptures(mlir::Operation *op);
  mlir::Type localTypeOf(mlir::Type type, const Sharding *sharding);
  /// The location of a reshard: that of `user`, named for what it is.
  mlir::Location reshardLoc(mlir::Operation *user, const llvm::Twine &what);

  mlir::FunctionOpInterface function;
  const FunctionShardings &shardings;
  ShardingPool &pool;
  SignatureLookup signatureOf;
  PartitionOptions options;
  /// The grid of plans: in the body of a manual computation its axes have one
  /// device, because a plan must not take what they hold for replicas.
  Grid planningGrid;
  Emission emission;
  mlir::OpBuilder builder;

  llvm::DenseMap<mlir::Value, LocalValue> locals;
  llvm::DenseMap<mlir::Block *, mlir::Block *> blocks;
  /// The loops with shared tensors around the builder, outermost first: the op and
  /// its local form. What their bodies need of the outside is resharded in front of them.
  struct OpenForall {
    mlir::Operation *global, *local;
    bool captures(mlir::Value value) const {
      return !global->isAncestor(value.getParentBlock()->getParentOp());
    }
  };
  llvm::SmallVector<OpenForall, 1> foralls;
  /// Reshards of a value in a block, to share among its users there.
  llvm::DenseMap<
      std::pair<mlir::Value, std::pair<mlir::Block *, const Sharding *>>,
      mlir::Value>
      reshards;
};

} // namespace shard

#endif // SHARD_LIB_TRANSFORMS_FUNCTIONPARTITIONER_H
