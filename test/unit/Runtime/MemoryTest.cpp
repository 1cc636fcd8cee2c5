//===- MemoryTest.cpp - Tests of the buffers of compiled programs ---------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Runtime/Kernels/Memory.h"

#include "gtest/gtest.h"

using namespace shard;

namespace {

constexpr uint64_t kMega = 1 << 20;

struct MemoryTest : ::testing::Test {
  void SetUp() override {
    memory.release(memory.allocate(kMega));
    if (memory.keptBytes() == 0)
      GTEST_SKIP() << "under the sanitizer nothing is kept";
  }
  RunMemory memory;
};

TEST_F(MemoryTest, UsesAFreedBufferAgain) {
  void *first = memory.allocate(kMega);
  EXPECT_EQ(memory.keptBytes(), 0);
  void *second = memory.allocate(kMega);
  EXPECT_NE(first, second);
  memory.release(first);
  EXPECT_EQ(memory.allocate(kMega), first);
}

TEST_F(MemoryTest, KeepsBuffersOverClear) {
  void *buffer = memory.allocate(kMega);
  memory.clear();
  EXPECT_GE(memory.keptBytes(), int64_t(kMega));
  EXPECT_EQ(memory.allocate(kMega), buffer);
  EXPECT_EQ(memory.peakBytes(), int64_t(kMega));
}

TEST_F(MemoryTest, LeavesSmallBuffersToMalloc) {
  int64_t before = memory.keptBytes();
  memory.release(memory.allocate(1000));
  EXPECT_EQ(memory.keptBytes(), before);
}

// A buffer is used for one that needs more than half of it, and for no smaller one.
TEST_F(MemoryTest, UsesABufferThatFits) {
  void *buffer = memory.allocate(3 * kMega);
  memory.release(buffer);
  EXPECT_EQ(memory.allocate(2 * kMega), buffer);
  memory.release(buffer);
  memory.allocate(kMega);
  EXPECT_EQ(memory.keptBytes(), 0);
}

// Kept and used buffers never have more than the used ones had at their peak.
TEST_F(MemoryTest, KeepsNoMoreThanThePeak) {
  EXPECT_GE(memory.keptBytes(), int64_t(kMega));
  // 1 + 2 are more than the peak of 2.
  void *second = memory.allocate(2 * kMega);
  EXPECT_EQ(memory.keptBytes(), 0);
  memory.release(second);
  void *third = memory.allocate(4 * kMega);
  EXPECT_EQ(memory.keptBytes(), 0);
  memory.release(third);
  // 4 are kept; 1 makes 5.
  void *small = memory.allocate(kMega);
  EXPECT_EQ(memory.keptBytes(), 0);
  memory.release(small);
  // 1 is kept, and the peak is 4.
  memory.allocate(2 * kMega);
  EXPECT_GE(memory.keptBytes(), int64_t(kMega));
}

// A result owns its buffer, and no more memory than it needs.
TEST_F(MemoryTest, HandsOutBuffersThatFit) {
  void *exact = memory.allocate(kMega);
  std::shared_ptr<void> owner = memory.take(exact, kMega);
  EXPECT_TRUE(owner);
  EXPECT_EQ(memory.keptBytes(), 0);
  memory.release(memory.allocate(3 * kMega));
  void *wide = memory.allocate(2 * kMega);
  EXPECT_FALSE(memory.take(wide, 2 * kMega));
}

} // namespace
