//===- WindowTest.cpp - Elements that the iterations of a block need ------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Halos compared with a count of the elements, one by one, that each device reads and
// does not have.
//
//===----------------------------------------------------------------------===//

#include "shard/Geometry/Window.h"
#include "shard/Geometry/Grid.h"
#include "shard/Geometry/HaloReads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

using namespace shard;

namespace {

/// What the widest device reads on each side of its block, found one element at a
/// time. Blocks are `width` long, whether there are so many elements or not.
struct Counted {
  int64_t low = 0, high = 0, fullLow = 0, fullHigh = 0;
};

Counted count(int64_t extent, int64_t parts, int64_t iterations,
              const std::vector<int64_t> &loopSplit, const Window &window,
              Block valid) {
  Counted counted;
  int64_t width = (extent + parts - 1) / parts, loopParts = 1;
  for (int64_t size : loopSplit)
    loopParts *= size;
  int64_t longest = (iterations + loopParts - 1) / loopParts;
  for (int64_t part = 0; part < loopParts; ++part) {
    Block block = blockAt(iterations, loopSplit, delinearize(part, loopSplit));
    int64_t begin = parts == 1 ? 0 : part * width;
    for (int64_t i = 0; i < (block.size ? longest : 0); ++i)
      for (int64_t k = 0; k < window.reach; ++k) {
        int64_t element =
            window.stride * (block.offset + i) + window.offset + k;
        counted.fullLow = std::max(counted.fullLow, begin - element);
        counted.fullHigh =
            std::max(counted.fullHigh, element + 1 - begin - width);
        if (i >= block.size || element < valid.offset ||
            element >= valid.offset + valid.size)
          continue;
        counted.low = std::max(counted.low, begin - element);
        counted.high = std::max(counted.high, element + 1 - begin - width);
      }
  }
  return counted;
}

} // namespace

TEST(Window, HalosAreWhatDevicesReadAndDoNotHave) {
  int64_t compared = 0;
  for (int64_t extent : {1, 3, 7, 8, 12, 13, 30, 47, 64})
    for (std::vector<int64_t> split :
         {std::vector<int64_t>{}, {2}, {3}, {4}, {2, 2}, {2, 3}, {13}, {4, 4}})
      for (int64_t stride : {1, 2, 3, -1, -2, -3})
        for (int64_t reach : {1, 2, 3, 5, 9})
          for (int64_t before : {-3, -1, 0, 1, 4})
            for (int64_t behind : {-2, 0, 1, 5}) {
              int64_t room = extent + before + behind - reach;
              if (room < 0)
                continue;
              int64_t iterations = room / std::abs(stride) + 1, parts = 1;
              // Where it is reversed, the last iteration reads what the first one
              // would.
              int64_t last = stride < 0 ? -stride * (iterations - 1) : 0;
              Window window{stride, last - before, reach};
              for (int64_t size : split)
                parts *= size;
              for (bool whole : {false, true}) {
                std::optional<HaloNeed> need =
                    haloNeed(extent, whole ? std::vector<int64_t>() : split,
                             iterations, split, window, {0, extent});
                if (!whole && !cutsAtOnce(extent, split)) {
                  EXPECT_FALSE(need);
                  continue;
                }
                ASSERT_TRUE(need);
                Counted counted = count(extent, whole ? 1 : parts, iterations,
                                        split, window, {0, extent});
                EXPECT_EQ(need->low, counted.low);
                EXPECT_EQ(need->high, counted.high);
                EXPECT_EQ(need->fullLow, counted.fullLow);
                EXPECT_EQ(need->fullHigh, counted.fullHigh);
                ++compared;
              }
            }
  EXPECT_GT(compared, 20000);
}

/// What the devices of a dimension give to all devices and to themselves, element by
/// element.
static std::vector<HaloShare> countShares(int64_t extent,
                                          const HaloDimension &dimension) {
  int64_t parts = dimension.parts(), core = dimension.core;
  const WindowReads &reads = *dimension.reads;
  std::vector<HaloShare> counted(parts);
  for (int64_t part = 0; part < parts; ++part) {
    Block block = blockAt(reads.iterations, dimension.split,
                          delinearize(part, dimension.split));
    std::set<int64_t> read;
    for (int64_t i = block.offset; i < block.offset + block.size; ++i)
      for (int64_t k = 0; k < reads.window.reach; ++k)
        read.insert(reads.window.stride * i + reads.window.offset + k);
    for (int64_t element : read)
      if (element >= 0 && element < extent && element >= reads.valid.offset &&
          element < reads.valid.offset + reads.valid.size &&
          (element - reads.valid.offset) % reads.step == 0) {
        ++counted[element / core].all;
        counted[element / core].own += element / core == part;
      }
  }
  return counted;
}

