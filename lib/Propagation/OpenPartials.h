//===- OpenPartials.h - Partial values behind settled regions ---*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Partial values are placed before regions change (OpenRegions.h). Where axes of a batch move to
// the rows of its parts, the sum of the gradients in a loop over the parts is a sum over devices
// only then: what the loop carries may stay partial, so that one reduction follows the loop
// instead of one in each iteration.
//
// A sum that a loop carries may also be split by the axis that it is a sum over, as a hint behind
// the loop says. It can be partial only without that axis.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_PROPAGATION_OPENPARTIALS_H
#define SHARD_LIB_PROPAGATION_OPENPARTIALS_H

#include "OpWishes.h"

namespace shard::propagation {

/// Places partial values once more, after the values `changed` were given other shardings, and
/// with sums that loops carry freed of the axes that they are sums over. Keeps each of both where it
/// costs less.
void settlePartials(ReadProgram &program, Solution &solution,
                    SolvedShardings &solved, OpWishes &opWishes,
                    const GridPropagation &out,
                    const PropagationOptions &options,
                    llvm::ArrayRef<ValueId> changed);

/// Lets ops take partial operands complete where others need them complete, too, if that costs
/// less.
void shareCompleted(ReadProgram &program, Solution &solution,
                    SolvedShardings &solved, OpWishes &opWishes,
                    const GridPropagation &out,
                    const PropagationOptions &options);

} // namespace shard::propagation

#endif // SHARD_LIB_PROPAGATION_OPENPARTIALS_H
