//===- Shardings.h - Interned shardings and constraints ---------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state of a value is one number: that of its interned sharding, a list of
// atoms per dimension. Number 0 is "nothing is split", whatever the rank.
//
// What hints say beside the axes, i.e. which dimensions are closed, from which
// round on they count, and which atoms must stay out, is a constraint, interned
// too. Constraint 0 is that of a value without hint.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_PROPAGATION_SHARDINGS_H
#define SHARD_PROPAGATION_SHARDINGS_H

#include "shard/Geometry/Interner.h"
#include "shard/Geometry/ReductionKind.h"
#include "shard/Propagation/AxisLists.h"

#include "llvm/ADT/Hashing.h"

namespace shard::propagation {

/// A number of an interned sharding.
using StateId = uint32_t;
constexpr StateId kUnsplit = 0;

class Shardings {
public:
  Shardings() { entries.push_back({0, 0, 0}); }

  /// `dims` has one list per dimension; `mask` is the union of their atoms.
  StateId intern(llvm::ArrayRef<ListId> dims, AtomMask mask);

  AtomMask mask(StateId id) const { return entries[id].mask; }
  ListId dim(StateId id, unsigned dim) const {
    return id == kUnsplit ? kEmptyList : dims[entries[id].begin + dim];
  }
  /// Empty for kUnsplit.
  llvm::ArrayRef<ListId> lists(StateId id) const {
    return llvm::ArrayRef<ListId>(dims).slice(entries[id].begin,
                                              entries[id].rank);
  }
  size_t size() const { return entries.size(); }

private:
  struct Entry {
    uint32_t begin, rank;
    AtomMask mask;
  };
  std::vector<Entry> entries;
  std::vector<ListId> dims;
  /// Of the entries but for kUnsplit, which is entry 0.
  InternIndex index;
};

/// A number of an interned constraint.
using ConstraintId = uint32_t;

/// What limits a value. Dimensions from 64 on count as closed.
struct Constraint {
  /// Dimensions that the masks have bits for. All further ones are closed, and
  /// are never hidden: nothing propagates into them.
  static constexpr unsigned kMaxDims = 64;

  /// Bit d: dimension d takes no further axes.
  uint64_t closed = 0;
  /// Bit d: dimension d does not count before a later round.
  uint64_t hidden = 0;
  /// Atoms that must not split the value: replicated and partial ones.
  AtomMask forbidden = 0;
  AtomMask partial = 0;
  ReductionKind reduction = ReductionKind::Sum;
  /// The user priority of each dimension; empty where none is hidden.
  llvm::SmallVector<int32_t, 4> priorities;

  bool operator==(const Constraint &other) const {
    return closed == other.closed && hidden == other.hidden &&
           forbidden == other.forbidden && partial == other.partial &&
           reduction == other.reduction && priorities == other.priorities;
  }
  /// Hides the dimensions of a priority behind `round`.
  void hideBehind(int32_t round);
  bool isClosed(unsigned dim) const {
    return dim >= kMaxDims || ((closed | hidden) >> dim & 1);
  }
  bool isHidden(unsigned dim) const {
    return dim < kMaxDims && (hidden >> dim & 1);
  }
};

} // namespace shard::propagation

#endif // SHARD_PROPAGATION_SHARDINGS_H
