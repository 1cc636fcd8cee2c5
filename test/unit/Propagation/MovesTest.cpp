//===- MovesTest.cpp - Other loops for axes, of random tables -------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which moves findAxisMoves finds: on random tables the tests go through all options that
// there are, and ask of each whether it is a move.
//
//===----------------------------------------------------------------------===//

#include "../Interfaces/SmallTables.h"
#include "Checks/MoveOracle.h"

#include "gtest/gtest.h"

using namespace shard;
using namespace shard::test;

namespace {

struct Moves {
  Random &random;
  Grid grid;
  LoopTable table;
  std::vector<Sharding> operands;
  ShardingOption option;

  Moves(Random &random, bool merges) : random(random) {
    std::vector<std::vector<int64_t>> shapes = {{2}, {2, 3}, {4, 2}, {2, 2, 2}};
    grid.shape = random.of(shapes);
    if (random.oneIn(8))
      grid.shape[0] = kDynamic;
    grid.unevenDynamic = random.oneIn(3);
    // Merged dimensions of two operands are no moves of their own.
    table = randomTable(random,
                        {!merges, merges || random.oneIn(3), !merges, true});
    if (merges)
      table.operands.pop_back();
    if (random.oneIn(8))
      table.operands.front().isTensor = false;
    for (const TensorLoops &tensor : table.operands) {
      std::vector<AxisList> dims(tensor.dims.size());
      placeAxes(random, grid.shape.size(), dims);
      Sharding sharding = Sharding::replicated(dims.size());
      sharding.dims.assign(dims.begin(), dims.end());
      operands.push_back(sharding);
    }
    do
      option = randomOption(random, table, grid);
    while (!isValidOption(table, grid, option));
  }

  std::vector<ShardingOption> options() {
    std::vector<ShardingOption> options;
    for (const std::vector<AxisList> &lists :
         allPlacements(grid.shape.size(), table.loops.size())) {
      ShardingOption other = option;
      other.loops.assign(lists.begin(), lists.end());
      if (isValidOption(table, grid, other))
        options.push_back(std::move(other));
    }
    return options;
  }
};

/// Compares the moves of so many tables, and returns how many tables have any.
size_t compareTables(uint64_t seed, int tables, bool merges) {
  Random random(seed);
  size_t count = 0;
  for (int i = 0; i < tables; ++i) {
    Moves moves(random, merges);
    std::vector<ShardingOption> options = moves.options();
    fuzz::MoveOracle oracle(moves.table, moves.grid, moves.option,
                            moves.operands);
    EXPECT_EQ(oracle.compare(options), "") << "table " << i;
    count += !oracle.movesIn(options).empty();
  }
  return count;
}

TEST(AxisMoves, OfSums) {
  EXPECT_GT(compareTables(1, 4000, /*merges=*/false), 400u);
}

TEST(AxisMoves, OfMergedDimensions) {
  EXPECT_GT(compareTables(2, 20000, /*merges=*/true), 100u);
}

} // namespace
