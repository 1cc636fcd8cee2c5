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

#include "ReductionMoves.h"

#include "../Interfaces/SmallTables.h"

#include "gtest/gtest.h"

#include <algorithm>

using namespace shard;
using namespace shard::propagation;
using namespace shard::test;

namespace {

using Lists = std::vector<AxisList>;

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

  bool divides(size_t loop, const AxisList &axes) {
    int64_t extent = table.loops[loop].extent, parts = 1;
    for (GridAxis axis : axes) {
      if (grid.shape[axis] == kDynamic)
        return false;
      parts *= grid.shape[axis];
    }
    return extent != kDynamic && extent % parts == 0;
  }

  bool isInWindow(size_t loop) {
    for (const TensorLoops &tensor : table.operands)
      for (size_t dim = 0; dim < tensor.dims.size(); ++dim)
        if (tensor.isWindow(dim) &&
            llvm::is_contained(tensor.dims[dim], int32_t(loop)))
          return true;
    return false;
  }

  bool isReduction(size_t loop) {
    return table.loops[loop].kind == LoopKind::Reduction;
  }

  /// What `other` has behind the axes that `option` has on a loop; nothing if it has not
  /// those.
  AxisList added(const ShardingOption &other, size_t loop) {
    const AxisList &has = option.loops[loop], &all = other.loops[loop];
    if (all.size() < has.size() ||
        !std::equal(has.begin(), has.end(), all.begin()))
      return {};
    return AxisList(all.begin() + has.size(), all.end());
  }

  /// Whether loops but `loop` and those of reductions have in `other` what they have in
  /// `option`, and those of reductions that without `axes`.
  bool othersStay(const ShardingOption &other, size_t loop,
                  const AxisList &axes) {
    for (size_t i = 0; i < table.loops.size(); ++i) {
      AxisList want = option.loops[i];
      if (isReduction(i))
        llvm::erase_if(want, [&](GridAxis axis) {
          return llvm::is_contained(axes, axis);
        });
      if (i != loop && other.loops[i] != want)
        return false;
    }
    return true;
  }

  /// The axes of sums, or by which operands are gathered, on loops of sums or on dimensions
  /// without a loop; each once, in order.
  AxisList axesOfSums(bool gathered) {
    AxisList axes, split;
    for (size_t i = 0; i < table.loops.size(); ++i) {
      llvm::append_range(split, option.loops[i]);
      if (isReduction(i) && !gathered)
        llvm::append_range(axes, option.loops[i]);
    }
    if (!gathered)
      return axes;
    for (auto [tensor, sharding] : llvm::zip_equal(table.operands, operands)) {
      llvm::SmallVector<AxisList> has;
      projectToLoops(table, tensor, grid, sharding, has);
      for (size_t i = 0; tensor.isTensor && i < table.loops.size(); ++i)
        for (GridAxis axis : isReduction(i) ? has[i] : AxisList())
          if (!llvm::is_contained(split, axis) &&
              !llvm::is_contained(axes, axis))
            axes.push_back(axis);
      for (size_t dim = 0; tensor.isTensor && dim < tensor.dims.size(); ++dim)
        for (GridAxis axis :
             tensor.dims[dim].empty() ? sharding.dims[dim] : AxisList())
          if (!llvm::is_contained(split, axis) &&
              !llvm::is_contained(axes, axis))
            axes.push_back(axis);
    }
    return axes;
  }

  /// Whether `other` has the axes of sums, or one of them, on one parallel loop.
  bool movesSum(const ShardingOption &other, bool gathered) {
    AxisList axes = axesOfSums(gathered);
    for (size_t loop = 0; loop < table.loops.size(); ++loop) {
      AxisList more = added(other, loop);
      bool areThose = !more.empty() &&
                      (more == axes ||
                       (more.size() == 1 && llvm::is_contained(axes, more[0])));
      if (areThose && table.loops[loop].kind == LoopKind::Parallel &&
          !isInWindow(loop) && divides(loop, other.loops[loop]) &&
          othersStay(other, loop, more))
        return true;
    }
    return false;
  }

  /// Whether `other` has on the first loop of a merged dimension what the operand has on
  /// another one of it, which `option` leaves whole. How often: once for each such loop.
  int64_t movesMinor(const ShardingOption &other) {
    llvm::SmallVector<AxisList> has;
    projectToLoops(table, table.operands[0], grid, operands[0], has);
    int64_t count = 0;
    for (const DimLoops &dim : table.results[0].dims)
      for (size_t i = 1; i < dim.size(); ++i)
        count += option.loops[dim[i]].empty() && !has[dim[i]].empty() &&
                 added(other, dim[0]) == has[dim[i]] &&
                 divides(dim[0], other.loops[dim[0]]) &&
                 othersStay(other, dim[0], {});
    return count;
  }

  using List = std::vector<std::pair<Lists, double>>;

  List expected() {
    List all;
    bool merges = false;
    for (const DimLoops &dim : table.results[0].dims)
      merges |= dim.size() > 1 && table.operands.size() == 1 &&
                table.operands[0].isTensor;
    bool hasLoops = true;
    for (const TensorLoops &tensor : table.operands)
      for (const DimLoops &dim : tensor.dims)
        hasLoops &= !tensor.isTensor || !dim.empty();
    EXPECT_EQ(mayGatherAxes(table), merges || !hasLoops);
    for (const Lists &lists :
         allPlacements(grid.shape.size(), table.loops.size())) {
      ShardingOption other = option;
      other.loops.assign(lists.begin(), lists.end());
      if (!isValidOption(table, grid, other))
        continue;
      for (int64_t i = 0, e = merges ? movesMinor(other) : 0; i < e; ++i)
        all.emplace_back(lists, 1);
      for (bool gathered : {false, true})
        if (!merges && movesSum(other, gathered))
          all.emplace_back(lists, gathered ? 1 : 2);
    }
    std::sort(all.begin(), all.end());
    return all;
  }

  List found() {
    List all;
    for (const AxisMove &move : findAxisMoves(table, grid, option, operands)) {
      EXPECT_TRUE(move.option.partial == option.partial &&
                  move.option.halos == option.halos &&
                  move.option.bounds == option.bounds);
      all.emplace_back(
          Lists(move.option.loops.begin(), move.option.loops.end()),
          move.leastRatio);
    }
    std::sort(all.begin(), all.end());
    return all;
  }
};

TEST(AxisMoves, OfSums) {
  Random random(1);
  size_t count = 0;
  for (int i = 0; i < 4000; ++i) {
    Moves moves(random, /*merges=*/false);
    Moves::List expected = moves.expected();
    ASSERT_EQ(moves.found(), expected) << "table " << i;
    count += !expected.empty();
  }
  EXPECT_GT(count, 400u);
}

TEST(AxisMoves, OfMergedDimensions) {
  Random random(2);
  size_t count = 0;
  for (int i = 0; i < 20000; ++i) {
    Moves moves(random, /*merges=*/true);
    Moves::List expected = moves.expected();
    ASSERT_EQ(moves.found(), expected) << "table " << i;
    count += !expected.empty();
  }
  EXPECT_GT(count, 100u);
}

} // namespace
