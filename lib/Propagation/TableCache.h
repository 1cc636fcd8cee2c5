//===- TableCache.h - Loop tables shared by equal ops -----------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_PROPAGATION_TABLECACHE_H
#define SHARD_LIB_PROPAGATION_TABLECACHE_H

#include "shard/Geometry/Interner.h"
#include "shard/Interfaces/LikeOps.h"
#include "shard/Propagation/Problem.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

namespace shard::propagation {

/// Builds loop tables and shares them: ops that are alike have one table, and equal
/// tables have one number, whatever ops they are from.
class TableCache {
public:
  explicit TableCache(Problem &problem) : problem(problem) {}

  ShapeId shapeOf(mlir::RankedTensorType type);
  TableId tableOf(mlir::Operation *op);
  TableId add(const LoopTable &table, llvm::ArrayRef<ShapeId> shapes);
  TableId identityOf(ShapeId shape);

  const LoopTable &table(TableId id) const { return tables[id]; }

private:
  Problem &problem;
  std::vector<LoopTable> tables;
  std::vector<llvm::SmallVector<ShapeId, 4>> tableShapes;
  llvm::DenseMap<mlir::Type, ShapeId> shapes;
  llvm::DenseMap<ShapeId, TableId> identities;
  LikeOps likeOps;
  /// By the numbers of `likeOps`.
  std::vector<TableId> tableOfLike;
  /// Its numbers are those of the tables.
  InternIndex byContent;
};

} // namespace shard::propagation

#endif // SHARD_LIB_PROPAGATION_TABLECACHE_H
