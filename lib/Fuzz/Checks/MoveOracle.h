//===- MoveOracle.h - The moves of axes by their definition -----*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_FUZZ_CHECKS_MOVEORACLE_H
#define SHARD_LIB_FUZZ_CHECKS_MOVEORACLE_H

#include "shard/Interfaces/LoopTable.h"

#include <string>
#include <utility>
#include <vector>

namespace shard::fuzz {

/// Looks through all options of an op for those that move axes as
/// lib/Propagation/ReductionMoves.h says.
class MoveOracle {
public:
  /// The axes of each loop, and by what factor less must be sent.
  using Move = std::pair<std::vector<AxisList>, double>;

  MoveOracle(const LoopTable &table, const Grid &grid,
             const ShardingOption &option, llvm::ArrayRef<Sharding> operands)
      : table(table), grid(grid), option(option), operands(operands) {}

  /// The moves among `options`, sorted.
  std::vector<Move> movesIn(llvm::ArrayRef<ShardingOption> options) const;
  /// What propagation finds otherwise; empty if nothing is.
  std::string compare(llvm::ArrayRef<ShardingOption> options) const;

private:
  bool isReduction(size_t loop) const {
    return table.loops[loop].kind == LoopKind::Reduction;
  }
  bool isInWindow(size_t loop) const;
  /// With padding of a part of the extent in `mostPadding` at most; 0: with none.
  bool divides(size_t loop, const AxisList &axes,
               int64_t mostPadding = 0) const;
  bool merges() const;
  AxisList added(const ShardingOption &other, size_t loop) const;
  bool othersStay(const ShardingOption &other, size_t loop,
                  const AxisList &axes) const;
  AxisList axesOfSums() const;
  AxisList gatheredAxes() const;
  bool movesAll(const ShardingOption &other, const AxisList &axes,
                int64_t mostPadding) const;
  bool movesMinor(const ShardingOption &other) const;
  std::vector<std::pair<GridAxis, size_t>> exchangedAxes() const;
  bool movesToSums(const ShardingOption &other) const;
  AxisList axesOfOtherLoops() const;
  bool isCommon(size_t loop) const;
  bool movesToCommon(const ShardingOption &other) const;

  const LoopTable &table;
  const Grid &grid;
  /// What the loops are split by now.
  const ShardingOption &option;
  llvm::ArrayRef<Sharding> operands;
};

} // namespace shard::fuzz

#endif // SHARD_LIB_FUZZ_CHECKS_MOVEORACLE_H
