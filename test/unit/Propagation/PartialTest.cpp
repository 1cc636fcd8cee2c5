//===- PartialTest.cpp - Where reductions are placed ----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Programs.h"

using namespace shard;
using namespace shard::propagation;

namespace {

// Axis a of size 2; x comes split along columns, so that a dot with x on the left
// is partial over a.

TEST(Partial, ReducedWhereMadeIfNobodyTakesIt) {
  Program p({2});
  ValueId dot = p.dot(p.square("|a"), p.square());
  p.relu(dot);
  EXPECT_EQ(p[dot], "|");
}

TEST(Partial, TwoDotsShareOneReductionBehindTheSum) {
  Program p({2});
  ValueId left = p.dot(p.square("|a"), p.square());
  ValueId right = p.dot(p.square("|a"), p.square());
  ValueId sum = p.add(left, right), user = p.relu(sum);
  EXPECT_EQ(p[left], "|+sum(a)");
  EXPECT_EQ(p[right], "|+sum(a)");
  EXPECT_EQ(p[sum], "|");
  EXPECT_EQ(p[user], "|");
  EXPECT_TRUE(p.solution.agrees[2]);
}

TEST(Partial, ThreeTermsShareOneReduction) {
  Program p({2});
  ValueId sum = p.dot(p.square("|a"), p.square());
  for (int i = 0; i < 2; ++i) {
    ValueId next = p.add(sum, p.dot(p.square("|a"), p.square()));
    EXPECT_EQ(p.error, "");
    sum = next;
  }
  p.relu(sum);
  // The first sum stays partial, the second is reduced.
  EXPECT_EQ(p[sum], "|");
  EXPECT_EQ(p[sum - 4], "|+sum(a)");
}

TEST(Partial, SumWithAWholeValueIsReducedBefore) {
  Program p({2});
  ValueId dot = p.dot(p.square("|a"), p.square());
  p.relu(p.add(dot, p.square()));
  EXPECT_EQ(p[dot], "|");
}

TEST(Partial, ReducedBehindAnOpThatShrinksIt) {
  // Taking the row sums first leaves 8 elements to reduce instead of 64.
  Program p({2});
  ValueId dot = p.dot(p.square("|a"), p.square());
  ValueId rows = p.value({8}), user = p.value({8});
  p.op("mn->m", {8, 8}, {dot}, {rows}, PartialRule::Multilinear);
  p.op("m->m", {8}, {rows}, {user});
  EXPECT_EQ(p[dot], "|+sum(a)");
  EXPECT_EQ(p[rows], "");
}

TEST(Partial, ReducedBeforeAnOpThatGrowsIt) {
  Program p({2});
  ValueId x = p.value({8}, "a"), small = p.value({8}), w = p.square();
  p.op("k,km->m", {8, 8}, {x, w}, {small}, PartialRule::Multilinear);
  ValueId grown = p.square();
  p.op("m->mn", {8, 8}, {small}, {grown}, PartialRule::Movement);
  p.relu(grown);
  EXPECT_EQ(p[small], "");
}

TEST(Partial, TwoUsersReduceOnceWhereItIsMade) {
  Program p({2});
  ValueId dot = p.dot(p.square("|a"), p.square());
  for (int i = 0; i < 2; ++i)
    p.relu(p.negate(dot));
  EXPECT_EQ(p[dot], "|");
}

TEST(Partial, TwiceTheSameOperandCountsOnce) {
  Program p({2});
  ValueId dot = p.dot(p.square("|a"), p.square());
  ValueId sum = p.add(dot, dot), rows = p.value({8}), end = p.value({8});
  p.op("mn->m", {8, 8}, {sum}, {rows}, PartialRule::Multilinear);
  p.op("m->m", {8}, {rows}, {end});
  EXPECT_EQ(p[dot], "|+sum(a)");
  EXPECT_EQ(p[sum], "|+sum(a)");
  EXPECT_EQ(p[rows], "");
}

TEST(Partial, ProductOfTwoPartialValuesIsNone) {
  Program p({2});
  ValueId left = p.dot(p.square("|a"), p.square());
  ValueId right = p.dot(p.square("|a"), p.square());
  ValueId product = p.square();
  p.op("mn,mn->mn", {8, 8}, {left, right}, {product}, PartialRule::Multilinear);
  p.relu(product);
  EXPECT_EQ(p[left], "|");
  EXPECT_EQ(p[right], "|");
}

TEST(Partial, NeverLeavesAFunctionWithoutHint) {
  Program p({2});
  ValueId left = p.dot(p.square("|a"), p.square());
  ValueId right = p.dot(p.square("|a"), p.square());
  ValueId sum = p.add(left, right), result = p.square();
  p.problem.neverPartial[result] = true;
  p.identity(sum, result);
  EXPECT_EQ(p[left], "|+sum(a)");
  EXPECT_EQ(p[sum], "|");
  EXPECT_EQ(p[result], "|");
}

TEST(Partial, HintMakesAResultPartial) {
  Program p({2});
  ValueId dot = p.dot(p.square("|a"), p.square());
  ValueId result = p.square("|");
  p.problem.hintTable.back().partial.push_back(p.part("a"));
  p.identity(dot, result);
  EXPECT_EQ(p[result], "|+sum(a)");
}

TEST(Partial, SummandsOfAnOperandNeedNoSplitLoop) {
  Program p({2});
  ValueId x = p.square("|");
  p.problem.hintTable.back().partial.push_back(p.part("a"));
  ValueId w = p.square("?|?"), result = p.square("|");
  p.problem.hintTable.back().partial.push_back(p.part("a"));
  p.dotInto(x, w, result);
  EXPECT_EQ(p[result], "|+sum(a)");
  EXPECT_EQ(p[w], "|");
}

TEST(Partial, PartialArgumentIsReducedAtTheUserThatNeedsIt) {
  Program p({2});
  ValueId x = p.square("|");
  p.problem.hintTable.back().partial.push_back(p.part("a"));
  ValueId user = p.relu(x);
  EXPECT_EQ(p[x], "|+sum(a)");
  EXPECT_EQ(p[user], "|");
  EXPECT_FALSE(p.solution.agrees[0]);
}

TEST(Partial, HintWithoutPartialReducesThere) {
  Program p({2});
  ValueId left = p.square("?|?"), right = p.square("|");
  p.dotInto(p.square("|a"), p.square(), left);
  p.dotInto(p.square("|a"), p.square(), right);
  p.relu(p.add(left, right));
  EXPECT_EQ(p[right], "|");
  EXPECT_EQ(p[left], "|");
}

TEST(Partial, RowShardedResultIsLeftToTheOp) {
  // K-sharded into a row-sharded result: one reduce_scatter at the op.
  Program p({2});
  ValueId x = p.square("|a"), w = p.square("a|"), r = p.square("a|");
  OpId op = p.dotInto(x, w, r);
  EXPECT_EQ(p[r], "a|");
  EXPECT_EQ(p[x], "|a");
  EXPECT_EQ(p[w], "a|");
  EXPECT_FALSE(p.solution.agrees[op]);
}

TEST(Partial, MaximaDoNotPassSums) {
  Program p({2});
  ValueId x = p.square("|a"), rows = p.value({8}), next = p.value({8});
  OpId op = p.op("mn->m", {8, 8}, {x}, {rows});
  p.problem.tables[p.problem.opTable[op]].resultReduction[0] =
      ReductionKind::Max;
  p.op("m,m->m", {8}, {rows, rows}, {next}, PartialRule::Additive);
  EXPECT_EQ(p[rows], "");
}

TEST(Partial, CanBeSwitchedOff) {
  Program p({2});
  p.options.keepPartial = false;
  ValueId left = p.dot(p.square("|a"), p.square());
  ValueId right = p.dot(p.square("|a"), p.square());
  p.relu(p.add(left, right));
  EXPECT_EQ(p[left], "|");
}

/// A loop that runs `trips` times and adds a dot to `carried`; the dot.
ValueId addUpDots(Program &p, ValueId carried, double trips) {
  p.problem.joined[carried] = Joined::ByLoop;
  p.identity(p.square(), carried);
  ValueId dot = p.dot(p.square("|a"), p.square());
  OpId edge = p.identity(p.add(carried, dot), carried);
  for (OpId op = edge - 2; op <= edge; ++op)
    p.problem.trips[op] = trips;
  return dot;
}

TEST(Partial, LoopCarriesASum) {
  Program p({2});
  ValueId sum = p.square(), dot = addUpDots(p, sum, 2), user = p.relu(sum);
  EXPECT_EQ(p[sum], "|+sum(a)");
  EXPECT_EQ(p[dot], "|+sum(a)");
  EXPECT_EQ(p[user], "|");
}

TEST(Partial, LoopThatRunsOnceReducesEarly) {
  Program p({2});
  ValueId sum = p.square(), dot = addUpDots(p, sum, 1);
  p.relu(sum);
  EXPECT_EQ(p[sum], "|");
  EXPECT_EQ(p[dot], "|");
}

TEST(Partial, LoopWhoseBodyNeedsTheSumReducesEarly) {
  Program p({2});
  ValueId sum = p.square(), dot = addUpDots(p, sum, 5);
  p.relu(sum);
  p.problem.trips.back() = 5;
  EXPECT_EQ(p[sum], "|");
  EXPECT_EQ(p[dot], "|");
}

TEST(Partial, BranchesAloneReduceEarly) {
  Program p({2});
  ValueId sum = p.square();
  p.problem.joined[sum] = Joined::ByBranches;
  ValueId left = p.dot(p.square("|a"), p.square());
  ValueId right = p.dot(p.square("|a"), p.square());
  p.identity(left, sum);
  p.identity(right, sum);
  p.relu(sum);
  EXPECT_EQ(p[sum], "|");
  EXPECT_EQ(p[left], "|");
}

TEST(Partial, InitPassesAsTheResultIs) {
  Program p({2});
  ValueId init = p.square("|");
  p.problem.hintTable.back().partial.push_back(p.part("a"));
  ValueId result = p.square("|");
  p.problem.hintTable.back().partial.push_back(p.part("a"));
  OpId op = p.op("mk,kn,mn->mn", {8, 8, 8}, {p.square("|a"), p.square(), init},
                 {result}, PartialRule::Multilinear);
  p.problem.tables[p.problem.opTable[op]].firstInit = 2;
  EXPECT_EQ(p[result], "|+sum(a)");
  EXPECT_TRUE(p.solution.agrees[op]);
}

} // namespace
