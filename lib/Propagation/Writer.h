//===- Writer.h - From a solution to values and uses ------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_PROPAGATION_WRITER_H
#define SHARD_LIB_PROPAGATION_WRITER_H

#include "ReadProgram.h"

#include "shard/Propagation/Propagation.h"

#include "shard/Propagation/Engine.h"
#include "shard/Resharding/Plan.h"

namespace shard::propagation {

/// What explanations need beside the result.
struct WrittenReshards {
  /// Per entry of `GridPropagation::uses` the op of the problem that asks for it,
  /// or kNoOp for uses in bodies.
  std::vector<OpId> useOps;

  /// Results that their op computes in another sharding than they have: they are
  /// resharded behind it.
  struct Computed {
    OpId op;
    unsigned result;
    Sharding sharding;
  };
  std::vector<Computed> computed;
};

/// Fills `out` from the solution of what `program` read. `solution` keeps all but
/// its shardings. `computed` is filled only if an explanation is wanted.
WrittenReshards writeSolution(ReadProgram &program, Solution &solution,
                              Planner &planner,
                              const PropagationOptions &options,
                              GridPropagation &out);

} // namespace shard::propagation

#endif // SHARD_LIB_PROPAGATION_WRITER_H
