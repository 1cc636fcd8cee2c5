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

/// Whether `parts` cut `extent` evenly, or, `nearly`, into blocks of which little is padding.
static bool cuts(int64_t extent, int64_t parts, bool nearly) {
  constexpr int64_t kLeast = 8;
  int64_t padding = (parts - extent % parts) % parts;
  return padding <= (nearly ? extent / kLeast : 0);
}

/// Whether loop `number` can have the axes that `made` has on it: they divide it, or nearly so, and
/// no window slides by it.
static bool mayTakeAxes(const LoopTable &table, const Grid &grid,
                        const ShardingOption &made, int32_t number,
                        bool nearly = false) {
  int64_t parts = grid.groupSize(made.loops[number]),
          extent = table.loops[number].extent;
  return !isLoopOfWindow(table, number) && extent != kDynamic &&
         parts != kDynamic && cuts(extent, parts, nearly);
}

/// Appends to `moved` the options that have `axes` on a parallel loop instead of on
/// reduction loops, which they cut evenly or, `nearly`, almost so.
static void addMoves(const LoopTable &table, const Grid &grid,
                     const ShardingOption &option, const AxisList &axes,
                     bool nearly, std::vector<ShardingOption> &moved) {
  ShardingOption without = option;
  for (auto [loop, list] : llvm::zip_equal(table.loops, without.loops))
    if (loop.kind == LoopKind::Reduction)
      llvm::erase_if(
          list, [&](GridAxis axis) { return llvm::is_contained(axes, axis); });
  for (auto [number, loop] : llvm::enumerate(table.loops)) {
    ShardingOption made = without;
    AxisList &list = made.loops[number];
    list.insert(list.end(), axes.begin(), axes.end());
    if (loop.kind == LoopKind::Parallel &&
        mayTakeAxes(table, grid, made, number, nearly) &&
        isValidOption(table, grid, made))
      moved.push_back(std::move(made));
  }
}

/// Appends the moves of all `axes` together and of each one alone.
static void addMoves(const LoopTable &table, const Grid &grid,
                     const ShardingOption &option, const AxisList &axes,
                     double leastRatio, std::vector<AxisMove> &moves) {
  if (axes.empty())
    return;
  // What follows of uneven blocks is not all priced: they have to save as much as sums.
  bool nearly = leastRatio > 1;
  std::vector<ShardingOption> moved;
  addMoves(table, grid, option, axes, nearly, moved);
  if (axes.size() > 1)
    for (GridAxis axis : axes)
      addMoves(table, grid, option, {axis}, nearly, moved);
  for (ShardingOption &made : moved)
    moves.push_back({std::move(made), leastRatio});
}

/// The axes of reduction loops of `option`.
static AxisList summedAxes(const LoopTable &table,
                           const ShardingOption &option) {
  AxisList axes;
  for (auto [loop, list] : llvm::zip_equal(table.loops, option.loops))
    if (loop.kind == LoopKind::Reduction)
      axes.insert(axes.end(), list.begin(), list.end());
  return axes;
}

/// The axes by which operands are gathered: those that `operands` have on reduction loops, or on
/// dimensions without a loop, and that no loop of `option` has.
static AxisList gatheredAxes(const LoopTable &table, const Grid &grid,
                             const ShardingOption &option,
                             llvm::ArrayRef<Sharding> operands) {
  AxisList axes;
  auto isNew = [&](GridAxis axis) {
    return !llvm::is_contained(axes, axis) &&
           llvm::none_of(option.loops, [&](const AxisList &list) {
             return llvm::is_contained(list, axis);
           });
  };
  llvm::SmallVector<AxisList> has;
  for (auto [tensor, sharding] : llvm::zip_equal(table.operands, operands)) {
    if (!tensor.isTensor || sharding.dims.size() != tensor.dims.size())
      continue;
    projectToLoops(table, tensor, grid, sharding, has);
    for (auto [loop, list] : llvm::zip_equal(table.loops, has))
      if (loop.kind == LoopKind::Reduction)
        llvm::copy_if(list, std::back_inserter(axes), isNew);
    for (auto [loops, list] : llvm::zip_equal(tensor.dims, sharding.dims))
      if (loops.empty())
        llvm::copy_if(list, std::back_inserter(axes), isNew);
  }
  return axes;
}

namespace {
/// An axis of a parallel loop that an operand has on the reduction loop `sum`.
struct ExchangedAxis {
  GridAxis axis;
  int32_t sum;
};
} // namespace

