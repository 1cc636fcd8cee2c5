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

void SearchSpace::moves(const State &state, const Layout &layout,
                        double memoryBound, std::vector<Move> &result) const {
  slices(state, layout, memoryBound, result);
  gathers(state, layout, memoryBound, result);
  exchanges(state, layout, memoryBound, result);
  if (layout.partialSource)
    reductions(state, layout, memoryBound, result);
  if (targetPartial)
    partials(state, layout, memoryBound, result);
  if (2 * layout.bytes <= memoryBound)
    permutes(state, layout, memoryBound, result);
}

/// Dropping the last axes of a dimension: by all_gather, or (for axes that the
/// target wants partial) by becoming partial.
void SearchSpace::gathers(const State &state, const Layout &layout,
                          double memoryBound, std::vector<Move> &result) const {
  for (int dim = 0; dim < numDims; ++dim)
    for (int first = layout.count[dim] - 1; first >= 0; --first) {
      const uint8_t *axes = layout.axes[dim] + first;
      int count = layout.count[dim] - first;
      int64_t before = layout.extent[dim][first], local = layout.local(dim);
      if (!flat(before, axes, count))
        continue;
      double output = local ? layout.bytes / static_cast<double>(local) *
                                  static_cast<double>(before)
                            : 0;
      if (layout.bytes + output > memoryBound)
        break;
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
void SearchSpace::slices(const State &state, const Layout &layout,
                         double memoryBound, std::vector<Move> &result) const {
  for (int dim = 0; dim < numDims; ++dim) {
    int64_t local = layout.local(dim);
    double perElement = local ? layout.bytes / static_cast<double>(local) : 0;
    auto slice = [&](const uint8_t *axes, int count) {
      int64_t width = local;
      for (int i = 0; i < count; ++i)
        width = (width + size[axes[i]] - 1) / size[axes[i]];
      if (layout.bytes + perElement * static_cast<double>(width) > memoryBound)
        return;
      Move move;
      move.to = state;
      for (int i = 0; i < count; ++i)
        move.to.place[axes[i]] = placeOf(dim, layout.count[dim] + i);
      move.kind = Step::Kind::AllSlice;
      move.dim = static_cast<int8_t>(dim);
      result.push_back(move);
    };
    for (uint32_t rest = layout.replicated; rest; rest &= rest - 1) {
      uint8_t axis = static_cast<uint8_t>(__builtin_ctz(rest));
      int before = spareBefore[axis];
      if (before >= 0 && state.place[before] == Replicated)
        continue;
      slice(&axis, 1);
    }
    int count = layout.count[dim];
    int missing = targetLayout.count[dim] - count;
    const uint8_t *wanted = targetLayout.axes[dim];
    if (missing >= 2 && std::equal(wanted, wanted + count, layout.axes[dim]) &&
        (setOf(wanted + count, missing) & ~layout.replicated) == 0 &&
        flat(local, wanted + count, missing))
      slice(wanted + count, missing);
  }
}

/// all_to_all of the last axes of a dimension to every other dimension.
void SearchSpace::exchanges(const State &state, const Layout &layout,
                            double memoryBound,
                            std::vector<Move> &result) const {
  for (int from = 0; from < numDims; ++from)
    for (int first = layout.count[from] - 1; first >= 0; --first) {
      const uint8_t *axes = layout.axes[from] + first;
      int count = layout.count[from] - first;
      int64_t before = layout.extent[from][first];
      if (!flat(before, axes, count))
        continue;
      uint32_t mask = setOf(axes, count);
      int64_t k = product(mask);
      for (int to = 0; to < numDims; ++to) {
        int64_t local = layout.local(to);
        if (to == from || !flat(local, axes, count))
          continue;
        int64_t piece = (local + k - 1) / k;
        double others = local && layout.local(from)
                            ? layout.bytes / static_cast<double>(local) /
                                  static_cast<double>(layout.local(from))
                            : 0;
        double pieceBytes = others * static_cast<double>(piece) *
                            static_cast<double>(layout.local(from));
        double output =
            others * static_cast<double>(piece) * static_cast<double>(before);
        if (layout.bytes + output > memoryBound)
          continue;
        Move move;
        move.to = state;
        for (int i = 0; i < count; ++i)
          move.to.place[axes[i]] = placeOf(to, layout.count[to] + i);
        move.kind = Step::Kind::AllToAll;
        move.dim = static_cast<int8_t>(to);
        move.concatDim = static_cast<int8_t>(from);
        move.cost = cost(Collective::AllToAll, mask,
                         bytesSent(Collective::AllToAll, k,
                                   pieceBytes * static_cast<double>(k)));
        result.push_back(move);
      }
    }
}

/// Reductions of every set of partial axes of the source's kind.
void SearchSpace::reductions(const State &state, const Layout &layout,
                             double memoryBound,
                             std::vector<Move> &result) const {
  for (uint32_t set = layout.partialSource; set;
       set = (set - 1) & layout.partialSource) {
    int64_t k = product(set);
    if (2 * layout.bytes <= memoryBound) {
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
        if (!flat(local, axes, count))
          continue;
        int64_t piece = (local + k - 1) / k;
        double output = local ? layout.bytes / static_cast<double>(local) *
                                    static_cast<double>(piece)
                              : 0;
        if (layout.bytes + output > memoryBound)
          continue;
        Move move;
        move.to = state;
        for (int i = 0; i < count; ++i)
          move.to.place[axes[i]] = placeOf(dim, layout.count[dim] + i);
        move.kind = Step::Kind::ReduceScatter;
        move.dim = static_cast<int8_t>(dim);
        move.cost = cost(Collective::ReduceScatter, set,
                         bytesSent(Collective::ReduceScatter, k,
                                   output * static_cast<double>(k)));
        result.push_back(move);
      }
      // All orders of a few axes; of many only the ascending one.
    } while (count <= 4 && std::next_permutation(axes, axes + count));
  }
}

/// Replicated axes become partial.
void SearchSpace::partials(const State &state, const Layout &layout,
                           double memoryBound,
                           std::vector<Move> &result) const {
  uint32_t candidates = layout.replicated & targetPartial;
  bool kindFits = sameKind || layout.partialSource == 0;
  if (!canMakePartial || !kindFits || 2 * layout.bytes > memoryBound)
    return;
  for (uint32_t set = candidates; set; set = (set - 1) & candidates) {
    Move move;
    move.to = state;
    for (uint32_t rest = set; rest; rest &= rest - 1)
      move.to.place[__builtin_ctz(rest)] =
          sameKind ? PartialSource : PartialTarget;
    move.kind = Step::Kind::MakePartial;
    result.push_back(move);
  }
}

/// Assigns axes to the positions of the dimensions so that every dimension
/// keeps its sequence of blocks, and the partial axes their number of summands.
struct SearchSpace::PermuteBuilder {
  const SearchSpace &space;
  const State &state;
  const Layout &layout;
  std::vector<Move> &result;

  PermuteBuilder(const SearchSpace &space, const State &state,
                 const Layout &layout, std::vector<Move> &result)
      : space(space), state(state), layout(layout), result(result) {}

  double moveCost = 0;
  bool exhaustive = true;
  uint32_t available = 0;
  int64_t parts[maxDims];
  State next;
  uint8_t axes[maxAxes];

  void dimension(int dim) {
    while (dim < space.numDims && layout.count[dim] == 0)
      ++dim;
    if (dim == space.numDims) {
      partial();
      return;
    }
    position(dim, 0, parts[dim]);
  }

  void position(int dim, int index, int64_t left) {
    if (left == 1) {
      if (!space.sameBlocks(layout, dim, axes, index))
        return;
      uint8_t saved[maxAxes];
      std::copy(axes, axes + index, saved);
      for (int i = 0; i < index; ++i)
        next.place[saved[i]] = placeOf(dim, i);
      dimension(dim + 1);
      std::copy(saved, saved + index, axes);
      return;
    }
    uint32_t candidates = available;
    if (!exhaustive) {
      // The axis that the target has here and the one that is here; others only
      // where neither can be had.
      uint32_t preferred = 0;
      if (index < space.targetLayout.count[dim])
        preferred |= 1u << space.targetLayout.axes[dim][index];
      if (index < layout.count[dim])
        preferred |= 1u << layout.axes[dim][index];
      if (preferred & available)
        candidates &= preferred;
    }
    for (; candidates; candidates &= candidates - 1) {
      int axis = __builtin_ctz(candidates);
      if (left % space.size[axis] != 0)
        continue;
      available &= ~(1u << axis);
      axes[index] = static_cast<uint8_t>(axis);
      position(dim, index + 1, left / space.size[axis]);
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
      if (space.product(set) == summands)
        emit(set, place);
  }

  void emit(uint32_t partialSet, uint8_t place) {
    State to = next;
    uint32_t rest = available & ~partialSet;
    for (; rest; rest &= rest - 1)
      to.place[__builtin_ctz(rest)] = Replicated;
    for (; partialSet; partialSet &= partialSet - 1)
      to.place[__builtin_ctz(partialSet)] = place;
    if (to == state)
      return;
    Move move;
    move.to = to;
    move.kind = Step::Kind::Permute;
    move.cost = moveCost;
    if (!space.uniform) {
      Step step = space.step(state, move);
      step.axes.insert(step.axes.end(), step.toAxes.begin(), step.toAxes.end());
      move.cost = layout.bytes <= 0
                      ? 0
                      : space.problem.costModel->cost(Collective::Permute,
                                                      step.axes, layout.bytes);
    }
    result.push_back(move);
  }
};

void SearchSpace::permutes(const State &state, const Layout &layout, double,
                           std::vector<Move> &result) const {
  PermuteBuilder builder(*this, state, layout, result);
  builder.moveCost = layout.bytes * costPerByte;
  builder.exhaustive = numAxes <= 4;
  builder.available = (1u << numAxes) - 1;
  for (int dim = 0; dim < numDims; ++dim)
    builder.parts[dim] = product(setOf(layout.axes[dim], layout.count[dim]));
  builder.dimension(0);
}

} // namespace detail
} // namespace shard
