//===- FunctionShardings.h - What annotations say ---------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sharding that the annotations of a function state for each value, read
// once before partition changes anything.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_TRANSFORMS_FUNCTIONSHARDINGS_H
#define SHARD_LIB_TRANSFORMS_FUNCTIONSHARDINGS_H

#include "shard/Geometry/Interner.h"
#include "shard/IR/ShardOps.h"
#include "shard/Partitioning/Emitter.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/MapVector.h"

#include <map>

namespace shard {

/// Shardings kept once each: equal ones on one grid have equal addresses, and those
/// that replicate have one address for all grids.
class ShardingPool {
public:
  const Sharding *intern(const Sharding &sharding, GridOp grid);
  const Sharding *replicated(int64_t rank);
  /// The grid of a sharding that was interned; null where it replicates.
  GridOp gridOf(const Sharding *sharding) const {
    return llvm::cast_if_present<GridOp>(grids.lookup(sharding));
  }

private:
  std::map<mlir::Operation *, Interner<Sharding>> byGrid;
  llvm::DenseMap<const Sharding *, mlir::Operation *> grids;
  llvm::DenseMap<int64_t, const Sharding *> byRank;
};

/// The axes that are manual where a function is called, by grid.
using ManualAxes = llvm::MapVector<mlir::Operation *, AxisList>;

/// The shardings of the signature of a function; null for what is no ranked
/// tensor.
struct SignatureShardings {
  /// What the body uses the arguments in.
  llvm::SmallVector<const Sharding *> arguments;
  /// What callers pass: `arguments`, or replicated where arguments arrive whole.
  llvm::SmallVector<const Sharding *> arriving;
  llvm::SmallVector<const Sharding *> results;
};

/// What the annotations of one function say.
class FunctionShardings {
public:
  FunctionShardings(mlir::FunctionOpInterface function, ShardingPool &pool,
                    mlir::SymbolTableCollection &symbols)
      : function(function), pool(pool), symbols(symbols) {}

  /// Reads all annotations. Fails with an error where they contradict each
  /// other or are not resolved.
  llvm::LogicalResult read();

  /// The sharding of `value`; replicated without annotation, null for what is
  /// no ranked tensor.
  const Sharding *of(mlir::Value value) const;
  /// The grid that the sharding of `value` is on. Of a replicated value the grid of the
  /// statement that says so; null if nothing does.
  GridOp gridOf(mlir::Value value) const;
  /// Whether an annotation states the sharding of `value`.
  bool isStated(mlir::Value value) const {
    return stated.contains(leader(value));
  }

  /// The sharding that an attribute of `op` states for a value of `type`, once
  /// all annotations are read. Errors are emitted at `op`.
  llvm::FailureOr<const Sharding *> resolveFor(mlir::Operation *op,
                                               ShardingAttr attribute,
                                               mlir::Type type) const;

  /// The grid that `op` names; annotations have been read.
  GridOp gridNamed(ManualComputationOp op) const;

  /// Fails, with an error, where an annotation uses one of `axes`, which are
  /// manual where the function is called.
  llvm::LogicalResult checkWithout(const ManualAxes &manual);

  /// The first grid of the function; null if it has no annotation.
  GridOp gridOp;
  SignatureShardings signature;

private:
  llvm::FailureOr<GridOp> useGrid(mlir::Operation *user,
                                  mlir::FlatSymbolRefAttr symbol);
  llvm::LogicalResult readSignature();
  llvm::LogicalResult readAnnotation(ShardOp op);
  llvm::LogicalResult readResults();
  void shardAsUsed(mlir::BlockArgument argument);
  void joinEdges();
  llvm::FailureOr<const Sharding *> readAttribute(mlir::Attribute attribute,
                                                  mlir::Type type);
  llvm::LogicalResult state(mlir::Value value, const Sharding *sharding,
                            mlir::Operation *by);
  mlir::Value leader(mlir::Value value) const;

  mlir::FunctionOpInterface function;
  ShardingPool &pool;
  mlir::SymbolTableCollection &symbols;
  /// Values that region branches feed from one operand share a sharding.
  llvm::DenseMap<mlir::Value, mlir::Value> joined;
  llvm::DenseMap<mlir::Value, const Sharding *> stated;
  llvm::DenseMap<std::pair<mlir::Operation *, int64_t>, const Sharding *>
      handles;
  /// Annotations for users with numbers of the run: a source that says nothing itself is
  /// split the same way.
  llvm::SmallVector<ShardOp, 0> startingHere;
};

} // namespace shard

#endif // SHARD_LIB_TRANSFORMS_FUNCTIONSHARDINGS_H
