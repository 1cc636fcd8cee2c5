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
#include "ReductionMoves.h"
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

/// A table that merges the dimensions of its operand, each with a loop, into two of the result.
LoopTable mergesTwice(Random &random) {
  LoopTable table;
  TensorLoops operand, result;
  operand.isTensor = result.isTensor = true;
  for (size_t dim = 0; dim < 2; ++dim) {
    DimLoops merged;
    for (size_t loops = 2 + random.below(2); loops > 0; --loops) {
      merged.push_back(table.loops.size());
      operand.dims.push_back({int32_t(table.loops.size())});
      table.loops.push_back(Loop::parallel(2 << random.below(3)));
    }
    result.dims.push_back(merged);
  }
  table.operands = {operand};
  table.results = {result};
  return table;
}

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

/// Of one option without axes: those of the operand move alone, or several together.
TEST(AxisMoves, OfSeveralMergedDimensions) {
  Random random(3);
  size_t together = 0;
  for (int i = 0; i < 1000; ++i) {
    LoopTable table = mergesTwice(random);
    Grid grid{{2, 2, 2}};
    std::vector<AxisList> dims(table.loops.size());
    placeAxes(random, grid.shape.size(), dims);
    Sharding operand = Sharding::replicated(dims.size());
    operand.dims.assign(dims.begin(), dims.end());
    ShardingOption option;
    option.loops.resize(table.loops.size());
    std::vector<ShardingOption> options;
    for (const std::vector<AxisList> &lists :
         allPlacements(grid.shape.size(), table.loops.size())) {
      options.push_back(option);
      options.back().loops.assign(lists.begin(), lists.end());
    }
    llvm::erase_if(options, [&](const ShardingOption &other) {
      return !isValidOption(table, grid, other);
    });
    fuzz::MoveOracle oracle(table, grid, option, operand);
    EXPECT_EQ(oracle.compare(options), "") << "table " << i;
    together += oracle.movesIn(options).size() > 2;
  }
  EXPECT_GT(together, 100u);
}

/// A sum over blocks of 5 and 2 elements: other loops have no such blocks.
TEST(AxisMoves, HaveBlocksOfTheirOwn) {
  LoopTable table;
  table.loops = {Loop::parallel(4), Loop::reduce(7, ReductionKind::Sum)};
  TensorLoops operand, result;
  operand.isTensor = result.isTensor = true;
  operand.dims = {{0}, {1}};
  result.dims = {{0}};
  table.operands = {operand};
  table.results = {result};
  Grid grid{{2}};
  ShardingOption option;
  option.loops = {{}, {0}};
  option.bounds = {{}, {0, 5, 7}};
  Sharding sharding = Sharding::replicated(2);
  sharding.dims[1] = {0};
  sharding.offsets = {0, 5, 7};
  std::vector<propagation::AxisMove> moves =
      propagation::findAxisMoves(table, grid, option, sharding);
  ASSERT_EQ(moves.size(), 1u);
  EXPECT_TRUE(isValidOption(table, grid, moves[0].option));
  EXPECT_TRUE(operandSharding(table, 0, moves[0].option).offsets.empty());
}

} // namespace
