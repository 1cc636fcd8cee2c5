//===- ReductionMoves.cpp - Other loops for the axes of sums --------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReductionMoves.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"

namespace shard::propagation {

/// The loops of `table` over which a window of an operand slides.
static llvm::SmallBitVector slidingLoops(const LoopTable &table) {
  llvm::SmallBitVector sliding(table.loops.size());
  for (const TensorLoops &operand : table.operands)
    for (auto [dim, loops] : llvm::enumerate(operand.dims))
      if (operand.isWindow(dim))
        for (int32_t loop : loops)
          sliding.set(loop);
  return sliding;
}

/// Appends to `moved` the options that have `axes` on a parallel loop that is not `sliding`
/// instead of on reduction loops.
static void addMoves(const LoopTable &table, const Grid &grid,
                     const ShardingOption &option, const AxisList &axes,
                     const llvm::SmallBitVector &sliding,
                     std::vector<ShardingOption> &moved) {
  ShardingOption without = option;
  for (auto [loop, list] : llvm::zip_equal(table.loops, without.loops))
    if (loop.kind == LoopKind::Reduction)
      llvm::erase_if(
          list, [&](GridAxis axis) { return llvm::is_contained(axes, axis); });
  for (auto [number, loop] : llvm::enumerate(table.loops)) {
    ShardingOption made = without;
    AxisList &list = made.loops[number];
    list.insert(list.end(), axes.begin(), axes.end());
    int64_t parts = grid.groupSize(list);
    if (loop.kind == LoopKind::Parallel && !sliding.test(number) &&
        loop.extent != kDynamic && parts != kDynamic &&
        loop.extent % parts == 0 && isValidOption(table, grid, made))
      moved.push_back(std::move(made));
  }
}

std::vector<ShardingOption> moveReductionAxes(const LoopTable &table,
                                              const Grid &grid,
                                              const ShardingOption &option) {
  AxisList axes;
  for (auto [loop, list] : llvm::zip_equal(table.loops, option.loops))
    if (loop.kind == LoopKind::Reduction)
      axes.insert(axes.end(), list.begin(), list.end());
  std::vector<ShardingOption> moved;
  // What a window needs of the neighbours is not priced here.
  llvm::SmallBitVector sliding = slidingLoops(table);
  if (axes.empty() || llvm::any_of(sliding.set_bits(), [&](unsigned loop) {
        return !option.loops[loop].empty();
      }))
    return moved;
  addMoves(table, grid, option, axes, sliding, moved);
  if (axes.size() > 1)
    for (GridAxis axis : axes)
      addMoves(table, grid, option, {axis}, sliding, moved);
  return moved;
}

} // namespace shard::propagation
