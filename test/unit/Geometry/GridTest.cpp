//===- GridTest.cpp - Device numbering and groups -------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Geometry/Grid.h"
#include "shard/Geometry/ReductionKind.h"

#include <gtest/gtest.h>

using namespace shard;

TEST(Grid, CoordinatesAndDeviceAreInverse) {
  Grid grid{{2, 3, 4}};
  EXPECT_EQ(grid.numDevices(), 24);
  for (int64_t device = 0; device < 24; ++device)
    EXPECT_EQ(grid.device(grid.coordinates(device)), device);
  EXPECT_EQ(grid.coordinates(23), (std::vector<int64_t>{1, 2, 3}));
  EXPECT_EQ(grid.coordinates(4), (std::vector<int64_t>{0, 1, 0}));
}

TEST(Grid, GroupIsOrderedByTheAxisList) {
  Grid grid{{2, 4}};
  EXPECT_EQ(grid.groupMembers(5, {0}), (std::vector<int64_t>{1, 5}));
  EXPECT_EQ(grid.groupMembers(5, {1}), (std::vector<int64_t>{4, 5, 6, 7}));
  EXPECT_EQ(grid.groupMembers(0, {1, 0}),
            (std::vector<int64_t>{0, 4, 1, 5, 2, 6, 3, 7}));
  EXPECT_EQ(grid.groupMembers(6, {}), (std::vector<int64_t>{6}));
}

TEST(Grid, PositionInGroupFindsTheDevice) {
  Grid grid{{2, 3, 2}};
  for (const AxisList &axes :
       {AxisList{}, {0}, {2, 0}, {1, 2}, {2, 1, 0}, {0, 1, 2}})
    for (int64_t device = 0; device < grid.numDevices(); ++device) {
      std::vector<int64_t> members = grid.groupMembers(device, axes);
      EXPECT_EQ(members[grid.positionInGroup(device, axes)], device);
    }
}

TEST(ReductionKind, NamesAndNumbersAreInverse) {
  for (uint32_t value = 0; value <= 101; ++value)
    if (auto kind = symbolizeReductionKind(value))
      EXPECT_EQ(symbolizeReductionKind(stringifyReductionKind(*kind)), kind);
  EXPECT_FALSE(symbolizeReductionKind(0u));
  EXPECT_FALSE(symbolizeReductionKind("mean"));
  EXPECT_TRUE(stringifyReductionKind(ReductionKind(77)).empty());
}
