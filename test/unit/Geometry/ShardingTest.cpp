//===- ShardingTest.cpp - What devices have of a tensor -------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Geometry/Sharding.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <set>

using namespace shard;

namespace {

const Grid kGrid{{2, 3}};

/// All ways to split two dimensions by the axes of a grid of two.
std::vector<Sharding> allShardings() {
  std::vector<Sharding> found;
  const std::vector<AxisList> lists = {{}, {0}, {1}, {0, 1}, {1, 0}};
  for (const AxisList &rows : lists)
    for (const AxisList &columns : lists) {
      std::set<GridAxis> used(rows.begin(), rows.end());
      used.insert(columns.begin(), columns.end());
      if (used.size() != rows.size() + columns.size())
        continue;
      Sharding sharding;
      sharding.dims = {rows, columns};
      found.push_back(sharding);
    }
  return found;
}

/// Random numbers that are the same everywhere.
class Numbers {
public:
  int64_t below(int64_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return int64_t((state >> 33) % uint64_t(n));
  }

private:
  uint64_t state = 1;
};

std::vector<int64_t> randomBounds(Numbers &random, int64_t extent,
                                  int64_t parts) {
  std::vector<int64_t> bounds{0, extent};
  for (int64_t part = 1; part < parts; ++part)
    bounds.push_back(random.below(extent + 1));
  std::sort(bounds.begin(), bounds.end());
  return bounds;
}

/// Without halos the blocks of all devices are as long as the local shape where that is known
/// and nothing is padded; their first elements follow one another.
TEST(Sharding, BoundsReplaceTheBlocks) {
  Numbers random;
  std::vector<int64_t> shape{12, 6};
  for (const Sharding &plain : allShardings())
    for (int times = 0; times < 60; ++times) {
      Sharding sharding = plain;
      std::vector<std::vector<int64_t>> bounds(2);
      for (size_t dim = 0; dim < 2; ++dim)
        if (!plain.dims[dim].empty()) {
          int64_t parts = kGrid.groupSize(plain.dims[dim]);
          bounds[dim] = randomBounds(random, shape[dim], parts);
          // Equal blocks are rare otherwise.
          if (random.below(2))
            for (int64_t part = 0; part <= parts; ++part)
              bounds[dim][part] = shape[dim] / parts * part;
          sharding.offsets.insert(sharding.offsets.end(), bounds[dim].begin(),
                                  bounds[dim].end());
        }
      if (sharding.offsets.empty())
        continue;
      std::vector<int64_t> local = localShape(kGrid, shape, sharding);
      for (size_t dim = 0; dim < 2; ++dim) {
        std::set<int64_t> sizes;
        for (int64_t device = 0; device < kGrid.numDevices(); ++device) {
          Block block = localBlocks(kGrid, shape, sharding, device)[dim];
          sizes.insert(block.size);
          if (plain.dims[dim].empty()) {
            EXPECT_EQ(block, (Block{0, shape[dim]}));
            continue;
          }
          int64_t part = kGrid.positionInGroup(device, plain.dims[dim]);
          EXPECT_EQ(block.offset, bounds[dim][part]);
          EXPECT_EQ(block.offset + block.size, bounds[dim][part + 1]);
        }
        EXPECT_EQ(local[dim], sizes.size() == 1 ? *sizes.begin() : kDynamic);
      }
    }
}

TEST(Sharding, HalosWidenSplitDimensions) {
  Numbers random;
  for (const Sharding &plain : allShardings())
    for (int64_t extent : {int64_t(7), kDynamic}) {
      std::vector<int64_t> shape{extent, 6};
      std::vector<int64_t> before = localShape(kGrid, shape, plain);
      for (int times = 0; times < 20; ++times) {
        Sharding sharding = plain;
        std::vector<int64_t> expected = before;
        for (size_t dim = 0; dim < 2; ++dim) {
          if (plain.dims[dim].empty())
            continue;
          int64_t low = random.below(4), high = random.below(4);
          if (expected[dim] != kDynamic)
            expected[dim] += low + high;
          if (random.below(4) == 0) {
            (random.below(2) ? low : high) = kRunTimeNumbers - 1;
            expected[dim] = kDynamic;
          }
          sharding.halos.insert(sharding.halos.end(), {low, high});
        }
        EXPECT_EQ(localShape(kGrid, shape, sharding), expected);
        EXPECT_EQ(sharding.hasHalosOrOffsets(), !sharding.halos.empty());
        EXPECT_EQ(sharding.hasRunTimeNumbers(),
                  std::any_of(sharding.halos.begin(), sharding.halos.end(),
                              isRunTime));
        // Halos are no part of the blocks.
        if (extent != kDynamic)
          for (int64_t device = 0; device < kGrid.numDevices(); ++device)
            EXPECT_EQ(localBlocks(kGrid, shape, sharding, device),
                      localBlocks(kGrid, shape, plain, device));
      }
    }
}

TEST(Sharding, BoundsOfTheRunHaveNoShape) {
  for (size_t at = 0; at <= 3; ++at) {
    Sharding sharding;
    sharding.dims = {{1}};
    sharding.offsets = {0, 2, 4, 6};
    sharding.offsets[at] = kRunTimeNumbers - 1;
    EXPECT_EQ(localShape(kGrid, {6}, sharding)[0], kDynamic);
    EXPECT_TRUE(sharding.hasRunTimeNumbers());
  }
  EXPECT_FALSE(isRunTime(kDynamic));
  EXPECT_FALSE(isRunTime(kRunTimeNumbers));
}

/// Shardings that differ in one thing are different, have different texts and, mostly, hashes.
TEST(Sharding, EachPartCounts) {
  std::vector<Sharding> all = allShardings();
  Sharding base;
  base.dims = {{0}, {}};
  for (ReductionKind kind : {ReductionKind::Sum, ReductionKind::Max}) {
    Sharding partial = base;
    partial.partial = {1};
    partial.reduction = kind;
    all.push_back(partial);
  }
  Sharding halos = base, offsets = base;
  halos.halos = {1, 2};
  all.push_back(halos);
  halos.halos = {2, 1};
  all.push_back(halos);
  offsets.offsets = {0, 1, 2};
  all.push_back(offsets);
  offsets.offsets = {0, 2, 2};
  all.push_back(offsets);
  for (size_t a = 0; a < all.size(); ++a)
    for (size_t b = 0; b < all.size(); ++b) {
      EXPECT_EQ(all[a] == all[b], a == b);
      EXPECT_EQ(all[a] != all[b], a != b);
      EXPECT_EQ(hashOf(all[a]) == hashOf(all[b]), a == b);
      EXPECT_EQ(toString(all[a]) == toString(all[b]), a == b);
    }
  // Without partial axes the kind has no meaning.
  Sharding other = base;
  other.reduction = ReductionKind::Min;
  EXPECT_EQ(other, base);
  EXPECT_EQ(hashOf(other), hashOf(base));
  for (const Sharding &sharding : all)
    EXPECT_EQ(sharding.isReplicated(), toString(sharding) == "[[], []]");
}

TEST(Sharding, Text) {
  Sharding sharding;
  sharding.dims = {{0, 1}, {}};
  sharding.partial = {2, 3};
  sharding.reduction = ReductionKind::Max;
  sharding.halos = {1, kRunTimeNumbers - 1};
  sharding.offsets = {0, 4};
  EXPECT_EQ(toString(sharding), "[[0, 1], []] partial = max [2, 3] "
                                "halo_sizes = [1, ?] "
                                "sharded_dims_offsets = [0, 4]");
  EXPECT_EQ(toString(Sharding()), "[]");
}

TEST(ReductionKind, NamesAndNumbers) {
  std::set<std::string_view> names;
  for (uint32_t number = 0; number <= 101; ++number) {
    std::optional<ReductionKind> kind = symbolizeReductionKind(number);
    EXPECT_EQ(kind.has_value(), (number >= 1 && number <= 10) || number == 100);
    std::string_view name = stringifyReductionKind(ReductionKind(number));
    EXPECT_EQ(name.empty(), !kind);
    if (!kind)
      continue;
    EXPECT_EQ(uint32_t(*kind), number);
    EXPECT_EQ(symbolizeReductionKind(name), kind);
    EXPECT_TRUE(names.insert(name).second);
  }
  EXPECT_FALSE(symbolizeReductionKind("su"));
  EXPECT_FALSE(symbolizeReductionKind(""));
}

} // namespace
