//===- AxisLists.h - Interned lists of atoms --------------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inside the engine every axis of the grid is a sequence of *atoms*, major
// first: the axis itself, or the parts into which some sub-axis or reshape cuts
// it. An atom has a number below 64, so that a set of atoms is one word.
//
// Lists of atoms are nodes of a tree: a list is its parent plus one atom at the
// minor end. Equal lists have equal numbers, a prefix is an ancestor, and the
// set and the product of the sizes are stored with the node. Number 0 is the
// empty list. A program has few distinct lists, however many values it has.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_PROPAGATION_AXISLISTS_H
#define SHARD_PROPAGATION_AXISLISTS_H

#include "shard/Geometry/AxisPart.h"
#include "shard/Propagation/Options.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <cassert>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace shard::propagation {

using AtomMask = uint64_t;
constexpr unsigned kMaxAtoms = 64;

/// A number of an interned list of atoms.
using ListId = uint32_t;
constexpr ListId kEmptyList = 0;

/// The factorisation of the axes of a grid into atoms. Atoms are numbered axis
/// by axis, major parts first.
class AtomSpace {
public:
  /// Starts with one atom per axis. Fails if there are more than kMaxAtoms.
  static std::optional<AtomSpace> create(const Grid &grid);

  /// Makes the point with `preSize` devices outside it a border between atoms
  /// of `axis`. Fails if no ordered factorisation has this border beside those
  /// it has (6 as 2x3 and as 3x2), or if there would be too many atoms.
  bool cut(GridAxis axis, int64_t preSize);

  /// Keeps the blocks of a dimension of `extent` that `parts` split, major first, as
  /// they are: with an axis in two parts, 10 elements over 4 are 3 2 3 2, not 3 3 3 1.
  /// Of no effect where `parts` are not made of atoms, on sizes that are not known, and
  /// where there are more parts than elements: who asks for these has no blocks in mind.
  void keepBlocks(int64_t extent, llvm::ArrayRef<AxisPart> parts);
  /// Whether cut(axis, preSize) leaves the blocks as they are that are to be kept.
  bool keepsBlocks(GridAxis axis, int64_t preSize) const;

  unsigned size() const { return atoms.size(); }
  const AxisPart &operator[](unsigned atom) const {
    assert(atom < size() && "an atom of this space");
    return atoms[atom];
  }
  /// The atoms of more than one device, or of an unknown number.
  AtomMask nontrivial() const;

  /// The atoms of a part of an axis, or nothing if its ends are not borders.
  std::optional<llvm::SmallVector<uint8_t, 4>> find(const AxisPart &part) const;

  /// The atoms that divide `part`, from its outer end on; none if that is no border.
  /// They are all of the part if `find` finds it.
  llvm::SmallVector<uint8_t, 4> startOf(const AxisPart &part) const;

  /// A border of `axis` that excludes one at `preSize`, because neither is a
  /// multiple of the other; nothing if there is none.
  std::optional<int64_t> clash(GridAxis axis, int64_t preSize) const;

private:
  std::vector<AxisPart> atoms;
  /// Extents and the parts that split them.
  std::set<std::pair<int64_t, std::vector<AxisPart>>> kept;
};

/// The interned lists over one AtomSpace.
class AxisLists {
public:
  explicit AxisLists(const AtomSpace &atoms);

  /// `list` with `atom`, which it must not contain, at the minor end.
  ListId append(ListId list, unsigned atom);

  unsigned length(ListId list) const { return nodes[list].length; }
  AtomMask mask(ListId list) const { return nodes[list].mask; }
  /// The product of the sizes, saturating at INT64_MAX.
  int64_t parts(ListId list) const { return nodes[list].parts; }
  int64_t atomSize(unsigned atom) const { return sizes[atom]; }

  bool isPrefix(ListId prefix, ListId list) const {
    return prefix == kEmptyList || prefix == ancestor(list, length(prefix));
  }
  /// The first `length` atoms of `list`, or all.
  ListId ancestor(ListId list, unsigned length) const {
    while (nodes[list].length > length)
      list = nodes[list].parent;
    return list;
  }
  ListId commonPrefix(ListId a, ListId b) const;

  void atoms(ListId list, llvm::SmallVectorImpl<uint8_t> &result) const;

  /// Whether no atom is in two of `lists`.
  bool areDisjoint(llvm::ArrayRef<ListId> lists) const {
    AtomMask seen = 0;
    for (ListId list : lists) {
      if (seen & mask(list))
        return false;
      seen |= mask(list);
    }
    return true;
  }

  /// Whether `a` stands before `b` in the order of the atoms' numbers.
  bool lexicographicallyLess(ListId a, ListId b) const;

private:
  struct Node {
    ListId parent, firstChild, nextSibling;
    uint8_t atom, length;
    AtomMask mask;
    int64_t parts;
  };
  std::vector<Node> nodes;
  std::vector<int64_t> sizes;
};

} // namespace shard::propagation

#endif // SHARD_PROPAGATION_AXISLISTS_H