/// Compares what is sent with a count of elements, for windows of `extent` elements with
/// `before` and `behind` elements of padding; false where there are none.
static bool compareShares(int64_t extent, const std::vector<int64_t> &split,
                          Window window, int64_t before, int64_t behind,
                          int64_t cut, int64_t step, int64_t &fewer) {
  int64_t room = extent + before + behind - window.reach;
  // Where windows lie apart, elements between them are sent too.
  bool isApart = window.reach < window.step();
  if (room < 0 || (isApart && (window.reach > 1 || step > 1)) ||
      !cutsAtOnce(extent, split) || extent <= 2 * cut)
    return false;
  int64_t iterations = room / window.step() + 1;
  int64_t last = window.stride < 0 ? -window.stride * (iterations - 1) : 0;
  window.offset = last - before;
  WindowReads reads{iterations, window, {cut, extent - 2 * cut}, step};
  HaloNeed need =
      *haloNeed(extent, split, iterations, split, reads.window, reads.valid);
  HaloDimension dimension;
  dimension.split = split;
  dimension.core = localExtent(extent, dimension.parts());
  if (!split.empty()) {
    dimension.low = need.low;
    dimension.high = need.high;
  }
  std::vector<HaloShare> all = haloShares(dimension);
  dimension.reads = reads;
  std::vector<HaloShare> read = haloShares(dimension);
  EXPECT_EQ(read, countShares(extent, dimension));
  fewer += read != all;
  return true;
}

TEST(Window, OnlyWhatDevicesReadIsSent) {
  int64_t compared = 0, fewer = 0;
  for (int64_t extent : {1, 3, 7, 8, 13, 30, 47, 64})
    for (std::vector<int64_t> split :
         {std::vector<int64_t>{}, {2}, {3}, {4}, {2, 2}, {13}, {4, 4}})
      for (int64_t stride : {1, 2, 3, -1, -2, -3})
        for (int64_t reach : {1, 2, 3, 5, 9})
          for (int64_t before : {-3, 0, 1, 4})
            for (int64_t behind : {-2, 0, 1, 5})
              for (int64_t cut : {0, 2})
                for (int64_t step : {1, 2, 3})
                  compared += compareShares(extent, split, {stride, 0, reach},
                                            before, behind, cut, step, fewer);
  EXPECT_GT(compared, 30000);
  EXPECT_GT(fewer, 10000);
}

TEST(Window, AThreePointStencilNeedsOneElementOfEachNeighbour) {
  Window window{1, -1, 3};
  HaloNeed need = *haloNeed(64, {4}, 64, {4}, window, {0, 64});
  EXPECT_EQ(need.low, 1);
  EXPECT_EQ(need.high, 1);
  EXPECT_EQ(need.start, -1);
}

TEST(Window, AReversedDimensionTakesMirroredBlocks) {
  using Parts = std::vector<BlockPart>;
  // 8 elements over 4: device p takes block 3 - p.
  Window whole{-1, 7, 1};
  EXPECT_EQ(*blockParts(8, {4}, 8, {4}, whole, {0, 8}), (Parts{{3, 0, 2}}));
  // 7 over 4, the last block short: the one further back too, by modulo.
  Window odd{-1, 6, 1};
  EXPECT_EQ(*blockParts(7, {4}, 7, {4}, odd, {0, 7}),
            (Parts{{2, 1, 2}, {3, 0, 1}}));
}

TEST(Window, OnlyWhatIsValidIsNeeded) {
  // The elements [0, 4) of a slice that is padded behind.
  HaloNeed need = *haloNeed(16, {4}, 16, {4}, Window{1, 0, 3}, {0, 4});
  EXPECT_EQ(need.high, 0);
  EXPECT_EQ(need.fullHigh, 2);
}

TEST(Window, TheStartVariesWhereBlocksDrift) {
  EXPECT_FALSE(haloNeed(66, {4}, 64, {4}, Window{1, 0, 3}, {0, 66})->start);
  EXPECT_EQ(haloNeed(128, {4}, 64, {4}, Window{2, 0, 3}, {0, 128})->start, 0);
}

TEST(Window, TheNumberOfDevicesCostsNoTime) {
  std::vector<int64_t> split{int64_t(1) << 20, int64_t(1) << 20};
  int64_t extent = int64_t(1) << 40;
  HaloNeed need =
      *haloNeed(extent, split, extent, split, Window{1, -1, 3}, {0, extent});
  EXPECT_EQ(need.low, 1);
  EXPECT_EQ(need.high, 1);
  EXPECT_EQ(need.start, -1);
}

