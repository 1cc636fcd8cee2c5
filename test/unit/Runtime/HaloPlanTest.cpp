//===- HaloPlanTest.cpp - Tests of the plans of halos ---------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Runtime/Common/Halo.h"

#include "gtest/gtest.h"

using namespace shard;
using namespace shard::runtime;

namespace {

struct HaloPlanTest : ::testing::Test {
  HaloPlanTest() {
    grid.shape = {4};
    const int64_t words[] = {1, 4, 1, 0};
    EXPECT_EQ(makeGroup(grid, 1, words, group), "");
    view.elementBytes = 4;
    view.rank = 1;
    view.sizes[0] = 10;
    view.strides[0] = 1;
  }
  const HaloPlan &get(const int64_t *windows) {
    return plans.get(group, view, {axesPerDim, widths, windows});
  }

  Grid grid;
  Group group;
  View view;
  HaloPlans plans;
  const int64_t axesPerDim[1] = {1};
  const int64_t widths[2] = {1, 1};
};

// A plan is made once for each call: the same arguments get the same object.
TEST_F(HaloPlanTest, IsMadeOnce) { EXPECT_EQ(&get(nullptr), &get(nullptr)); }

// So it is with windows, all numbers of which tell plans apart.
TEST_F(HaloPlanTest, IsMadeOnceForWindows) {
  int64_t windows[7] = {32, 1, 0, 0, 0, 0, 1};
  const HaloPlan *first = &get(windows);
  EXPECT_EQ(first, &get(windows));
  EXPECT_NE(first, &get(nullptr));
  for (int64_t &number : windows) {
    ++number;
    EXPECT_NE(first, &get(windows)) << "number " << (&number - windows);
    --number;
  }
  EXPECT_EQ(first, &get(windows));
}

} // namespace
