//===- OpenArguments.h - Arguments take what users want ---------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function argument without a hint can arrive in any sharding. Propagation gives it
// one before it knows how conflicts at the users end: a weight takes the rows from the
// activation, but the op computes columns. If all uses want one and the same other
// sharding, the argument gets it, and is not resharded.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_PROPAGATION_OPENARGUMENTS_H
#define SHARD_LIB_PROPAGATION_OPENARGUMENTS_H

#include "ReadProgram.h"

#include "shard/Propagation/Engine.h"

namespace shard::propagation {

/// Changes the shardings of open arguments in `solution`. `wanted` tells the number of
/// the sharding in which an op of the problem wants one of its operands, or nothing if
/// that is not known. `shardings` has the shardings by number.
void settleArguments(
    const ReadProgram &program, Solution &solution,
    const std::vector<Sharding> &shardings,
    llvm::function_ref<std::optional<uint32_t>(OpId, unsigned)> wanted);

} // namespace shard::propagation

#endif // SHARD_LIB_PROPAGATION_OPENARGUMENTS_H
