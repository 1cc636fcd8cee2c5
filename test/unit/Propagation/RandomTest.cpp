//===- RandomTest.cpp - What holds for every program ----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Programs.h"

#include <algorithm>
#include <random>
#include <set>

using namespace shard;
using namespace shard::propagation;

namespace {

/// An op before it is added, so that ops can be added in another order.
struct PlannedOp {
  std::string text;
  std::vector<int64_t> extents;
  std::vector<ValueId> operands, results;
  PartialRule rule;
};

/// A random program of 8x8 and 64 values: sums, products, transposes, reshapes.
struct RandomProgram {
  std::vector<std::vector<int64_t>> shapes;
  std::vector<std::pair<ValueId, std::string>> hints;
  std::vector<PlannedOp> ops;
  std::vector<int64_t> grid;

  explicit RandomProgram(unsigned seed) {
    std::mt19937 random(seed);
    auto pick = [&](size_t n) { return random() % n; };
    const std::vector<std::vector<int64_t>> grids = {{2},    {4},       {2, 2},
                                                     {4, 2}, {2, 2, 2}, {3, 2}};
    grid = grids[pick(grids.size())];
    auto value = [&](std::vector<int64_t> shape) {
      shapes.push_back(shape);
      return ValueId(shapes.size() - 1);
    };
    std::vector<ValueId> squares, flats;
    for (int i = 0; i < 4; ++i)
      squares.push_back(value({8, 8}));
    flats.push_back(value({64}));
    auto square = [&] { return squares[pick(squares.size())]; };
    for (int i = 0; i < 14; ++i) {
      switch (pick(5)) {
      case 0: {
        ValueId a = square(), b = square(), r = value({8, 8});
        ops.push_back(
            {"mn,mn->mn", {8, 8}, {a, b}, {r}, PartialRule::Additive});
        squares.push_back(r);
        break;
      }
      case 1: {
        ValueId a = square(), b = square(), r = value({8, 8});
        ops.push_back(
            {"mk,kn->mn", {8, 8, 8}, {a, b}, {r}, PartialRule::Multilinear});
        squares.push_back(r);
        break;
      }
      case 2: {
        ValueId a = square(), r = value({8, 8});
        ops.push_back({"mn->nm", {8, 8}, {a}, {r}, PartialRule::Movement});
        squares.push_back(r);
        break;
      }
      case 3: {
        ValueId a = square(), r = value({64});
        ops.push_back({"mn->(mn)", {8, 8}, {a}, {r}, PartialRule::Movement});
        flats.push_back(r);
        break;
      }
      case 4: {
        ValueId a = flats[pick(flats.size())], r = value({8, 8});
        ops.push_back({"(mn)->mn", {8, 8}, {a}, {r}, PartialRule::Movement});
        squares.push_back(r);
        break;
      }
      }
    }
    std::set<ValueId> hinted;
    for (int i = 0; i < 3; ++i) {
      ValueId id = pick(shapes.size());
      if (!hinted.insert(id).second)
        continue;
      std::vector<int> axes(grid.size());
      for (size_t axis = 0; axis < axes.size(); ++axis)
        axes[axis] = axis;
      std::shuffle(axes.begin(), axes.end(), random);
      std::string text;
      for (size_t dim = 0; dim < shapes[id].size(); ++dim) {
        text += dim ? "|" : "";
        for (size_t n = pick(3); n > 0 && !axes.empty(); --n) {
          text += std::string(text.empty() || text.back() == '|' ? "" : ",") +
                  char('a' + axes.back());
          axes.pop_back();
        }
        text += pick(2) ? "?" : "";
        text += pick(4) == 0 ? " p1" : "";
      }
      // Not empty, which would be no hint.
      hints.emplace_back(id, text + " ");
    }
  }

