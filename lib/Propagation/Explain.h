//===- Explain.h - Why values are sharded as they are -----------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_PROPAGATION_EXPLAIN_H
#define SHARD_LIB_PROPAGATION_EXPLAIN_H

#include "Writer.h"

#include "mlir/IR/AsmState.h"

namespace shard::propagation {

/// The names of the values and the order of the ops of a program, for all of its components.
class NamedProgram {
public:
  explicit NamedProgram(mlir::Operation *root);

  std::string nameOf(mlir::Value value);
  /// Ops of larger numbers stand behind, or inside.
  size_t positionOf(mlir::Operation *op) const { return position.lookup(op); }

private:
  mlir::AsmState names;
  llvm::DenseMap<mlir::Operation *, size_t> position;
};

/// Adds to `explanation` what can be said about `out`. `reshards` is what
/// writeSolution returned; `planner` tells the collectives of a reshard.
void explain(NamedProgram &named, ReadProgram &program,
             const Solution &solution, const GridPropagation &out,
             const WrittenReshards &reshards, Planner &planner,
             PropagationExplanation &explanation);

/// What is known of the annotations that move values to other grids: one end of each
/// is on one grid, the other on another.
using CrossingEntries =
    llvm::MapVector<mlir::Operation *, PropagationExplanation::ReshardEntry>;

/// Adds to `entries` the ends of the crossings of `result` that are on the grid of
/// `out`.
void explainCrossings(NamedProgram &named, ReadProgram &program,
                      const Solution &solution, const GridPropagation &out,
                      const PropagationResult &result,
                      CrossingEntries &entries);

} // namespace shard::propagation

#endif // SHARD_LIB_PROPAGATION_EXPLAIN_H
