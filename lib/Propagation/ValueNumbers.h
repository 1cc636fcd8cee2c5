//===- ValueNumbers.h - SSA values as values of the engine ------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_PROPAGATION_VALUENUMBERS_H
#define SHARD_LIB_PROPAGATION_VALUENUMBERS_H

#include "TableCache.h"

namespace shard::propagation {

/// Numbers the ranked tensors of a program. SSA values that must have one sharding
/// share one number: a union-find over the values of the problem.
class ValueNumbers {
public:
  ValueNumbers(Problem &problem, TableCache &tables)
      : problem(problem), tables(tables) {}

  /// A value of the engine that no SSA value stands for.
  ValueId fresh(mlir::RankedTensorType type);
  /// The number of `value`, which gets one if need be; kNoValue for what is not
  /// a ranked tensor.
  ValueId idOf(mlir::Value value);
  /// `value` has no number of its own: it is `id`.
  void alias(mlir::Value value, ValueId id);
  /// The two have one sharding. Does nothing if one is kNoValue.
  void unite(ValueId a, ValueId b);

  /// The value that stands for `value` after everything was read.
  ValueId find(ValueId value) const {
    if (value == kNoValue)
      return value;
    while (parent[value] != value)
      value = parent[value] = parent[parent[value]];
    return value;
  }
  /// Makes the problem speak only of values that stand for themselves. Called once,
  /// when everything has been read.
  void finish();

  /// Whether two values can have one sharding: they have equal shapes and are in
  /// the same manual computation.
  bool areAlike(ValueId a, ValueId b) const;
  bool haveOneShape(ValueId a, ValueId b) const;
  bool areInOneScope(ValueId a, ValueId b) const;

  /// Every tensor value with its number, in the order of the program.
  std::vector<std::pair<mlir::Value, ValueId>> values;
  /// The scope (Problem::scopes) of values that are made now.
  uint32_t scope = 0;

private:
  Problem &problem;
  TableCache &tables;
  llvm::DenseMap<mlir::Value, ValueId> ids;
  mutable std::vector<ValueId> parent;
};

} // namespace shard::propagation

#endif // SHARD_LIB_PROPAGATION_VALUENUMBERS_H
