//===- MoveOracle.cpp - The moves of axes by their definition -------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MoveOracle.h"

#include "../../Propagation/ReductionMoves.h"

#include <algorithm>

using namespace shard;
using namespace shard::fuzz;
using namespace shard::propagation;

bool MoveOracle::isInWindow(size_t loop) const {
  for (const TensorLoops &tensor : table.operands)
    for (size_t dim = 0; dim < tensor.dims.size(); ++dim)
      if (tensor.isWindow(dim) &&
          llvm::is_contained(tensor.dims[dim], int32_t(loop)))
        return true;
  return false;
}

bool MoveOracle::divides(size_t loop, const AxisList &axes,
                         int64_t mostPadding) const {
  int64_t extent = table.loops[loop].extent, parts = 1;
  for (GridAxis axis : axes) {
    if (grid.shape[axis] == kDynamic)
      return false;
    parts *= grid.shape[axis];
  }
  if (extent == kDynamic)
    return false;
  int64_t width = (extent + parts - 1) / parts;
  int64_t padding = width * parts - extent;
  return padding * std::max<int64_t>(mostPadding, 1) <=
         (mostPadding ? extent : 0);
}

bool MoveOracle::merges() const {
  bool merges = false;
  for (const DimLoops &dim : table.results[0].dims)
    merges |= dim.size() > 1 && table.operands.size() == 1 &&
              table.operands[0].isTensor;
  return merges;
}

/// What `other` has behind the axes that `option` has on a loop; nothing if it has not those.
AxisList MoveOracle::added(const ShardingOption &other, size_t loop) const {
  const AxisList &has = option.loops[loop], &all = other.loops[loop];
  if (all.size() < has.size() ||
      !std::equal(has.begin(), has.end(), all.begin()))
    return {};
  return AxisList(all.begin() + has.size(), all.end());
}

/// Whether loops but `loop` and those of reductions have in `other` what they have in `option`,
/// and those of reductions that without `axes`.
bool MoveOracle::othersStay(const ShardingOption &other, size_t loop,
                            const AxisList &axes) const {
  for (size_t i = 0; i < table.loops.size(); ++i) {
    AxisList want = option.loops[i];
    if (isReduction(i))
      llvm::erase_if(
          want, [&](GridAxis axis) { return llvm::is_contained(axes, axis); });
    if (i != loop && other.loops[i] != want)
      return false;
  }
  return true;
}

AxisList MoveOracle::axesOfSums() const {
  AxisList axes;
  for (size_t i = 0; i < table.loops.size(); ++i)
    if (isReduction(i))
      llvm::append_range(axes, option.loops[i]);
  return axes;
}

/// The axes by which operands are gathered, on loops of sums or on dimensions without a loop;
/// each once, in order.
AxisList MoveOracle::gatheredAxes() const {
  AxisList axes, split;
  for (const AxisList &list : option.loops)
    llvm::append_range(split, list);
  auto add = [&](const AxisList &list) {
    for (GridAxis axis : list)
      if (!llvm::is_contained(split, axis) && !llvm::is_contained(axes, axis))
        axes.push_back(axis);
  };
  for (auto [tensor, sharding] : llvm::zip_equal(table.operands, operands)) {
    if (!tensor.isTensor)
      continue;
    llvm::SmallVector<AxisList> has;
    projectToLoops(table, tensor, grid, sharding, has);
    for (size_t i = 0; i < table.loops.size(); ++i)
      if (isReduction(i))
        add(has[i]);
    for (size_t dim = 0; dim < tensor.dims.size(); ++dim)
      if (tensor.dims[dim].empty())
        add(sharding.dims[dim]);
  }
  return axes;
}

