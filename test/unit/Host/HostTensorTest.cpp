//===- HostTensorTest.cpp - Tensors in host memory ------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Host/HostTensor.h"
#include "shard/Host/Npy.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>

using namespace shard;

TEST(HostTensorTest, HalfRoundsToNearestEven) {
  EXPECT_EQ(floatToHalf(1.0f), 0x3c00);
  EXPECT_EQ(floatToHalf(65504.0f), 0x7bff);
  EXPECT_EQ(floatToHalf(65520.0f), 0x7c00);
  EXPECT_EQ(floatToHalf(-0.0f), 0x8000);
  // Ties: 1 + 2^-11 goes down to 1, 1 + 3 * 2^-11 goes up to 1 + 2^-9.
  EXPECT_EQ(floatToHalf(1.0f + 0x1p-11f), 0x3c00);
  EXPECT_EQ(floatToHalf(1.0f + 3 * 0x1p-11f), 0x3c02);
  // The least subnormal.
  EXPECT_EQ(floatToHalf(0x1p-24f), 0x0001);
  EXPECT_EQ(halfToFloat(0x0001), 0x1p-24f);
  for (uint32_t bits = 0; bits < 0x7c00; ++bits)
    ASSERT_EQ(floatToHalf(halfToFloat(static_cast<uint16_t>(bits))), bits);
}

TEST(HostTensorTest, BfloatRoundsToNearestEvenAndKeepsNaN) {
  EXPECT_EQ(floatToBfloat(1.0f), 0x3f80);
  EXPECT_EQ(floatToBfloat(1.0f + 0x1p-8f), 0x3f80);
  EXPECT_EQ(floatToBfloat(1.0f + 3 * 0x1p-8f), 0x3f82);
  uint32_t bits = 0x7f800001; // NaN whose upper half alone would be infinity.
  float nan;
  std::memcpy(&nan, &bits, sizeof(nan));
  EXPECT_TRUE(std::isnan(bfloatToFloat(floatToBfloat(nan))));
}

TEST(HostTensorTest, RandomValuesDependOnSeedAndStreamOnly) {
  HostTensor a(ElementType::F32, {100}), b(ElementType::F32, {10, 10}),
      c(ElementType::F32, {100});
  fillRandom(a, 1, 0);
  fillRandom(b, 1, 0);
  fillRandom(c, 1, 1);
  EXPECT_EQ(std::memcmp(a.data(), b.data(), a.numBytes()), 0);
  EXPECT_NE(std::memcmp(a.data(), c.data(), a.numBytes()), 0);
  double sum = 0;
  for (int64_t i = 0; i < 100; ++i) {
    ASSERT_GE(a.asDouble(i), -1.0);
    ASSERT_LT(a.asDouble(i), 1.0);
    sum += a.asDouble(i);
  }
  EXPECT_LT(std::fabs(sum), 30.0);
}

TEST(HostTensorTest, CopyBoxMovesExactlyTheBox) {
  HostTensor source(ElementType::I32, {4, 5}), target(ElementType::I32, {3, 3});
  for (int32_t i = 0; i < 20; ++i)
    std::memcpy(source.data() + 4 * i, &i, 4);
  copyBox(source, {1, 2}, target, {0, 1}, {2, 2});
  const double expected[9] = {0, 7, 8, 0, 12, 13, 0, 0, 0};
  for (int64_t i = 0; i < 9; ++i)
    EXPECT_EQ(target.asDouble(i), expected[i]) << i;
}

TEST(HostTensorTest, PoisonIsNaN) {
  for (ElementType type : {ElementType::F16, ElementType::BF16,
                           ElementType::F32, ElementType::F64}) {
    HostTensor tensor(type, {3});
    fillPoison(tensor);
    for (int64_t i = 0; i < 3; ++i)
      EXPECT_TRUE(std::isnan(tensor.asDouble(i)));
  }
}

TEST(NpyTest, EveryTypeSurvivesAFile) {
  std::string path = testing::TempDir() + "shard-npy-test.npy";
  for (int type = 0; type <= static_cast<int>(ElementType::F64); ++type) {
    HostTensor tensor(static_cast<ElementType>(type), {2, 3});
    fillRandom(tensor, 3, type);
    std::string error;
    ASSERT_TRUE(writeNpy(path, tensor, error)) << error;
    std::optional<HostTensor> read = readNpy(path, tensor.type(), error);
    ASSERT_TRUE(read) << error;
    EXPECT_EQ(read->type(), tensor.type());
    EXPECT_EQ(read->shape(), tensor.shape());
    EXPECT_EQ(std::memcmp(read->data(), tensor.data(), tensor.numBytes()), 0);
  }
  std::remove(path.c_str());
}

TEST(NpyTest, FortranOrderIsTransposed) {
  std::string path = testing::TempDir() + "shard-npy-fortran.npy";
  std::string header =
      "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }";
  header.append(117 - header.size(), ' ');
  header += '\n';
  std::FILE *file = std::fopen(path.c_str(), "wb");
  ASSERT_TRUE(file);
  std::fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, file);
  std::fwrite(header.data(), 1, header.size(), file);
  const uint8_t columns[6] = {1, 4, 2, 5, 3, 6};
  std::fwrite(columns, 1, 6, file);
  std::fclose(file);
  std::string error;
  std::optional<HostTensor> read = readNpy(path, ElementType::U8, error);
  ASSERT_TRUE(read) << error;
  for (int64_t i = 0; i < 6; ++i)
    EXPECT_EQ(read->asDouble(i), i + 1);
  std::remove(path.c_str());
}

TEST(HostTensorTest, AdoptedMemoryIsSharedAndFreedWithTheLast) {
  int freed = 0;
  auto *memory = new float[4]{1, 2, 3, 4};
  {
    HostTensor shared;
    {
      HostTensor first =
          HostTensor::adopt(ElementType::F32, {2, 2}, memory,
                            std::shared_ptr<float>(memory, [&](float *data) {
                              ++freed;
                              delete[] data;
                            }));
      shared = first.share();
    }
    EXPECT_EQ(freed, 0);
    EXPECT_EQ(static_cast<void *>(shared.data()), memory);
    EXPECT_EQ(shared.asDouble(3), 4.0);
    EXPECT_EQ(shared.shape(), (std::vector<int64_t>{2, 2}));
  }
  EXPECT_EQ(freed, 1);
  // What has no owner of its own is copied.
  HostTensor own(ElementType::I8, {3});
  EXPECT_NE(own.share().data(), own.data());
}
