//===- MakersTest.cpp - The makers of random programs ---------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Fuzz/Makers.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <set>

using namespace shard::fuzz;

namespace {

bool nothing(ProgramBuilder &) { return false; }
bool something(ProgramBuilder &program) {
  program.line("something");
  return true;
}

TEST(MakerRegistry, weightsCountInTheirGroupOnly) {
  MakerRegistry makers;
  makers.add(MakerGroup::Ops, nothing);
  makers.add(MakerGroup::Ops, something, 3);
  EXPECT_EQ(makers.of(MakerGroup::Ops),
            (std::vector<Maker>{nothing, something, something, something}));
  EXPECT_TRUE(makers.of(MakerGroup::Control).empty());
}

TEST(Generate, programsFollowFromTheirSeed) {
  std::set<std::string> programs;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    std::string program = generate(seed, {});
    EXPECT_EQ(program, generate(seed, {}));
    programs.insert(program);
  }
  EXPECT_EQ(programs.size(), 20u);
}

TEST(Generate, programsHaveTheGridThatIsWanted) {
  GenerateOptions options;
  options.grid = {2, 3};
  for (uint64_t seed = 1; seed <= 20; ++seed)
    EXPECT_NE(generate(seed, options).find("shard.grid @grid(shape = 2x3)"),
              std::string::npos);
}

/// Whether the maker writes an op in one of many scopes.
bool writesAnOp(Maker maker, bool real, bool dynamic) {
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    ProgramBuilder program(seed, {});
    program.real = real;
    program.dynamic = dynamic;
    for (int64_t rank = 0; rank <= 3; ++rank)
      program.argument(program.randomElem(), program.randomShape(rank),
                       /*tensor=*/true);
    if (dynamic)
      program.dynamicArgument();
    program.budget = 2;
    size_t values = program.scope.size();
    if (maker(program)) {
      EXPECT_FALSE(program.out.empty());
      EXPECT_GT(program.scope.size(), values);
      return true;
    }
  }
  return false;
}

TEST(Makers, eachWritesAnOp) {
  struct Case {
    MakerGroup group;
    bool real, dynamic;
  };
  std::vector<Case> cases = {Case{MakerGroup::Ops, false, false},
                             Case{MakerGroup::Real, true, false},
                             Case{MakerGroup::RealWide, true, false},
                             Case{MakerGroup::Dynamic, false, true},
                             Case{MakerGroup::DynamicReal, true, true}};
  for (size_t group = size_t(firstFamily); group < numMakerGroups; ++group)
    cases.push_back({MakerGroup(group), false, false});
  for (Case entry : cases) {
    const std::vector<Maker> &makers = allMakers().of(entry.group);
    EXPECT_FALSE(makers.empty());
    for (size_t i = 0; i < makers.size(); ++i)
      EXPECT_TRUE(writesAnOp(makers[i], entry.real, entry.dynamic))
          << "maker " << i << " of group " << int(entry.group);
  }
}

// Each number is a step of the state; close seeds must not begin some steps apart.
TEST(Random, closeSeedsShareNoNumbers) {
  std::set<uint64_t> seen;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Random random(seed);
    for (int i = 0; i < 50; ++i)
      EXPECT_TRUE(seen.insert(random.next()).second);
  }
}

} // namespace
