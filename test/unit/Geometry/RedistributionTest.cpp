//===- RedistributionTest.cpp - Who sends what from blocks to blocks ------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The boxes are counted element by element: each element of a new block comes once,
// from a device that has it.
//
//===----------------------------------------------------------------------===//

#include "shard/Geometry/Redistribution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

using namespace shard;

namespace {

using Index = std::vector<int64_t>;

/// Calls `body` with each index of an array of `extents`.
template <typename Body>
void forEachIndex(const Index &extents, Body body) {
  int64_t count = std::accumulate(extents.begin(), extents.end(), int64_t(1),
                                  std::multiplies<>());
  for (int64_t i = 0; i < count; ++i)
    body(delinearize(i, extents));
}

bool contains(const std::vector<Block> &blocks, const Index &index) {
  for (size_t dim = 0; dim < index.size(); ++dim)
    if (index[dim] < blocks[dim].offset ||
        index[dim] >= blocks[dim].offset + blocks[dim].size)
      return false;
  return true;
}

void checkBoxes(const Redistribution &r) {
  std::vector<Transfer> transfers;
  forEachTransfer(
      r, [&](const Transfer &transfer) { transfers.push_back(transfer); });
  for (int64_t device = 0; device < r.devices(); ++device) {
    std::vector<Block> before = r.blockBefore(device),
                       after = r.blockAfter(device);
    forEachIndex(r.extents, [&](const Index &index) {
      int64_t times = 0;
      for (const Transfer &transfer : transfers) {
        if (transfer.receiver != device || !contains(transfer.box, index))
          continue;
        ++times;
        // What the device has it does not receive.
        EXPECT_EQ(transfer.sender == device, contains(before, index));
        EXPECT_TRUE(contains(r.blockBefore(transfer.sender), index));
      }
      EXPECT_EQ(times, contains(after, index) ? 1 : 0);
    });
  }
}

/// Axes of the grid, each in one dimension or in none.
std::vector<std::vector<size_t>> anySplit(std::mt19937 &random, size_t axes,
                                          size_t dims) {
  std::vector<size_t> order(axes);
  std::iota(order.begin(), order.end(), size_t(0));
  std::shuffle(order.begin(), order.end(), random);
  std::vector<std::vector<size_t>> split(dims);
  for (size_t axis : order)
    if (size_t dim = random() % (dims + 1); dim < dims)
      split[dim].push_back(axis);
  return split;
}

} // namespace

TEST(Redistribution, EveryElementComesOnceFromWhoHasIt) {
  std::mt19937 random(5);
  for (int i = 0; i < 300; ++i) {
    Redistribution r;
    for (size_t axis = 0, axes = 1 + random() % 3; axis < axes; ++axis)
      r.sizes.push_back(1 + static_cast<int64_t>(random() % 4));
    for (size_t dim = 0, dims = 1 + random() % 2; dim < dims; ++dim)
      r.extents.push_back(static_cast<int64_t>(random() % 11));
    r.from = anySplit(random, r.sizes.size(), r.extents.size());
    r.to = anySplit(random, r.sizes.size(), r.extents.size());
    checkBoxes(r);
  }
}

TEST(Redistribution, TheExampleOfTheHeader) {
  Redistribution r{{4, 4}, {2, 2}, {{0}, {1}}, {{0, 1}, {}}};
  checkBoxes(r);
  EXPECT_EQ(countTransfers(r).sent, (std::vector<int64_t>{2, 2, 2, 2}));
}

TEST(Redistribution, DevicesThatHaveTheSameShareTheWork) {
  // Each block is on 4 devices, 3 other devices want it: one message each.
  Redistribution r{{8}, {4, 4}, {{0}}, {{1}}};
  std::vector<int64_t> sent = countTransfers(r).sent;
  EXPECT_EQ(*std::max_element(sent.begin(), sent.end()), 2);
  EXPECT_EQ(std::accumulate(sent.begin(), sent.end(), int64_t(0)), 12 * 2);
}

TEST(Redistribution, ListsMayEndBeforeTheLastDimension) {
  Redistribution r{{4, 3}, {2}, {{0}}, {}};
  checkBoxes(r);
  EXPECT_EQ(countTransfers(r).sent, (std::vector<int64_t>{6, 6}));
}