/// Whether `other` has `axes`, or one of them, on one parallel loop.
bool MoveOracle::movesAll(const ShardingOption &other, const AxisList &axes,
                          int64_t mostPadding) const {
  for (size_t loop = 0; loop < table.loops.size(); ++loop) {
    AxisList more = added(other, loop);
    bool areThose = !more.empty() &&
                    (more == axes ||
                     (more.size() == 1 && llvm::is_contained(axes, more[0])));
    if (areThose && table.loops[loop].kind == LoopKind::Parallel &&
        !isInWindow(loop) && divides(loop, other.loops[loop], mostPadding) &&
        othersStay(other, loop, more))
      return true;
  }
  return false;
}

/// Whether `other` has on first loops of merged dimensions what the operand has on other ones of
/// these dimensions, which `option` leaves whole: what it has on one of them, or on all, then each
/// on its own first loop or all on one.
bool MoveOracle::movesMinor(const ShardingOption &other) const {
  llvm::SmallVector<AxisList> has;
  projectToLoops(table, table.operands[0], grid, operands[0], has);
  llvm::SmallVector<std::pair<int32_t, int32_t>> minors;
  for (const DimLoops &dim : table.results[0].dims)
    for (size_t i = 1; i < dim.size(); ++i)
      if (option.loops[dim[i]].empty() && !has[dim[i]].empty())
        minors.emplace_back(dim[i], dim[0]);
  auto isMoved = [&](llvm::ArrayRef<std::pair<int32_t, int32_t>> moved,
                     bool toOne, int32_t major) {
    for (size_t loop = 0; loop < table.loops.size(); ++loop) {
      AxisList want = option.loops[loop];
      for (auto [minor, own] : moved)
        if ((toOne ? major : own) == int32_t(loop))
          llvm::append_range(want, has[minor]);
      if (other.loops[loop] != want ||
          (want != option.loops[loop] && !divides(loop, want)))
        return false;
    }
    return true;
  };
  return llvm::any_of(minors, [&](const auto &minor) {
    return isMoved(minor, false, 0) || isMoved(minors, true, minor.second) ||
           isMoved(minors, false, 0);
  });
}

/// The axes of parallel loops that operands have on loops of sums, with the first of these loops.
std::vector<std::pair<GridAxis, size_t>> MoveOracle::exchangedAxes() const {
  std::vector<std::pair<GridAxis, size_t>> axes;
  for (auto [tensor, sharding] : llvm::zip_equal(table.operands, operands)) {
    if (!tensor.isTensor)
      continue;
    llvm::SmallVector<AxisList> has;
    projectToLoops(table, tensor, grid, sharding, has);
    for (size_t sum = 0; sum < table.loops.size(); ++sum)
      for (GridAxis axis : has[sum]) {
        bool isParallel = false, isKnown = false;
        for (size_t loop = 0; loop < table.loops.size(); ++loop)
          isParallel |= table.loops[loop].kind == LoopKind::Parallel &&
                        llvm::is_contained(option.loops[loop], axis);
        for (auto [known, loop] : axes)
          isKnown |= known == axis;
        if (isReduction(sum) && isParallel && !isKnown)
          axes.emplace_back(axis, sum);
      }
  }
  return axes;
}

/// Whether `other` has the exchanged axes on loops of sums.
bool MoveOracle::movesToSums(const ShardingOption &other) const {
  std::vector<std::pair<GridAxis, size_t>> axes = exchangedAxes();
  for (size_t loop = 0; loop < table.loops.size(); ++loop) {
    AxisList want = option.loops[loop];
    bool takes = false;
    for (auto [axis, sum] : axes) {
      llvm::erase(want, axis);
      if (sum == loop) {
        want.push_back(axis);
        takes = true;
      }
    }
    if (other.loops[loop] != want ||
        (takes && (isInWindow(loop) || !divides(loop, want))))
      return false;
  }
  return !axes.empty();
}