static bool isOnParallelLoop(const LoopTable &table,
                             const ShardingOption &option, GridAxis axis) {
  return llvm::any_of(llvm::zip_equal(table.loops, option.loops),
                      [&](const auto &pair) {
                        auto &[loop, axes] = pair;
                        return loop.kind == LoopKind::Parallel &&
                               llvm::is_contained(axes, axis);
                      });
}

/// The axes for which an operand is exchanged: it has them on a reduction loop and `option` on a
/// parallel one. Each once, with the loop of the first operand.
static std::vector<ExchangedAxis>
exchangedAxes(const LoopTable &table, const Grid &grid,
              const ShardingOption &option, llvm::ArrayRef<Sharding> operands) {
  std::vector<ExchangedAxis> found;
  llvm::SmallVector<AxisList> has;
  for (auto [tensor, sharding] : llvm::zip_equal(table.operands, operands)) {
    if (!tensor.isTensor || sharding.dims.size() != tensor.dims.size())
      continue;
    projectToLoops(table, tensor, grid, sharding, has);
    for (auto [number, loop] : llvm::enumerate(table.loops)) {
      if (loop.kind != LoopKind::Reduction)
        continue;
      for (GridAxis axis : has[number])
        if (isOnParallelLoop(table, option, axis) &&
            llvm::none_of(found, [&, axis = axis](const ExchangedAxis &other) {
              return other.axis == axis;
            }))
          found.push_back({axis, int32_t(number)});
    }
  }
  return found;
}

/// Appends the move of the exchanged axes, all together, to the reduction loops.
static void addSum(const LoopTable &table, const Grid &grid,
                   const ShardingOption &option,
                   llvm::ArrayRef<Sharding> operands,
                   std::vector<AxisMove> &moves) {
  std::vector<ExchangedAxis> axes =
      exchangedAxes(table, grid, option, operands);
  if (axes.empty())
    return;
  ShardingOption made = option;
  for (auto [axis, sum] : axes) {
    for (AxisList &list : made.loops)
      llvm::erase(list, axis);
    made.loops[sum].push_back(axis);
    if (!mayTakeAxes(table, grid, made, sum))
      return;
  }
  if (isValidOption(table, grid, made))
    moves.push_back({std::move(made), 1});
}

/// The axes by which an operand is gathered because another parallel loop of `option` has them than
/// the one that the operand has them on.
static AxisList axesOfOtherLoops(const LoopTable &table, const Grid &grid,
                                 const ShardingOption &option,
                                 llvm::ArrayRef<Sharding> operands) {
  AxisList axes;
  llvm::SmallVector<AxisList> has;
  for (auto [tensor, sharding] : llvm::zip_equal(table.operands, operands)) {
    if (!tensor.isTensor || sharding.dims.size() != tensor.dims.size())
      continue;
    projectToLoops(table, tensor, grid, sharding, has);
    for (auto [loop, list, split] :
         llvm::zip_equal(table.loops, has, option.loops))
      for (GridAxis axis : list)
        if (loop.kind == LoopKind::Parallel &&
            !llvm::is_contained(split, axis) &&
            isOnParallelLoop(table, option, axis) &&
            !llvm::is_contained(axes, axis))
          axes.push_back(axis);
  }
  return axes;
}

static bool isLoopOfAllOperands(const LoopTable &table, int32_t number) {
  return llvm::all_of(table.operands, [&](const TensorLoops &tensor) {
    return !tensor.isTensor ||
           llvm::any_of(tensor.dims, [&](const DimLoops &loops) {
             return llvm::is_contained(loops, number);
           });
  });
}

/// Appends the moves of such axes, all together, to each parallel loop that all operands have. What
/// is behind the regions that follow is not priced, so they have to save a third.
static void addCommonLoops(const LoopTable &table, const Grid &grid,
                           const ShardingOption &option,
                           llvm::ArrayRef<Sharding> operands,
                           std::vector<AxisMove> &moves) {
  AxisList axes = axesOfOtherLoops(table, grid, option, operands);
  if (axes.empty() || llvm::none_of(table.loops, [](const Loop &loop) {
        return loop.kind == LoopKind::Reduction;
      }))
    return;
  ShardingOption without = option;
  for (AxisList &list : without.loops)
    llvm::erase_if(
        list, [&](GridAxis axis) { return llvm::is_contained(axes, axis); });
  for (auto [number, loop] : llvm::enumerate(table.loops)) {
    ShardingOption made = without;
    AxisList &list = made.loops[number];
    list.insert(list.end(), axes.begin(), axes.end());
    if (loop.kind == LoopKind::Parallel && isLoopOfAllOperands(table, number) &&
        mayTakeAxes(table, grid, made, number) &&
        isValidOption(table, grid, made) && made.loops != option.loops)
      moves.push_back({std::move(made), 1.5});
  }
}

