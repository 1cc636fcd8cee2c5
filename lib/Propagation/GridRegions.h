//===- GridRegions.h - Which values are on which grid -----------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions that are solved together may use several grids. A hint puts its value on
// its grid, and an op puts all its tensors on one grid, because an axis of one grid is
// no axis of another. So hints divide the values into regions of one grid each, and
// every grid is solved on its own.
//
// A value goes from one grid to another only at an annotation for users (a shard.shard
// with `annotate_for_users`, or of an annotation; a shard.constraint with users) whose
// source is on one grid and whose sharding is on another: a crossing. A source that no
// other hint reaches takes the grid of the first annotation in the program.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_PROPAGATION_GRIDREGIONS_H
#define SHARD_LIB_PROPAGATION_GRIDREGIONS_H

#include "ReadProgram.h"

namespace shard::propagation {

class GridRegions {
public:
  explicit GridRegions(ReadProgram &program) : program(program) {}

  /// Finds the grid of each value. Fails, with an error, where two grids meet at an op.
  mlir::LogicalResult find();

  /// The grid of `value`; null where no hint reaches it.
  GridOp gridOf(ValueId value) const {
    unsigned label = labels[program.find(value)];
    return label ? origins[label - 1].grid : GridOp();
  }

  /// The annotations that move a value from one grid to another.
  llvm::DenseSet<mlir::Operation *> crossings;

private:
  void buildUses();
  mlir::LogicalResult put(ValueId value, unsigned label, OpId at);
  mlir::LogicalResult flood();
  mlir::LogicalResult meet(OpId at, unsigned a, unsigned b);
  mlir::LogicalResult passAnnotations();

  ReadProgram &program;
  /// The hints, and per value a number of the hint that put it on its grid, plus one.
  std::vector<HintTable::GridOfValue> origins;
  std::vector<unsigned> labels;
  std::vector<ValueId> queue;
  /// The ops of a value are useOps[useBegin[v]] .. useOps[useBegin[v + 1] - 1].
  std::vector<uint32_t> useBegin;
  std::vector<OpId> useOps;
  llvm::DenseSet<OpId> annotations;
};

} // namespace shard::propagation

#endif // SHARD_LIB_PROPAGATION_GRIDREGIONS_H
