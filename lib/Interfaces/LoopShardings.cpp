//===- LoopShardings.cpp - What axes of loops mean for tensors -----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Interfaces/LoopTable.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace shard {

bool ShardingOption::operator==(const ShardingOption &other) const {
  return loops == other.loops && partial == other.partial &&
         halos == other.halos && bounds == other.bounds &&
         (partial.empty() || (partialKind == other.partialKind &&
                              partialOperands == other.partialOperands));
}

static bool dimIsExpressible(const LoopTable &table, const Grid &grid,
                             const ShardingOption &option,
                             const DimLoops &dim) {
  bool majorsAreSingle = true;
  unsigned wide = llvm::count_if(
      dim, [&](int32_t loop) { return table.loops[loop].extent != 1; });
  for (int32_t loop : dim) {
    int64_t parts = grid.groupSize(option.loops[loop]);
    int64_t extent = table.loops[loop].extent;
    bool unknown = ShapedType::isDynamic(parts);
    if (parts > 1 || unknown) {
      if (!majorsAreSingle)
        return false;
      // Only what is the whole of the dimension may be split unevenly. A loop of
      // one iteration is never that beside a wider one.
      bool alone = wide == (extent == 1 ? 0 : 1) && !table.loops[loop].evenOnly;
      bool divides =
          unknown || (ShapedType::isDynamic(extent) ? !grid.unevenDynamic
                                                    : extent % parts == 0);
      if (!alone && !divides)
        return false;
    }
    majorsAreSingle &= (parts == extent && !unknown) || extent == 1;
  }
  return true;
}

bool isExpressible(const LoopTable &table, const Grid &grid,
                   const ShardingOption &option) {
  for (auto [loop, axes] : llvm::zip_equal(table.loops, option.loops))
    if (loop.kind == LoopKind::Invalid && !axes.empty())
      return false;
  // Whether the blocks of a loop are such that haloNeed tells their windows.
  auto slides = [&](int32_t loop) {
    std::vector<int64_t> sizes = grid.sizes(option.loops[loop]);
    if (table.loops[loop].slidesOverUnknown)
      return grid.unevenDynamic && !llvm::is_contained(grid.shape, kDynamic) &&
             llvm::count_if(sizes, [](int64_t size) { return size != 1; }) <= 1;
    return !llvm::is_contained(grid.shape, kDynamic) &&
           (cutsAtOnce(table.loops[loop].extent, sizes) ||
            grid.groupSize(option.loops[loop]) <= kMaxComparedBlocks);
  };
  auto allExpressible = [&](const TensorLoops &tensor) {
    for (auto [number, dim] : llvm::enumerate(tensor.dims))
      if (!dimIsExpressible(table, grid, option, dim) ||
          (tensor.isWindow(number) && !option.loops[dim.front()].empty() &&
           !slides(dim.front())))
        return false;
    return true;
  };
  return llvm::all_of(table.operands, allExpressible) &&
         llvm::all_of(table.results, allExpressible);
}

/// Whether there is one block of the bounds of a loop for each part that its axes make.
static bool boundsFit(const Grid &grid, const ShardingOption &option) {
  for (auto [list, axes] : llvm::zip(option.bounds, option.loops))
    if (!list.empty() && !axes.empty() &&
        int64_t(list.size()) != grid.groupSize(axes) + 1)
      return false;
  return option.bounds.empty() || option.bounds.size() == option.loops.size();
}

bool isValidOption(const LoopTable &table, const Grid &grid,
                   const ShardingOption &option) {
  llvm::SmallBitVector used(grid.shape.size());
  auto claim = [&](const AxisList &axes) {
    for (GridAxis axis : axes) {
      if (axis < 0 || size_t(axis) >= grid.shape.size() || used.test(axis))
        return false;
      used.set(axis);
    }
    return true;
  };
  return option.loops.size() == table.loops.size() &&
         llvm::all_of(option.loops, claim) && claim(option.partial) &&
         boundsFit(grid, option) && isExpressible(table, grid, option);
}

static Sharding dimsOf(const TensorLoops &tensor,
                       const ShardingOption &option) {
  Sharding sharding = Sharding::replicated(tensor.dims.size());
  for (auto [dim, axes] : llvm::zip_equal(tensor.dims, sharding.dims))
    for (int32_t loop : dim)
      axes.insert(axes.end(), option.loops[loop].begin(),
                  option.loops[loop].end());
  sharding.halos = option.halos;
  for (const DimLoops &dim : tensor.dims)
    for (int32_t loop : dim)
      if (!option.loops[loop].empty() && option.hasBounds(loop))
        sharding.offsets.insert(sharding.offsets.end(),
                                option.bounds[loop].begin(),
                                option.bounds[loop].end());
  return sharding;
}

Sharding operandSharding(const LoopTable &table, unsigned index,
                         const ShardingOption &option) {
  Sharding sharding = dimsOf(table.operands[index], option);
  if (!option.isPartialOperand(index))
    return sharding;
  if (table.isInit(index)) {
    Sharding result = resultSharding(table, index - table.firstInit, option);
    sharding.partial = result.partial;
    sharding.reduction = result.reduction;
    return sharding;
  }
  sharding.partial = option.partial;
  sharding.reduction = option.partialKind;
  llvm::sort(sharding.partial);
  return sharding;
}

Sharding resultSharding(const LoopTable &table, unsigned index,
                        const ShardingOption &option) {
  Sharding sharding = dimsOf(table.results[index], option);
  sharding.partial = option.partial;
  sharding.reduction = option.partialKind;
  for (auto [loop, axes] : llvm::zip_equal(table.loops, option.loops)) {
    if (loop.kind != LoopKind::Reduction || axes.empty())
      continue;
    sharding.partial.insert(sharding.partial.end(), axes.begin(), axes.end());
    sharding.reduction = table.results[index].reduction;
  }
  llvm::sort(sharding.partial);
  return sharding;
}

void projectToLoops(const LoopTable &table, const TensorLoops &tensor,
                    const Grid &grid, const Sharding &sharding,
                    SmallVectorImpl<AxisList> &loops) {
  loops.assign(table.loops.size(), AxisList());
  for (auto [dim, axes] : llvm::zip(tensor.dims, sharding.dims)) {
    size_t next = 0;
    for (int32_t loop : dim) {
      int64_t extent = table.loops[loop].extent;
      if (table.loops[loop].kind == LoopKind::Invalid && extent != 1)
        break;
      int64_t parts = 1;
      while (next < axes.size() &&
             table.loops[loop].kind != LoopKind::Invalid) {
        int64_t size = grid.shape[axes[next]];
        // An axis of size 1 could belong to any of several digits.
        if (size == 1 && dim.size() > 1) {
          ++next;
          continue;
        }
        // What follows an axis of unknown size in a dimension is split by none.
        if (ShapedType::isDynamic(size) || ShapedType::isDynamic(parts)) {
          parts = ShapedType::kDynamic;
          loops[loop].push_back(axes[next++]);
          continue;
        }
        if (table.loops[loop].slidesOverUnknown && size != 1 &&
            (!grid.unevenDynamic || parts != 1))
          break;
        // A digit that others follow takes only axes that divide it.
        if (dim.size() > 1 &&
            (ShapedType::isDynamic(extent) ? grid.unevenDynamic
                                           : extent % (parts * size) != 0))
          break;
        parts *= size;
        loops[loop].push_back(axes[next++]);
      }
      if (parts != extent || ShapedType::isDynamic(parts))
        break;
    }
  }
}

} // namespace shard
