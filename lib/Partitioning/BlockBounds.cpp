//===- BlockBounds.cpp - Loops over blocks with explicit bounds -----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A matmul whose left operand has rows [0, 5) on one device and [5, 8) on the other
// computes these rows of its result there. So an operand gives its bounds to the loops
// of its dimensions, and these to all other tensors that they index.
//
//===----------------------------------------------------------------------===//

#include "OptionCandidates.h"

#include "shard/Partitioning/ShardingOption.h"

using namespace mlir;

namespace shard {

std::vector<std::vector<int64_t>> boundsOfDims(const Grid &grid,
                                               const Sharding &sharding) {
  std::vector<std::vector<int64_t>> bounds(sharding.dims.size());
  auto next = sharding.offsets.begin();
  for (auto [list, axes] : llvm::zip_equal(bounds, sharding.dims)) {
    if (axes.empty())
      continue;
    auto end = next + grid.groupSize(axes) + 1;
    list.assign(next, end);
    next = end;
  }
  return bounds;
}

std::optional<ShardingOption> optionOfLayout(const LoopTable &table,
                                             const Grid &grid,
                                             ArrayRef<Sharding> operands,
                                             ArrayRef<Sharding> results,
                                             bool hasStaticResults) {
  if (!table.pointwise || results.empty())
    return std::nullopt;
  const Sharding &common = results.front();
  if ((common.halos.empty() && common.offsets.empty()) ||
      !common.partial.empty() ||
      !llvm::all_of(results,
                    [&](const Sharding &own) { return own == common; }))
    return std::nullopt;
  bool takesTensors = false;
  for (auto [tensor, own] : llvm::zip_equal(table.operands, operands)) {
    if (tensor.isTensor && !own.dims.empty() && own != common)
      return std::nullopt;
    takesTensors |= tensor.isTensor;
  }
  // What is made of nothing takes its extents from its type, or from operands that say
  // how large the whole is.
  if (!takesTensors && (!common.offsets.empty() || common.hasRunTimeNumbers() ||
                        !hasStaticResults))
    return std::nullopt;
  ShardingOption option;
  option.loops.assign(common.dims.begin(), common.dims.end());
  option.halos = common.halos;
  if (!common.offsets.empty())
    option.bounds = boundsOfDims(grid, common);
  return option;
}

namespace {

class BoundsFinder {
public:
  BoundsFinder(const LoopTable &table, const Grid &grid, ShardingOption &option)
      : table(table), grid(grid), option(option) {}

  /// Takes the bounds of operand `index`, which has `sharding`. Those of a loop that has
  /// others already are not taken.
  void takeFrom(unsigned index, const Sharding &sharding) {
    const TensorLoops &tensor = table.operands[index];
    if (!tensor.isTensor || sharding.offsets.empty() ||
        sharding.dims.size() != tensor.dims.size())
      return;
    std::vector<std::vector<int64_t>> bounds = boundsOfDims(grid, sharding);
    for (auto [number, dim] : llvm::enumerate(tensor.dims)) {
      if (dim.size() != 1 || option.loops[dim.front()].empty() ||
          option.loops[dim.front()] != sharding.dims[number])
        continue;
      option.bounds.resize(table.loops.size());
      if (!option.hasBounds(dim.front()))
        option.bounds[dim.front()] = bounds[number];
    }
  }

  /// Gives bounds to the other split loops of tensors that have one with bounds. Returns
  /// false where a loop can have none.
  bool complete() {
    // Each round but the last gives bounds to a loop.
    for (bool changed = true; changed;) {
      changed = false;
      for (const TensorLoops &tensor :
           llvm::concat<const TensorLoops>(table.operands, table.results))
        if (!completeTensor(tensor, changed))
          return false;
    }
    return true;
  }

private:
  bool completeTensor(const TensorLoops &tensor, bool &changed) {
    bool any = false;
    for (const DimLoops &dim : tensor.dims)
      any |= llvm::any_of(dim,
                          [&](int32_t loop) { return option.hasBounds(loop); });
    if (!any)
      return true;
    for (auto [number, dim] : llvm::enumerate(tensor.dims))
      for (int32_t loop : dim) {
        if (option.loops[loop].empty())
          continue;
        if (dim.size() != 1 || tensor.isWindow(number))
          return false;
        if (option.hasBounds(loop))
          continue;
        if (!giveEvenBounds(loop))
          return false;
        changed = true;
      }
    return true;
  }

  /// Blocks without padding are those of the block layout.
  bool giveEvenBounds(int32_t loop) {
    int64_t extent = table.loops[loop].extent;
    int64_t parts = grid.groupSize(option.loops[loop]);
    if (ShapedType::isDynamic(extent) || extent % parts != 0)
      return false;
    for (int64_t part = 0; part <= parts; ++part)
      option.bounds[loop].push_back(extent / parts * part);
    return true;
  }

  const LoopTable &table;
  const Grid &grid;
  ShardingOption &option;
};

} // namespace

std::optional<ShardingOption> withBounds(const LoopTable &table,
                                         const Grid &grid,
                                         ArrayRef<Sharding> operands,
                                         const ShardingOption &option) {
  if (!table.uniform || llvm::all_of(operands, [](const Sharding &operand) {
        return operand.offsets.empty();
      }))
    return std::nullopt;
  ShardingOption result = option;
  BoundsFinder finder(table, grid, result);
  for (auto [index, sharding] : llvm::enumerate(operands))
    finder.takeFrom(index, sharding);
  if (result.bounds.empty() || !finder.complete())
    return std::nullopt;
  return result;
}

} // namespace shard
