//===- ThreadSanitizerTest.cpp - The sanitizer sees the runtime -----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests that find no data race say nothing where the runtime is not instrumented.
//
//===----------------------------------------------------------------------===//

#include "Model.h"

#include "shard/Runtime/Threads.h"

#include "gtest/gtest.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)

using namespace shard;
using namespace shard::test;

extern "C" const char *__tsan_default_options() { return "halt_on_error=1"; }

namespace {

/// Two devices write their blocks of a sum into one buffer, which is not allowed. Long blocks, and
/// several times: one device may be done before the other one is woken.
void sumIntoOneBuffer() {
  constexpr int64_t kLength = 1 << 18;
  Grid grid{{2}};
  std::vector<int64_t> group = groupWords(grid, {0});
  Buffer one(Array({2 * kLength}, 1), SHARD_RT_F32),
      two(Array({2 * kLength}, 1), SHARD_RT_F32),
      result(Array({kLength}), SHARD_RT_F32);
  runtime::runOnGrid({2}, [&](int64_t device) {
    for (int64_t i = 0; i < 100; ++i)
      shard_rt_reduce_scatter("here", group.data(), SHARD_RT_F32,
                              (device == 0 ? one : two).words.data(),
                              result.words.data(), SHARD_RT_SUM, 0);
  });
}

TEST(ThreadSanitizer, SeesTheRuntime) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(sumIntoOneBuffer(), "data race");
}

} // namespace

#endif
#endif
