//===- LocalFunction.h - What one device has of a function ------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_TRANSFORMS_LOCALFUNCTION_H
#define SHARD_LIB_TRANSFORMS_LOCALFUNCTION_H

#include "Partition/FunctionShardings.h"
#include "Partition/OpTables.h"
#include "Partition/PlannedReshards.h"
#include "Partition/ProgramGrids.h"

#include "shard/Partitioning/PartitionContext.h"
#include "shard/Transforms/Transforms.h"

namespace shard {

/// A function while its local form is built: the local value of each global one, and
/// the reshards between them. The parts of partition (OpPartitioner.h,
/// EdgePartitioner.h, ManualPartitioner.h, ForallPartitioner.h) build ops at `builder`.
class LocalFunction {
public:
  using SignatureLookup = llvm::function_ref<const SignatureShardings *(
      mlir::Operation *call, llvm::StringRef callee)>;

  LocalFunction(mlir::FunctionOpInterface function,
                const FunctionShardings &shardings, ShardingPool &pool,
                ProgramGrids &grids, SignatureLookup signatureOf,
                const PartitionOptions &options, PlannedReshards *planned);

  struct LocalValue {
    mlir::Value value;
    /// Null for what is no ranked tensor.
    const Sharding *sharding = nullptr;
  };

  /// The local form of `value` under `wanted` (null for non-tensors), resharded
  /// where it differs; `what` names the use for people.
  mlir::FailureOr<mlir::Value> localAs(mlir::Value value,
                                       const Sharding *wanted,
                                       mlir::Operation *user,
                                       const llvm::Twine &what);
  mlir::FailureOr<mlir::Value> localReplicated(mlir::Value value,
                                               mlir::Operation *user,
                                               const llvm::Twine &what);
  /// Appends the local forms of the operands of `op`, each under what `wanted` says
  /// of its number.
  mlir::LogicalResult
  localOperands(mlir::Operation *op,
                llvm::function_ref<const Sharding *(unsigned)> wanted,
                llvm::SmallVectorImpl<mlir::Value> &operands);
  const Sharding *replicatedLike(mlir::Value value);
  /// Records the local form of a result, resharded to its annotation.
  llvm::LogicalResult setResult(mlir::Value global, mlir::Value local,
                                const Sharding *natural, mlir::Operation *op);
  /// Values of the enclosing code that regions of `op` use become local ones.
  llvm::LogicalResult mapCaptures(mlir::Operation *op);
  mlir::Type localTypeOf(mlir::Type type, const Sharding *sharding);
  /// Plans take devices along these axes for different, not for replicas.
  void setManual(const ManualAxes &manual);
  /// Whether the function is called in the body of a manual computation: it is a part of it, with
  /// collectives of its own.
  bool isManual = false;

  /// What emitting on a grid needs.
  struct OnGrid {
    OnGrid(GridOp grid, LocalFunction &local);
    OnGrid(const OnGrid &) = delete;

    /// The grid of plans: in the body of a manual computation its axes have one
    /// device, because a plan must not take what they hold for replicas.
    Grid planningGrid;
    KnownIndices known;
    KnownExtents extents;
    KnownBlockExtents blockExtents;
    Emission emission;
  };
  OnGrid &on(GridOp grid);
  /// Those that something was emitted on.
  llvm::SmallVector<GridOp> usedGrids() const;
  /// On the grid of `sharding`, or on the first of the function where it replicates.
  const Emission &emissionFor(const Sharding *sharding);
  /// The grid that the tensors of `op` are on, the first of the function if all of
  /// them are replicated; an error if they are on several.
  llvm::FailureOr<GridOp> gridOf(mlir::Operation *op);
  /// Whether a tensor of `op` is on a grid with axes of unknown size.
  bool usesUnknownSizes(mlir::Operation *op);
  /// Turns `local`, a block of a tensor of global `type` under `from`, into its block
  /// under `to`, which may be on another grid.
  llvm::FailureOr<mlir::Value> reshard(mlir::Location loc, mlir::Value local,
                                       mlir::RankedTensorType type,
                                       const Sharding *from,
                                       const Sharding *to);
  /// The plan of that; null, without an error, if there is none or if it moves the value
  /// to another grid.
  const Plan *planOf(mlir::RankedTensorType type, const Sharding *from,
                     const Sharding *to);
  /// Notes the reshard of `value`, the result of an annotation for users or of another
  /// op, if anybody asks for it.
  void note(mlir::Value value, const Sharding *from, const Sharding *to);

