//===- LoopShardingsTest.cpp - What axes of loops mean for tensors --------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device computes some iterations of each loop, and has a block of each dimension of the
// tensors. On random tables the tests compare, element by element, what its iterations index
// with what the sharding that an option gives to a tensor says that it has.
//
//===----------------------------------------------------------------------===//

#include "SmallTables.h"

#include "gtest/gtest.h"

#include <algorithm>

using namespace shard;
using namespace shard::test;

namespace {

/// The extents that dynamic ones may turn out to have.
std::vector<int64_t> runTimeExtents(const Grid &grid) {
  if (grid.unevenDynamic)
    return {1, 2, 3, 5, 8};
  return {grid.numDevices(), 2 * grid.numDevices(), 3 * grid.numDevices()};
}

/// `table` with `extent` for each unknown one.
LoopTable withExtents(LoopTable table, int64_t extent) {
  for (Loop &loop : table.loops)
    if (loop.extent == kDynamic)
      loop.extent = extent;
  return table;
}

std::vector<int64_t> coordinatesOn(const Grid &grid, const AxisList &axes,
                                   int64_t device) {
  std::vector<int64_t> all = grid.coordinates(device), own;
  for (GridAxis axis : axes)
    own.push_back(all[axis]);
  return own;
}

Block blockOf(const Grid &grid, const AxisList &axes, int64_t extent,
              int64_t device) {
  return blockAt(extent, grid.sizes(axes), coordinatesOn(grid, axes, device));
}

/// The elements of a dimension that the iterations of `device` index.
std::vector<int64_t> indexed(const LoopTable &table, const Grid &grid,
                             const ShardingOption &option, const DimLoops &dim,
                             int64_t device) {
  std::vector<int64_t> elements{0};
  for (int32_t loop : dim) {
    int64_t extent = table.loops[loop].extent;
    Block block = blockOf(grid, option.loops[loop], extent, device);
    std::vector<int64_t> next;
    for (int64_t major : elements)
      for (int64_t i = 0; i < block.size; ++i)
        next.push_back(major * extent + block.offset + i);
    elements = next;
  }
  return elements;
}

/// Whether each device has just the elements of a dimension that its iterations index.
bool agrees(const LoopTable &table, const Grid &grid,
            const ShardingOption &option, const DimLoops &dim) {
  int64_t extent = 1;
  AxisList axes;
  for (int32_t loop : dim) {
    extent *= table.loops[loop].extent;
    axes.insert(axes.end(), option.loops[loop].begin(),
                option.loops[loop].end());
  }
  for (int64_t device = 0; device < grid.numDevices(); ++device) {
    Block block = blockOf(grid, axes, extent, device);
    std::vector<int64_t> has;
    for (int64_t i = 0; i < block.size; ++i)
      has.push_back(block.offset + i);
    if (indexed(table, grid, option, dim, device) != has)
      return false;
  }
  return true;
}

/// Whether a dimension of several loops is split unevenly, which is allowed only where all
/// but one have one iteration, and that one is split.
bool isForbidden(const LoopTable &table, const Grid &grid,
                 const ShardingOption &option, const DimLoops &dim) {
  size_t wide = 0;
  bool uneven = false, onesAreSplit = false, evenOnly = false;
  for (int32_t loop : dim) {
    int64_t extent = table.loops[loop].extent;
    int64_t parts = grid.groupSize(option.loops[loop]);
    wide += extent != 1;
    onesAreSplit |= extent == 1 && parts > 1;
    bool divides = extent == kDynamic ? !grid.unevenDynamic || parts == 1
                                      : extent % parts == 0;
    uneven |= !divides;
    evenOnly |= !divides && table.loops[loop].evenOnly;
  }
  return (uneven && wide > 1) || (onesAreSplit && wide > 0) || evenOnly;
}

/// The same for all extents that dynamic ones may turn out to have.
bool isExpected(const LoopTable &table, const Grid &grid,
                const ShardingOption &option) {
  for (size_t loop = 0; loop < table.loops.size(); ++loop)
    if (table.loops[loop].kind == LoopKind::Invalid &&
        !option.loops[loop].empty())
      return false;
  std::vector<DimLoops> dims;
  for (const TensorLoops &tensor : table.operands)
    dims.insert(dims.end(), tensor.dims.begin(), tensor.dims.end());
  dims.insert(dims.end(), table.results[0].dims.begin(),
              table.results[0].dims.end());
  for (const DimLoops &dim : dims) {
    if (isForbidden(table, grid, option, dim))
      return false;
    for (int64_t extent : runTimeExtents(grid))
      if (!agrees(withExtents(table, extent), grid, option, dim))
        return false;
  }
  return true;
}

std::string describe(const LoopTable &table, const Grid &grid,
                     const ShardingOption &option) {
  std::string text = grid.unevenDynamic ? "uneven grid" : "grid";
  for (int64_t size : grid.shape)
    text += " " + std::to_string(size);
  text += ", loops";
  for (size_t i = 0; i < table.loops.size(); ++i) {
    const Loop &loop = table.loops[i];
    text += " " + (loop.extent == kDynamic ? "?" : std::to_string(loop.extent));
    text += loop.evenOnly ? " even by" : " by";
    for (GridAxis axis : option.loops[i])
      text += " " + std::to_string(axis);
  }
  return text;
}

Grid randomGrid(Random &random) {
  Grid grid;
  grid.shape = random.of<std::vector<int64_t>>(
      {{2}, {3}, {4}, {2, 2}, {2, 3}, {4, 2}, {1, 2}, {2, 1, 3}});
  grid.unevenDynamic = random.oneIn(3);
  return grid;
}

LoopTable randomMergedTable(Random &random) {
  TableKinds kinds;
  kinds.merged = kinds.reductions = kinds.unknown = true;
  LoopTable table = randomTable(random, kinds);
  for (Loop &loop : table.loops) {
    if (random.oneIn(4))
      loop.extent = 1;
    loop.evenOnly = random.oneIn(6);
    if (random.oneIn(8))
      loop.kind = LoopKind::Invalid;
  }
  return table;
}

TEST(LoopShardings, ExpressibleOptionsGiveDevicesWhatTheyIndex) {
  unsigned expressible = 0, others = 0;
  for (unsigned seed = 0; seed < 30000 && !testing::Test::HasFailure();
       ++seed) {
    Random random(seed);
    LoopTable table = randomMergedTable(random);
    Grid grid = randomGrid(random);
    ShardingOption option = randomOption(random, table, grid);
    bool is = isExpressible(table, grid, option);
    EXPECT_EQ(is, isExpected(table, grid, option))
        << "seed " << seed << ": " << describe(table, grid, option);
    EXPECT_EQ(isValidOption(table, grid, option), is);
    expressible += is;
    others += !is;
  }
  EXPECT_GT(expressible, 3000u);
  EXPECT_GT(others, 3000u);
}

TEST(LoopShardings, OptionsUseEachAxisOnce) {
  LoopTable table;
  table.loops = {Loop::parallel(4), Loop::parallel(4)};
  Grid grid{{2, 2}};
  const std::vector<AxisList> lists = {{},     {0},    {1}, {0, 1},
                                       {1, 0}, {0, 0}, {2}, {-1}};
  for (const AxisList &a : lists)
    for (const AxisList &b : lists)
      for (const AxisList &partial : lists) {
        ShardingOption option;
        option.loops = {a, b};
        option.partial = partial;
        std::vector<int> uses(2);
        bool valid = true;
        for (const AxisList &list : {a, b, partial})
          for (GridAxis axis : list)
            valid &= axis >= 0 && axis < 2 && ++uses[axis] == 1;
        EXPECT_EQ(isValidOption(table, grid, option), valid);
      }
  ShardingOption tooFew;
  tooFew.loops = {{}};
  EXPECT_FALSE(isValidOption(table, grid, tooFew));
}

/// Bounds state one block for each part of a loop.
TEST(LoopShardings, BoundsAreThoseOfTheAxes) {
  LoopTable table;
  table.loops = {Loop::parallel(7), Loop::parallel(7)};
  Grid grid{{2, 3}};
  ShardingOption option;
  option.loops = {{1}, {}};
  option.bounds = {{0, 1, 4, 7}, {}};
  EXPECT_TRUE(isValidOption(table, grid, option));
  option.loops = {{0}, {1}};
  EXPECT_FALSE(isValidOption(table, grid, option));
  option.bounds = {{0, 5, 7}};
  EXPECT_FALSE(isValidOption(table, grid, option));
  option.bounds = {{0, 5, 7}, {0, 0, 7, 7}};
  EXPECT_TRUE(isValidOption(table, grid, option));
}

/// What is read off the sharding of a tensor is an option under which each dimension is split
/// by the first of the axes that it has.
TEST(LoopShardings, ProjectedAxesAreTheFirstOnes) {
  unsigned all = 0, some = 0;
  for (unsigned seed = 0; seed < 40000 && !testing::Test::HasFailure();
       ++seed) {
    Random random(seed);
    LoopTable table = randomMergedTable(random);
    Grid grid = randomGrid(random);
    // Other tensors do not count.
    LoopTable alone = table;
    alone.operands.resize(1);
    alone.results = {TensorLoops()};
    const TensorLoops &tensor = table.operands[0];
    Sharding sharding = Sharding::replicated(tensor.dims.size());
    placeAxes(random, grid.shape.size(), sharding.dims);
    llvm::SmallVector<AxisList> loops;
    projectToLoops(table, tensor, grid, sharding, loops);
    ShardingOption option;
    option.loops.assign(loops.begin(), loops.end());
    EXPECT_TRUE(isValidOption(alone, grid, option) ||
                llvm::any_of(table.loops,
                             [](const Loop &loop) { return loop.evenOnly; }))
        << "seed " << seed << ": " << describe(table, grid, option);
    Sharding projected = operandSharding(alone, 0, option);
    bool isAll = true;
    for (size_t dim = 0; dim < tensor.dims.size(); ++dim) {
      AxisList has = sharding.dims[dim];
      // Axes of one device belong to any of several loops.
      if (tensor.dims[dim].size() > 1)
        llvm::erase_if(has,
                       [&](GridAxis axis) { return grid.shape[axis] == 1; });
      const AxisList &got = projected.dims[dim];
      ASSERT_LE(got.size(), has.size());
      EXPECT_TRUE(std::equal(got.begin(), got.end(), has.begin()));
      isAll &= got.size() == has.size();
      // A dimension of one loop takes all of its axes.
      if (tensor.dims[dim].size() == 1 &&
          table.loops[tensor.dims[dim][0]].kind != LoopKind::Invalid)
        EXPECT_EQ(got, has);
    }
    all += isAll;
    some += !isAll;
  }
  EXPECT_GT(all, 5000u);
  EXPECT_GT(some, 3000u);
}

/// The loops of a tensor get back what an option gave them, if it splits them evenly.
TEST(LoopShardings, ProjectionIsTheInverse) {
  unsigned cases = 0;
  for (unsigned seed = 0; seed < 30000 && !testing::Test::HasFailure();
       ++seed) {
    Random random(seed);
    LoopTable table = randomMergedTable(random);
    Grid grid = randomGrid(random);
    ShardingOption option = randomOption(random, table, grid);
    bool even = llvm::count(grid.shape, 1) == 0;
    for (auto [loop, axes] : llvm::zip_equal(table.loops, option.loops))
      even &= loop.extent == kDynamic ? !grid.unevenDynamic
                                      : loop.extent % grid.groupSize(axes) == 0;
    if (!even || !isValidOption(table, grid, option))
      continue;
    ++cases;
    for (unsigned index = 0; index < 2; ++index) {
      llvm::SmallVector<AxisList> loops;
      projectToLoops(table, table.operands[index], grid,
                     operandSharding(table, index, option), loops);
      for (const DimLoops &dim : table.operands[index].dims)
        for (int32_t loop : dim)
          EXPECT_EQ(loops[loop], option.loops[loop])
              << "seed " << seed << ": " << describe(table, grid, option);
    }
  }
  EXPECT_GT(cases, 1000u);
}

/// A result is partial along the axes of loops that sum up, and what comes partial stays so.
TEST(LoopShardings, PartialAxes) {
  TableKinds kinds;
  kinds.reductions = true;
  for (unsigned seed = 0; seed < 5000 && !testing::Test::HasFailure(); ++seed) {
    Random random(seed);
    LoopTable table = randomTable(random, kinds);
    table.results[0].reduction =
        random.oneIn(2) ? ReductionKind::Max : ReductionKind::Sum;
    Grid grid{{2, 2, 2}};
    ShardingOption option = randomOption(random, table, grid);
    AxisList partial;
    for (size_t loop = 0; loop < table.loops.size(); ++loop)
      if (random.oneIn(4)) {
        // These axes pass through instead of splitting the loop.
        option.partial.insert(option.partial.end(), option.loops[loop].begin(),
                              option.loops[loop].end());
        option.loops[loop].clear();
      } else if (table.loops[loop].kind == LoopKind::Reduction) {
        partial.insert(partial.end(), option.loops[loop].begin(),
                       option.loops[loop].end());
      }
    bool reduces = !partial.empty();
    option.partialKind =
        reduces ? table.results[0].reduction : ReductionKind::Product;
    option.partialOperands = random.below(4);
    if (random.oneIn(3))
      table.firstInit = 1;
    partial.insert(partial.end(), option.partial.begin(), option.partial.end());
    llvm::sort(partial);
    AxisList passed = option.partial;
    llvm::sort(passed);
    Sharding result = resultSharding(table, 0, option);
    EXPECT_EQ(result.partial, partial);
    EXPECT_EQ(result.reduction, option.partialKind);
    for (unsigned index = 0; index < 2; ++index) {
      Sharding operand = operandSharding(table, index, option);
      if (!(option.partialOperands >> index & 1))
        EXPECT_TRUE(operand.partial.empty());
      else
        EXPECT_EQ(operand.partial, table.isInit(index) ? partial : passed);
      if (!operand.partial.empty())
        EXPECT_EQ(operand.reduction, option.partialKind);
    }
  }
}

/// Loops that slide are split where the blocks that they read are known.
TEST(LoopShardings, SlidingLoops) {
  for (bool unevenDynamic : {false, true})
    for (bool overUnknown : {false, true})
      for (int64_t first : {int64_t(1), int64_t(2), kDynamic})
        for (int64_t second : {int64_t(1), int64_t(3), kDynamic})
          for (const AxisList &axes :
               std::vector<AxisList>{{}, {0}, {1}, {0, 1}, {1, 0}}) {
            Grid grid{{first, second}};
            grid.unevenDynamic = unevenDynamic;
            LoopTable table;
            table.loops = {Loop::parallel(overUnknown ? kDynamic : 8)};
            table.loops[0].slidesOverUnknown = overUnknown;
            TensorLoops tensor;
            tensor.isTensor = true;
            tensor.dims = {{0}};
            table.results = {tensor};
            tensor.windows = {Window()};
            table.operands = {tensor};
            ShardingOption option;
            option.loops = {axes};
            bool known = first != kDynamic && second != kDynamic;
            int64_t longAxes = 0;
            for (GridAxis axis : axes)
              longAxes += grid.shape[axis] != 1;
            bool slides =
                axes.empty() ||
                (known && (!overUnknown || (unevenDynamic && longAxes <= 1)));
            EXPECT_EQ(isExpressible(table, grid, option), slides);
          }
  // Too many blocks to look at one by one, unless all follow at equal distances.
  for (int64_t parts : {kMaxComparedBlocks / 2, kMaxComparedBlocks})
    for (int64_t extent : {6 * parts, 6 * parts - 1, 6 * parts - 7}) {
      Grid grid{{2, parts}};
      LoopTable table;
      table.loops = {Loop::parallel(extent)};
      TensorLoops tensor;
      tensor.isTensor = true;
      tensor.dims = {{0}};
      table.results = {tensor};
      tensor.windows = {Window()};
      table.operands = {tensor};
      ShardingOption option;
      option.loops = {{0, 1}};
      EXPECT_EQ(isExpressible(table, grid, option),
                2 * parts <= kMaxComparedBlocks ||
                    cutsAtOnce(extent, {2, parts}));
    }
}

} // namespace
