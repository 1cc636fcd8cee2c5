//===- SearchPermutes.cpp - The permutes of the reshard search ------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SearchSpace.h"

#include <algorithm>
#include <utility>

namespace shard {
namespace detail {

namespace {
uint8_t placeOf(int dim, int position) {
  return static_cast<uint8_t>(FirstSplit * (dim + 1) + position);
}
} // namespace

/// Which moves are worth looking at after `last`. Left out is what is no dearer
/// and needs no more memory when done before `last`, because the two do not touch
/// the same axes and dimensions:
///   * a slice makes everything after it smaller, so it comes first. Of axes that an all_reduce
///     or an all_gather sets free it may come behind where fewer steps may cost less than fewer
///     bytes;
///   * what makes the block smaller or keeps its size comes before what makes it
///     larger (all_gather, embed_partial). An all_to_all keeps the size only
///     where the axes divide the dimensions;
///   * where all axes of a size cost the same, a permute that only renames axes
///     can be moved along the path, with the axes of the other moves renamed: so
///     there is at most one, and behind it only all_gather and changes to
///     partial (again where axes divide dimensions);
///   * replicated axes become partial last of all; before that only for a permute
///     (SearchSpace::partials).
bool SearchSpace::mayFollow(const Move *last, Step::Kind kind, int dim,
                            int concatDim) const {
  using Kind = Step::Kind;
  if (!last)
    return true;
  bool touches = dim == last->dim || concatDim == last->dim ||
                 (last->concatDim >= 0 &&
                  (dim == last->concatDim || concatDim == last->concatDim));
  switch (last->kind) {
  case Kind::AllSlice:
    return kind != Kind::AllSlice || dim >= last->dim;
  case Kind::AllGather:
    switch (kind) {
    case Kind::AllSlice:
      // Of axes just gathered, in another order, one slice may save the latencies of several
      // all_to_alls.
      return touches || !uniform;
    case Kind::ReduceScatter:
      return touches;
    case Kind::AllToAll:
      return touches || !even;
    case Kind::AllReduce:
      return false;
    case Kind::AllGather:
      return !uniform || !even || dim >= last->dim;
    default:
      return true;
    }
  case Kind::AllToAll:
    return (kind != Kind::AllSlice && (kind != Kind::ReduceScatter || !even)) ||
           touches;
  case Kind::ReduceScatter:
    return kind != Kind::AllSlice || touches;
  case Kind::AllReduce:
    // With padding, a slice along the axes just reduced can do better than a
    // reduce_scatter. Along some of these axes it saves a latency: instead of it there would
    // be a reduce_scatter and an all_reduce.
    return (kind != Kind::AllSlice || !even || !uniform) &&
           kind != Kind::ReduceScatter;
  case Kind::MakePartial:
    return kind == Kind::Permute;
  case Kind::EmbedPartial:
    return (kind != Kind::AllSlice && kind != Kind::AllGather &&
            (kind != Kind::AllToAll || !even)) ||
           touches;
  case Kind::Permute:
    if (last->renames)
      return kind == Kind::AllGather || kind == Kind::MakePartial;
    return kind != Kind::Permute;
  default:
    return true;
  }
}

/// Permutes in which every axis takes the place of one of the same size. What
/// comes behind only drops axes, so each dimension must begin with the axes that
/// the target has there; which axes are behind them matters only in so far as
/// they are to become partial.
struct SearchSpace::RenameBuilder {
  const SearchSpace &space;
  const Expansion &at;
  /// The place of an axis that is still to be chosen, and the axis now there.
  struct Slot {
    uint8_t place;
    uint8_t axis;
  };
  Slot slots[maxAxes];
  int numSlots = 0;
  State next;
  /// The axes that have no place in `next` yet.
  uint32_t available;

  RenameBuilder(const SearchSpace &space, const Expansion &at)
      : space(space), at(at), available((1u << space.numAxes) - 1) {}

  /// Gives the axes of the target's dimensions their places; false where sizes do
  /// not fit.
  bool begin() {
    const Layout &layout = at.layout, &target = space.targetLayout;
    for (int dim = 0; dim < space.numDims; ++dim) {
      int wanted = target.count(dim);
      if (layout.count(dim) < wanted)
        return false;
      for (int i = 0; i < layout.count(dim); ++i) {
        uint8_t place = placeOf(dim, i);
        uint8_t axis = layout.axes(dim)[i];
        if (i >= wanted) {
          slots[numSlots++] = {place, axis};
          continue;
        }
        uint8_t to = target.axes(dim)[i];
        if (space.size[to] != space.size[axis])
          return false;
        next.place[to] = place;
        available &= ~(1u << to);
      }
    }
    uint32_t partial = layout.partialSource | layout.partialTarget;
    uint8_t partialPlace = layout.partialTarget ? PartialTarget : PartialSource;
    for (uint32_t rest = partial; rest; rest &= rest - 1)
      slots[numSlots++] = {partialPlace,
                           static_cast<uint8_t>(__builtin_ctz(rest))};
    return true;
  }