/// Whether an op merges dimensions of its one operand, a tensor.
static bool mergesOperand(const LoopTable &table) {
  return table.operands.size() == 1 && table.operands.front().isTensor &&
         llvm::any_of(table.results, [](const TensorLoops &result) {
           return llvm::any_of(result.dims, [](const DimLoops &loops) {
             return loops.size() > 1;
           });
         });
}

bool mayGatherAxes(const LoopTable &table) {
  return mergesOperand(table) ||
         llvm::any_of(table.operands, [](const TensorLoops &operand) {
           return operand.isTensor &&
                  llvm::any_of(operand.dims, [](const DimLoops &loops) {
                    return loops.empty();
                  });
         });
}

namespace {
/// The axes that the operand has on a minor loop of a merged dimension, and the major loop.
struct MinorAxes {
  AxisList axes;
  int32_t major;
};
} // namespace

static std::vector<MinorAxes> findMinorAxes(const LoopTable &table,
                                            const Grid &grid,
                                            const ShardingOption &option,
                                            const Sharding &operand) {
  std::vector<MinorAxes> found;
  llvm::SmallVector<AxisList> has;
  projectToLoops(table, table.operands.front(), grid, operand, has);
  for (const TensorLoops &result : table.results)
    for (const DimLoops &merged : result.dims)
      for (int32_t minor : llvm::drop_begin(merged, merged.empty() ? 0 : 1))
        if (!has[minor].empty() && option.loops[minor].empty())
          found.push_back({has[minor], merged.front()});
  return found;
}

/// The options that split loops as `option` does, and major loops of merged dimensions by the axes
/// that `operand`, the sharding of the operand, has on minor ones: those of one loop alone, all of
/// them each at its own major loop, or all at one. The latter is a single exchange.
static std::vector<AxisMove> moveMinorAxes(const LoopTable &table,
                                           const Grid &grid,
                                           const ShardingOption &option,
                                           const Sharding &operand) {
  std::vector<MinorAxes> minors = findMinorAxes(table, grid, option, operand);
  std::vector<AxisMove> moves;
  // `major` instead of the own loop of each, if it is none.
  auto add = [&](llvm::ArrayRef<MinorAxes> moved, int32_t major) {
    ShardingOption made = option;
    for (const MinorAxes &minor : moved) {
      int32_t loop = major < 0 ? minor.major : major;
      AxisList &list = made.loops[loop];
      list.insert(list.end(), minor.axes.begin(), minor.axes.end());
      int64_t extent = table.loops[loop].extent, parts = grid.groupSize(list);
      if (extent == kDynamic || parts == kDynamic || extent % parts != 0)
        return;
    }
    auto isSame = [&](const AxisMove &known) {
      return known.option.loops == made.loops;
    };
    if (isValidOption(table, grid, made) && llvm::none_of(moves, isSame))
      moves.push_back({std::move(made), 1});
  };
  constexpr int32_t own = -1;
  for (const MinorAxes &minor : minors)
    add(minor, own);
  if (minors.size() < 2)
    return moves;
  add(minors, own);
  for (const MinorAxes &minor : minors)
    add(minors, minor.major);
  return moves;
}

std::vector<AxisMove> findAxisMoves(const LoopTable &table, const Grid &grid,
                                    const ShardingOption &chosen,
                                    llvm::ArrayRef<Sharding> operands) {
  // Bounds of blocks are those of the axes that loops have, and not of others.
  ShardingOption option = chosen;
  option.bounds.clear();
  if (mergesOperand(table))
    return moveMinorAxes(table, grid, option, operands.front());
  std::vector<AxisMove> moves;
  addMoves(table, grid, option, summedAxes(table, option), kRatioOfSums, moves);
  addMoves(table, grid, option, gatheredAxes(table, grid, option, operands), 1,
           moves);
  addSum(table, grid, option, operands, moves);

  addCommonLoops(table, grid, option, operands, moves);
  return moves;
}

} // namespace shard::propagation
