//===- OpenValues.h - Values take what their ops want -----------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function argument without a hint can arrive in any sharding, and a result of an op
// can stay in any. Propagation gives both one before it knows how conflicts at their ops
// end: a weight takes the rows from the activation, but the op computes columns. If all
// uses of such an argument want one and the same other sharding, it gets that; a result
// gets what its op computes, if no use wants another. Then nothing is resharded.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_PROPAGATION_OPENVALUES_H
#define SHARD_LIB_PROPAGATION_OPENVALUES_H

#include "OpWishes.h"
#include "ReadProgram.h"

#include "shard/Propagation/Engine.h"

namespace shard::propagation {

/// Tells the number of the sharding in which an op of the problem wants one of its
/// operands, or nothing if that is not known.
using WantedOperand =
    llvm::function_ref<std::optional<uint32_t>(OpId op, unsigned tensor)>;

/// Changes the shardings of open arguments in `solution` to what all their uses want, also behind
/// ops that only repeat them. `shardings` has the shardings by number.
void settleArguments(ReadProgram &program, Solution &solution,
                     SolvedShardings &solved, OpWishes &opWishes,
                     const std::vector<Sharding> &shardings,
                     WantedOperand wanted);

/// A result that its op computes otherwise than the solution says.
struct ComputedResult {
  OpId op;
  ValueId value;
  /// The number of the sharding that is computed.
  uint32_t sharding;
};

/// Changes the shardings of open results in `solution` to those that are computed.
/// `results` are in the order of the program. Returns the values that changed.
llvm::SmallVector<ValueId, 0>
settleResults(const ReadProgram &program, Solution &solution,
              const std::vector<Sharding> &shardings,
              llvm::ArrayRef<ComputedResult> results, WantedOperand wanted,
              const PropagationOptions &options);

} // namespace shard::propagation

#endif // SHARD_LIB_PROPAGATION_OPENVALUES_H
