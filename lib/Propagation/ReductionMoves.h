//===- ReductionMoves.h - Other loops for the axes of sums ------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands of a contraction that agree on a reduction loop split it, although the sum over
// devices of a large result may send much more than the operands have: of x[[], [a]] with 64
// rows of 4 elements and an open w, w takes [[a], []], and 64 rows of the product are summed.
// Moved to the rows, the axis splits the product instead: x is exchanged, w is gathered, and
// nothing is summed.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_PROPAGATION_REDUCTIONMOVES_H
#define SHARD_LIB_PROPAGATION_REDUCTIONMOVES_H

#include "shard/Interfaces/LoopTable.h"

#include <vector>

namespace shard::propagation {

/// The options that split loops of `table` as `option` does, but for axes of reduction loops:
/// each one of them, or all together, are moved to a parallel loop that they divide. Loops
/// by which windows slide take none, because halos are not compared with reshards.
std::vector<ShardingOption> moveReductionAxes(const LoopTable &table,
                                              const Grid &grid,
                                              const ShardingOption &option);

} // namespace shard::propagation

#endif // SHARD_LIB_PROPAGATION_REDUCTIONMOVES_H
