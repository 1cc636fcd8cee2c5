//===- AxisLists.cpp - Interned lists of atoms ----------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Propagation/AxisLists.h"

#include "shard/Geometry/BlockLayout.h"

#include <algorithm>
#include <cassert>
#include <limits>

namespace shard::propagation {

std::optional<AtomSpace> AtomSpace::create(const Grid &grid) {
  if (grid.shape.size() > kMaxAtoms)
    return std::nullopt;
  AtomSpace result;
  for (size_t axis = 0; axis < grid.shape.size(); ++axis)
    result.atoms.push_back({GridAxis(axis), 1, grid.shape[axis]});
  return result;
}

AtomMask AtomSpace::nontrivial() const {
  AtomMask result = 0;
  for (size_t atom = 0; atom < atoms.size(); ++atom)
    if (atoms[atom].size != 1)
      result |= AtomMask(1) << atom;
  return result;
}

bool AtomSpace::cut(GridAxis axis, int64_t preSize) {
  if (preSize == 1)
    return true;
  for (size_t i = 0; i < atoms.size(); ++i) {
    AxisPart &atom = atoms[i];
    if (atom.axis != axis || preSize <= atom.preSize || preSize > atom.end())
      continue;
    if (preSize == atom.end())
      return true;
    int64_t outer = preSize / atom.preSize;
    if (preSize % atom.preSize != 0 || atom.size % outer != 0 ||
        atoms.size() == kMaxAtoms)
      return false;
    AxisPart minor{axis, preSize, atom.size / outer};
    atom.size = outer;
    atoms.insert(atoms.begin() + i + 1, minor);
    return true;
  }
  return false;
}

void AtomSpace::keepBlocks(int64_t extent, llvm::ArrayRef<AxisPart> parts) {
  std::vector<int64_t> sizes;
  int64_t count = 1;
  for (const AxisPart &part : parts) {
    if (part.size <= 0 || !find(part) ||
        __builtin_mul_overflow(count, part.size, &count))
      return;
    sizes.push_back(part.size);
  }
  if (extent >= count && !dividesEvenly(extent, sizes))
    kept.emplace(extent, std::vector<AxisPart>(parts.begin(), parts.end()));
}

bool AtomSpace::keepsBlocks(GridAxis axis, int64_t preSize) const {
  for (const auto &[extent, parts] : kept) {
    std::vector<int64_t> before, after;
    for (const AxisPart &part : parts) {
      std::optional<llvm::SmallVector<uint8_t, 4>> numbers = find(part);
      for (uint8_t number : *numbers) {
        const AxisPart &atom = atoms[number];
        before.push_back(atom.size);
        if (atom.axis == axis && atom.preSize < preSize &&
            preSize < atom.end()) {
          after.push_back(preSize / atom.preSize);
          after.push_back(atom.end() / preSize);
        } else {
          after.push_back(atom.size);
        }
      }
    }
    if (before != after && !sameBlocks(extent, before, after))
      return false;
  }
  return true;
}

std::optional<llvm::SmallVector<uint8_t, 4>>
AtomSpace::find(const AxisPart &part) const {
  llvm::SmallVector<uint8_t, 4> result;
  for (size_t i = 0; i < atoms.size(); ++i)
    if (part.contains(atoms[i]) && (atoms[i].size > 1 || part.size == 1))
      result.push_back(i);
  int64_t covered = 1;
  for (uint8_t atom : result)
    covered *= atoms[atom].size;
  if (result.empty() || atoms[result.front()].preSize != part.preSize ||
      covered != part.size)
    return std::nullopt;
  return result;
}

llvm::SmallVector<uint8_t, 4> AtomSpace::startOf(const AxisPart &part) const {
  llvm::SmallVector<uint8_t, 4> result;
  int64_t next = part.preSize, end = part.end();
  for (size_t i = 0; i < atoms.size(); ++i)
    if (atoms[i].axis == part.axis && atoms[i].preSize == next &&
        atoms[i].size > 1 && end / next % atoms[i].size == 0) {
      result.push_back(i);
      next *= atoms[i].size;
    }
  return result;
}

std::optional<int64_t> AtomSpace::clash(GridAxis axis, int64_t preSize) const {
  for (const AxisPart &atom : atoms)
    if (atom.axis == axis && preSize % atom.preSize != 0 &&
        atom.preSize % preSize != 0)
      return atom.preSize;
  return std::nullopt;
}

AxisLists::AxisLists(const AtomSpace &atoms) {
  nodes.push_back({0, 0, 0, 0, 0, 0, 1});
  for (unsigned atom = 0; atom < atoms.size(); ++atom)
    sizes.push_back(atoms[atom].size);
}

ListId AxisLists::append(ListId list, unsigned atom) {
  assert(atom < sizes.size() && !(mask(list) >> atom & 1) &&
         "a list has an atom once");
  for (ListId child = nodes[list].firstChild; child;
       child = nodes[child].nextSibling)
    if (nodes[child].atom == atom)
      return child;
  const Node &parent = nodes[list];
  int64_t parts;
  if (__builtin_mul_overflow(parent.parts, sizes[atom], &parts))
    parts = std::numeric_limits<int64_t>::max();
  Node node{list,
            0,
            parent.firstChild,
            uint8_t(atom),
            uint8_t(parent.length + 1),
            parent.mask | AtomMask(1) << atom,
            parts};
  ListId id = nodes.size();
  nodes.push_back(node);
  nodes[list].firstChild = id;
  return id;
}

ListId AxisLists::commonPrefix(ListId a, ListId b) const {
  a = ancestor(a, length(b));
  b = ancestor(b, length(a));
  while (a != b) {
    a = nodes[a].parent;
    b = nodes[b].parent;
  }
  return a;
}

void AxisLists::atoms(ListId list,
                      llvm::SmallVectorImpl<uint8_t> &result) const {
  result.resize(length(list));
  for (size_t i = result.size(); i-- > 0; list = nodes[list].parent)
    result[i] = nodes[list].atom;
}

bool AxisLists::lexicographicallyLess(ListId a, ListId b) const {
  llvm::SmallVector<uint8_t, 8> left, right;
  atoms(a, left);
  atoms(b, right);
  return std::lexicographical_compare(left.begin(), left.end(), right.begin(),
                                      right.end());
}

} // namespace shard::propagation
