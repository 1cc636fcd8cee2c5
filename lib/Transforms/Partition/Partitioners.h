//===- Partitioners.h - The local forms of ops ------------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function here builds the local form of one kind of op and records the local
// forms of its results. Errors are emitted.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_TRANSFORMS_PARTITIONERS_H
#define SHARD_LIB_TRANSFORMS_PARTITIONERS_H

#include "Partition/LocalFunction.h"

#include "shard/Interfaces/DataFlowEdges.h"
#include "shard/Interfaces/RegionLoopsInterface.h"
#include "shard/Partitioning/Windows.h"

namespace shard {

//===----------------------------------------------------------------------===//
// OpPartitioner.cpp: ops that compute
//===----------------------------------------------------------------------===//

/// Chooses the option of the op's loops from how its operands come and how its
/// results are wanted, and lets the model build the local op.
llvm::LogicalResult partitionByModel(LocalFunction &local,
                                     ShardingInterface model);
/// Operands, captured values and results are replicated; with a remark where that
/// takes communication.
llvm::LogicalResult partitionReplicated(LocalFunction &local,
                                        mlir::Operation *op);

//===----------------------------------------------------------------------===//
// WindowPartitioner.cpp: operands over which loops slide
//===----------------------------------------------------------------------===//

/// Where the window of an operand is cut from.
struct FoundWindow {
  /// The value; null if it is to be the operand, resharded.
  mlir::Value value;
  WindowSource source;
  HaloExchange exchange;
  /// Of the exchange, and of making `value` if that is for this window alone.
  double cost = 0;
  /// What localWindow has made it of.
  WindowPiece piece = {};
};
/// Looks for the windows that `op` reads: one entry for each operand, of use only where
/// readsWindow; no entries where it reads none.
llvm::SmallVector<FoundWindow, 1> findWindows(LocalFunction &local,
                                              ShardingInterface op, GridOp grid,
                                              const PartitionContext &context);
/// The window of operand `index` of `op` that this device reads, as it was found.
llvm::FailureOr<mlir::Value> localWindow(LocalFunction &local,
                                         ShardingInterface op, unsigned index,
                                         FoundWindow &window, GridOp grid,
                                         const PartitionContext &context);
/// Notes the extents of results of `op` that its windows were built with.
void noteExtents(LocalFunction &local, mlir::Operation *op,
                 const LoopTable &table, llvm::ArrayRef<FoundWindow> windows);

//===----------------------------------------------------------------------===//
// WideBlocks.cpp: halos that are computed instead of exchanged
//===----------------------------------------------------------------------===//

/// Fills LocalFunction::growth, for the whole function.
void planGrowth(LocalFunction &local);
/// How the loops of `op` grow: not at all where its results would not be right.
llvm::SmallVector<Growth> growthOfLoops(LocalFunction &local,
                                        ShardingInterface op,
                                        const PartitionContext &context);
/// Makes blocks of `results`, which are as long as `context` makes them grow.
llvm::SmallVector<LocalFunction::WideBlock>
cutBlocks(LocalFunction &local, mlir::Operation *op,
          const PartitionContext &context,
          llvm::MutableArrayRef<mlir::Value> results);
/// The block of `value` with the halos that `exchange` would fill, if it was computed
/// so; else null.
mlir::Value computedHalos(LocalFunction &local, mlir::Value value,
                          const HaloExchange &exchange);
/// Whether there is such a block.
bool hasComputedHalos(LocalFunction &local, mlir::Value value,
                      const WindowSource &source, const HaloExchange &exchange);

/// Behind the last op of the function: erases views that are of no use, and merges
/// exchanges of halos.
void tidyWindows(LocalFunction &local);
/// Computes each index of `body` once, as simply as the sizes of `grids` allow, and none that
/// nothing uses.
void uniteIndices(mlir::Region &body, llvm::ArrayRef<GridOp> grids);

//===----------------------------------------------------------------------===//
// EdgePartitioner.cpp: ops that pass tensors on
//===----------------------------------------------------------------------===//

llvm::LogicalResult partitionReturn(LocalFunction &local, mlir::Operation *op);
llvm::LogicalResult partitionCall(LocalFunction &local, mlir::Operation *op,
                                  llvm::StringRef callee);
llvm::LogicalResult partitionBranch(LocalFunction &local,
                                    mlir::BranchOpInterface branch);
llvm::LogicalResult partitionRegionBranch(LocalFunction &local,
                                          mlir::Operation *op,
                                          const RegionEdges &edges,
                                          RebuildRegion rebuild);
llvm::LogicalResult partitionTerminator(LocalFunction &local,
                                        mlir::Operation *op);

//===----------------------------------------------------------------------===//
// ManualPartitioner.cpp: code for one device
//===----------------------------------------------------------------------===//

/// The body takes the place of the op: as far as manual axes go it is code for one
/// device already. Its values are global with respect to the other axes.
llvm::LogicalResult partitionManual(LocalFunction &local,
                                    ManualComputationOp op, RebuildOp rebuild);

//===----------------------------------------------------------------------===//
// ForallPartitioner.cpp: loops that insert slices into shared tensors
//===----------------------------------------------------------------------===//

llvm::LogicalResult partitionForall(LocalFunction &local,
                                    RegionLoopsInterface loops,
                                    RebuildOp rebuild);
/// The terminator of the body of `loops`.
llvm::LogicalResult partitionInParallel(LocalFunction &local,
                                        RegionLoopsInterface loops,
                                        mlir::Operation *op);

} // namespace shard

#endif // SHARD_LIB_TRANSFORMS_PARTITIONERS_H
