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
// Where [batch, rows] become one dimension and only the rows are split, the reshape gathers
// them. Moved to the batch, the axis stays: the operand is exchanged.
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

/// Whether an op merges dimensions of its one operand, a tensor.
bool mergesOperand(const LoopTable &table);

/// Of an op that merges dimensions of its one operand: the options that split loops as
/// `option` does, and the major loop of a merged dimension by the axes that `operand`, the
/// sharding of the operand, has on a minor one, which would be gathered.
std::vector<ShardingOption> moveMinorAxes(const LoopTable &table,
                                          const Grid &grid,
                                          const ShardingOption &option,
                                          const Sharding &operand);

} // namespace shard::propagation

#endif // SHARD_LIB_PROPAGATION_REDUCTIONMOVES_H
