//===- EngineTest.cpp - What propagation agrees on ------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Programs.h"

#include <sstream>

using namespace shard;
using namespace shard::propagation;

namespace {

// Axes of size 2, tensors of 8x8 unless said.

TEST(BasicStrategy, HintFlowsThroughAddAndDot) {
  Program p = Program({2, 2}).basic();
  ValueId a = p.square("a|b"), b = p.square(), w = p.square();
  ValueId sum = p.add(a, b);
  ValueId product = p.dot(sum, w);
  EXPECT_EQ(p[b], "a|b");
  EXPECT_EQ(p[sum], "a|b");
  EXPECT_EQ(p[product], "a|");
  EXPECT_EQ(p[w], "b|");
}

TEST(BasicStrategy, ClosedDimensionsTakeNothing) {
  Program p = Program({2, 2}).basic();
  ValueId x = p.square("a|"), w = p.square("|b"), r = p.square("|?");
  p.dotInto(x, w, r);
  EXPECT_EQ(p[r], "|b");
  EXPECT_EQ(p[x], "a|");
  EXPECT_EQ(p[w], "|b");
}

TEST(BasicStrategy, LongestCommonPrefixIsPassedOn) {
  Program p = Program({2, 2, 2}).basic();
  ValueId r = p.add(p.square("b,a|"), p.square("b,c|"));
  EXPECT_EQ(p[r], "b|");
}

TEST(BasicStrategy, ContradictionPassesNothingOn) {
  Program p = Program({2, 2}).basic();
  ValueId r = p.add(p.square("b,a|"), p.square("a,b|"));
  EXPECT_EQ(p[r], "|");
}

TEST(BasicStrategy, AxisOnTwoLoopsPassesNothingOn) {
  Program p = Program({2}).basic();
  ValueId r = p.add(p.square("a|?"), p.square("?|a"));
  EXPECT_EQ(p[r], "|");
}

TEST(BothStrategies, ReshapeCutsAnAxis) {
  for (bool basic : {true, false}) {
    Program p({4});
    if (basic)
      p.basic();
    ValueId x = p.value({8}, "a"), r = p.value({2, 4});
    p.op("(mn)->mn", {2, 4}, {x}, {r});
    EXPECT_EQ(p[r], "a:(1)2|a:(2)2");
    EXPECT_EQ(p[x], "a:(1)2,a:(2)2");
    EXPECT_TRUE(p.solution.refined);
    EXPECT_EQ(p.solution.grid.shape, (std::vector<int64_t>{2, 2}));
    EXPECT_TRUE(p.solution.agrees[0]);
  }
}

TEST(BothStrategies, ReshapeOfAnAxisOfEight) {
  Program p({8});
  ValueId x = p.value({8}, "a"), r = p.value({2, 4});
  p.op("(mn)->mn", {2, 4}, {x}, {r});
  EXPECT_EQ(p[r], "a:(1)2|a:(2)4");
}

TEST(BothStrategies, CutAxesThatMeetAgainMerge) {
  Program p({4});
  ValueId x = p.value({8}, "a"), y = p.value({2, 4}, "|"), z = p.value({8});
  p.op("(mn)->mn", {2, 4}, {x}, {y});
  p.op("m->m", {8}, {x}, {z});
  EXPECT_EQ(p[z], "a");
  EXPECT_FALSE(p.solution.refined);
  EXPECT_FALSE(p.solution.agrees[0]);
  EXPECT_TRUE(p.solution.agrees[1]);
}

TEST(BothStrategies, ReshapeMergesDimensions) {
  for (bool basic : {true, false}) {
    Program p({2, 2});
    if (basic)
      p.basic();
    ValueId x = p.value({4, 4}, "a|b"), r = p.value({16});
    p.op("mn->(mn)", {4, 4}, {x}, {r});
    EXPECT_EQ(p[r], "a");
    EXPECT_FALSE(p.solution.agrees[0]);
  }
  Program p({4, 2});
  ValueId x = p.value({4, 4}, "a|b"), r = p.value({16});
  p.op("mn->(mn)", {4, 4}, {x}, {r});
  EXPECT_EQ(p[r], "a,b");
  EXPECT_TRUE(p.solution.agrees[0]);
}

TEST(BothStrategies, MinorDigitAloneIsNotPassedOn) {
  Program p({2});
  ValueId x = p.value({4, 4}, "|a"), r = p.value({16});
  p.op("mn->(mn)", {4, 4}, {x}, {r});
  EXPECT_EQ(p[r], "");
  EXPECT_FALSE(p.solution.agrees[0]);
}

TEST(AggressiveStrategy, AxisOnTwoLoopsGoesToTheEarlierOperand) {
  Program p({2});
  ValueId r = p.add(p.square("a|?"), p.square("?|a"));
  EXPECT_EQ(p[r], "a|");
}

TEST(AggressiveStrategy, MoreShardedOperandWins) {
  Program p({2, 2});
  ValueId r = p.add(p.square("|a"), p.square("b,a|"));
  EXPECT_EQ(p[r], "b,a|");
}

TEST(AggressiveStrategy, LargerOperandWins) {
  Program p({2});
  ValueId small = p.value({8}, "a"), large = p.square("|a"), r = p.square();
  p.op("m,mn->mn", {8, 8}, {small, large}, {r});
  EXPECT_EQ(p[r], "|a");
}

TEST(BothStrategies, UserPrioritiesBatchThenZero) {
  for (bool basic : {true, false}) {
    Program p({2});
    if (basic)
      p.basic();
    ValueId x = p.square("a p0|?"), w = p.square("?|a p1");
    ValueId r = p.dot(x, w);
    EXPECT_EQ(p[r], "a|");
    EXPECT_EQ(p[w], "|a");
    EXPECT_EQ(p[x], "a|");
  }
}

TEST(BothStrategies, LaterPriorityFillsWhatIsLeft) {
  Program p({2, 2});
  ValueId x = p.square("a p0|?"), w = p.square("?|b p1");
  ValueId r = p.dot(x, w);
  EXPECT_EQ(p[r], "a|b");
}

TEST(BothStrategies, GroupIsOneValue) {
  // The reader makes the members of a group one value.
  Program p({2, 2});
  ValueId group = p.square("b?|?");
  ValueId user = p.negate(group), other = p.negate(group);
  EXPECT_EQ(p[user], "b|");
  EXPECT_EQ(p[other], "b|");
}

/// The edge between the in sharding of a manual computation over b and its
/// argument: the manual axis is the major digit.
struct Manual {
  explicit Manual(const std::string &in) : p({2, 2}) {
    outer = p.square();
    inner = p.square(in);
    body = p.value({4, 8}, "?|?");
    p.problem.hintTable.back().replicated.push_back(p.part("b"));
    p.identity(outer, inner);
    edge = p.op("(gm)n->mn", {2, 4, 8}, {inner}, {body});
    seen = p.value({4, 8}, "a?|?");
    p.op("mn->mn", {4, 8}, {body}, {seen});
  }
  Program p;
  ValueId outer, inner, body, seen;
  OpId edge;
};

TEST(BothStrategies, AxesEnterAManualComputation) {
  Manual m("b?|?");
  EXPECT_EQ(m.p[m.body], "a|");
  EXPECT_EQ(m.p[m.inner], "b,a|");
  EXPECT_EQ(m.p[m.outer], "b,a|");
}

TEST(BothStrategies, ClosedInShardingKeepsAxesOut) {
  Manual m("b|?");
  EXPECT_EQ(m.p[m.inner], "b|");
  EXPECT_EQ(m.p[m.outer], "b|");
  EXPECT_EQ(m.p[m.body], "a|");
}

TEST(BothStrategies, SwappedDotDisagreesAndKeepsItsHints) {
  Program p({2, 2});
  ValueId x = p.square("a|b"), w = p.square("b|a"), r = p.square("|a");
  OpId op = p.dotInto(x, w, r);
  EXPECT_EQ(p[r], "|a");
  EXPECT_EQ(p[x], "a|b");
  EXPECT_FALSE(p.solution.agrees[op]);
}

TEST(AggressiveStrategy, AxesOfLaterPrioritiesDoNotBreakTies) {
  Program p({2, 2, 2});
  ValueId x = p.square("b|?"), y = p.square("a|c p1"), r = p.square("?|?");
  p.addInto(x, y, r);
  EXPECT_EQ(p[r], "b|c");
}

TEST(Uneven, PolicyDecides) {
  for (bool shard : {true, false}) {
    Program p({4});
    p.options.uneven = shard ? UnevenPolicy::Shard : UnevenPolicy::Replicate;
    ValueId x = p.value({10}, "a"), r = p.value({10});
    p.op("m->m", {10}, {x}, {r});
    // A part of the axis would divide, but would change the blocks of the hint from
    // 3 3 3 1 to 3 2 3 2.
    EXPECT_EQ(p[r], shard ? "a" : "");
    ASSERT_EQ(p.solution.notes.size(), 1u);
    EXPECT_EQ(p.solution.notes[0].kind,
              shard ? Obstacle::Kind::Uneven : Obstacle::Kind::NotSplit);
    EXPECT_EQ(p.solution.notes[0].extent, 10);
  }
}

TEST(Uneven, SmallDimensionsAreNotSplit) {
  Program p({4});
  ValueId x = p.value({3, 1}, "a|"), r = p.value({3, 1});
  p.op("mn->mn", {3, 1}, {x}, {r});
  EXPECT_EQ(p[r], "|");
}

TEST(Uneven, ReshapedDimensionsAreSplitEvenlyOnly) {
  Program p({4});
  ValueId x = p.value({12}, "a"), r = p.value({6, 2});
  p.op("(mn)->mn", {6, 2}, {x}, {r});
  EXPECT_EQ(p[r], "a:(1)2|");
  EXPECT_FALSE(p.solution.notes.empty());
}

TEST(Uneven, ADimensionTakesThePartOfAnAxisThatFits) {
  Program p({4, 4});
  ValueId x = p.value({8}, "a,b"), r = p.value({8});
  p.op("m->m", {8}, {x}, {r});
  EXPECT_EQ(p[r], "a,b:(1)2");
}

TEST(Uneven, ADigitTakesTheCommonFactorOfAnAxis) {
  Program p({6});
  ValueId x = p.value({12}, "a"), r = p.value({4, 3}), s = p.value({3, 4});
  p.op("(mn)->mn", {4, 3}, {x}, {r});
  p.op("(mn)->mn", {3, 4}, {x}, {s});
  EXPECT_EQ(p[r], "a:(1)2|");
  EXPECT_EQ(p[s], "|");
}

TEST(Uneven, DynamicDimensionsDivideByContract) {
  Program p({4});
  ValueId x = p.value({kDynamic}, "a"), r = p.value({kDynamic});
  p.op("m->m", {kDynamic}, {x}, {r});
  EXPECT_EQ(p[r], "a");
}

TEST(Hints, ReplicatedAxesStayOut) {
  Program p({2});
  ValueId x = p.square("a|"), y = p.square("?|?");
  p.problem.hintTable.back().replicated.push_back(p.part("a"));
  p.addInto(x, y, p.square());
  EXPECT_EQ(p[y], "|");
}

// What overlaps the part of an axis that a hint replicates stays out, whether or not both parts
// have a factorisation in common.
TEST(Hints, ReplicatedPartsStayOut) {
  std::vector<AxisPart> parts;
  for (int64_t before = 1; before < 12; ++before)
    for (int64_t size = 2; before * size <= 12; ++size)
      if (12 % before == 0 && 12 / before % size == 0)
        parts.push_back({0, before, size});
  for (const AxisPart &split : parts)
    for (const AxisPart &kept : parts) {
      Program p({12});
      std::string text = "a:(" + std::to_string(split.preSize) + ")" +
                         std::to_string(split.size);
      ValueId x = p.value({24}, text), y = p.value({24}, "?");
      p.problem.hintTable.back().replicated.push_back(kept);
      p.op("m->m", {24}, {x}, {y});
      auto blocks = [&](ValueId value) {
        int64_t count = 1;
        std::stringstream list(p[value]);
        for (std::string part; std::getline(list, part, ',');) {
          AxisPart here = p.part(part);
          count *= here.size;
          EXPECT_FALSE(value == y && here.overlaps(kept))
              << part << " enters where " << kept.preSize << ", " << kept.size
              << " stays out";
        }
        return count;
      };
      EXPECT_EQ(blocks(x), split.size);
      if (!split.overlaps(kept))
        EXPECT_EQ(blocks(y), split.size);
      else
        EXPECT_LT(blocks(y), split.size);
    }
}

TEST(Hints, SubAxes) {
  Program p({8});
  ValueId x = p.square("a:(2)4|a:(1)2"), y = p.negate(x);
  EXPECT_EQ(p[y], "a:(2)4|a:(1)2");
}

TEST(Hints, SubAxesWithoutCommonFactorisation) {
  Program p({6});
  ValueId x = p.square("a:(1)2|"), y = p.square("a:(1)3|");
  p.addInto(x, y, p.square());
  EXPECT_NE(p[x].find("ordered factorisation"), std::string::npos);
}

TEST(Traversal, ForwardAndBackwardAlone) {
  for (auto traversal :
       {PropagationTraversal::Forward, PropagationTraversal::Backward,
        PropagationTraversal::ForwardBackward,
        PropagationTraversal::BackwardForward}) {
    Program p({2, 2});
    p.options.traversal = traversal;
    ValueId x = p.square(), y = p.negate(x);
    ValueId z = p.square("a?|?");
    p.addInto(y, p.square("?|b?"), z);
    ValueId last = p.negate(z);
    bool forward = traversal != PropagationTraversal::Backward;
    bool backward = traversal != PropagationTraversal::Forward;
    EXPECT_EQ(p[last], forward ? "a|b" : "|");
    EXPECT_EQ(p[x], forward && backward ? "a|b" : backward ? "a|" : "|");
  }
}

TEST(OpPriorities, PassThroughBeforeContraction) {
  // v is the result of a dot that wants [|a] and an operand of an add with a
  // value that has [a|].
  Program p({2});
  ValueId v = p.dot(p.square(), p.square("|a"));
  ValueId r = p.add(v, p.square("a|"));
  EXPECT_EQ(p[v], "a|");
  EXPECT_EQ(p[r], "a|");
}

TEST(OpPriorities, SingleUseChainsBeforeSharedValues) {
  // v gets [|a] back through t, which has one use, and [a|] through s, which has
  // two and is as near.
  for (bool on : {true, false}) {
    Program p({2});
    p.options.opPriorities = on;
    ValueId v = p.square(), s = p.square(), t = p.square();
    p.addInto(v, p.square(), s);
    p.addInto(s, p.square(), p.square("a?|?"));
    p.addInto(s, p.square(), p.square());
    p.addInto(v, p.square(), t);
    p.addInto(t, p.square(), p.square("?|a?"));
    EXPECT_EQ(p[v], on ? "|a" : "a|");
  }
}

TEST(OpPriorities, CanBeSwitchedOff) {
  // The nearest hint wins then, be it behind a contraction.
  for (bool on : {true, false}) {
    Program p({2});
    p.options.opPriorities = on;
    ValueId v = p.dot(p.square(), p.square("|a"));
    ValueId r = p.add(v, p.square());
    p.add(r, p.square("a|"));
    EXPECT_EQ(p[v], on ? "a|" : "|a");
  }
}

TEST(UserPriorities, CanBeSwitchedOff) {
  for (bool on : {true, false}) {
    Program p({2});
    p.options.userPriorities = on;
    ValueId r = p.add(p.square("a p1|?"), p.square("?|a p0"));
    EXPECT_EQ(p[r], on ? "|a" : "a|");
  }
}

TEST(Order, SmallerAxisListWinsAmongEquals) {
  // Two ops of equal rank and size offer different axes to one value.
  for (bool swap : {false, true}) {
    Program p({2, 2});
    ValueId v = p.square();
    ValueId l = p.square(swap ? "b|" : "a|"), r = p.square(swap ? "a|" : "b|");
    p.addInto(v, l, p.square());
    p.addInto(v, r, p.square());
    EXPECT_EQ(p[v], "a|") << swap;
  }
}

TEST(Order, IndependentOpsMayStandInAnyOrder) {
  for (bool swap : {false, true}) {
    Program p({2, 2});
    ValueId v = p.square();
    ValueId l = p.square("|a"), r = p.square("b,a|");
    ValueId out = p.square();
    for (int i = 0; i < 2; ++i)
      if ((i == 0) != swap)
        p.addInto(v, l, p.square());
      else
        p.addInto(v, r, p.square());
    p.op("mn->mn", {8, 8}, {v}, {out});
    EXPECT_EQ(p[out], "b,a|") << swap;
  }
}

} // namespace
