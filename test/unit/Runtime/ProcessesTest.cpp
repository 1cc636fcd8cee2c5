//===- ProcessesTest.cpp - Processes that start together ------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Runtime/Processes.h"

#include "gtest/gtest.h"

using namespace shard;
using namespace shard::runtime;

namespace {

constexpr int64_t kCount = 3;

/// What the processes tell one another; the first one runs before the others.
struct Messages {
  std::vector<std::string> all = std::vector<std::string>(kCount);
  std::string first;
};

struct TestProcess final : Processes {
  TestProcess(Messages &messages, int64_t index)
      : messages(messages), index(index) {}

  int64_t count() const override { return kCount; }
  int64_t number() const override { return index; }
  std::string host(int64_t other) const override {
    return "host" + std::to_string(other);
  }
  std::vector<std::string> gather(const std::string &) override {
    return index == 0 ? messages.all : std::vector<std::string>();
  }
  std::string broadcast(const std::string &bytes) override {
    if (index == 0)
      messages.first = bytes;
    return messages.first;
  }

  std::vector<std::pair<const char *, void *>> symbols() const override {
    return {};
  }
  std::vector<std::pair<const char *, void *>> mpiSymbols() const override {
    return {};
  }
  std::string mpiName() const override { return ""; }
  void setProgram(const std::string &) override {}
  void place(const std::vector<int64_t> &) override {}
  RunReport run(const std::vector<int64_t> &,
                const std::function<void(int64_t)> &) override {
    return {};
  }
  void endTogether() override {}
  void leave() override {}
  void fail(const std::string &) override { abort(); }

  Messages &messages;
  int64_t index;
};

// Whoever has problems: all know that there are some, and the first one tells its own or that
// of the first one that has some.
TEST(Processes, StartTogether) {
  for (int64_t code = 0; code < 1 << kCount; ++code) {
    Messages messages;
    for (int64_t i = 0; i < kCount; ++i)
      if (code >> i & 1)
        messages.all[i] = "problem " + std::to_string(i);
    for (int64_t i = 0; i < kCount; ++i) {
      TestProcess process(messages, i);
      EXPECT_FALSE(process.hasStarted());
      std::string problem = messages.all[i], expected = problem;
      if (i == 0 && problem.empty() && code != 0)
        expected = code & 2 ? "process 1 on host1: problem 1"
                            : "process 2 on host2: problem 2";
      EXPECT_EQ(process.startTogether(problem), code == 0);
      EXPECT_EQ(problem, expected);
      EXPECT_TRUE(process.hasStarted());
      process.expectStart();
      EXPECT_FALSE(process.hasStarted());
    }
  }
}

} // namespace
