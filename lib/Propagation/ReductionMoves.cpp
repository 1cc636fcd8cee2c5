//===- ReductionMoves.cpp - Other loops for the axes of sums --------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReductionMoves.h"

#include "llvm/ADT/STLExtras.h"

namespace shard::propagation {

/// Whether a window of an operand slides by loop `number`, or is that loop.
static bool isLoopOfWindow(const LoopTable &table, int32_t number) {
  return llvm::any_of(table.operands, [&](const TensorLoops &operand) {
    for (auto [dim, loops] : llvm::enumerate(operand.dims))
      if (operand.isWindow(dim) && llvm::is_contained(loops, number))
        return true;
    return false;
  });
}

/// Appends to `moved` the options that have `axes` on a parallel loop instead of on
/// reduction loops.
static void addMoves(const LoopTable &table, const Grid &grid,
                     const ShardingOption &option, const AxisList &axes,
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
    if (loop.kind == LoopKind::Parallel && !isLoopOfWindow(table, number) &&
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
  if (axes.empty())
    return moved;
  addMoves(table, grid, option, axes, moved);
  if (axes.size() > 1)
    for (GridAxis axis : axes)
      addMoves(table, grid, option, {axis}, moved);
  return moved;
}

bool mergesOperand(const LoopTable &table) {
  return table.operands.size() == 1 && table.operands.front().isTensor &&
         llvm::any_of(table.results, [](const TensorLoops &result) {
           return llvm::any_of(result.dims, [](const DimLoops &loops) {
             return loops.size() > 1;
           });
         });
}

std::vector<ShardingOption> moveMinorAxes(const LoopTable &table,
                                          const Grid &grid,
                                          const ShardingOption &option,
                                          const Sharding &operand) {
  std::vector<ShardingOption> moved;
  llvm::SmallVector<AxisList> has;
  projectToLoops(table, table.operands.front(), grid, operand, has);
  for (const TensorLoops &result : table.results)
    for (const DimLoops &merged : result.dims)
      for (int32_t minor : llvm::drop_begin(merged, merged.empty() ? 0 : 1)) {
        if (has[minor].empty() || !option.loops[minor].empty())
          continue;
        ShardingOption made = option;
        AxisList &list = made.loops[merged.front()];
        list.insert(list.end(), has[minor].begin(), has[minor].end());
        int64_t extent = table.loops[merged.front()].extent;
        int64_t parts = grid.groupSize(list);
        if (extent != kDynamic && parts != kDynamic && extent % parts == 0 &&
            isValidOption(table, grid, made))
          moved.push_back(std::move(made));
      }
  return moved;
}

} // namespace shard::propagation
