//===- Writer.h - From a solution to values and uses ------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_PROPAGATION_WRITER_H
#define SHARD_LIB_PROPAGATION_WRITER_H

#include "Reader.h"

#include "shard/Propagation/Engine.h"
#include "shard/Resharding/Plan.h"

namespace shard::propagation {

/// Fills `out` from the solution of what `reader` read. `solution` keeps all but
/// its shardings. Returns per entry of `out.uses` the op of the problem that asks
/// for it, or kNoOp for uses in bodies.
constexpr OpId kNoOp = ~OpId(0);
std::vector<OpId> writeSolution(Reader &reader, Solution &solution,
                                Planner &planner, GridPropagation &out);

} // namespace shard::propagation

#endif // SHARD_LIB_PROPAGATION_WRITER_H
