//===- FollowersTest.cpp - What one tensor means for others ---------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On random tables the tests go through all options that there are, and ask of each whether
// it splits what the sharding of a tensor splits.
//
//===----------------------------------------------------------------------===//

#include "Followers.h"
#include "OpWishes.h"

#include "../Interfaces/SmallTables.h"

#include "gtest/gtest.h"

#include <algorithm>

using namespace shard;
using namespace shard::propagation;
using namespace shard::test;

namespace {

bool isPrefix(const AxisList &list, const AxisList &of) {
  return list.size() <= of.size() &&
         std::equal(list.begin(), list.end(), of.begin());
}

struct Tensors {
  Random &random;
  Grid grid;
  LoopTable table;
  std::vector<ShardingOption> options;
  std::vector<Sharding> shardings;

  Tensors(Random &random, const TableKinds &kinds) : random(random) {
    std::vector<std::vector<int64_t>> shapes = {{2}, {2, 3}, {4, 2}, {2, 2, 2}};
    grid.shape = random.of(shapes);
    grid.unevenDynamic = random.oneIn(3);
    table = randomTable(random, kinds);
    for (const std::vector<AxisList> &lists :
         allPlacements(grid.shape.size(), table.loops.size())) {
      ShardingOption option;
      option.loops.assign(lists.begin(), lists.end());
      if (isValidOption(table, grid, option))
        options.push_back(std::move(option));
    }
    // Those that some option gives, and any.
    const ShardingOption &some = random.of(options);
    for (unsigned number = 0; number < 3; ++number) {
      Sharding sharding = tensorSharding(table, number, some);
      sharding.partial.clear();
      if (random.oneIn(2)) {
        std::vector<AxisList> dims(sharding.dims.size());
        placeAxes(random, grid.shape.size(), dims);
        sharding.dims.assign(dims.begin(), dims.end());
      }
      shardings.push_back(std::move(sharding));
    }
  }

  const TensorLoops &loopsOf(unsigned tensor) {
    return tensor < 2 ? table.operands[tensor] : table.results[0];
  }

  /// The option that gives a tensor its sharding and splits no loop beside.
  std::optional<ShardingOption> expectedOption(unsigned tensor) {
    std::optional<ShardingOption> found;
    for (const ShardingOption &option : options) {
      bool splitsOthers = false;
      for (size_t loop = 0; loop < table.loops.size(); ++loop) {
        bool isOwn = false;
        for (const DimLoops &dim : loopsOf(tensor).dims)
          isOwn |= llvm::is_contained(dim, int32_t(loop));
        splitsOthers |= !isOwn && !option.loops[loop].empty();
      }
      if (splitsOthers ||
          tensorSharding(table, tensor, option) != shardings[tensor])
        continue;
      EXPECT_FALSE(found);
      found = option;
    }
    return found;
  }

  std::optional<Sharding> expectedFollower(unsigned tensor, unsigned other) {
    std::optional<ShardingOption> from = expectedOption(tensor);
    std::optional<ShardingOption> kept = expectedOption(other);
    if (!from || !kept)
      return std::nullopt;
    for (const ShardingOption &option : options) {
      bool hasBoth = true;
      for (size_t i = 0; i < table.loops.size(); ++i)
        hasBoth &=
            option.loops[i] == (isPrefix(from->loops[i], kept->loops[i]) &&
                                        from->loops[i].empty()
                                    ? kept->loops[i]
                                    : from->loops[i]) &&
            isPrefix(kept->loops[i], option.loops[i]);
      if (!hasBoth)
        continue;
      Sharding followed = tensorSharding(table, other, option);
      followed.partial.clear();
      if (followed.dims != shardings[other].dims)
        return followed;
    }
    return std::nullopt;
  }
};

TEST(Followers, OptionsOfShardings) {
  Random random(1);
  size_t count = 0;
  for (int i = 0; i < 2000; ++i) {
    Tensors tensors(random, {false, true, false, true});
    for (unsigned tensor = 0; tensor < 3; ++tensor) {
      std::optional<ShardingOption> expected = tensors.expectedOption(tensor);
      ASSERT_EQ(optionOf(tensors.table, tensors.grid, tensor,
                         tensors.shardings[tensor]),
                expected)
          << "table " << i;
      count += expected.has_value();
    }
  }
  EXPECT_GT(count, 1000u);
}

TEST(Followers, AddWhatTheOtherHas) {
  Random random(2);
  size_t count = 0;
  for (int i = 0; i < 3000; ++i) {
    Tensors tensors(random, {false, true, false, true});
    for (unsigned tensor = 0; tensor < 3; ++tensor)
      for (unsigned other = 0; other < 3; ++other) {
        std::optional<Sharding> expected =
            tensors.expectedFollower(tensor, other);
        ASSERT_EQ(followKeeping(tensors.table, tensors.grid, tensor,
                                tensors.shardings[tensor], other,
                                tensors.shardings[other]),
                  expected)
            << "table " << i << ", tensors " << tensor << " and " << other;
        count += expected.has_value();
      }
  }
  EXPECT_GT(count, 300u);
}

TEST(Followers, SplitDimensions) {
  Grid grid;
  grid.shape = {2, 3};
  std::vector<AxisList> lists = {{}, {0}, {1}, {0, 1}, {1, 0}};
  for (const AxisList &first : lists)
    for (const AxisList &second : lists) {
      Sharding sharding = Sharding::replicated(2);
      sharding.dims = {first, second};
      int64_t firstParts = grid.groupSize(first);
      int64_t secondParts = grid.groupSize(second);
      EXPECT_EQ(partsOf(grid, sharding), firstParts * secondParts);
      for (int64_t extent = 0; extent < 13; ++extent) {
        EXPECT_EQ(mayBeSplit({extent, kDynamic}, grid, sharding, true),
                  extent % firstParts == 0);
        EXPECT_EQ(mayBeSplit({kDynamic, extent}, grid, sharding, false),
                  second.empty() || extent >= secondParts);
        EXPECT_EQ(mayBeSplit({extent, 6}, grid, sharding, false),
                  first.empty() || extent >= firstParts);
      }
    }
}

TEST(Followers, Windows) {
  Random random(4);
  size_t count = 0;
  for (int i = 0; i < 3000; ++i) {
    Tensors tensors(random, {false, false, true, false});
    int unknown = random.below(4);
    for (unsigned tensor = 0; tensor < 3; ++tensor) {
      bool expected = false;
      for (unsigned number = 0; number < 2; ++number) {
        const TensorLoops &operand = tensors.table.operands[number];
        expected |= int(number) == unknown && !operand.windows.empty();
        for (size_t dim = 0; dim < operand.dims.size(); ++dim) {
          if (!operand.isWindow(dim))
            continue;
          expected |= !tensors.shardings[number].dims[dim].empty();
          const TensorLoops &own = tensors.loopsOf(tensor);
          for (size_t ownDim = 0; ownDim < own.dims.size(); ++ownDim)
            expected |= llvm::is_contained(own.dims[ownDim],
                                           operand.dims[dim].front()) &&
                        !tensors.shardings[tensor].dims[ownDim].empty();
        }
      }
      EXPECT_EQ(splitsWindow(tensors.table, tensor, tensors.shardings[tensor],
                             [&](unsigned number) -> std::optional<Sharding> {
                               if (int(number) == unknown)
                                 return std::nullopt;
                               return tensors.shardings[number];
                             }),
                expected);
      count += expected;
    }
  }
  EXPECT_GT(count, 300u);
}

} // namespace
