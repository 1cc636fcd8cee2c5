//===- AheadOfTimeTest.cpp - Names in C -----------------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Execution/AheadOfTime.h"

#include "gtest/gtest.h"

#include <random>
#include <regex>

using namespace shard;

TEST(AheadOfTimeTest, EveryTextMakesAName) {
  const std::regex identifier("[A-Za-z_][A-Za-z0-9_]*");
  std::mt19937 random(1);
  const std::string some = "aZ_09-. /\xc3\"";
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (unsigned length = random() % 5; length > 0; --length)
      text += some[random() % some.size()];
    std::string name = makeCName(text);
    EXPECT_TRUE(std::regex_match(name, identifier)) << text << ": " << name;
    // What is a name stays one; what is none stays as long, or gets one letter more.
    if (std::regex_match(text, identifier))
      EXPECT_EQ(name, text);
    bool needsMore = text.empty() || (text[0] >= '0' && text[0] <= '9');
    EXPECT_EQ(name.size(), text.size() + needsMore) << text;
  }
}