  /// The axis of `set` for `slot`, -1 if there is none: of equals the one that is
  /// there already, else the first.
  int pick(const Slot &slot, uint32_t set) const {
    set &= available;
    if (set >> slot.axis & 1)
      return slot.axis;
    for (; set; set &= set - 1)
      if (space.size[__builtin_ctz(set)] == space.size[slot.axis])
        return __builtin_ctz(set);
    return -1;
  }

  /// Fills the slots from `index` on, each with an axis that is to be partial or
  /// with one that is not.
  void fill(int index = 0) {
    if (index == numSlots) {
      if (next == at.state)
        return;
      Move move;
      move.to = next;
      move.kind = Step::Kind::Permute;
      move.cost = at.layout.bytes * space.costPerByte;
      move.renames = true;
      at.result.push_back(move);
      return;
    }
    const Slot &slot = slots[index];
    bool mustBePartial = slot.place < FirstSplit;
    for (uint32_t set : {space.targetPartial, ~space.targetPartial}) {
      if (mustBePartial && set != space.targetPartial)
        break;
      int axis = pick(slot, set);
      if (axis < 0)
        continue;
      next.place[axis] = slot.place;
      available &= ~(1u << axis);
      fill(index + 1);
      next.place[axis] = Replicated;
      available |= 1u << axis;
    }
  }
};

void SearchSpace::renamings(const Expansion &at) const {
  if (!mayFollow(at.last, Step::Kind::Permute, -1))
    return;
  if (at.last && (at.last->kind == Step::Kind::AllGather ||
                  at.last->kind == Step::Kind::EmbedPartial))
    return;
  if (at.layout.partialSource != 0 && !sameKind)
    return;
  RenameBuilder builder(*this, at);
  if (builder.begin())
    builder.fill();
}

/// Assigns axes to the positions of the dimensions so that every dimension
/// keeps its sequence of blocks, and the partial axes their number of summands.
struct SearchSpace::PermuteBuilder {
  const SearchSpace &space;
  const Expansion &at;
  const Layout &layout;
  bool exhaustive;
  double moveCost;

  PermuteBuilder(const SearchSpace &space, const Expansion &at)
      : space(space), at(at), layout(at.layout), exhaustive(at.everyOrder),
        moveCost(layout.bytes * space.costPerByte), child(layout) {
    available = (1u << space.numAxes) - 1;
  }

  /// Of many axes only so many assignments are looked at.
  int visits = 200;
  uint32_t available;
  State next;
  /// The layout of `next`.
  Layout child;
  uint8_t axes[maxAxes];

  int64_t parts(int dim) const { return space.product(layout.dims[dim]->set); }

  void dimension(int dim) {
    while (dim < space.numDims && layout.count(dim) == 0)
      ++dim;
    if (dim == space.numDims) {
      partial();
      return;
    }
    if (!exhaustive) {
      position(dim, 0, parts(dim), [&](int count) {
        uint8_t saved[maxAxes];
        std::copy(axes, axes + count, saved);
        place(dim, sequence(dim, count));
        std::copy(saved, saved + count, axes);
      });
      return;
    }
    for (const DimLayout *sequence : sequencesFor(dim)) {
      if (sequence->set & ~available)
        continue;
      available &= ~sequence->set;
      place(dim, sequence);
      available |= sequence->set;
    }
  }

  /// Gives the axes of `sequence` their places in dimension `dim`, and goes on with the next
  /// dimension.
  void place(int dim, const DimLayout *sequence) {
    for (int i = 0; i < sequence->count; ++i)
      next.place[sequence->axes[i]] = placeOf(dim, i);
    child.dims[dim] = sequence;
    dimension(dim + 1);
  }

  /// Dimension `dim` with the first `count` of `axes`.
  const DimLayout *sequence(int dim, int count) const {
    const DimLayout *result = space.dimLayout(dim, {});
    for (int i = 0; i < count; ++i)
      result = space.with(result, axes[i]);
    return result;
  }