/// The axes of parallel loops that operands have on other parallel loops; each once, in order.
AxisList MoveOracle::axesOfOtherLoops() const {
  AxisList axes;
  for (auto [tensor, sharding] : llvm::zip_equal(table.operands, operands)) {
    if (!tensor.isTensor)
      continue;
    llvm::SmallVector<AxisList> has;
    projectToLoops(table, tensor, grid, sharding, has);
    for (size_t loop = 0; loop < table.loops.size(); ++loop)
      for (GridAxis axis : has[loop]) {
        bool isElsewhere = false;
        for (size_t i = 0; i < table.loops.size(); ++i)
          isElsewhere |= i != loop && !isReduction(i) &&
                         table.loops[i].kind == LoopKind::Parallel &&
                         llvm::is_contained(option.loops[i], axis);
        if (table.loops[loop].kind == LoopKind::Parallel && isElsewhere &&
            !llvm::is_contained(axes, axis))
          axes.push_back(axis);
      }
  }
  return axes;
}

/// Whether all tensors that the op takes have a parallel loop.
bool MoveOracle::isCommon(size_t loop) const {
  bool isCommon = table.loops[loop].kind == LoopKind::Parallel;
  for (const TensorLoops &tensor : table.operands) {
    bool has = !tensor.isTensor;
    for (const DimLoops &dim : tensor.dims)
      has |= llvm::is_contained(dim, int32_t(loop));
    isCommon &= has;
  }
  return isCommon;
}

/// Whether `other` has these axes on one such loop instead, of an op that sums.
bool MoveOracle::movesToCommon(const ShardingOption &other) const {
  AxisList axes = axesOfOtherLoops();
  bool sums = false;
  for (size_t loop = 0; loop < table.loops.size(); ++loop)
    sums |= isReduction(loop);
  for (size_t common = 0; common < table.loops.size(); ++common) {
    bool isMove = sums && !axes.empty() && isCommon(common) &&
                  !isInWindow(common) && divides(common, other.loops[common]);
    bool isNew = false;
    for (size_t loop = 0; loop < table.loops.size(); ++loop) {
      AxisList want = option.loops[loop];
      llvm::erase_if(
          want, [&](GridAxis axis) { return llvm::is_contained(axes, axis); });
      if (loop == common)
        llvm::append_range(want, axes);
      isMove &= other.loops[loop] == want;
      isNew |= option.loops[loop] != want;
    }
    if (isMove && isNew)
      return true;
  }
  return false;
}

std::vector<MoveOracle::Move>
MoveOracle::movesIn(llvm::ArrayRef<ShardingOption> options) const {
  std::vector<Move> moves;
  for (const ShardingOption &other : options) {
    std::vector<AxisList> lists(other.loops.begin(), other.loops.end());
    if (merges()) {
      if (movesMinor(other))
        moves.emplace_back(lists, 1);
      continue;
    }
    if (movesAll(other, axesOfSums(), /*mostPadding=*/8))
      moves.emplace_back(lists, 2);
    if (movesAll(other, gatheredAxes(), /*mostPadding=*/0))
      moves.emplace_back(lists, 1);
    if (movesToSums(other))
      moves.emplace_back(lists, 1);
    if (movesToCommon(other))
      moves.emplace_back(lists, 1.5);
  }
  std::sort(moves.begin(), moves.end());
  return moves;
}

std::string MoveOracle::compare(llvm::ArrayRef<ShardingOption> options) const {
  bool hasLoops = true;
  for (const TensorLoops &tensor : table.operands)
    for (const DimLoops &dim : tensor.dims)
      hasLoops &= !tensor.isTensor || !dim.empty();
  if (mayGatherAxes(table) != (merges() || !hasLoops))
    return "whether an axis of an operand may split no loop";
  std::vector<Move> expected = movesIn(options), found;
  for (const AxisMove &move : findAxisMoves(table, grid, option, operands)) {
    if (move.option.partial != option.partial ||
        move.option.halos != option.halos ||
        move.option.bounds != option.bounds)
      return "a move changes more than loops";
    found.emplace_back(std::vector<AxisList>(move.option.loops.begin(),
                                             move.option.loops.end()),
                       move.leastRatio);
  }
  std::sort(found.begin(), found.end());
  if (expected == found)
    return {};
  return "axes move to other loops in " + std::to_string(found.size()) +
         " ways, not in these " + std::to_string(expected.size());
}
