//===- CompareTest.cpp - Are two results the same? ------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Host/Compare.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace shard;

static HostTensor floats(std::vector<float> values) {
  HostTensor tensor(ElementType::F32, {static_cast<int64_t>(values.size())});
  std::memcpy(tensor.data(), values.data(), tensor.numBytes());
  return tensor;
}

static const ErrorModel model{/*terms=*/100, /*chain=*/1,
                              /*roundoff=*/0x1p-24};

TEST(CompareTest, AcceptsRoundingAndRejectsMore) {
  // 4 * (1 + 10) * 2^-24 = 2.6e-6.
  HostTensor a = floats({1.0f, -1.0f, 1.0f});
  EXPECT_TRUE(compareTensors(a, floats({1.000002f, -1.0f, 1.0f}), model).equal);
  Comparison worse = compareTensors(a, floats({1.0f, -1.00001f, 1.0f}), model);
  EXPECT_FALSE(worse.equal);
  EXPECT_EQ(worse.worst, 1);
  EXPECT_EQ(worse.mismatches, 1);
}

TEST(CompareTest, SmallElementsAreMeasuredByTheScale) {
  HostTensor a = floats({100.0f, 100.0f, 1e-6f});
  Comparison result = compareTensors(a, floats({100.0f, 100.0f, 0.0f}), model);
  EXPECT_TRUE(result.equal);
  EXPECT_LT(result.maxRelative, 1e-7);
}

TEST(CompareTest, WhatRoundingMovesMayDifferByMore) {
  HostTensor a = floats({1.0f, -1.0f}), b = floats({1.0f, -1.003f});
  EXPECT_FALSE(compareTensors(a, b, model).equal);
  // 4 * sqrt(chain) * moved beside the tolerance.
  double steps = 4 * std::sqrt(double(model.chain));
  Comparison moved = compareTensors(a, b, model, 0.0031 / steps);
  EXPECT_TRUE(moved.equal);
  EXPECT_EQ(moved.tolerance, compareTensors(a, b, model).tolerance);
  EXPECT_FALSE(moved.provesLittle());
  EXPECT_FALSE(compareTensors(a, b, model, 0.0029 / steps).equal);
  EXPECT_TRUE(compareTensors(a, b, model, 0.11).provesLittle());
  // Infinities and integers do not round.
  float inf = std::numeric_limits<float>::infinity();
  EXPECT_FALSE(compareTensors(a, floats({1.0f, inf}), model, 1e9).equal);
  HostTensor zero(ElementType::I8, {1}), one(ElementType::I8, {1});
  *one.data() = 1;
  EXPECT_FALSE(compareTensors(zero, one, model, 1e9).equal);
}

TEST(CompareTest, NaNAgreesWithNaNAlone) {
  float nan = std::nanf(""), inf = std::numeric_limits<float>::infinity();
  Comparison both = compareTensors(floats({nan, 1}), floats({nan, 1}), model);
  EXPECT_TRUE(both.equal);
  EXPECT_EQ(both.nans, 1);
  EXPECT_FALSE(compareTensors(floats({nan}), floats({1.0f}), model).equal);
  EXPECT_FALSE(compareTensors(floats({1.0f}), floats({nan}), model).equal);
  EXPECT_TRUE(compareTensors(floats({inf}), floats({inf}), model).equal);
  EXPECT_FALSE(compareTensors(floats({inf}), floats({-inf}), model).equal);
  EXPECT_FALSE(compareTensors(floats({inf}), floats({1.0f}), model).equal);
}

TEST(CompareTest, ZerosOfOtherSignsAreEqualButCounted) {
  Comparison result = compareTensors(floats({0.0f, -0.0f, 0.0f, 1.0f}),
                                     floats({-0.0f, -0.0f, 0.0f, 1.0f}), model);
  EXPECT_TRUE(result.equal);
  EXPECT_EQ(result.otherZeros, 1);
}

TEST(CompareTest, IntegersAreExact) {
  HostTensor a(ElementType::I64, {2}), b(ElementType::I64, {2});
  int64_t large = (int64_t(1) << 60) + 1, near = int64_t(1) << 60;
  std::memcpy(a.data(), &large, 8);
  std::memcpy(b.data(), &near, 8);
  EXPECT_FALSE(compareTensors(a, b, model).equal);
  EXPECT_TRUE(compareTensors(a, a.clone(), model).equal);
}

TEST(CompareTest, ShapesAndTypesMustAgree) {
  HostTensor a(ElementType::F32, {2, 3}), b(ElementType::F32, {3, 2}),
      c(ElementType::F16, {2, 3});
  EXPECT_FALSE(compareTensors(a, b, model).equal);
  EXPECT_FALSE(compareTensors(a, c, model).equal);
}
