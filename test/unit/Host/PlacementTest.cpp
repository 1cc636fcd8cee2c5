//===- PlacementTest.cpp - Whole tensors to devices and back --------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Host/Placement.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>

using namespace shard;

namespace {

std::vector<HostTensor> sliceAll(const Grid &grid, const HostTensor &whole,
                                 const Sharding &sharding) {
  std::vector<HostTensor> locals;
  for (int64_t device = 0; device < grid.numDevices(); ++device)
    locals.push_back(sliceForDevice(grid, whole, sharding, device));
  return locals;
}

std::optional<HostTensor> assembleAll(const Grid &grid,
                                      const std::vector<int64_t> &shape,
                                      const Sharding &sharding,
                                      const std::vector<HostTensor> &locals,
                                      std::string &error) {
  std::vector<const HostTensor *> pointers;
  for (const HostTensor &local : locals)
    pointers.push_back(&local);
  return assemble(grid, shape, sharding, pointers, error);
}

void expectRoundTrip(const Grid &grid, ElementType type,
                     std::vector<int64_t> shape, const Sharding &sharding) {
  HostTensor whole(type, shape);
  fillRandom(whole, 5, 0);
  std::vector<HostTensor> locals = sliceAll(grid, whole, sharding);
  for (const HostTensor &local : locals)
    EXPECT_EQ(local.shape(), localShape(grid, shape, sharding));
  for (int64_t device = 0; device < grid.numDevices(); ++device) {
    auto view = viewForDevice(grid, whole, sharding, device);
    if (!view)
      continue;
    EXPECT_EQ(view->shape(), locals[device].shape());
    EXPECT_EQ(
        std::memcmp(view->data(), locals[device].data(), view->numBytes()), 0)
        << toString(sharding);
  }
  std::string error;
  std::optional<HostTensor> back =
      assembleAll(grid, shape, sharding, locals, error);
  ASSERT_TRUE(back) << error;
  EXPECT_EQ(std::memcmp(back->data(), whole.data(), whole.numBytes()), 0)
      << toString(sharding);
}

} // namespace

TEST(PlacementTest, EveryShardingOfAMatrixComesBack) {
  Grid grid{{2, 3}};
  const AxisList lists[] = {{}, {0}, {1}, {0, 1}, {1, 0}};
  for (const AxisList &rows : lists)
    for (const AxisList &columns : lists) {
      bool overlap = false;
      for (GridAxis axis : rows)
        for (GridAxis other : columns)
          overlap |= axis == other;
      if (overlap)
        continue;
      Sharding sharding = Sharding::replicated(2);
      sharding.dims = {rows, columns};
      for (auto shape : {std::vector<int64_t>{6, 12}, {7, 5}, {1, 10}, {2, 1}})
        for (ElementType type : {ElementType::F32, ElementType::I8})
          expectRoundTrip(grid, type, shape, sharding);
    }
}

TEST(PlacementTest, BlocksInOnePieceAreViews) {
  Grid grid{{2, 2}};
  auto isView = [&](std::vector<AxisList> dims, std::vector<int64_t> shape,
                    int64_t device) {
    Sharding sharding = Sharding::replicated(dims.size());
    sharding.dims = std::move(dims);
    HostTensor whole(ElementType::F32, shape);
    auto view = viewForDevice(grid, whole, sharding, device);
    EXPECT_TRUE(!view || (view->data() >= whole.data() &&
                          view->data() + view->numBytes() <=
                              whole.data() + whole.numBytes()));
    return view.has_value();
  };
  EXPECT_TRUE(isView({{}, {}}, {4, 6}, 3));
  EXPECT_TRUE(isView({{0}, {}}, {4, 6}, 3));
  EXPECT_TRUE(isView({{0, 1}, {}}, {4, 6}, 3));
  EXPECT_TRUE(isView({{0, 1}, {}, {}}, {4, 3, 2}, 2));
  EXPECT_TRUE(isView({{}, {1}}, {1, 6}, 3));
  EXPECT_TRUE(isView({{0}, {1}}, {2, 6}, 3));
  EXPECT_FALSE(isView({{}, {1}}, {4, 6}, 3));
  EXPECT_FALSE(isView({{0}, {1}}, {4, 6}, 3));
  // The last block is padded.
  EXPECT_TRUE(isView({{0}}, {5}, 0));
  EXPECT_FALSE(isView({{0}}, {5}, 3));
}

TEST(PlacementTest, ViewsOfPartialValuesAreCopies) {
  Grid grid{{2}};
  Sharding sharding = Sharding::replicated(1);
  sharding.partial = {0};
  HostTensor whole(ElementType::F32, {4});
  EXPECT_FALSE(viewForDevice(grid, whole, sharding, 0));
}

