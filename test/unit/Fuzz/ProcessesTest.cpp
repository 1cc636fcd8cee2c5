//===- ProcessesTest.cpp - Programs in child processes --------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Fuzz/Processes.h"

#include "gtest/gtest.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <unistd.h>

using namespace shard::fuzz;

namespace {

/// Never returns, and takes no time of the processor.
[[noreturn]] void hang() {
  while (true)
    pause();
}

TEST(RunInChild, theOutcomeIsWhatTheWorkReturns) {
  int touched = 0;
  Outcome outcome = runInChild([&]() -> Outcome {
    touched = 1;
    return {Verdict::Wrong, "message", "notes"};
  });
  EXPECT_EQ(outcome.verdict, Verdict::Wrong);
  EXPECT_EQ(outcome.message, "message");
  EXPECT_EQ(outcome.notes, "notes");
  EXPECT_EQ(touched, 0) << "the work runs in another process";
}

TEST(RunInChild, aChildThatDiesHasCrashed) {
  Outcome outcome = runInChild([]() -> Outcome { std::abort(); });
  EXPECT_EQ(outcome.verdict, Verdict::Crash);
  EXPECT_EQ(outcome.message, "signal 6");
  outcome = runInChild([]() -> Outcome { _exit(7); });
  EXPECT_EQ(outcome.verdict, Verdict::Crash);
  EXPECT_EQ(outcome.message, "exit 7");
}

TEST(RunInChild, aCrashIsNamedByTheLineThatSaysTheMost) {
  Outcome outcome = runInChild([]() -> Outcome {
    std::fputs("a warning\nx.cpp:3: Assertion `a' failed.\nmore\n", stderr);
    std::abort();
  });
  EXPECT_EQ(outcome.verdict, Verdict::Crash);
  EXPECT_EQ(outcome.message, "x.cpp:3: Assertion `a' failed.");
}

TEST(RunInChild, whatWasSentBeforeACrashIsReceived) {
  // More than a pipe holds.
  std::string text(1 << 20, 'x'), sent;
  Outcome outcome = runInChild(
      [&](const std::function<void(std::string)> &send) -> Outcome {
        send("first");
        send(text);
        std::abort();
      },
      sent);
  EXPECT_EQ(outcome.verdict, Verdict::Crash);
  EXPECT_EQ(sent, text);
}

TEST(RunInChild, aChildThatDoesNotReturnHangs) {
  Outcome outcome = runInChild([]() -> Outcome { hang(); }, /*seconds=*/0.1);
  EXPECT_EQ(outcome.verdict, Verdict::Hang);
}

/// The outcomes of `count` programs by seed. Each seed must end once.
std::map<uint64_t, Outcome> outcomes(uint64_t count, unsigned jobs,
                                     double seconds,
                                     std::function<Outcome(uint64_t)> work) {
  std::map<uint64_t, Outcome> result;
  Programs programs;
  programs.first = 100;
  programs.jobs = jobs;
  programs.seconds = seconds;
  programs.goOn = [&](uint64_t started) { return started < count; };
  programs.makeWork = [&] { return work; };
  programs.done = [&](uint64_t seed, const Outcome &outcome) {
    EXPECT_TRUE(result.emplace(seed, outcome).second) << seed;
  };
  programs.tick = [] {};
  runAll(programs);
  EXPECT_EQ(result.size(), count);
  for (const auto &[seed, outcome] : result) {
    EXPECT_GE(seed, 100u);
    EXPECT_LT(seed, 100 + count);
  }
  return result;
}

TEST(RunAll, everyProgramEndsOnceWhateverTheOthersDo) {
  // More programs than one child gets.
  auto result = outcomes(600, 3, timeLimit, [](uint64_t seed) -> Outcome {
    if (seed == 103 || seed == 104 || seed == 699)
      std::abort();
    return {Verdict::Pass, {}, std::to_string(seed)};
  });
  for (const auto &[seed, outcome] : result) {
    if (seed == 103 || seed == 104 || seed == 699) {
      EXPECT_EQ(outcome.verdict, Verdict::Crash) << seed;
    } else {
      EXPECT_EQ(outcome.verdict, Verdict::Pass) << seed;
      EXPECT_EQ(outcome.notes, std::to_string(seed));
    }
  }
}

TEST(RunAll, programsThatHangAreEnded) {
  auto result = outcomes(3, 2, 0.1, [](uint64_t) -> Outcome { hang(); });
  for (const auto &[seed, outcome] : result)
    EXPECT_EQ(outcome.verdict, Verdict::Hang) << seed;
}

TEST(RunAll, noProgramStartsOnceItIsToStop) {
  uint64_t finished = 0;
  bool stopped = false;
  Programs programs;
  programs.first = 1;
  programs.goOn = [&](uint64_t) {
    EXPECT_FALSE(stopped) << "asked again";
    stopped = finished >= 5;
    return !stopped;
  };
  programs.makeWork = [] { return [](uint64_t) -> Outcome { return {}; }; };
  programs.done = [&](uint64_t, const Outcome &) { ++finished; };
  programs.tick = [] {};
  runAll(programs);
  EXPECT_GE(finished, 5u);
  // Those that had been handed out are finished.
  EXPECT_LE(finished, 7u);
}

} // namespace
