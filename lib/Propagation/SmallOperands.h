//===- SmallOperands.h - Sums whose operands are gathered -------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands that agree on a reduction loop split it, and the result is summed over devices.
// Where the loop is short, the result has many more elements than the operands: of
// x[[], [a]] with 4096x16 elements and w[[a], []] with 16x4096, the sum is 128 times as large
// as both together, and it takes less time to gather them and to compute the whole product on
// each device. The second factor of a low-rank update is such a product.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_PROPAGATION_SMALLOPERANDS_H
#define SHARD_LIB_PROPAGATION_SMALLOPERANDS_H

#include "RegionPrices.h"

namespace shard::propagation {

/// Lets `op` gather what its operands have split along reduction loops, and split no such loop,
/// if that costs less than half, with what is computed more, and saves more than `least`. No
/// tensor of such an op is to be partial, and no hint says how it takes one. Returns whether it
/// does.
bool gathersSummed(const ReadProgram &program, Solution &solution,
                   const SolvedShardings &solved, OpWishes &opWishes,
                   RegionPrices &prices, const OpsOfValues &ops, OpId op,
                   double least);

/// Notes the hints without which a sum that is split might be gathered: a second propagation
/// would not find them, and ask what the sum costs, perhaps with other operands that are made for
/// the op now.
void bindHints(ReadProgram &program, OpWishes &opWishes);

} // namespace shard::propagation

#endif // SHARD_LIB_PROPAGATION_SMALLOPERANDS_H
