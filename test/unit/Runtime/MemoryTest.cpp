//===- MemoryTest.cpp - Tests of the buffers of compiled programs ---------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Runtime/Kernels/Memory.h"

#include "gtest/gtest.h"

#include <cstring>
#include <map>
#include <random>

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

// Vectors that are loaded at the end of a buffer may reach beyond it.
TEST_F(MemoryTest, LeavesALineBehindEachBuffer) {
  for (uint64_t size : {2 * kMega, 2 * kMega + 1, 2 * kMega + 63}) {
    RunMemory fresh;
    fresh.release(fresh.allocate(size));
    EXPECT_GE(fresh.keptBytes(), int64_t(size + 64));
    EXPECT_LT(fresh.keptBytes(), int64_t(size + 128));
  }
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

/// A run's memory, and beside it what its calls mean.
struct ModelledMemory {
  struct Buffer {
    uint64_t size, number;
    unsigned char content;
    bool keep;
  };

  RunMemory memory;
  std::map<unsigned char *, Buffer> buffers;
  std::mt19937 random{1};

  uint64_t below(uint64_t limit) { return random() % limit; }
  auto any() { return std::next(buffers.begin(), below(buffers.size())); }

  void allocate() {
    // Kept when they are freed, and left to malloc.
    uint64_t size = below(3) == 0 ? below(300'000) : below(500);
    uint64_t number = memory.mark();
    auto *address = static_cast<unsigned char *>(memory.allocate(size));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(address) % 64, 0u);
    auto content = static_cast<unsigned char>(random());
    std::memset(address, content, size);
    EXPECT_TRUE(
        buffers.insert({address, {size, number, content, false}}).second);
  }
  void release() {
    auto buffer = any();
    memory.release(buffer->first);
    buffers.erase(buffer);
  }
  void keep() {
    auto buffer = any();
    uint64_t mark = any()->second.number;
    memory.keep(mark, reinterpret_cast<uint64_t>(buffer->first));
    buffer->second.keep |= buffer->second.number >= mark;
  }
  void releaseNewer() {
    uint64_t mark = any()->second.number;
    memory.releaseNewer(mark);
    for (auto buffer = buffers.begin(); buffer != buffers.end();) {
      Buffer &entry = buffer->second;
      bool isFreed = entry.number >= mark && !entry.keep;
      entry.keep &= entry.number < mark;
      buffer = isFreed ? buffers.erase(buffer) : std::next(buffer);
    }
  }

  /// Live buffers hold what was written. One more buffer shows how many bytes live: it makes
  /// the peak one byte higher.
  void check() {
    uint64_t live = 0;
    for (const auto &[address, buffer] : buffers) {
      for (uint64_t i = 0; i < buffer.size; ++i)
        ASSERT_EQ(address[i], buffer.content);
      live += buffer.size;
    }
    ASSERT_GE(memory.peakBytes(), int64_t(live));
    uint64_t peak = uint64_t(memory.peakBytes()) + 1;
    memory.release(memory.allocate(peak - live));
    ASSERT_EQ(memory.peakBytes(), int64_t(peak));
    memory.release(memory.allocate(peak - live - 1));
    ASSERT_EQ(memory.peakBytes(), int64_t(peak));
  }
};

// Buffers that are allocated, freed, kept and released in any order.
TEST(RunMemory, FreesWhatItIsTold) {
  ModelledMemory model;
  for (int step = 0; step < 500 && !testing::Test::HasFatalFailure(); ++step) {
    uint64_t choice = model.below(20);
    if (model.buffers.empty() || choice < 10)
      model.allocate();
    else if (choice < 14)
      model.release();
    else if (choice < 18)
      model.keep();
    else
      model.releaseNewer();
    model.check();
  }
}

TEST(RunMemoryDeathTest, NobodyAllocatesBetweenRuns) {
  RunMemory memory;
  memory.enter();
  shard_kernel_free(shard_kernel_allocate(64, 100));
  memory.leave();
  EXPECT_DEATH(shard_kernel_allocate(64, 100), "");
}

} // namespace