TEST(PlacementTest, PaddingIsPoisoned) {
  Grid grid{{2}};
  Sharding sharding = Sharding::replicated(1);
  sharding.dims = {{0}};
  HostTensor whole(ElementType::F32, {5});
  HostTensor last = sliceForDevice(grid, whole, sharding, 1);
  EXPECT_EQ(last.shape(), std::vector<int64_t>{3});
  EXPECT_EQ(last.asDouble(1), 0.0);
  EXPECT_TRUE(std::isnan(last.asDouble(2)));
}

TEST(PlacementTest, ReplicasMustAgree) {
  Grid grid{{2, 2}};
  Sharding sharding = Sharding::replicated(1);
  sharding.dims = {{1}};
  HostTensor whole(ElementType::F32, {4});
  std::vector<HostTensor> locals = sliceAll(grid, whole, sharding);
  float wrong = 1.0f;
  std::memcpy(locals[3].data() + 4, &wrong, 4);
  std::string error;
  EXPECT_FALSE(assembleAll(grid, {4}, sharding, locals, error));
  EXPECT_NE(error.find("element [3]"), std::string::npos) << error;
  EXPECT_NE(error.find("on device 1"), std::string::npos) << error;
  EXPECT_NE(error.find("on device 3"), std::string::npos) << error;
}

TEST(PlacementTest, ReplicasMayDifferInPadding) {
  Grid grid{{2, 2}};
  Sharding sharding = Sharding::replicated(1);
  sharding.dims = {{1}};
  HostTensor whole(ElementType::F32, {3});
  std::vector<HostTensor> locals = sliceAll(grid, whole, sharding);
  float padding = 1.0f;
  std::memcpy(locals[3].data() + 4, &padding, 4);
  std::string error;
  EXPECT_TRUE(assembleAll(grid, {3}, sharding, locals, error)) << error;
}

TEST(PlacementTest, PartialValuesCombine) {
  Grid grid{{2, 2}};
  for (ReductionKind kind :
       {ReductionKind::Sum, ReductionKind::Max, ReductionKind::Min,
        ReductionKind::Product, ReductionKind::Average}) {
    Sharding sharding = Sharding::replicated(1);
    sharding.dims = {{0}};
    sharding.partial = {1};
    sharding.reduction = kind;
    expectRoundTrip(grid, ElementType::F32, {5}, sharding);
    expectRoundTrip(grid, ElementType::I32, {5}, sharding);
  }
  for (ReductionKind kind :
       {ReductionKind::BitwiseAnd, ReductionKind::BitwiseOr,
        ReductionKind::BitwiseXor, ReductionKind::UMin, ReductionKind::UMax}) {
    Sharding sharding = Sharding::replicated(1);
    sharding.partial = {0, 1};
    sharding.reduction = kind;
    expectRoundTrip(grid, ElementType::I8, {5}, sharding);
    expectRoundTrip(grid, ElementType::I64, {5}, sharding);
  }
  // The parts of complex numbers are combined one by one.
  for (ReductionKind kind : {ReductionKind::Sum, ReductionKind::Average})
    for (ElementType type : {ElementType::C64, ElementType::C128}) {
      Sharding sharding = Sharding::replicated(2);
      sharding.dims = {{}, {1}};
      sharding.partial = {0};
      sharding.reduction = kind;
      expectRoundTrip(grid, type, {3, 5}, sharding);
    }
  Sharding sharding = Sharding::replicated(1);
  sharding.partial = {0};
  HostTensor two(ElementType::I32, {1});
  int32_t value = 2;
  std::memcpy(two.data(), &value, 4);
  std::vector<HostTensor> locals;
  for (int i = 0; i < 4; ++i)
    locals.push_back(two.clone());
  std::string error;
  std::optional<HostTensor> sum =
      assembleAll(grid, {1}, sharding, locals, error);
  ASSERT_TRUE(sum) << error;
  EXPECT_EQ(sum->asDouble(0), 4.0);
}

TEST(PlacementTest, ReplicasOfPartialComplexValuesMustAgree) {
  Grid grid{{2, 2}};
  Sharding sharding = Sharding::replicated(1);
  sharding.partial = {0};
  HostTensor whole(ElementType::C64, {3});
  fillRandom(whole, 1, 0);
  std::vector<HostTensor> locals = sliceAll(grid, whole, sharding);
  locals[3].data()[1] ^= 1;
  std::string error;
  EXPECT_FALSE(assembleAll(grid, {3}, sharding, locals, error));
  EXPECT_NE(error.find("replicas differ: element [0, 0]"), std::string::npos)
      << error;
}

