//===- InternerTest.cpp - Equal values get equal numbers ------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Geometry/Interner.h"
#include "shard/Geometry/Sharding.h"

#include "gtest/gtest.h"

#include <string>

using namespace shard;

namespace {

TEST(InternerTest, NumbersCountInOrderOfArrival) {
  Interner<std::vector<int64_t>> interner;
  EXPECT_EQ(interner.intern({}), 0u);
  EXPECT_EQ(interner.intern({1, 2}), 1u);
  EXPECT_EQ(interner.intern({2, 1}), 2u);
  EXPECT_EQ(interner.intern({1, 2}), 1u);
  EXPECT_EQ(interner.intern({}), 0u);
  EXPECT_EQ(interner.size(), 3u);
  EXPECT_EQ(interner[2], (std::vector<int64_t>{2, 1}));
}

TEST(InternerTest, ValuesStayWhereTheyAre) {
  Interner<std::vector<int64_t>> interner;
  const std::vector<int64_t> *first = &interner[interner.intern({7})];
  for (int64_t i = 0; i < 10000; ++i)
    EXPECT_EQ(interner.intern({i, -i}), static_cast<uint32_t>(i + 1));
  for (int64_t i = 0; i < 10000; ++i)
    EXPECT_EQ(interner.intern({i, -i}), static_cast<uint32_t>(i + 1));
  EXPECT_EQ(first, &interner[0]);
  EXPECT_EQ(*first, std::vector<int64_t>{7});
}

// Equal hashes of different values, and hashes that differ in upper bits only.
TEST(InternerTest, HashesThatClash) {
  for (uint64_t factor : {uint64_t(0), uint64_t(1) << 56, uint64_t(1)}) {
    std::vector<int> values;
    InternIndex index;
    auto intern = [&](int value) {
      uint32_t number = index.intern(factor * value, [&](uint32_t known) {
        return values[known] == value;
      });
      if (number == values.size())
        values.push_back(value);
      return number;
    };
    for (int round = 0; round < 2; ++round)
      for (int value = 0; value < 200; ++value)
        EXPECT_EQ(intern(value), static_cast<uint32_t>(value));
    EXPECT_EQ(index.size(), 200u);
  }
}

// Every field of a sharding counts.
TEST(InternerTest, ShardingsAreToldApart) {
  Sharding plain = Sharding::replicated(2);
  std::vector<Sharding> all{plain, Sharding::replicated(1)};
  auto add = [&](auto change) {
    all.push_back(plain);
    change(all.back());
  };
  add([](Sharding &s) { s.dims = {{0}, {}}; });
  add([](Sharding &s) { s.dims = {{}, {0}}; });
  add([](Sharding &s) { s.dims = {{0, 1}, {}}; });
  add([](Sharding &s) { s.dims = {{1, 0}, {}}; });
  add([](Sharding &s) { s.dims = {{0}, {1}}; });
  add([](Sharding &s) { s.partial = {0}; });
  add([](Sharding &s) { s.partial = {0}, s.reduction = ReductionKind::Max; });
  add([](Sharding &s) { s.dims = {{0}, {}}, s.halos = {1, 0}; });
  add([](Sharding &s) { s.dims = {{0}, {}}, s.halos = {0, 1}; });
  add([](Sharding &s) { s.dims = {{0}, {}}, s.offsets = {0, 1}; });
  Interner<Sharding> interner;
  for (int round = 0; round < 2; ++round)
    for (size_t i = 0; i < all.size(); ++i)
      EXPECT_EQ(interner.intern(all[i]), i) << toString(all[i]);
  // Without partial axes the reduction says nothing.
  plain.reduction = ReductionKind::Max;
  EXPECT_EQ(interner.intern(plain), 0u);
}

} // namespace