  /// The program with its ops in the given order.
  Program build(const std::vector<size_t> &order) const {
    Program p(grid);
    std::vector<std::string> text(shapes.size());
    for (const auto &[id, hint] : hints)
      text[id] = hint;
    for (size_t id = 0; id < shapes.size(); ++id)
      p.value(shapes[id], text[id]);
    for (size_t number : order) {
      const PlannedOp &op = ops[number];
      p.op(op.text, op.extents, op.operands, op.results, op.rule);
    }
    return p;
  }
};

std::vector<size_t> identityOrder(size_t n) {
  std::vector<size_t> order(n);
  for (size_t i = 0; i < n; ++i)
    order[i] = i;
  return order;
}

TEST(RandomPrograms, KeepTheRules) {
  for (unsigned seed = 0; seed < 3000; ++seed) {
    RandomProgram random(seed);
    Program p = random.build(identityOrder(random.ops.size()));
    if (seed % 3 == 0)
      p.basic();
    if (seed % 5 == 0)
      p.options.opPriorities = false;
    p.solve();
    ASSERT_EQ(p.error, "") << seed;
    const Solution &solution = p.solution;
    int64_t devices = 1, refined = 1;
    for (int64_t size : random.grid)
      devices *= size;
    for (int64_t size : solution.grid.shape)
      refined *= size;
    ASSERT_EQ(devices, refined) << seed;
    for (ValueId id = 0; id < random.shapes.size(); ++id) {
      Sharding sharding = solution.sharding(id, random.shapes[id].size());
      ASSERT_EQ(sharding.dims.size(), random.shapes[id].size()) << seed;
      std::set<GridAxis> seen;
      for (const AxisList &axes : sharding.dims)
        for (GridAxis axis : axes)
          ASSERT_TRUE(seen.insert(axis).second) << seed;
      for (GridAxis axis : sharding.partial)
        ASSERT_TRUE(seen.insert(axis).second) << seed;
    }
    // Hints are prefixes of what comes out; closed dimensions are unchanged.
    p.solved = true;
    for (const auto &[id, text] : random.hints) {
      Hint hint = p.hint(text);
      Sharding sharding = solution.sharding(id, random.shapes[id].size());
      for (size_t dim = 0; dim < hint.dims.size(); ++dim) {
        int64_t wanted = 1, got = solution.grid.groupSize(sharding.dims[dim]);
        for (const AxisPart &axis : hint.dims[dim].axes)
          wanted *= axis.size;
        if (hint.dims[dim].open)
          ASSERT_EQ(got % wanted, 0) << seed;
        else
          ASSERT_EQ(got, wanted) << seed << " " << text;
      }
    }
  }
}

TEST(RandomPrograms, DoNotDependOnTheOrderOfOps) {
  for (unsigned seed = 0; seed < 1000; ++seed) {
    RandomProgram random(seed);
    std::vector<size_t> order = identityOrder(random.ops.size());
    Program first = random.build(order);
    first.options.keepPartial = false;
    first.solve();
    first.solved = true;
    std::mt19937 shuffle(seed);
    for (int i = 0; i < 3; ++i) {
      std::shuffle(order.begin(), order.end(), shuffle);
      Program second = random.build(order);
      second.options.keepPartial = false;
      second.solve();
      second.solved = true;
      for (ValueId id = 0; id < random.shapes.size(); ++id)
        ASSERT_EQ(first[id], second[id]) << "seed " << seed << " value " << id;
    }
  }
}

TEST(RandomPrograms, RunningTheResultAgainChangesNothing) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    RandomProgram random(seed);
    for (auto &[id, text] : random.hints)
      text.erase(std::remove(text.begin(), text.end(), 'p'), text.end());
    Program first = random.build(identityOrder(random.ops.size()));
    first.options.keepPartial = false;
    first.solve();
    first.solved = true;
    // Every value takes its result as an open hint.
    Program second = random.build(identityOrder(random.ops.size()));
    second.options.keepPartial = false;
    std::vector<bool> closed(random.shapes.size() * 2, false);
    for (const auto &[id, number] : second.problem.hints) {
      const Hint &hint = second.problem.hintTable[number];
      for (size_t dim = 0; dim < hint.dims.size(); ++dim)
        closed[id * 2 + dim] = !hint.dims[dim].open;
    }
    second.problem.hints.clear();
    second.problem.hintTable.clear();
    for (ValueId id = 0; id < random.shapes.size(); ++id) {
      Sharding sharding = first.solution.sharding(id, random.shapes[id].size());
      Hint hint;
      for (const AxisList &axes : sharding.dims) {
        DimHint &dim = hint.dims.emplace_back();
        dim.open = !closed[id * 2 + hint.dims.size() - 1];
        for (GridAxis axis : axes)
          dim.axes.push_back(first.solution.axes[axis]);
      }
      second.problem.addHint(id, hint);
    }
    second.solve();
    second.solved = true;
    for (ValueId id = 0; id < random.shapes.size(); ++id)
      ASSERT_EQ(first[id], second[id]) << "seed " << seed << " value " << id;
  }
}

} // namespace