TEST(PlacementTest, ZerosOfPartialValuesKeepTheirSign) {
  Grid grid{{3}};
  for (ReductionKind kind :
       {ReductionKind::Sum, ReductionKind::Max, ReductionKind::Min}) {
    Sharding sharding = Sharding::replicated(1);
    sharding.partial = {0};
    sharding.reduction = kind;
    HostTensor zeros(ElementType::F32, {2});
    float values[] = {0.0f, -0.0f};
    std::memcpy(zeros.data(), values, sizeof(values));
    std::vector<HostTensor> locals;
    for (int device = 0; device < 3; ++device)
      locals.push_back(sliceForDevice(grid, zeros, sharding, device));
    std::string error;
    std::optional<HostTensor> all =
        assembleAll(grid, {2}, sharding, locals, error);
    ASSERT_TRUE(all) << error;
    EXPECT_FALSE(std::signbit(all->asDouble(0)));
    EXPECT_TRUE(std::signbit(all->asDouble(1)));
  }
}

TEST(PlacementTest, TheLargestZeroIsPositive) {
  Grid grid{{2}};
  Sharding sharding = Sharding::replicated(1);
  sharding.partial = {0};
  HostTensor zero(ElementType::F32, {1}), negative(ElementType::F32, {1});
  float value = -0.0f;
  std::memcpy(negative.data(), &value, sizeof(value));
  for (ReductionKind kind : {ReductionKind::Max, ReductionKind::Min}) {
    sharding.reduction = kind;
    for (bool isFirst : {false, true}) {
      std::vector<HostTensor> locals;
      locals.push_back((isFirst ? negative : zero).clone());
      locals.push_back((isFirst ? zero : negative).clone());
      std::string error;
      std::optional<HostTensor> one =
          assembleAll(grid, {1}, sharding, locals, error);
      ASSERT_TRUE(one) << error;
      EXPECT_EQ(std::signbit(one->asDouble(0)), kind == ReductionKind::Min);
    }
  }
}

TEST(PlacementTest, NoDeviceHoldsWhatItIsPartOf) {
  Grid grid{{3}};
  Sharding sharding = Sharding::replicated(1);
  sharding.partial = {0};
  HostTensor three(ElementType::F32, {1}), five(ElementType::I8, {1});
  float value = 3.0f;
  std::memcpy(three.data(), &value, 4);
  five.data()[0] = 5;
  for (auto [device, factor] : {std::pair(0, 2), {1, -1}, {2, 0}}) {
    EXPECT_EQ(sliceForDevice(grid, three, sharding, device).asDouble(0),
              3 * factor);
    EXPECT_EQ(sliceForDevice(grid, five, sharding, device).asDouble(0),
              5 * factor);
  }
  value = 3e38f;
  std::memcpy(three.data(), &value, 4);
  EXPECT_EQ(sliceForDevice(grid, three, sharding, 0).asDouble(0), value);
  EXPECT_EQ(sliceForDevice(grid, three, sharding, 1).asDouble(0), 0);
}

TEST(PlacementTest, OffsetsAndHalos) {
  Grid grid{{3}};
  Sharding offsets = Sharding::replicated(1);
  offsets.dims = {{0}};
  offsets.offsets = {0, 1, 1, 6};
  HostTensor whole(ElementType::F32, {6});
  fillRandom(whole, 1, 0);
  std::vector<HostTensor> locals = sliceAll(grid, whole, offsets);
  EXPECT_EQ(locals[0].shape(), std::vector<int64_t>{1});
  EXPECT_EQ(locals[1].shape(), std::vector<int64_t>{0});
  EXPECT_EQ(locals[2].shape(), std::vector<int64_t>{5});
  std::string error;
  std::optional<HostTensor> back =
      assembleAll(grid, {6}, offsets, locals, error);
  ASSERT_TRUE(back) << error;
  EXPECT_EQ(std::memcmp(back->data(), whole.data(), whole.numBytes()), 0);

  Sharding halos = Sharding::replicated(1);
  halos.dims = {{0}};
  halos.halos = {1, 2};
  expectRoundTrip(grid, ElementType::F32, {6}, halos);
  expectRoundTrip(grid, ElementType::F32, {7}, halos);
}

