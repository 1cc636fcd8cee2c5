//===- SearchMoves.cpp - The moves of the reshard search ------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SearchSpace.h"

#include <algorithm>

namespace shard {
namespace detail {

namespace {
uint8_t placeOf(int dim, int position) {
  return static_cast<uint8_t>(FirstSplit * (dim + 1) + position);
}
} // namespace

bool SearchSpace::hasAllowedParts(const State &state) const {
  int64_t parts[maxDims];
  std::fill(parts, parts + numDims, 1);
  for (int axis = 0; axis < numAxes; ++axis)
    if (state.place[axis] >= FirstSplit)
      parts[(state.place[axis] >> 4) - 1] *= size[axis];
  for (int dim = 0; dim < numDims; ++dim)
    if (partsDivide[dim] && partsDivide[dim] % parts[dim] != 0)
      return false;
  return true;
}

bool SearchSpace::mayPay(const Expansion &at, Move &move,
                         const Layout &child) const {
  double costThere = at.cost + move.cost;
  if (costThere <= at.limit) {
    move.bound = bound(child);
    if (costThere + move.bound <= at.limit)
      return true;
  }
  ++at.leftOut;
  return false;
}

int64_t SearchSpace::moves(const State &state, const Layout &layout,
                           const Move *last, double memoryBound, double cost,
                           double limit, MoveChoice choice,
                           std::vector<Move> &result) const {
  auto earlier = static_cast<ptrdiff_t>(result.size());
  bool everyOrder =
      numAxes <= 4 || (choice == MoveChoice::All && hasEveryOrder());
  Expansion at{state,
               layout,
               last,
               memoryBound,
               choice == MoveChoice::Narrow ? waitingDims(layout) : ~0u,
               everyOrder,
               cost,
               limit,
               result};
  slices(at);
  gathers(at);
  exchanges(at);
  if (layout.partialSource)
    reductions(at);
  if (targetPartial)
    partials(at);
  if (2 * layout.bytes <= memoryBound &&
      layout.bytes * costPerByte + boundWithSameExtents(layout) <=
          limit - cost) {
    if (uniform && even)
      renamings(at);
    permutes(at);
  }
  if (hasPartLimits)
    result.erase(std::remove_if(result.begin() + earlier, result.end(),
                                [&](const Move &move) {
                                  return !hasAllowedParts(move.to);
                                }),
                 result.end());
  return at.leftOut;
}

/// At most two of the dimensions that have all axes that the target has there, those
/// with the largest local extent. Further axes at their minor end do not hinder any
/// step to the target.
uint32_t SearchSpace::waitingDims(const Layout &layout) const {
  int best = -1, second = -1;
  for (int dim = 0; dim < numDims; ++dim) {
    int wanted = targetLayout.count(dim);
    if (layout.count(dim) < wanted ||
        !std::equal(layout.axes(dim), layout.axes(dim) + wanted,
                    targetLayout.axes(dim)))
      continue;
    if (best < 0 || layout.local(dim) > layout.local(best)) {
      second = best;
      best = dim;
    } else if (second < 0 || layout.local(dim) > layout.local(second)) {
      second = dim;
    }
  }
  if (best < 0)
    return ~0u;
  return 1u << best | (second < 0 ? 0u : 1u << second);
}

bool SearchSpace::mayAppend(const Expansion &at, int dim, uint8_t first) const {
  if (at.openDims >> dim & 1)
    return true;
  int count = at.layout.count(dim);
  return count < targetLayout.count(dim) &&
         targetLayout.axes(dim)[count] == first &&
         std::equal(at.layout.axes(dim), at.layout.axes(dim) + count,
                    targetLayout.axes(dim));
}

/// Dropping the last axes of a dimension: by all_gather, or (for axes that the
/// target wants partial) by becoming partial.
void SearchSpace::gathers(const Expansion &at) const {
  const State &state = at.state;
  const Layout &layout = at.layout;
  double memoryBound = at.memoryBound;
  std::vector<Move> &result = at.result;
  for (int dim = 0; dim < numDims; ++dim)
    for (int first = layout.count(dim) - 1; first >= 0; --first) {
      const uint8_t *axes = layout.axes(dim) + first;
      int count = layout.count(dim) - first;
      int64_t before = layout.extent(dim)[first], local = layout.local(dim);
      if (!flatFrom(*layout.dims[dim], first))
        continue;
      double output = local ? layout.bytes / static_cast<double>(local) *
                                  static_cast<double>(before)
                            : 0;
      if (layout.bytes + output > memoryBound)
        break;
      bool gather = mayFollow(at.last, Step::Kind::AllGather, dim) ||
                    2 * output > memoryBound;
      uint32_t mask = setOf(axes, count);
      Move move;
      move.to = state;
      for (int i = 0; i < count; ++i)
        move.to.place[axes[i]] = Replicated;
      move.kind = Step::Kind::AllGather;
      move.dim = static_cast<int8_t>(dim);
      move.cost =
          cost(Collective::AllGather, mask,
               bytesSent(Collective::AllGather, product(mask), layout.bytes));
      if (gather)
        result.push_back(move);
      bool kindFits = sameKind || layout.partialSource == 0;
      if (canEmbedPartial && kindFits && (mask & ~targetPartial) == 0) {
        for (int i = 0; i < count; ++i)
          move.to.place[axes[i]] = sameKind ? PartialSource : PartialTarget;
        move.kind = Step::Kind::EmbedPartial;
        move.cost = 0;
        result.push_back(move);
      }
    }
}

/// Local slices, one axis at a time (the planner joins neighbours), and the
/// whole rest of a target dimension at once.
void SearchSpace::slices(const Expansion &at) const {
  const State &state = at.state;
  const Layout &layout = at.layout;
  double memoryBound = at.memoryBound;
  std::vector<Move> &result = at.result;
  for (int dim = 0; dim < numDims; ++dim) {
    int64_t local = layout.local(dim);
    // Slices come in the order of dimensions, unless that needs too much memory. What it
    // needs for each element along the dimension:
    double inOrder = 0;
    // A slice of one element makes nothing smaller: where it stands is a question of
    // the slices that it can be joined with.
    if (local != 1 && !mayFollow(at.last, Step::Kind::AllSlice, dim)) {
      if (at.last->kind != Step::Kind::AllSlice)
        continue;
      int other = at.last->dim;
      int64_t before =
          layout.extent(other)[layout.count(other) - at.last->count];
      inOrder = layout.local(other) && local
                    ? layout.bytes / static_cast<double>(local) /
                          static_cast<double>(layout.local(other)) *
                          static_cast<double>(before)
                    : 0;
    }
    double perElement = local ? layout.bytes / static_cast<double>(local) : 0;
    auto slice = [&](const uint8_t *axes, int count) {
      int64_t width = local;
      for (int i = 0; i < count; ++i)
        width = ceilDiv(width, size[axes[i]]);
      if (layout.bytes + perElement * static_cast<double>(width) > memoryBound)
        return false;
      if (inOrder > 0 &&
          inOrder * (static_cast<double>(local) + static_cast<double>(width)) <=
              memoryBound)
        return true;
      Move move;
      move.to = state;
      for (int i = 0; i < count; ++i)
        move.to.place[axes[i]] = placeOf(dim, layout.count(dim) + i);
      move.kind = Step::Kind::AllSlice;
      move.dim = static_cast<int8_t>(dim);
      move.count = static_cast<int8_t>(count);
      result.push_back(move);
      return true;
    };
    // Several axes at once where one leaves too large a block.
    uint8_t several[maxAxes];
    auto sliceMore = [&](auto &&self, int count, uint32_t rest) -> void {
      if (count > 0 && (!flat(local, several, count) || slice(several, count)))
        return;
      for (uint32_t set = rest; set; set &= set - 1) {
        several[count] = static_cast<uint8_t>(__builtin_ctz(set));
        self(self, count + 1, rest & ~(1u << several[count]));
      }
    };
    for (uint32_t rest = layout.replicated; rest; rest &= rest - 1) {
      uint8_t axis = static_cast<uint8_t>(__builtin_ctz(rest));
      int before = spareBefore[axis];
      if ((before >= 0 && state.place[before] == Replicated) ||
          !mayAppend(at, dim, axis) || !mayCut(local, size[axis]))
        continue;
      if (!slice(&axis, 1) && at.everyOrder) {
        several[0] = axis;
        sliceMore(sliceMore, 1, layout.replicated & ~(1u << axis));
      }
    }
    int count = layout.count(dim);
    int missing = targetLayout.count(dim) - count;
    const uint8_t *wanted = targetLayout.axes(dim);
    if (missing >= 2 && std::equal(wanted, wanted + count, layout.axes(dim)) &&
        (setOf(wanted + count, missing) & ~layout.replicated) == 0 &&
        flat(local, wanted + count, missing))
      slice(wanted + count, missing);
  }
}

bool SearchSpace::joins(const Move &last, const Layout &layout,
                        const Move &next) const {
  if (last.kind != Step::Kind::AllSlice || next.kind != Step::Kind::AllSlice ||
      last.dim != next.dim)
    return false;
  int dim = next.dim, first = layout.count(dim) - last.count;
  uint8_t axes[maxAxes];
  std::copy(layout.axes(dim) + first, layout.axes(dim) + layout.count(dim),
            axes);
  for (int axis = 0; axis < numAxes; ++axis) {
    int position = next.to.place[axis] - placeOf(dim, 0);
    if (position >= layout.count(dim) &&
        position < layout.count(dim) + next.count)
      axes[position - first] = static_cast<uint8_t>(axis);
  }
  return flat(layout.extent(dim)[first], axes, last.count + next.count);
}

/// all_to_all of the last axes of a dimension to every other dimension.
void SearchSpace::exchanges(const Expansion &at) const {
  const Layout &layout = at.layout;
  Layout child = layout;
  // Where one that touches no dimension of the last move may follow, all may.
  constexpr int noDim = -2;
  bool allFollow = mayFollow(at.last, Step::Kind::AllToAll, noDim, noDim);
  for (int from = 0; from < numDims; ++from) {
    const DimLayout *rest = layout.dims[from];
    for (int first = layout.count(from) - 1; first >= 0; --first) {
      rest = rest->without;
      if (!flatFrom(*layout.dims[from], first))
        continue;
      child.dims[from] = rest;
      uint32_t set = layout.dims[from]->set & ~rest->set;
      LastAxes moved = {from, first, set, product(set)};
      // What each of the exchanges sends at least, with padding or without.
      double sent = bytesSent(Collective::AllToAll, moved.parts, layout.bytes);
      if (at.cost + sent * costPerByte + boundWithMoreAxes(child) > at.limit) {
        at.leftOut += numDims - 1;
        continue;
      }
      for (int to = 0; to < numDims; ++to)
        if (to != from &&
            (allFollow || mayFollow(at.last, Step::Kind::AllToAll, to, from))) {
          exchange(at, moved, to, child);
          child.dims[to] = layout.dims[to];
        }
    }
    child.dims[from] = layout.dims[from];
  }
}

/// all_to_all of `moved` to the dimension `to`; `child` lacks these axes.
void SearchSpace::exchange(const Expansion &at, const LastAxes &moved, int to,
                           Layout &child) const {
  const Layout &layout = at.layout;
  const DimLayout &before = *layout.dims[moved.dim];
  int position = layout.count(to);
  const DimLayout *after = layout.dims[to];
  for (int i = moved.first; i < before.count; ++i)
    after = with(after, before.axes[i]);
  if (!flatFrom(*after, position))
    return;
  child.dims[to] = after;
  double local = static_cast<double>(layout.local(to));
  double width = static_cast<double>(before.local);
  double others = local > 0 && width > 0 ? layout.bytes / local / width : 0;
  double piece = others * static_cast<double>(after->local);
  if (layout.bytes + piece * static_cast<double>(child.local(moved.dim)) >
      at.memoryBound)
    return;
  Move move;
  move.cost = cost(Collective::AllToAll, moved.set,
                   bytesSent(Collective::AllToAll, moved.parts,
                             piece * width * static_cast<double>(moved.parts)));
  if (!mayPay(at, move, child))
    return;
  move.to = at.state;
  for (int i = moved.first; i < before.count; ++i)
    move.to.place[before.axes[i]] = placeOf(to, position + i - moved.first);
  move.kind = Step::Kind::AllToAll;
  move.dim = static_cast<int8_t>(to);
  move.concatDim = static_cast<int8_t>(moved.dim);
  at.result.push_back(move);
}

/// Reductions of every set of partial axes of the source's kind.
void SearchSpace::reductions(const Expansion &at) const {
  const State &state = at.state;
  const Layout &layout = at.layout;
  double memoryBound = at.memoryBound;
  std::vector<Move> &result = at.result;
  for (uint32_t set = layout.partialSource; set;
       set = (set - 1) & layout.partialSource) {
    int64_t k = product(set);
    if (2 * layout.bytes <= memoryBound &&
        mayFollow(at.last, Step::Kind::AllReduce, -1)) {
      Move move;
      move.to = state;
      for (uint32_t rest = set; rest; rest &= rest - 1)
        move.to.place[__builtin_ctz(rest)] = Replicated;
      move.kind = Step::Kind::AllReduce;
      move.cost = cost(Collective::AllReduce, set,
                       bytesSent(Collective::AllReduce, k, layout.bytes));
      result.push_back(move);
    }
    uint8_t axes[maxAxes];
    int count = 0;
    for (uint32_t rest = set; rest; rest &= rest - 1)
      axes[count++] = static_cast<uint8_t>(__builtin_ctz(rest));
    do {
      for (int dim = 0; dim < numDims; ++dim) {
        int64_t local = layout.local(dim);
        if (!mayFollow(at.last, Step::Kind::ReduceScatter, dim) ||
            !mayAppend(at, dim, axes[0]) || !mayCut(local, k) ||
            !flat(local, axes, count))
          continue;
        int64_t piece = ceilDiv(local, k);
        double output = local ? layout.bytes / static_cast<double>(local) *
                                    static_cast<double>(piece)
                              : 0;
        if (layout.bytes + output > memoryBound)
          continue;
        Move move;
        move.to = state;
        for (int i = 0; i < count; ++i)
          move.to.place[axes[i]] = placeOf(dim, layout.count(dim) + i);
        move.kind = Step::Kind::ReduceScatter;
        move.dim = static_cast<int8_t>(dim);
        move.cost = cost(Collective::ReduceScatter, set,
                         bytesSent(Collective::ReduceScatter, k,
                                   output * static_cast<double>(k)));
        result.push_back(move);
      }
      // All orders of a few axes; of many only the ascending one.
    } while ((count <= 4 || at.everyOrder) &&
             std::next_permutation(axes, axes + count));
  }
}

/// Replicated axes become partial: nothing is gained by that before the end, so
/// only where it leads to the target, or where a permute may then exchange real
/// and made summands together for an axis of another size.
void SearchSpace::partials(const Expansion &at) const {
  const Layout &layout = at.layout;
  uint32_t candidates = layout.replicated & targetPartial;
  bool kindFits = sameKind || layout.partialSource == 0;
  if (!canMakePartial || !kindFits || 2 * layout.bytes > at.memoryBound ||
      !mayFollow(at.last, Step::Kind::MakePartial, -1))
    return;
  bool mayMerge =
      !allSizesEqual && (layout.partialSource || layout.partialTarget);
  for (uint32_t set = candidates; set; set = (set - 1) & candidates) {
    Move move;
    move.to = at.state;
    for (uint32_t rest = set; rest; rest &= rest - 1)
      move.to.place[__builtin_ctz(rest)] =
          sameKind ? PartialSource : PartialTarget;
    move.kind = Step::Kind::MakePartial;
    if (mayMerge || move.to == targetState)
      at.result.push_back(move);
    if (!mayMerge)
      break;
  }
}

} // namespace detail
} // namespace shard
