//===- OptionCandidates.h - The axes that loops may be split by -*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Internal to the search of ShardingOption.cpp: for each loop of an op the lists of
// axes that its tensors propose.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_PARTITIONING_OPTIONCANDIDATES_H
#define SHARD_LIB_PARTITIONING_OPTIONCANDIDATES_H

#include "shard/Partitioning/ShardingOption.h"

namespace shard {

/// Whether the init `operand` is combined behind the reduction of its result, which is scattered
/// into the blocks that the init has (populateLateInitPatterns): it moves for nothing. The
/// blocks are equal, and all axes of the sum scatter. The reduction has to take nothing but
/// reduce_scatters, too: replicas may share the work in another way. Without a planner that is
/// taken for granted.
bool isCombinedLate(const LoopTable &table, const Grid &grid, unsigned operand,
                    mlir::RankedTensorType type, const ShardingOption &option,
                    llvm::ArrayRef<Sharding> operands,
                    llvm::ArrayRef<Sharding> results, Planner *planner);

class OptionCandidates {
public:
  /// More combinations than this are not enumerated; loops are then settled one
  /// after the other. Bounds the work per op.
  static constexpr int64_t maxCombinations = 256;

  OptionCandidates(const LoopTable &table, const Grid &grid,
                   llvm::ArrayRef<Sharding> operands,
                   llvm::ArrayRef<Sharding> results)
      : lists(table.loops.size()), table(table), grid(grid), operands(operands),
        results(results) {}

  /// What the shardings of the tensors mean for the loops.
  void collect();

  /// A result that is wanted partial proposes its partial axes to each reduction
  /// loop of its kind, alone and behind what operands propose: its summands are
  /// computed on the devices then, and not the whole result on all of them. A loop that
  /// is shorter than the number of parts is not proposed to.
  void proposePartial();

  /// Proposes axes that tensors of a contraction have on a loop that sums up and on one
  /// of the result to the loops of the result that lie further out, if nothing else
  /// splits these and the parts are equal. Gathering the smaller operand and moving the
  /// blocks of the larger one can send less than gathering the larger one. An axis of
  /// the outermost loop, such as that of a batch, stays there. Halos have no price here:
  /// loops of windows get nothing.
  void proposeFree();

  /// Adds the beginnings of all lists; a loop without lists gets the empty one.
  void addPrefixes();

  /// The option that takes the longest list of each loop.
  ShardingOption longest() const;

  /// How many options there are; numbers above maxCombinations count as the next.
  int64_t combinations() const;

  /// Per loop, in the order in which tensors propose them.
  llvm::SmallVector<llvm::SmallVector<AxisList, 2>, 4> lists;

private:
  const LoopTable &table;
  const Grid &grid;
  llvm::ArrayRef<Sharding> operands, results;
};

/// The option of a pointwise op whose tensors all have one layout with halos or
/// offsets; operands that are made to order take it. Nothing for other ops.
std::optional<ShardingOption> optionOfLayout(const LoopTable &table,
                                             const Grid &grid,
                                             llvm::ArrayRef<Sharding> operands,
                                             llvm::ArrayRef<Sharding> results,
                                             bool hasStaticResults);

} // namespace shard

#endif // SHARD_LIB_PARTITIONING_OPTIONCANDIDATES_H