TEST(PlacementTest, HalosHoldTheNeighboursElements) {
  Grid grid{{4}};
  Sharding sharding = Sharding::replicated(1);
  sharding.dims = {{0}};
  sharding.halos = {1, 2};
  // Blocks of 2: [0, 2), [2, 4), [4, 5) and an empty one.
  HostTensor whole(ElementType::I32, {5});
  for (int32_t i = 0; i < 5; ++i)
    std::memcpy(whole.data() + 4 * i, &i, 4);
  std::vector<HostTensor> locals = sliceAll(grid, whole, sharding);
  auto elements = [&](int64_t device, int64_t first, int64_t count) {
    std::vector<double> values;
    for (int64_t i = first; i < first + count; ++i)
      values.push_back(locals[device].asDouble(i));
    return values;
  };
  EXPECT_EQ(elements(0, 1, 4), (std::vector<double>{0, 1, 2, 3}));
  EXPECT_EQ(elements(1, 0, 4), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(elements(2, 0, 2), (std::vector<double>{3, 4}));

  auto wrong = [&]() {
    std::vector<const HostTensor *> pointers;
    for (const HostTensor &local : locals)
      pointers.push_back(&local);
    return wrongHalo(grid, whole, sharding, pointers);
  };
  EXPECT_EQ(wrong(), "");
  // Beyond the border and around an empty block anything may stand.
  int32_t other = 77;
  std::memcpy(locals[0].data(), &other, 4);
  std::memcpy(locals[2].data() + 4 * 3, &other, 4);
  std::memcpy(locals[3].data(), &other, 4);
  EXPECT_EQ(wrong(), "");
  std::memcpy(locals[1].data() + 4 * 4, &other, 4);
  EXPECT_EQ(wrong(), "");
  std::memcpy(locals[1].data() + 4 * 3, &other, 4);
  EXPECT_EQ(wrong(),
            "the halo of device 1 has 77.000000 for element [4], which "
            "is 4.000000");
}

TEST(PlacementTest, DimensionsWithoutHalosEndWithTheirBlock) {
  // 9 columns over 4 and then 2: the second block is short, [2, 3), and what is
  // behind it on its device is padding, no halo.
  Grid grid{{4, 2, 1}};
  Sharding sharding = Sharding::replicated(2);
  sharding.dims = {{2}, {0, 1}};
  sharding.halos = {0, 1, 0, 0};
  HostTensor whole(ElementType::F32, {1, 9});
  fillRandom(whole, 3, 0);
  std::vector<HostTensor> locals = sliceAll(grid, whole, sharding);
  EXPECT_TRUE(std::isnan(locals[1].asDouble(1)));
  std::vector<const HostTensor *> pointers;
  for (const HostTensor &local : locals)
    pointers.push_back(&local);
  EXPECT_EQ(wrongHalo(grid, whole, sharding, pointers), "");
}

TEST(PlacementTest, OnlyAWholeBlockIsTheResult) {
  auto make = [](std::vector<int64_t> shape, float first) {
    int64_t count = 1;
    for (int64_t extent : shape)
      count *= extent;
    std::shared_ptr<float> memory(new float[count],
                                  std::default_delete<float[]>());
    for (int64_t i = 0; i < count; ++i)
      memory.get()[i] = first + static_cast<float>(i);
    return HostTensor::adopt(ElementType::F32, std::move(shape), memory.get(),
                             memory);
  };
  Grid grid{{2}};
  std::string error;
  // Replicated: the memory of the first device, and the other one must agree.
  std::vector<HostTensor> replicas;
  replicas.push_back(make({2, 3}, 0));
  replicas.push_back(make({2, 3}, 0));
  auto whole =
      assembleAll(grid, {2, 3}, Sharding::replicated(2), replicas, error);
  ASSERT_TRUE(whole) << error;
  EXPECT_EQ(whole->data(), replicas[0].data());
  replicas[1] = make({2, 3}, 0);
  reinterpret_cast<float *>(replicas[1].data())[4] = 7;
  EXPECT_FALSE(
      assembleAll(grid, {2, 3}, Sharding::replicated(2), replicas, error));
  EXPECT_EQ(error,
            "replicas differ: element [1, 1] is 4.000000 on device 0 and "
            "7.000000 on device 1");
  // Split: one new tensor.
  Sharding rows = Sharding::replicated(2);
  rows.dims[0] = {0};
  std::vector<HostTensor> blocks;
  blocks.push_back(make({1, 3}, 0));
  blocks.push_back(make({1, 3}, 3));
  whole = assembleAll(grid, {2, 3}, rows, blocks, error);
  ASSERT_TRUE(whole) << error;
  EXPECT_NE(whole->data(), blocks[0].data());
  EXPECT_EQ(whole->asDouble(5), 5.0);
  // All elements on the first device, and a halo, or a part of the tensor on it.
  Grid one{{1}};
  Sharding halo = rows;
  halo.halos = {1, 0};
  std::vector<HostTensor> padded;
  padded.push_back(make({3, 3}, 0));
  whole = assembleAll(one, {2, 3}, halo, padded, error);
  ASSERT_TRUE(whole) << error;
  EXPECT_EQ(whole->asDouble(0), 3.0);
  EXPECT_EQ(whole->shape(), (std::vector<int64_t>{2, 3}));
}
