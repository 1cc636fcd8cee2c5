//===- Layouts.h - Halos and offsets of values ------------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Internal to propagation. The engine knows which axes split a value, but no halos
// and no explicit offsets. They are added to its solution:
//
//   * a value with a hint has those of the hint;
//   * the results of a pointwise op (LoopTable::pointwise) whose operands all have one
//     layout take it, unless a hint is for them; operands that are made to order do
//     not count;
//   * the results of another op that computes the same at every place
//     (LoopTable::uniform) take the bounds that operands give to its loops, if the
//     solution splits them alike;
//   * a function result without a hint takes it if all returned values have it.
//
// Layouts spread forward only, in one pass over the ops.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_PROPAGATION_LAYOUTS_H
#define SHARD_LIB_PROPAGATION_LAYOUTS_H

#include "ReadProgram.h"

#include "shard/Propagation/Engine.h"

namespace shard::propagation {

/// Adds the layouts to `solution`; the shardings with layouts are added behind
/// `shardings`, which the numbers in `solution` refer to.
void addLayouts(ReadProgram &program, Solution &solution,
                std::vector<Sharding> &shardings);

} // namespace shard::propagation

#endif // SHARD_LIB_PROPAGATION_LAYOUTS_H
