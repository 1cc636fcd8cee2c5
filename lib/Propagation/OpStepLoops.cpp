//===- OpStepLoops.cpp - Which axes of a tensor split which loops --------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Propagation/OpStep.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

namespace shard::propagation {

/// Asks for `atom` to be cut such that its outer part has as many parts as fit
/// `left` elements evenly; false if that is none or all of it.
bool OpStep::cutToFit(unsigned atom, int64_t left) {
  int64_t outer = std::gcd(left, lists.atomSize(atom));
  int64_t border = atoms[atom].preSize * outer;
  if (outer == 1 || outer == lists.atomSize(atom) ||
      atoms.size() >= kMaxAtoms || !atoms.keepsBlocks(atoms[atom].axis, border))
    return false;
  cuts.push_back({atoms[atom].axis, border});
  return true;
}

/// The longest prefix of `list` that may split `loop`, which slides over dimensions of
/// unknown extents: one axis, and none where blocks are equal by contract.
ListId OpStep::fitSliding(const FlatTable::FlatLoop &loop, ListId list) {
  ListId prefix = list;
  auto isTooLong = [&] {
    llvm::SmallVector<uint8_t, 8> own;
    lists.atoms(prefix, own);
    return llvm::count_if(own, [&](uint8_t atom) {
             return lists.atomSize(atom) != 1;
           }) > (problem.grid.unevenDynamic ? 1 : 0);
  };
  while (prefix != kEmptyList && isTooLong())
    prefix = lists.ancestor(prefix, lists.length(prefix) - 1);
  if (prefix != list)
    obstacle(Obstacle::Kind::NotSplit, loop.extent, list);
  return prefix;
}

/// The longest prefix of `list` that may split `loop`. If a part of the next axis
/// fits too, the axis is cut: propagation starts again with the parts.
ListId OpStep::fit(const FlatTable::FlatLoop &loop, ListId list) {
  if (loop.slidesOverUnknown)
    return fitSliding(loop, list);
  if (loop.extent == kDynamic)
    return loop.evenOnly && problem.grid.unevenDynamic ? kEmptyList : list;
  bool evenly = loop.evenOnly || options.uneven == UnevenPolicy::Replicate;
  auto fits = [&](ListId prefix) {
    int64_t parts = lists.parts(prefix);
    return evenly ? loop.extent % parts == 0 : parts <= loop.extent;
  };
  ListId prefix = list;
  while (prefix != kEmptyList && !fits(prefix))
    prefix = lists.ancestor(prefix, lists.length(prefix) - 1);
  if (prefix == list || loop.extent <= 1)
    return prefix;
  llvm::SmallVector<uint8_t, 8> listAtoms;
  lists.atoms(list, listAtoms);
  int64_t parts = lists.parts(prefix);
  if (loop.extent % parts != 0 ||
      !cutToFit(listAtoms[lists.length(prefix)], loop.extent / parts))
    obstacle(Obstacle::Kind::NotSplit, loop.extent, list);
  return prefix;
}

/// Fills the row of `tensor` in `projected`.
void OpStep::project(const FlatTable &table, unsigned tensor, StateId state,
                     const Constraint &limit) {
  ListId *row = projected.data() + tensor * table.loops.size();
  for (unsigned dim = 0, rank = table.numDims(tensor); dim < rank; ++dim) {
    ListId list = shardings.dim(state, dim);
    if (list == kEmptyList || limit.isHidden(dim))
      continue;
    unsigned flat = table.dimBegin[tensor] + dim;
    llvm::ArrayRef<uint32_t> digits(table.loopOf.data() + table.loopBegin[flat],
                                    table.loopBegin[flat + 1] -
                                        table.loopBegin[flat]);
    if (digits.size() == 1) {
      const FlatTable::FlatLoop &loop = table.loops[digits[0]];
      if (loop.kind != LoopKind::Invalid)
        row[digits[0]] = fit(loop, list);
      continue;
    }
    // Deal the atoms to the digits. An atom that reaches over the border of two
    // digits has to be cut there; one of size 1 could belong to any.
    llvm::SmallVector<uint8_t, 8> listAtoms;
    lists.atoms(list, listAtoms);
    size_t next = 0;
    for (uint32_t digit : digits) {
      const FlatTable::FlatLoop &loop = table.loops[digit];
      if (loop.kind == LoopKind::Invalid)
        break;
      int64_t left = loop.extent;
      while (next < listAtoms.size()) {
        int64_t size = lists.atomSize(listAtoms[next]);
        if (size == 1) {
          ++next;
          continue;
        }
        if (left == kDynamic && problem.grid.unevenDynamic) {
          obstacle(Obstacle::Kind::NotSplit, loop.extent, list);
          break;
        }
        if (left != kDynamic) {
          if (left == 1)
            break;
          if (left % size != 0) {
            if (!cutToFit(listAtoms[next], left))
              obstacle(Obstacle::Kind::NotSplit, loop.extent, list);
            break;
          }
          left /= size;
        }
        row[digit] = lists.append(row[digit], listAtoms[next++]);
      }
      if (left != 1)
        break;
    }
  }
}

} // namespace shard::propagation
