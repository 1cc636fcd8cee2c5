//===- AxisPartTest.cpp - Parts of axes -----------------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Geometry/AxisPart.h"

#include "gtest/gtest.h"

#include <set>

using namespace shard;

namespace {

AxisPart part(int64_t preSize, int64_t size) { return {0, preSize, size}; }

TEST(AxisPartTest, EndsSaturate) {
  EXPECT_EQ(part(2, 4).end(), 8);
  EXPECT_EQ(AxisPart::whole(0, kDynamic).end(), kDynamic);
  EXPECT_EQ(part(INT64_MAX / 2, 3).end(), INT64_MAX);
}

TEST(AxisPartTest, Whole) {
  EXPECT_TRUE(AxisPart::whole(3, 8).isWhole(8));
  EXPECT_TRUE(AxisPart::whole(3, kDynamic).isWhole(kDynamic));
  EXPECT_TRUE(AxisPart::whole(3, 1).isWhole(1));
  EXPECT_FALSE(part(1, 4).isWhole(8));
  EXPECT_FALSE(part(2, 4).isWhole(4));
}

TEST(AxisPartTest, OfDifferentAxes) {
  EXPECT_FALSE((AxisPart{0, 1, 8}.overlaps({1, 1, 8})));
  EXPECT_FALSE((AxisPart{0, 1, 8}.contains({1, 1, 8})));
  EXPECT_FALSE((AxisPart{0, 1, kDynamic}.overlaps({1, 1, 8})));
}

TEST(AxisPartTest, OfSizeOne) {
  AxisPart one = AxisPart::whole(0, 1);
  EXPECT_TRUE(one.overlaps(one));
  EXPECT_TRUE(one.contains(one));
}

TEST(AxisPartTest, OfUnknownSize) {
  AxisPart unknown = AxisPart::whole(0, kDynamic);
  EXPECT_TRUE(unknown.overlaps(unknown));
  EXPECT_TRUE(unknown.overlaps(part(4, 2)));
  EXPECT_TRUE(part(4, 2).overlaps(unknown));
  EXPECT_TRUE(unknown.contains(unknown));
  EXPECT_TRUE(unknown.contains(part(4, 2)));
  EXPECT_FALSE(part(4, 2).contains(unknown));
}

TEST(AxisPartTest, HugeSizesDoNotOverflow) {
  AxisPart huge = part(INT64_MAX / 2, INT64_MAX / 2);
  EXPECT_FALSE(huge.overlaps(part(1, 2)));
  EXPECT_FALSE(part(1, 2).overlaps(huge));
  EXPECT_TRUE(huge.overlaps(huge));
}

/// The digit of `coordinate` that `part` of an axis of `axisSize` is.
int64_t digit(int64_t coordinate, const AxisPart &part, int64_t axisSize) {
  return coordinate / (axisSize / part.end()) % part.size;
}

// Among parts whose ends divide one another, the definition is about digits of
// coordinates: neighbouring devices that differ in a digit of both overlap; what
// is contained is a function of what contains it.
TEST(AxisPartTest, AgreesWithCoordinates) {
  constexpr int64_t n = 16;
  std::vector<AxisPart> parts;
  for (int64_t preSize = 1; preSize < n; preSize *= 2)
    for (int64_t size = 2; preSize * size <= n; size *= 2)
      parts.push_back(part(preSize, size));
  for (const AxisPart &a : parts)
    for (const AxisPart &b : parts) {
      // Steps that change one binary digit of the coordinate.
      bool together = false;
      for (int64_t bit = 1; bit < n; bit *= 2)
        together |= digit(0, a, n) != digit(bit, a, n) &&
                    digit(0, b, n) != digit(bit, b, n);
      EXPECT_EQ(a.overlaps(b), together);

      std::set<std::pair<int64_t, int64_t>> pairs;
      std::set<int64_t> outer;
      for (int64_t coordinate = 0; coordinate < n; ++coordinate) {
        outer.insert(digit(coordinate, a, n));
        pairs.insert({digit(coordinate, a, n), digit(coordinate, b, n)});
      }
      EXPECT_EQ(a.contains(b), pairs.size() == outer.size());
    }
}

// Parts of a factorisation 2x3 against those of 3x2.
TEST(AxisPartTest, OfClashingFactorisations) {
  EXPECT_TRUE(part(1, 2).overlaps(part(1, 3)));
  EXPECT_FALSE(part(1, 2).overlaps(part(2, 3)));
  EXPECT_TRUE(part(1, 3).overlaps(part(2, 3)));
  EXPECT_FALSE(part(1, 3).contains(part(2, 3)));
}

} // namespace
