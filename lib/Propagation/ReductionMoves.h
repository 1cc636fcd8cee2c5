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
// An axis on the summed loop of one operand that the others do not have gathers this operand: of
// x[[], []], which a hint leaves whole, and w[[a], []], w is gathered. Moved to the columns, the
// axis splits the product, and w is exchanged.
//
// The same holds of an axis on a dimension without a loop: where a loop of the program takes one
// slice after another of x[[a], []], x is gathered. Moved to the columns, the axis splits the
// slices, and x is exchanged once.
//
// An axis can also be missing from a sum: of x[[], [a]] and an open w, the rows of the product take
// the axis from a hint, and x is exchanged. Moved to the summed loop, the axis splits w, and the
// product is scattered. That pays where x is larger than the product, or where other ops have the
// rows of w in the same parts.
//
// Operands can also have an axis on different parallel loops: of queries and keys that are split by
// tokens, the scores take the axis from the queries, and the keys are gathered. Moved to the heads,
// which both have, the axis splits both, and they are exchanged.
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

/// Whether axes of an operand of a certain sharding may split no loop of the op: it merges
/// dimensions of its one operand, or has an operand with a dimension without a loop.
bool mayGatherAxes(const LoopTable &table);

/// By what factor less must be sent if sums move. Sums are where hints want them: moving one has to
/// save half of what is sent. Sums over one operand that move together have to save a third: they
/// share the reshard of the operand, and a hint that asks for a sum seldom asks for all of them.
constexpr double kRatioOfSums = 2, kRatioTogether = 1.5;

/// Loops of an op that axes split instead of those that they split now.
struct AxisMove {
  ShardingOption option;
  /// By what factor the program must send less at least.
  double leastRatio;
};

/// The moves for an op with `table`, whose operands are split as `operands` say and whose loops
/// as `option` says. Without tensors that are merged these are moves of each axis of reduction
/// loops, or of all together, to a parallel loop that they divide: of axes of `option`, and of
/// those by which operands are gathered. Axes of parallel loops that an operand has on a
/// reduction loop, for which it is exchanged, move there together, if they divide it. Axes of one
/// parallel loop that an operand has on another one, of an op that sums, move together to a
/// parallel loop that all operands have. Loops by which windows slide take none, because halos
/// are not compared with reshards. Where an op merges dimensions of its operand, the axes of a
/// minor one, which would be gathered, move to the major one. So do those of several minor ones
/// together, each to its own major one or all to one of these.
std::vector<AxisMove> findAxisMoves(const LoopTable &table, const Grid &grid,
                                    const ShardingOption &option,
                                    llvm::ArrayRef<Sharding> operands);

} // namespace shard::propagation

#endif // SHARD_LIB_PROPAGATION_REDUCTIONMOVES_H
