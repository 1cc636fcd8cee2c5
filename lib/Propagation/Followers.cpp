//===- Followers.cpp - What one tensor of an op means for others ----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Followers.h"

#include "OpWishes.h"

using namespace mlir;

namespace shard::propagation {

std::optional<ShardingOption> optionOf(const LoopTable &table, const Grid &grid,
                                       unsigned tensor,
                                       const Sharding &sharding) {
  ShardingOption option;
  llvm::SmallVector<AxisList> loops;
  projectToLoops(table, tensorLoops(table, tensor), grid, sharding, loops);
  option.loops.assign(loops.begin(), loops.end());
  if (!isValidOption(table, grid, option) ||
      tensorSharding(table, tensor, option) != sharding)
    return std::nullopt;
  return option;
}

std::optional<Sharding> followKeeping(const LoopTable &table, const Grid &grid,
                                      unsigned tensor, const Sharding &sharding,
                                      unsigned other, const Sharding &kept) {
  std::optional<ShardingOption> option =
      optionOf(table, grid, tensor, sharding);
  std::optional<ShardingOption> own = optionOf(table, grid, other, kept);
  if (!option || !own)
    return std::nullopt;
  for (auto [loop, axes] : llvm::zip_equal(option->loops, own->loops))
    if (loop.empty())
      loop = axes;
    else if (axes.size() > loop.size() ||
             !std::equal(axes.begin(), axes.end(), loop.begin()))
      return std::nullopt;
  // An axis of both on two loops makes the option invalid.
  if (!isValidOption(table, grid, *option))
    return std::nullopt;
  Sharding followed = tensorSharding(table, other, *option);
  followed.partial.clear();
  if (followed.dims == kept.dims)
    return std::nullopt;
  return followed;
}

std::optional<unsigned> findRepeated(const LoopTable &table, Operation *owner,
                                     llvm::ArrayRef<unsigned> made) {
  std::optional<unsigned> found;
  for (auto [index, operand] : llvm::enumerate(table.operands))
    if (operand.isTensor && !llvm::is_contained(made, index)) {
      if (found)
        return std::nullopt;
      found = index;
    }
  auto hasAllLoops = [&](const TensorLoops &tensor) {
    return tensor.dims.size() == table.loops.size() &&
           llvm::all_of(tensor.dims,
                        [](const DimLoops &dim) { return dim.size() == 1; });
  };
  if (!found || owner->getNumResults() != 1 || table.results.size() != 1 ||
      !hasAllLoops(table.operands[*found]) ||
      !hasAllLoops(table.results.front()) ||
      llvm::any_of(table.loops, [](const Loop &loop) {
        return loop.kind != LoopKind::Parallel;
      }))
    return std::nullopt;
  return found;
}

int64_t partsOf(const Grid &grid, const Sharding &sharding) {
  int64_t parts = 1;
  for (const AxisList &axes : sharding.dims)
    parts *= grid.groupSize(axes);
  return parts;
}

bool mayBeSplit(llvm::ArrayRef<int64_t> extents, const Grid &grid,
                const Sharding &sharding, bool evenly) {
  return llvm::all_of(llvm::zip_equal(extents, sharding.dims),
                      [&](const auto &dim) {
                        auto [extent, axes] = dim;
                        int64_t parts = grid.groupSize(axes);
                        return extent == kDynamic || parts == 1 ||
                               (evenly ? extent % parts == 0 : extent >= parts);
                      });
}

bool splitsWindow(
    const LoopTable &table, unsigned tensor, const Sharding &sharding,
    llvm::function_ref<std::optional<Sharding>(unsigned)> shardingOf) {
  const TensorLoops &own = tensorLoops(table, tensor);
  for (auto [number, operand] : llvm::enumerate(table.operands)) {
    if (operand.windows.empty())
      continue;
    std::optional<Sharding> has = shardingOf(number);
    if (!has)
      return true;
    for (unsigned dim = 0; dim < operand.dims.size(); ++dim) {
      if (!operand.isWindow(dim))
        continue;
      if (!has->dims[dim].empty())
        return true;
      for (auto [loops, axes] : llvm::zip_equal(own.dims, sharding.dims))
        if (!axes.empty() &&
            llvm::is_contained(loops, operand.dims[dim].front()))
          return true;
    }
  }
  return false;
}

} // namespace shard::propagation
