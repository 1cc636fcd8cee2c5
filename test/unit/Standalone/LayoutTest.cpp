//===- LayoutTest.cpp - Shardings in tables of numbers --------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Standalone/Layout.h"

#include "gtest/gtest.h"

using namespace shard;

static void expectSurvives(const ValueLayout &layout) {
  std::vector<int64_t> words = encodeLayout(layout);
  ValueLayout read = decodeLayout(
      words.data(), static_cast<int64_t>(layout.sharding.dims.size()));
  EXPECT_EQ(read.type, layout.type);
  EXPECT_EQ(read.grid.shape, layout.grid.shape);
  EXPECT_EQ(read.sharding, layout.sharding) << toString(read.sharding);
}

TEST(LayoutTest, EverythingSurvives) {
  ValueLayout layout;
  layout.type = ElementType::C128;
  layout.grid.shape = {2, 4, 3};
  expectSurvives(layout);
  layout.sharding.dims = {{1, 0}, {}, {2}};
  expectSurvives(layout);
  layout.sharding.halos = {1, 2, 0, 3};
  expectSurvives(layout);
  layout.sharding.halos.clear();
  layout.sharding.offsets = {0, 3, 5, 5, 6, 7, 8, 9, 10, 0, 1, 2, 7};
  expectSurvives(layout);
  layout.sharding.dims = {{}, {0}};
  layout.sharding.offsets.clear();
  layout.sharding.partial = {2, 1};
  layout.sharding.reduction = ReductionKind::BitwiseXor;
  expectSurvives(layout);
}
