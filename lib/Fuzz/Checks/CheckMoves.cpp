//===- CheckMoves.cpp - What propagation asks of loop tables --------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sharding that is not followed, or a move that is not tried, gives programs that are right
// and send more. So each is found once more, among all options.
//
//===----------------------------------------------------------------------===//

#include "CheckMoves.h"
#include "MoveOracle.h"

#include "../../Propagation/Followers.h"
#include "../../Propagation/OpWishes.h"

#include "shard/Fuzz/Random.h"
#include "shard/Partitioning/ShardingOption.h"

#include <algorithm>
#include <set>

using namespace shard;
using namespace shard::fuzz;
using namespace shard::propagation;

/// Ops with more loops have too many options.
static constexpr size_t kMostLoops = 4;

namespace {

using Lists = std::vector<AxisList>;

class TableOracle {
public:
  TableOracle(const LoopTable &table, const Grid &grid, Random &rng);
  std::string compare();

private:
  void enumerate(llvm::ArrayRef<GridAxis> order, size_t axis, Lists &lists);
  void drawShardings();
  size_t numTensors() const {
    return table.operands.size() + table.results.size();
  }
  /// Whether the tensor has dimensions that no window slides over.
  bool isPlain(unsigned tensor) const;

  std::vector<ShardingOption> optionsFor(unsigned tensor) const;
  std::optional<Sharding> followerOf(unsigned other, const ShardingOption &from,
                                     const ShardingOption &kept) const;
  std::string compareFollowers() const;
  bool isLoopSplit(int32_t loop, unsigned by) const;
  std::string compareWindows() const;

  std::string describe() const;

  const LoopTable &table;
  const Grid &grid;
  Random &rng;
  std::set<std::vector<std::vector<GridAxis>>> seen;
  std::vector<ShardingOption> options;
  /// Of operands, then results.
  std::vector<Sharding> shardings;
  /// What the loops are split by now.
  ShardingOption option;
};

} // namespace

static bool isPrefix(const AxisList &list, const AxisList &of) {
  return list.size() <= of.size() &&
         std::equal(list.begin(), list.end(), of.begin());
}

TableOracle::TableOracle(const LoopTable &table, const Grid &grid, Random &rng)
    : table(table), grid(grid), rng(rng) {
  std::vector<GridAxis> order;
  for (size_t axis = 0; axis < grid.shape.size(); ++axis)
    order.push_back(static_cast<GridAxis>(axis));
  Lists lists(table.loops.size());
  do
    enumerate(order, 0, lists);
  while (std::next_permutation(order.begin(), order.end()));
  option = rng.oneOf(options);
  drawShardings();
}

void TableOracle::enumerate(llvm::ArrayRef<GridAxis> order, size_t axis,
                            Lists &lists) {
  if (axis < order.size()) {
    enumerate(order, axis + 1, lists);
    for (AxisList &axes : lists) {
      axes.push_back(order[axis]);
      enumerate(order, axis + 1, lists);
      axes.pop_back();
    }
    return;
  }
  std::vector<std::vector<GridAxis>> key;
  for (const AxisList &axes : lists)
    key.emplace_back(axes.begin(), axes.end());
  if (!seen.insert(key).second)
    return;
  ShardingOption option;
  option.loops.assign(lists.begin(), lists.end());
  if (isValidOption(table, grid, option))
    options.push_back(std::move(option));
}

/// Those that one option gives, and any.
void TableOracle::drawShardings() {
  const ShardingOption &some = rng.oneOf(options);
  for (unsigned tensor = 0; tensor < numTensors(); ++tensor) {
    Sharding sharding = tensorSharding(table, tensor, some);
    sharding.partial.clear();
    for (size_t axis = 0; axis < grid.shape.size() && rng.chance(50); ++axis) {
      for (AxisList &axes : sharding.dims)
        llvm::erase(axes, static_cast<GridAxis>(axis));
      if (!sharding.dims.empty())
        sharding.dims[rng.between(0, int64_t(sharding.dims.size()) - 1)]
            .push_back(static_cast<GridAxis>(axis));
    }
    shardings.push_back(std::move(sharding));
  }
}

bool TableOracle::isPlain(unsigned tensor) const {
  const TensorLoops &loops = tensorLoops(table, tensor);
  return loops.isTensor && loops.windows.empty() &&
         shardings[tensor].halos.empty() && shardings[tensor].offsets.empty();
}

/// The options that give a tensor its sharding and split no loop beside: several where a dimension
/// has several loops.
std::vector<ShardingOption> TableOracle::optionsFor(unsigned tensor) const {
  std::vector<ShardingOption> found;
  for (const ShardingOption &option : options) {
    bool splitsOthers = false;
    for (size_t loop = 0; loop < table.loops.size(); ++loop) {
      bool isOwn = false;
      for (const DimLoops &dim : tensorLoops(table, tensor).dims)
        isOwn |= llvm::is_contained(dim, int32_t(loop));
      splitsOthers |= !isOwn && !option.loops[loop].empty();
    }
    if (!splitsOthers &&
        tensorSharding(table, tensor, option) == shardings[tensor])
      found.push_back(option);
  }
  return found;
}

