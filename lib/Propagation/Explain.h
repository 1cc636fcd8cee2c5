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

namespace shard::propagation {

/// Adds to `explanation` what can be said about `out`. `reshards` is what
/// writeSolution returned; `planner` tells the collectives of a reshard.
void explain(mlir::Operation *root, ReadProgram &program,
             const Solution &solution, const GridPropagation &out,
             const WrittenReshards &reshards, Planner &planner,
             PropagationExplanation &explanation);

} // namespace shard::propagation

#endif // SHARD_LIB_PROPAGATION_EXPLAIN_H