  /// All sequences of axes that leave the blocks of dimension `dim` as they are. They depend
  /// on the sizes of its axes alone, and are asked for at each state.
  const std::vector<const DimLayout *> &sequencesFor(int dim) {
    const DimLayout &present = *layout.dims[dim];
    auto *&known = present.sequences[space.even];
    if (known)
      return *known;
    uint64_t key = space.sizesCode(present.axes, present.count);
    key = (key << 8 | static_cast<uint64_t>(present.count)) << 8 |
          static_cast<uint64_t>(dim << 1 | space.even);
    auto [found, isNew] = space.knownSequences.try_emplace(key);
    if (isNew) {
      uint32_t saved = std::exchange(available, (1u << space.numAxes) - 1);
      position(dim, 0, parts(dim), [&, &list = found->second](int count) {
        list.push_back(sequence(dim, count));
      });
      available = saved;
    }
    known = &found->second;
    return *known;
  }

  /// Calls `visit` with the length of each sequence of available axes that begins with the
  /// first `index` of `axes`, has `left` parts behind them and leaves the blocks of
  /// dimension `dim` as they are; the sequence is in `axes`.
  template <typename Visit>
  void position(int dim, int index, int64_t left, Visit visit) {
    if (!exhaustive && --visits < 0)
      return;
    if (left == 1) {
      if (space.keepsBlocks(layout, dim, axes, index))
        visit(index);
      return;
    }
    uint32_t candidates = available;
    if (!exhaustive) {
      // The axis that the target has here and the one that is here; others only
      // where neither can be had.
      uint32_t preferred = 0;
      if (index < space.targetLayout.count(dim))
        preferred |= 1u << space.targetLayout.axes(dim)[index];
      if (index < layout.count(dim))
        preferred |= 1u << layout.axes(dim)[index];
      if (preferred & available)
        candidates &= preferred;
    }
    for (; candidates; candidates &= candidates - 1) {
      int axis = __builtin_ctz(candidates);
      if (left % space.size[axis] != 0)
        continue;
      available &= ~(1u << axis);
      axes[index] = static_cast<uint8_t>(axis);
      position(dim, index + 1, left / space.size[axis], visit);
      available |= 1u << axis;
    }
  }

  void partial() {
    uint32_t now = layout.partialSource | layout.partialTarget;
    uint8_t place = layout.partialTarget ? PartialTarget : PartialSource;
    int64_t summands = space.product(now);
    if (!now) {
      emit(0, place);
      return;
    }
    for (uint32_t set = available; set; set = (set - 1) & available)
      if ((exhaustive || --visits >= 0) && space.product(set) == summands)
        emit(set, place);
  }

  /// Whether `to` has axes of the same sizes in the same places, and as many partial
  /// axes of each size: renaming axes leads to it.
  bool sameSizes(const State &to) const {
    std::vector<int64_t> before, after;
    uint32_t partialBefore = layout.partialSource | layout.partialTarget;
    for (int axis = 0; axis < space.numAxes; ++axis) {
      uint8_t place = to.place[axis];
      if (partialBefore >> axis & 1)
        before.push_back(space.size[axis]);
      if (place == PartialSource || place == PartialTarget)
        after.push_back(space.size[axis]);
      if (place < FirstSplit)
        continue;
      int dim = (place >> 4) - 1, position = place & 15;
      if (position >= layout.count(dim) ||
          space.size[layout.axes(dim)[position]] != space.size[axis])
        return false;
    }
    std::sort(before.begin(), before.end());
    std::sort(after.begin(), after.end());
    return before == after;
  }

  void emit(uint32_t partialSet, uint8_t place) {
    State to = next;
    uint32_t rest = available & ~partialSet;
    child.partialSource = place == PartialSource ? partialSet : 0;
    child.partialTarget = place == PartialTarget ? partialSet : 0;
    child.replicated = rest;
    for (; rest; rest &= rest - 1)
      to.place[__builtin_ctz(rest)] = Replicated;
    for (; partialSet; partialSet &= partialSet - 1)
      to.place[__builtin_ctz(partialSet)] = place;
    if (to == at.state || (space.uniform && space.even && sameSizes(to)))
      return;
    Move move;
    move.to = to;
    move.kind = Step::Kind::Permute;
    move.cost = moveCost;
    if (!space.uniform) {
      Step step = space.step(at.state, move);
      step.axes.insert(step.axes.end(), step.toAxes.begin(), step.toAxes.end());
      move.cost = layout.bytes <= 0
                      ? 0
                      : space.problem.costModel->cost(Collective::Permute,
                                                      step.axes, layout.bytes);
    }
    if (space.mayPay(at, move, child))
      at.result.push_back(move);
  }
};

/// The other permutes: where axes of different sizes change places or, if not
/// all axes cost the same, all of them.
void SearchSpace::permutes(const Expansion &at) const {
  if (!mayFollow(at.last, Step::Kind::Permute, -1))
    return;
  if (uniform && even && allSizesEqual)
    return;
  PermuteBuilder(*this, at).dimension(0);
}

} // namespace detail
} // namespace shard
