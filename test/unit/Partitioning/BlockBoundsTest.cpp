//===- BlockBoundsTest.cpp - Loops take the bounds of operands ------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares the bounds that withBounds gives to the loops of an op with those that the words
// of its header say, by trying all sets of loops that may have bounds.
//
//===----------------------------------------------------------------------===//

#include "../Interfaces/SmallTables.h"

#include "shard/Partitioning/ShardingOption.h"

#include "gtest/gtest.h"

#include <sstream>

using namespace shard;
using namespace shard::test;

namespace {

using Bounds = std::vector<std::vector<int64_t>>;

/// For each loop the bounds of the first operand that has any for it.
Bounds proposed(const LoopTable &table, const Grid &grid,
                const std::vector<Sharding> &operands,
                const ShardingOption &option) {
  Bounds found(table.loops.size());
  for (size_t index = 0; index < operands.size(); ++index) {
    const Sharding &sharding = operands[index];
    const TensorLoops &tensor = table.operands[index];
    if (sharding.offsets.empty() || sharding.dims.size() != tensor.dims.size())
      continue;
    size_t next = 0;
    for (size_t dim = 0; dim < tensor.dims.size(); ++dim) {
      if (sharding.dims[dim].empty())
        continue;
      size_t count = 1 + grid.groupSize(sharding.dims[dim]);
      std::vector<int64_t> own(sharding.offsets.begin() + next,
                               sharding.offsets.begin() + next + count);
      next += count;
      if (tensor.dims[dim].size() != 1)
        continue;
      int32_t loop = tensor.dims[dim][0];
      if (option.loops[loop] == sharding.dims[dim] && found[loop].empty())
        found[loop] = own;
    }
  }
  return found;
}

/// Whether the loops of `set` can have bounds: of each tensor all split loops have some or
/// none has. Those that get none from an operand need equal blocks.
bool fits(const LoopTable &table, const Grid &grid,
          const ShardingOption &option, const Bounds &given, unsigned set) {
  auto has = [&](int32_t loop) { return set >> loop & 1; };
  for (size_t loop = 0; loop < table.loops.size(); ++loop) {
    if (!has(loop) || !given[loop].empty())
      continue;
    int64_t extent = table.loops[loop].extent;
    if (extent == kDynamic || option.loops[loop].empty() ||
        extent % grid.groupSize(option.loops[loop]) != 0)
      return false;
  }
  auto fitsTensor = [&](const TensorLoops &tensor) {
    bool any = false, all = true;
    for (size_t dim = 0; dim < tensor.dims.size(); ++dim)
      for (int32_t loop : tensor.dims[dim]) {
        any |= has(loop);
        if (!option.loops[loop].empty())
          all &= has(loop) && tensor.dims[dim].size() == 1 &&
                 !tensor.isWindow(dim);
      }
    return !any || all;
  };
  for (const TensorLoops &tensor : table.operands)
    if (!fitsTensor(tensor))
      return false;
  return fitsTensor(table.results[0]);
}

std::optional<ShardingOption> expected(const LoopTable &table, const Grid &grid,
                                       const std::vector<Sharding> &operands,
                                       const ShardingOption &option) {
  Bounds given = proposed(table, grid, operands, option);
  unsigned needed = 0;
  for (size_t loop = 0; loop < given.size(); ++loop)
    if (!given[loop].empty())
      needed |= 1u << loop;
  if (!table.uniform || needed == 0)
    return std::nullopt;
  std::optional<unsigned> best;
  for (unsigned set = 0; set < 1u << given.size(); ++set)
    if ((set & needed) == needed && fits(table, grid, option, given, set) &&
        (!best || __builtin_popcount(set) < __builtin_popcount(*best)))
      best = set;
  if (!best)
    return std::nullopt;
  ShardingOption result = option;
  result.bounds = given;
  for (size_t loop = 0; loop < given.size(); ++loop) {
    if (!(*best >> loop & 1) || !given[loop].empty())
      continue;
    int64_t parts = grid.groupSize(option.loops[loop]);
    for (int64_t part = 0; part <= parts; ++part)
      result.bounds[loop].push_back(part * table.loops[loop].extent / parts);
  }
  return result;
}

std::string describe(const std::optional<ShardingOption> &option) {
  if (!option)
    return "nothing";
  std::ostringstream text;
  for (const auto &bounds : option->bounds) {
    text << "[";
    for (int64_t bound : bounds)
      text << " " << bound;
    text << " ]";
  }
  return text.str();
}

TEST(BlockBounds, AreThoseOfTheHeader) {
  TableKinds kinds;
  kinds.reductions = kinds.merged = kinds.windows = kinds.unknown = true;
  unsigned some = 0, completed = 0, none = 0, wrong = 0;
  for (unsigned seed = 0; seed < 100000; ++seed) {
    Random random(seed);
    LoopTable table = randomTable(random, kinds);
    Grid grid{random.of<std::vector<int64_t>>({{2}, {2, 2}, {3, 2}})};
    ShardingOption option = randomOption(random, table, grid);
    std::vector<Sharding> operands;
    for (const TensorLoops &tensor : table.operands) {
      Sharding sharding = Sharding::replicated(tensor.dims.size());
      if (!random.oneIn(5))
        sharding = operandSharding(table, operands.size(), option);
      else
        placeAxes(random, grid.shape.size(), sharding.dims);
      std::vector<int64_t> shape = shapeOf(table, tensor);
      for (int64_t &extent : shape)
        extent = extent == kDynamic ? 5 : extent;
      if (!random.oneIn(3))
        sharding.offsets = randomBounds(random, grid, shape, sharding);
      // Some are made to order.
      operands.push_back(random.oneIn(10) ? Sharding() : sharding);
    }
    std::optional<ShardingOption> want =
        expected(table, grid, operands, option);
    std::optional<ShardingOption> got =
        withBounds(table, grid, operands, option);
    if (!(want == got) && ++wrong <= 5)
      ADD_FAILURE() << "seed " << seed << ": " << describe(got)
                    << " instead of " << describe(want);
    some += bool(want);
    completed +=
        want && want->bounds != proposed(table, grid, operands, option);
    none += !want;
  }
  EXPECT_EQ(wrong, 0u);
  EXPECT_GT(some, 2000u);
  EXPECT_GT(completed, 300u);
  EXPECT_GT(none, 2000u);
}

} // namespace
