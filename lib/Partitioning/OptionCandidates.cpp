//===- OptionCandidates.cpp - The axes that loops may be split by ---------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OptionCandidates.h"

#include "shard/Interfaces/ShardingInterface.h"
#include "shard/Partitioning/Emitter.h"

using namespace mlir;

namespace shard {

bool isCombinedLate(const LoopTable &table, const Grid &grid, unsigned operand,
                    RankedTensorType type, const ShardingOption &option,
                    ArrayRef<Sharding> operands, ArrayRef<Sharding> results,
                    Planner *planner) {
  unsigned result = operand - table.firstInit;
  if (!table.isInit(operand) || !option.partial.empty() ||
      option.isPartialOperand(operand) ||
      !type.getElementType().isIntOrIndexOrFloat() ||
      result >= results.size() || !table.results[result].isTensor ||
      operands[operand] != results[result])
    return false;
  Sharding computed = resultSharding(table, result, option);
  const Sharding &wanted = results[result];
  size_t scattered = 0;
  for (auto [before, after, extent] :
       llvm::zip_equal(computed.dims, wanted.dims, type.getShape())) {
    int64_t parts = grid.groupSize(after);
    if (before.size() > after.size() || ShapedType::isDynamic(parts) ||
        ShapedType::isDynamic(extent) || extent % parts != 0 ||
        ArrayRef<GridAxis>(after).take_front(before.size()) !=
            ArrayRef<GridAxis>(before))
      return false;
    for (GridAxis axis : ArrayRef<GridAxis>(after).drop_front(before.size())) {
      if (llvm::is_contained(computed.partial, axis))
        ++scattered;
      else if (grid.shape[axis] != 1)
        return false;
    }
  }
  if (scattered == 0 || scattered != computed.partial.size() ||
      !wanted.partial.empty() || wanted.hasHalosOrOffsets())
    return false;
  if (!planner)
    return true;
  const Plan *plan = planWithUnknowns(*planner, grid, shapeOf(type),
                                      elementBytes(type), computed, wanted);
  return plan && llvm::all_of(plan->steps, [](const Step &step) {
           return step.kind == Step::Kind::ReduceScatter;
         });
}

void OptionCandidates::collect() {
  SmallVector<AxisList> proposals;
  auto propose = [&](const TensorLoops &tensor, const Sharding &sharding) {
    if (!tensor.isTensor || sharding.dims.size() != tensor.dims.size())
      return;
    projectToLoops(table, tensor, grid, sharding, proposals);
    for (auto [loop, axes] : llvm::zip_equal(lists, proposals))
      if (!axes.empty() && !llvm::is_contained(loop, axes))
        loop.push_back(axes);
  };
  for (auto [tensor, sharding] : llvm::zip_equal(table.operands, operands))
    propose(tensor, sharding);
  for (auto [tensor, sharding] : llvm::zip_equal(table.results, results))
    propose(tensor, sharding);
}

void OptionCandidates::proposePartial() {
  if (results.size() != 1 || results[0].partial.empty() ||
      table.results[0].reduction != results[0].reduction)
    return;
  for (auto [loop, axes] : llvm::zip_equal(table.loops, lists)) {
    if (loop.kind != LoopKind::Reduction)
      continue;
    SmallVector<AxisList, 2> bases(axes);
    bases.emplace_back();
    for (AxisList list : bases) {
      for (GridAxis axis : results[0].partial)
        if (!llvm::is_contained(list, axis))
          list.push_back(axis);
      int64_t parts = grid.groupSize(list);
      if (!ShapedType::isDynamic(loop.extent) &&
          !ShapedType::isDynamic(parts) && parts > loop.extent)
        continue;
      if (!llvm::is_contained(axes, list))
        axes.push_back(std::move(list));
    }
  }
}

void OptionCandidates::proposeFree() {
  auto hasWindows = [](const TensorLoops &tensor) {
    return !tensor.windows.empty();
  };
  if (llvm::any_of(table.operands, hasWindows))
    return;
  auto loopsWith = [&](const AxisList &axes) {
    return llvm::count_if(lists, [&](const auto &loop) {
      return llvm::is_contained(loop, axes);
    });
  };
  SmallVector<AxisList, 2> contested;
  for (auto [loop, proposed] : llvm::zip_equal(table.loops, lists))
    if (loop.kind == LoopKind::Reduction)
      for (const AxisList &axes : proposed)
        if (loopsWith(axes) > 1)
          contested.push_back(axes);
  for (const AxisList &axes : contested)
    for (const DimLoops &dim : table.results[0].dims) {
      if (dim.size() != 1)
        continue;
      auto &taken = lists[dim[0]];
      if (llvm::is_contained(taken, axes))
        break;
      int64_t extent = table.loops[dim[0]].extent;
      int64_t parts = grid.groupSize(axes);
      if (taken.size() > 1 || ShapedType::isDynamic(extent) ||
          ShapedType::isDynamic(parts) || extent % parts != 0 ||
          combinations() * 2 > maxCombinations)
        continue;
      taken.push_back(axes);
    }
}

ShardingOption OptionCandidates::longest() const {
  ShardingOption option;
  option.loops.resize(table.loops.size());
  for (auto [axes, loop] : llvm::zip_equal(option.loops, lists))
    for (const AxisList &candidate : loop)
      if (candidate.size() > axes.size())
        axes = candidate;
  return option;
}

void OptionCandidates::addPrefixes() {
  for (auto &loop : lists) {
    SmallVector<AxisList> all(loop.begin(), loop.end());
    for (const AxisList &axes : loop)
      for (size_t length = axes.size(); length-- > 0;) {
        AxisList prefix(axes.begin(), axes.begin() + length);
        if (!llvm::is_contained(all, prefix))
          all.push_back(prefix);
      }
    if (all.empty())
      all.emplace_back();
    loop.assign(all.begin(), all.end());
  }
}

int64_t OptionCandidates::combinations() const {
  int64_t result = 1;
  for (const auto &loop : lists)
    result = std::min<int64_t>(result * loop.size(), maxCombinations + 1);
  return result;
}

} // namespace shard