TEST(Window, AboveTheLimitHalosCoverWholeWindows) {
  // All blocks but the first lie in the padding.
  int64_t blocks = 3 * kMaxComparedBlocks;
  HaloNeed need = *haloNeed(2 * blocks, {blocks}, 2 * blocks, {blocks},
                            Window{1, -1, 3}, {0, 2});
  EXPECT_EQ(need.low, need.fullLow);
  EXPECT_EQ(need.high, need.fullHigh);
  EXPECT_EQ(need.low, 1);
  EXPECT_EQ(need.high, 1);
}

TEST(Window, WithoutIterationsNothingIsRead) {
  HaloNeed need = *haloNeed(5, {2}, 0, {2}, Window{1, 0, 3}, {0, 5});
  EXPECT_EQ(need.low, 0);
  EXPECT_EQ(need.high, 0);
  EXPECT_FALSE(need.start);
  EXPECT_EQ(Window().span(0), 0);
  EXPECT_EQ((Window{2, 0, 3}).span(4), 9);
}

TEST(Window, PartsOfBlocksAreWhatDevicesReadOfThem) {
  int64_t compared = 0;
  for (int64_t extent : {1, 4, 7, 8, 13, 30})
    for (std::vector<int64_t> split :
         {std::vector<int64_t>{2}, {3}, {4}, {7}, {2, 2}})
      for (int64_t stride : {1, 2, -1, -2})
        for (int64_t reach : {1, 3})
          for (int64_t offset : {-25, -7, -1, 0, 2, 6, 29})
            for (int64_t iterations : {1, 5, 8, 13}) {
              Window window{stride, offset, reach};
              Block valid{std::min<int64_t>(1, extent - 1), extent - 1};
              std::optional<std::vector<BlockPart>> parts =
                  blockParts(extent, split, iterations, split, window, valid);
              ASSERT_EQ(parts.has_value(), cutsAtOnce(extent, split));
              if (!parts)
                continue;
              int64_t size = 1;
              for (int64_t axis : split)
                size *= axis;
              int64_t width = (extent + size - 1) / size;
              // Element by element: by distance, what some device reads.
              std::vector<std::vector<int64_t>> read(size);
              for (int64_t part = 0; part < size; ++part) {
                Block block =
                    blockAt(iterations, split, delinearize(part, split));
                if (block.size == 0)
                  continue;
                int64_t a = stride * block.offset + offset;
                int64_t b = a + stride * (block.size - 1);
                // What lies between the iterations counts.
                for (int64_t i = std::min(a, b); i < std::max(a, b) + reach;
                     ++i) {
                  if (i < valid.offset || i >= valid.offset + valid.size)
                    continue;
                  int64_t other = i / width;
                  int64_t distance =
                      stride < 0 ? other + part : other - part + size;
                  read[distance % size].push_back(i % width);
                }
              }
              std::vector<BlockPart> counted;
              for (int64_t distance = 0; distance < size; ++distance)
                if (!read[distance].empty())
                  counted.push_back({distance,
                                     *std::min_element(read[distance].begin(),
                                                       read[distance].end()),
                                     *std::max_element(read[distance].begin(),
                                                       read[distance].end()) +
                                         1});
              EXPECT_EQ(*parts, counted);
              ++compared;
            }
  EXPECT_GT(compared, 500);
}

TEST(Window, ManyPartsOfBlocksAreNotListed) {
  // A window of half the tensor.
  EXPECT_FALSE(blockParts(64, {64}, 64, {64}, {1, 0, 32}, {0, 64}));
  EXPECT_TRUE(blockParts(64, {64}, 64, {64}, {1, 0, 16}, {0, 64}));
}

TEST(Window, HalosAreSentByTheDeviceInTheWorstPlace) {
  for (int64_t parts = 2; parts <= 6; ++parts)
    for (int64_t width = 1; width <= 4; ++width)
      for (int64_t low = 0; low <= 14; ++low)
        for (int64_t high = 0; high <= 14; ++high) {
          int64_t most = 0;
          for (int64_t part = 0; part < parts; ++part) {
            int64_t sent = 0;
            for (int64_t i = part * width; i < (part + 1) * width; ++i)
              for (int64_t other = 0; other < parts; ++other)
                sent += other != part && i >= other * width - low &&
                        i < (other + 1) * width + high;
            most = std::max(most, sent);
          }
          EXPECT_EQ(mostSentToHalos(low, high, width, parts), most);
        }
  EXPECT_EQ(mostSentToHalos(3, 3, 0, 4), 0);
  EXPECT_EQ(mostSentToHalos(3, 3, 5, 1), 0);
}
