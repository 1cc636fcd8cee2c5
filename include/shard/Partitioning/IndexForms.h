//===- IndexForms.h - Indices as multiples of a position --------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_PARTITIONING_INDEXFORMS_H
#define SHARD_PARTITIONING_INDEXFORMS_H

#include "shard/IR/ShardOps.h"

#include "llvm/ADT/DenseMap.h"

#include <limits>
#include <optional>

namespace shard {

/// What is known of indices: each is `scale * base + offset`, and `base` lies between two bounds.
/// The position of a device along an axis of known size is a base of at least 0, below the size. Of an
/// index that is no sum and no product the index itself is the base.
class IndexForms {
public:
  /// Positions on `grids` have bounds.
  explicit IndexForms(llvm::ArrayRef<GridOp> grids) : grids(grids) {}

  /// Puts an op in its place, or finds an equal one there.
  using PutOp = llvm::function_ref<mlir::Operation *(mlir::Operation *)>;

  /// Reads `op`, which has no regions and whose results are indices. Returns a value that is equal
  /// to its only result and takes less to compute: one that the op depends on, or the result of one
  /// new op, which `put` puts in front of it. Null if there is none.
  mlir::Value simplified(mlir::Operation *op, PutOp put);

private:
  /// Inclusive.
  struct Bounds {
    int64_t low = std::numeric_limits<int64_t>::min();
    int64_t high = std::numeric_limits<int64_t>::max();
  };
  struct Form {
    /// Null for a number, which is `offset`.
    mlir::Value base;
    int64_t scale = 0, offset = 0;
    /// Of the base.
    Bounds bounds = {};
  };

  Form formOf(mlir::Value value) const;
  static std::optional<Form> sumOf(const Form &a, const Form &b);
  static std::optional<Form> productOf(const Form &form, int64_t factor);
  static std::optional<Bounds> boundsOf(const Form &form);
  static std::optional<Bounds> boundsOfSum(const Form &a, const Form &b);
  static bool isAtMost(const Form &a, const Form &b);

  void noteBounds(mlir::Operation *op, Bounds bounds);
  void readPositions(ProcessMultiIndexOp op);
  mlir::Value simplifySum(mlir::Operation *op, PutOp put);
  mlir::Value simplifyExtreme(mlir::Operation *op, bool isMax);
  mlir::Value build(mlir::Operation *op, const Form &form, PutOp put);

  llvm::ArrayRef<GridOp> grids;
  llvm::DenseMap<mlir::Value, Form> forms;
};

} // namespace shard

#endif // SHARD_PARTITIONING_INDEXFORMS_H
