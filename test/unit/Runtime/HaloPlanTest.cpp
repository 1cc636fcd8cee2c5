//===- HaloPlanTest.cpp - Tests of the plans of halos ---------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Runtime/Common/CallClock.h"
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

// The moves of a plan follow the strides of the buffers and whether there are one or two.
TEST_F(HaloPlanTest, MovesFollowTheBuffers) {
  std::vector<float> first(20), second(20);
  const HaloPlan &plan = get(nullptr);
  View in = view, out = view;
  in.data = out.data = reinterpret_cast<char *>(first.data());

  // In place: a halo from either side, and one to either side; the own elements stay.
  const BoxMoves *moves = &plan.moves(in, out);
  ASSERT_EQ(moves->taken.size(), 2u);
  EXPECT_EQ(moves->taken[0].offset, 0);
  EXPECT_EQ(moves->taken[1].offset, 9 * 4);
  ASSERT_EQ(moves->given.size(), 2u);
  EXPECT_EQ(moves->given[0].offset + moves->given[1].offset, (1 + 8) * 4);
  EXPECT_TRUE(moves->own.empty());

  out.data = reinterpret_cast<char *>(second.data());
  EXPECT_EQ(plan.moves(in, out).own.size(), 1u);
  out.data = in.data;
  out.strides[0] = 2;
  moves = &plan.moves(in, out);
  EXPECT_EQ(moves->own.size(), 1u);
  EXPECT_EQ(moves->taken[1].offset, 2 * 9 * 4);
}

// What is not contiguous in a buffer of two dimensions names its box.
TEST_F(HaloPlanTest, MovesNameScatteredBoxes) {
  view.rank = 2;
  view.sizes[1] = 10;
  view.strides[0] = 10;
  view.strides[1] = 1;
  const int64_t axes[2] = {0, 1}, halos[4] = {0, 0, 1, 1};
  const HaloPlan &plan = plans.get(group, view, {axes, halos, nullptr});
  std::vector<float> field(100);
  view.data = reinterpret_cast<char *>(field.data());
  for (const BoxMove &move : plan.moves(view, view).taken) {
    ASSERT_NE(move.scattered, nullptr);
    EXPECT_EQ(move.scattered->sizes[0], 10);
    EXPECT_EQ(move.elements, 10);
  }
  // With the dimensions the other way round in memory, columns are contiguous.
  std::swap(view.strides[0], view.strides[1]);
  for (const BoxMove &move : plan.moves(view, view).taken)
    EXPECT_EQ(move.scattered, nullptr);
}

// Each device receives the elements that its boxes from others have, and all together receive what
// all send.
TEST(HaloPlan, CountsWhatIsSentAndReceived) {
  Grid grid{{2, 3}};
  const int64_t words[] = {2, 2, 3, 2, 0, 1};
  View view;
  view.elementBytes = 4;
  view.rank = 2;
  view.sizes[0] = 7;
  view.sizes[1] = 9;
  const int64_t axes[] = {1, 1};
  for (int64_t wide = 0; wide < 4; ++wide) {
    const int64_t widths[] = {wide, 1, 2, wide + 1};
    int64_t sent = 0, received = 0;
    for (int64_t device = 0; device < grid.numDevices(); ++device) {
      Group group;
      ASSERT_EQ(makeGroup(grid, device, words, group), "");
      HaloPlan plan = makeHaloPlan(group, view, {axes, widths, nullptr});
      int64_t ofBoxes = 0;
      for (const HaloBox &box : plan.boxes)
        if (box.position != group.position)
          ofBoxes += box.sizes[0] * box.sizes[1];
      EXPECT_EQ(plan.receivedElements, ofBoxes);
      received += plan.receivedElements;
      sent += plan.sentElements;
    }
    EXPECT_GT(sent, 0);
    EXPECT_EQ(sent, received);
  }
}

// Times are those of steady_clock, before and after the counter's rate is known.
TEST(CallClock, IsSteadyClock) {
  using Steady = std::chrono::steady_clock;
  for (int i = 0; i < 2; ++i) {
    Steady::time_point begin = Steady::now();
    CallClock::time_point first = CallClock::now();
    while (Steady::now() - begin < std::chrono::milliseconds(20))
      continue;
    std::chrono::duration<double> here = CallClock::now() - first;
    std::chrono::duration<double> outside = Steady::now() - begin;
    EXPECT_LE(here.count(), outside.count() * 1.001);
    EXPECT_GE(here.count(), 0.02 * 0.99);
    CallClock::calibrate();
  }
}

} // namespace
