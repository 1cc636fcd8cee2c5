//===- BlockLayoutTest.cpp - Which elements a device holds ----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Geometry/BlockLayout.h"
#include "shard/Geometry/Sharding.h"

#include <gtest/gtest.h>

#include <limits>

using namespace shard;

TEST(BlockLayout, NestedUnevenBlocks) {
  std::vector<int64_t> sizes{2, 2};
  EXPECT_EQ(blockAt(10, sizes, {0, 0}), (Block{0, 3}));
  EXPECT_EQ(blockAt(10, sizes, {0, 1}), (Block{3, 2}));
  EXPECT_EQ(blockAt(10, sizes, {1, 0}), (Block{5, 3}));
  EXPECT_EQ(blockAt(10, sizes, {1, 1}), (Block{8, 2}));
}

TEST(BlockLayout, TheLargestExtentDoesNotOverflow) {
  int64_t largest = std::numeric_limits<int64_t>::max();
  int64_t width = ceilDiv(largest, 4);
  EXPECT_EQ(blockAt(largest, {4}, {0}), (Block{0, width}));
  EXPECT_EQ(blockAt(largest, {4}, {3}), (Block{3 * width, width - 1}));
}

TEST(BlockLayout, ExtentSmallerThanTheAxisLeavesEmptyBlocks) {
  EXPECT_EQ(blockAt(2, {4}, {1}), (Block{1, 1}));
  EXPECT_EQ(blockAt(2, {4}, {2}), (Block{2, 0}));
  EXPECT_EQ(blockAt(2, {4}, {3}), (Block{2, 0}));
  EXPECT_EQ(blockAt(0, {2}, {1}), (Block{0, 0}));
}

TEST(BlockLayout, BlocksTileTheDimensionInOrder) {
  for (int64_t extent = 0; extent <= 30; ++extent)
    for (const std::vector<int64_t> &sizes :
         {std::vector<int64_t>{}, {1}, {4}, {2, 3}, {3, 2}, {2, 2, 3}}) {
      int64_t parts = 1, next = 0;
      for (int64_t size : sizes)
        parts *= size;
      for (int64_t part = 0; part < parts; ++part) {
        Block block = blockAt(extent, sizes, delinearize(part, sizes));
        EXPECT_EQ(block.offset, next);
        EXPECT_LE(block.size, localExtent(extent, parts));
        next += block.size;
      }
      EXPECT_EQ(next, extent);
    }
}

TEST(BlockLayout, AppendingAMinorAxisSlicesLocally) {
  for (int64_t extent = 0; extent <= 20; ++extent)
    for (int64_t major = 0; major < 3; ++major)
      for (int64_t minor = 0; minor < 4; ++minor) {
        Block outer = blockAt(extent, {3}, {major});
        Block inner = blockAt(extent, {3, 4}, {major, minor});
        int64_t width = localExtent(extent, 12);
        int64_t begin =
            std::min(outer.offset + minor * width, outer.offset + outer.size);
        EXPECT_EQ(inner.offset, begin);
        EXPECT_EQ(inner.size,
                  std::min(width, outer.offset + outer.size - begin));
      }
}

TEST(BlockLayout, CuttingAtOnceAndTheSameBlocks) {
  auto table = [](int64_t extent, const std::vector<int64_t> &sizes) {
    std::vector<Block> blocks;
    int64_t parts = 1;
    for (int64_t size : sizes)
      parts *= size;
    for (int64_t part = 0; part < parts; ++part) {
      Block block = blockAt(extent, sizes, delinearize(part, sizes));
      blocks.push_back(block.size ? block : Block{0, 0});
    }
    return blocks;
  };
  std::vector<std::vector<int64_t>> lists = {
      {12},      {2, 6},    {6, 2},    {3, 4},  {4, 3},
      {2, 2, 3}, {2, 3, 2}, {3, 2, 2}, {1, 12}, {12, 1}};
  for (int64_t extent = 0; extent <= 40; ++extent)
    for (const std::vector<int64_t> &a : lists) {
      EXPECT_EQ(cutsAtOnce(extent, a), table(extent, a) == table(extent, {12}));
      for (const std::vector<int64_t> &b : lists)
        EXPECT_EQ(sameBlocks(extent, a, b),
                  table(extent, a) == table(extent, b))
            << extent;
    }
}

TEST(BlockLayout, TooManyBlocksToCompareAreNotTheSame) {
  // Of 15,000 blocks, none of these layouts is that of one cut.
  std::vector<int64_t> a{3, 5, 1000}, b{5, 3, 1000};
  ASSERT_FALSE(cutsAtOnce(40001, a));
  ASSERT_FALSE(cutsAtOnce(40001, b));
  EXPECT_FALSE(sameBlocks(40001, a, b));
  EXPECT_TRUE(sameBlocks(40001, a, a));
}

TEST(Sharding, LocalShapeAndBlocks) {
  Grid grid{{2, 4}};
  Sharding sharding = Sharding::replicated(3);
  sharding.dims[0] = {1};
  sharding.dims[2] = {0};
  EXPECT_EQ(localShape(grid, {6, 5, 3}, sharding),
            (std::vector<int64_t>{2, 5, 2}));
  std::vector<Block> blocks = localBlocks(grid, {6, 5, 3}, sharding, 6);
  EXPECT_EQ(blocks[0], (Block{4, 2}));
  EXPECT_EQ(blocks[1], (Block{0, 5}));
  EXPECT_EQ(blocks[2], (Block{2, 1}));
  EXPECT_EQ(localShape(grid, {kDynamic, 5, 3}, sharding)[0], kDynamic);
}

TEST(Sharding, HalosWidenAndOffsetsReplaceTheLayout) {
  Grid grid{{2}};
  Sharding halo = Sharding::replicated(1);
  halo.dims[0] = {0};
  halo.halos = {1, 2};
  EXPECT_EQ(localShape(grid, {8}, halo), (std::vector<int64_t>{7}));

  Sharding offsets = Sharding::replicated(1);
  offsets.dims[0] = {0};
  offsets.offsets = {0, 3, 8};
  EXPECT_EQ(localShape(grid, {8}, offsets), (std::vector<int64_t>{kDynamic}));
  EXPECT_EQ(localBlocks(grid, {8}, offsets, 1)[0], (Block{3, 5}));
  EXPECT_EQ(toString(offsets), "[[0]] sharded_dims_offsets = [0, 3, 8]");
}

TEST(Sharding, EqualityIgnoresTheKindWithoutPartialAxes) {
  Sharding a = Sharding::replicated(1), b = a;
  b.reduction = ReductionKind::Max;
  EXPECT_EQ(a, b);
  a.partial = b.partial = {0};
  EXPECT_NE(a, b);
  EXPECT_EQ(toString(b), "[[]] partial = max [0]");
}