  mlir::FunctionOpInterface function;
  const FunctionShardings &shardings;
  ShardingPool &pool;
  SignatureLookup signatureOf;
  PartitionOptions options;
  ProgramGrids &grids;
  /// Null if nobody asks for it.
  PlannedReshards *planned;
  mlir::OpBuilder builder;
  OpTables opTables;

  llvm::DenseMap<mlir::Value, LocalValue> locals;
  /// From the blocks of the function to those of its local form.
  llvm::DenseMap<mlir::Block *, mlir::Block *> blocks;
  /// The shardings in which the edges of a region branch op and of its
  /// terminators take their operands.
  llvm::DenseMap<mlir::OpOperand *, const Sharding *> edgeOperands;

  /// A loop with shared tensors around the builder: the op and its local form. What
  /// its body needs of the outside is resharded in front of it.
  struct OpenForall {
    mlir::Operation *global, *local;
    /// A region that is being rebuilt has no parent yet: its values, too, come from
    /// outside.
    bool captures(mlir::Value value) const {
      mlir::Region *home = value.getParentRegion();
      mlir::Operation *parent = home ? home->getParentOp() : nullptr;
      return !parent || !global->isAncestor(parent);
    }
  };
  /// Outermost first.
  llvm::SmallVector<OpenForall, 1> foralls;

  /// The exchanges of halos that were made, and what makes the local results of views,
  /// which may be of no use: windows of them are cut out of what they are views of.
  llvm::DenseSet<mlir::Operation *> exchanges, views;
  /// By how much each dimension of the result of an op is to grow, for those that may,
  /// and the ops that the program marks so.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Growth>> growth;
  llvm::DenseSet<mlir::Operation *> recomputed;
  /// The blocks of values with what the device has computed of the neighbours' blocks.
  struct WideBlock {
    mlir::Value value;
    llvm::SmallVector<Growth> growth;
  };
  llvm::DenseMap<mlir::Value, WideBlock> wides;
  /// Dimensions of values whose unknown extents have been built.
  llvm::DenseMap<std::pair<mlir::Value, unsigned>, mlir::Value> wholes;
  /// What is sent to make the results of views, as the planner prices it.
  llvm::DenseMap<mlir::Value, double> viewCosts;

  /// Forgets the reshards of `block`, which will be deleted: a new block may have its
  /// address.
  void forgetReshards(mlir::Block *block) { reshards.erase(block); }

private:
  llvm::FailureOr<mlir::Value> moveToGrid(mlir::Location loc, mlir::Value local,
                                          mlir::RankedTensorType type,
                                          const Sharding *from,
                                          const Sharding *to);

  /// Notes that `user` takes `value` in another sharding than it has, for `what`.
  void noteUnstated(mlir::Value value, const Sharding *from, const Sharding *to,
                    mlir::Operation *user, const llvm::Twine &what);

  std::map<mlir::Operation *, OnGrid> onGrid;
  /// The location of a reshard: that of `user`, named for what it is.
  mlir::Location reshardLoc(mlir::Operation *user, const llvm::Twine &what);

  /// Reshards of a value in a block, to share among its users there.
  llvm::DenseMap<
      mlir::Block *,
      llvm::DenseMap<std::pair<mlir::Value, const Sharding *>, mlir::Value>>
      reshards;
};

/// Rebuilds one op of the function, or all blocks of a region in another one, in
/// local form.
using RebuildOp = llvm::function_ref<llvm::LogicalResult(mlir::Operation *)>;
using RebuildRegion =
    llvm::function_ref<llvm::LogicalResult(mlir::Region &, mlir::Region &)>;

} // namespace shard

#endif // SHARD_LIB_TRANSFORMS_LOCALFUNCTION_H