/// What `other` becomes if it follows `tensor`, where one option gives each of them.
std::optional<Sharding>
TableOracle::followerOf(unsigned other, const ShardingOption &from,
                        const ShardingOption &kept) const {
  for (const ShardingOption &option : options) {
    bool hasBoth = true;
    for (size_t i = 0; i < table.loops.size(); ++i)
      hasBoth &= option.loops[i] ==
                     (from.loops[i].empty() ? kept.loops[i] : from.loops[i]) &&
                 isPrefix(kept.loops[i], option.loops[i]);
    if (!hasBoth)
      continue;
    Sharding followed = tensorSharding(table, other, option);
    followed.partial.clear();
    if (followed.dims != shardings[other].dims)
      return followed;
  }
  return std::nullopt;
}

std::string TableOracle::compareFollowers() const {
  std::vector<std::vector<ShardingOption>> given;
  for (unsigned tensor = 0; tensor < numTensors(); ++tensor)
    given.push_back(optionsFor(tensor));
  for (unsigned tensor = 0; tensor < numTensors(); ++tensor) {
    if (!isPlain(tensor))
      continue;
    const Sharding &own = shardings[tensor];
    std::optional<ShardingOption> found = optionOf(table, grid, tensor, own);
    if (found ? !llvm::is_contained(given[tensor], *found)
              : given[tensor].size() == 1)
      return "another option gives tensor " + std::to_string(tensor) +
             " its sharding " + toString(own);
    for (unsigned other = 0; other < numTensors(); ++other)
      if (isPlain(other) && given[tensor].size() == 1 &&
          given[other].size() == 1 &&
          followKeeping(table, grid, tensor, own, other, shardings[other]) !=
              followerOf(other, given[tensor][0], given[other][0]))
        return "tensor " + std::to_string(other) + ", " +
               toString(shardings[other]) + ", follows tensor " +
               std::to_string(tensor) + ", " + toString(own) + ", wrongly";
    int64_t parts = 1;
    bool isEven = true, isFilled = true;
    std::vector<int64_t> extents;
    for (const AxisList &axes : own.dims) {
      extents.push_back(rng.between(1, 12));
      int64_t here = 1;
      for (GridAxis axis : axes)
        here *= grid.shape[axis];
      parts *= here;
      isEven &= extents.back() % here == 0;
      isFilled &= extents.back() >= here;
    }
    if (partsOf(grid, own) != parts ||
        mayBeSplit(extents, grid, own, /*evenly=*/true) != isEven ||
        mayBeSplit(extents, grid, own, /*evenly=*/false) != isFilled)
      return "a tensor is split otherwise than by " + toString(own);
  }
  return {};
}

/// Whether the sharding of tensor `by` splits a dimension that the loop indexes.
bool TableOracle::isLoopSplit(int32_t loop, unsigned by) const {
  const TensorLoops &loops = tensorLoops(table, by);
  for (size_t dim = 0; dim < loops.dims.size(); ++dim)
    if (!shardings[by].dims[dim].empty() &&
        llvm::is_contained(loops.dims[dim], loop))
      return true;
  return false;
}

/// Whether a tensor takes windows apart: an operand that is read in windows is split where they
/// slide, or would be as this tensor is, or nobody knows.
std::string TableOracle::compareWindows() const {
  auto tensor = unsigned(rng.between(0, int64_t(numTensors()) - 1));
  // Of operands without windows nobody asks.
  int64_t unknown = rng.between(0, 3 * int64_t(numTensors()));
  bool expected = false;
  for (unsigned operand = 0; operand < table.operands.size(); ++operand) {
    const TensorLoops &loops = table.operands[operand];
    for (size_t dim = 0; dim < loops.windows.size(); ++dim)
      expected |= operand == unknown ||
                  (loops.isWindow(dim) &&
                   (!shardings[operand].dims[dim].empty() ||
                    llvm::any_of(loops.dims[dim], [&](int32_t loop) {
                      return isLoopSplit(loop, tensor);
                    })));
  }
  auto shardingOf = [&](unsigned operand) {
    return operand == unknown ? std::nullopt
                              : std::optional(shardings[operand]);
  };
  if (splitsWindow(table, tensor, shardings[tensor], shardingOf) == expected)
    return {};
  return "windows are " + std::string(expected ? "split" : "whole") +
         " where tensor " + std::to_string(tensor) + " is " +
         toString(shardings[tensor]);
}

std::string TableOracle::describe() const {
  std::string text = ": loops";
  for (auto [loop, axes] : llvm::zip_equal(table.loops, option.loops)) {
    text += " " + std::to_string(loop.extent) + " [";
    for (GridAxis axis : axes)
      text += " " + std::to_string(axis);
    text += " ]";
  }
  for (const Sharding &sharding : shardings)
    text += ", " + toString(sharding);
  text += " on a grid of";
  for (int64_t size : grid.shape)
    text += " " + std::to_string(size);
  return text;
}

std::string TableOracle::compare() {
  std::string wrong = compareFollowers();
  if (wrong.empty())
    wrong = compareWindows();
  if (wrong.empty() && table.results.size() == 1)
    wrong =
        MoveOracle(table, grid, option,
                   llvm::ArrayRef(shardings).take_front(table.operands.size()))
            .compare(options);
  return wrong.empty() ? wrong : wrong + describe();
}

std::string shard::fuzz::checkMoves(const LoopTable &table, const Grid &grid,
                                    Random &rng) {
  // Loops of one iteration, and axes of one device, may be anywhere.
  if (table.loops.size() > kMostLoops || grid.shape.size() > 3 ||
      llvm::any_of(table.loops, [](const Loop &l) { return l.extent < 2; }) ||
      llvm::is_contained(grid.shape, 1))
    return {};
  return TableOracle(table, grid, rng).compare();
}
