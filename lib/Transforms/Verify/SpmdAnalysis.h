//===- SpmdAnalysis.h - What differs between devices ------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value *varies* along a grid axis if devices that differ in that coordinate
// only may hold different values. Process indices vary, and so do divided and
// partial tensors; a gather, a reduction or a broadcast over an axis ends it. The
// extents of a tensor are a matter of their own: dynamic dimensions divide evenly
// by contract, unless the grid has uneven_dynamic, so that devices have blocks of one
// shape unless sizes are computed from what varies.
//
// Where a branch or a loop bound varies along an axis, devices may part ways along
// it, and a collective whose groups lie along that axis must not stand there: some
// devices of a group would wait for others forever.
//
// The analysis is a fixpoint over sets of axes, one per value, one per function
// for the way it is called; sets only grow. It assumes that scalars given to
// functions from outside are the same on all devices.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_TRANSFORMS_VERIFY_SPMDANALYSIS_H
#define SHARD_LIB_TRANSFORMS_VERIFY_SPMDANALYSIS_H

#include "AxisBits.h"
#include "VaryingExtents.h"

#include "shard/IR/ShardingUtils.h"
#include "shard/Interfaces/DataFlowEdges.h"

#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/ShapedOpInterfaces.h"

namespace shard {

/// What the analysis takes for the same on all devices without proof.
enum class SpmdTrust {
  /// Tensors that come without a sharding, and what external functions and memory give:
  /// whoever wrote the program knows better. Errors are then no false ones.
  Program,
  /// Scalars that come from outside, and nothing else: what is found holds.
  Scalars,
};

class SpmdAnalysis {
public:
  SpmdAnalysis(mlir::Operation *root, SpmdTrust trust)
      : root(root), trust(trust) {}

  /// Must be called first.
  void run();

  /// Calls `visit` for each collective with the axes along which its groups lie, and those
  /// along which devices may have parted ways where it stands.
  using VisitFn = llvm::function_ref<void(mlir::Operation *, AxisSet, AxisSet)>;
  void visitCollectives(VisitFn visit);

  /// The axes along which `value` varies.
  AxisSet along(mlir::Value value) const { return varies.lookup(value); }
  AxisSet along(mlir::ValueRange values) const;

  /// The axes along which devices may take different ways through `op`.
  AxisSet decidingIn(mlir::RegionBranchOpInterface op) const;

  /// The axes along which the groups of `collective` lie.
  AxisSet groupOf(mlir::Operation *collective);

  /// The axes `set` by their numbers in the grid of `collective`.
  std::string describe(mlir::Operation *collective, AxisSet set);

private:
  void wait(mlir::FunctionOpInterface function);
  void grow(AxisSet &set, AxisSet by);
  void vary(mlir::Value value, AxisSet set);
  void grow(ExtentSets &sets, const ExtentSets &by);
  void resize(mlir::Value value, const ExtentSets &by);
  void resize(mlir::Value value, AxisSet set);
  void hand(mlir::Value to, mlir::Value from, AxisSet deciding);

  AxisSet axesOf(mlir::Operation *op, mlir::FlatSymbolRefAttr grid,
                 llvm::ArrayRef<int16_t> axes);
  AxisSet axesOf(mlir::Operation *collective,
                 llvm::ArrayRef<GridAxesAttr> lists);
  AxisSet ownAxesOf(mlir::Operation *collective,
                    llvm::ArrayRef<GridAxesAttr> lists);
  /// What is left of `set` behind a collective that makes values equal along `lists`.
  AxisSet endedAlong(AxisSet set, mlir::Operation *collective,
                     llvm::ArrayRef<GridAxesAttr> lists);
  AxisSet exchanged(mlir::Operation *move, AxisSet inputs,
                    llvm::ArrayRef<GridAxesAttr> from,
                    llvm::ArrayRef<GridAxesAttr> to);
  /// All axes of `grid`.
  AxisSet allAxesOf(mlir::Operation *op, mlir::FlatSymbolRefAttr grid);
  bool isTrusted(mlir::BlockArgument argument) const;
  void seedArguments(mlir::FunctionOpInterface function);
  ExtentSets splitAxesOf(mlir::Operation *op, mlir::FlatSymbolRefAttr grid,
                         const ResolvedSharding &sharding);
  AxisSet askedExtentAlong(mlir::ShapedDimOpInterface dim) const;

  // Control flow. `under`: the axes along which devices may have parted ways.
  void visitRegion(mlir::Region &region, AxisSet under);
  AxisSet decidingOf(mlir::Operation *terminator) const;
  bool mayDiffer(mlir::Operation *op) const;
  void visitOp(mlir::Operation *op, AxisSet under);
  void varyOffEdges(mlir::RegionBranchOpInterface op, const RegionEdges &edges);
  void visitRegionOp(mlir::Operation *op, AxisSet under);
  bool growsElsewhere(llvm::function_ref<void()> step);
  void visitReturn(mlir::Operation *op);

  // Memory (StoredValues.cpp).
  AxisSet storedIn(mlir::Operation *op) const;
  void storeIn(mlir::Operation *op, AxisSet set);
  void storeThrough(mlir::Value buffer, AxisSet set);
  /// `op` stores what varies along `set`, if it stores anything.
  void visitStores(mlir::Operation *op, AxisSet set);

  mlir::Operation *calleeOf(mlir::CallOpInterface call);
  void visitCall(mlir::CallOpInterface call, AxisSet under);
  AxisSet visitShardOp(mlir::Operation *op, AxisSet under);

  mlir::Operation *root;
  SpmdTrust trust;
  ExtentRules rules{
      [this](mlir::Value value) { return along(value); },
      [this](mlir::Value value) { return resized.lookup(value); }};
  llvm::SmallVector<mlir::FunctionOpInterface> functions;
  mlir::PostDominanceInfo postDominators;
  /// The axes along which values and, of those of dynamic shape, extents vary.
  llvm::DenseMap<mlir::Value, AxisSet> varies;
  llvm::DenseMap<mlir::Value, ExtentSets> resized;
  /// The axes along which what a global holds varies, by its symbol.
  llvm::DenseMap<mlir::StringAttr, AxisSet> stored;
  llvm::DenseMap<mlir::Operation *, AxisSet> calledUnder;
  llvm::DenseMap<mlir::Operation *,
                 llvm::SmallVector<mlir::FunctionOpInterface>>
      callers;
  /// The functions to visit.
  llvm::SmallVector<mlir::FunctionOpInterface> waiting;
  llvm::DenseSet<mlir::Operation *> isWaiting;
  /// Of each result of a function, its values and its extents.
  llvm::DenseMap<std::pair<mlir::Operation *, unsigned>,
                 std::pair<AxisSet, ExtentSets>>
      returned;
  mlir::SymbolTableCollection symbols;
  AxisBits bits{symbols};
  bool changed = false;
  VisitFn visitCollective;
};

} // namespace shard

#endif // SHARD_LIB_TRANSFORMS_VERIFY_SPMDANALYSIS_H
