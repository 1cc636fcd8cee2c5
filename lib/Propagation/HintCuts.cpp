//===- HintCuts.cpp - Cutting axes where hints need it --------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HintCuts.h"

#include "shard/Resharding/Plan.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

namespace shard::propagation {

namespace {
void cutEnds(AtomSpace &atoms, llvm::ArrayRef<AxisPart> parts) {
  for (const AxisPart &part : parts) {
    atoms.cut(part.axis, part.preSize);
    atoms.cut(part.axis, part.end());
  }
}

/// Calls `body` for every list of parts in `hint`.
void forEachList(const Hint &hint,
                 llvm::function_ref<void(llvm::ArrayRef<AxisPart>)> body) {
  for (const DimHint &dim : hint.dims)
    body(dim.axes);
  body(hint.partial);
  body(hint.replicated);
}
} // namespace

void cutForHints(const Problem &problem, AtomSpace &atoms) {
  for (const auto &scope : problem.scopes)
    cutEnds(atoms, scope);
  // Most programs have whole axes only, and most hints are for many values.
  llvm::SmallVector<uint32_t> numbers;
  std::vector<bool> seen(problem.hintTable.size(), false);
  for (const auto &[value, number] : problem.hints) {
    if (seen[number])
      continue;
    seen[number] = true;
    bool cuts = false;
    forEachList(problem.hintTable[number], [&](llvm::ArrayRef<AxisPart> parts) {
      for (const AxisPart &part : parts)
        cuts |= !part.isWhole(problem.grid.shape[part.axis]);
    });
    if (cuts)
      numbers.push_back(number);
  }
  std::set<int32_t> priorities;
  for (uint32_t number : numbers) {
    const Hint &hint = problem.hintTable[number];
    for (const DimHint &dim : hint.dims) {
      if (!dim.open)
        cutEnds(atoms, dim.axes);
      priorities.insert(dim.priority);
    }
    cutEnds(atoms, hint.partial);
  }
  for (int32_t priority : priorities)
    for (uint32_t number : numbers)
      for (const DimHint &dim : problem.hintTable[number].dims)
        if (dim.open && dim.priority == priority)
          cutEnds(atoms, dim.axes);
  for (uint32_t number : numbers)
    cutEnds(atoms, problem.hintTable[number].replicated);
}

void keepHintedBlocks(const Problem &problem, AtomSpace &atoms) {
  for (const auto &[value, number] : problem.hints) {
    const Shape &shape = problem.shapes[problem.valueShape[value]];
    for (auto [extent, dim] :
         llvm::zip(shape.extents, problem.hintTable[number].dims))
      if (!dim.axes.empty())
        atoms.keepBlocks(extent == kDynamic ? nominalExtent(problem.grid)
                                            : extent,
                         dim.axes);
  }
}

ValueId excluder(const Problem &problem, const AtomSpace &atoms,
                 const AxisPart &part) {
  std::optional<int64_t> border = atoms.clash(part.axis, part.preSize);
  if (!border)
    border = atoms.clash(part.axis, part.end());
  if (!border)
    return kNoValue;
  for (const auto &[value, number] : problem.hints) {
    bool hasBorder = false;
    forEachList(problem.hintTable[number], [&](llvm::ArrayRef<AxisPart> parts) {
      for (const AxisPart &other : parts)
        hasBorder |= other.axis == part.axis &&
                     (other.preSize == *border || other.end() == *border);
    });
    if (hasBorder)
      return value;
  }
  return kNoValue;
}

std::vector<Solution::DroppedPart> droppedParts(const Problem &problem,
                                                const AtomSpace &atoms) {
  std::vector<Solution::DroppedPart> dropped;
  std::vector<bool> seen(problem.hintTable.size(), false);
  for (const auto &[value, number] : problem.hints) {
    if (seen[number])
      continue;
    seen[number] = true;
    for (auto [number, dim] : llvm::enumerate(problem.hintTable[number].dims)) {
      if (!dim.open)
        continue;
      const auto *lost = llvm::find_if(
          dim.axes, [&](const AxisPart &part) { return !atoms.find(part); });
      if (lost == dim.axes.end())
        continue;
      dropped.push_back(
          {value, unsigned(number), *lost, excluder(problem, atoms, *lost)});
      break;
    }
  }
  return dropped;
}

} // namespace shard::propagation
