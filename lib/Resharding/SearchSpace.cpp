//===- SearchSpace.cpp - States of the reshard search ---------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SearchSpace.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

namespace shard {
namespace detail {

namespace {
/// Dimensions that neither sharding splits are still of use as a place to keep
/// an axis for a while; that many of them are offered when there are many axes.
constexpr int spareDims = 2;

bool names(const Sharding &sharding, GridAxis axis) {
  auto has = [axis](const AxisList &axes) {
    return std::find(axes.begin(), axes.end(), axis) != axes.end();
  };
  return has(sharding.partial) ||
         std::any_of(sharding.dims.begin(), sharding.dims.end(), has);
}
} // namespace

SearchSpace::SearchSpace(const SearchProblem &problem)
    : problem(problem), unitBytes(static_cast<double>(problem.elementBytes)) {
  representable = chooseAxes() && chooseDims();
  if (!representable)
    return;
  for (int dim = 0; dim < numDims; ++dim)
    even = even && std::fmod(static_cast<double>(extent[dim]), devices) == 0;
  if (std::optional<double> m = problem.costModel->uniformCostPerByte()) {
    uniform = true;
    costPerByte = *m;
  } else {
    costPerByte = problem.costModel->leastCostPerByte();
  }
  // Of permutes and orders of many axes only some are tried.
  allMoves =
      allMoves && (hasEveryOrder() || (uniform && even && allSizesEqual &&
                                       problem.from.partial.size() <= 4));
  readEnds();
  findSymmetries();
}

bool SearchSpace::chooseAxes() {
  const Grid &grid = problem.grid;
  std::vector<GridAxis> named, others;
  for (GridAxis axis = 0; axis < grid.rank(); ++axis) {
    bool fixed = std::find(problem.fixedAxes.begin(), problem.fixedAxes.end(),
                           axis) != problem.fixedAxes.end();
    if (fixed || grid.shape[axis] <= 1)
      continue;
    usableDevices *= static_cast<double>(grid.shape[axis]);
    bool used = names(problem.from, axis) || names(problem.to, axis);
    (used ? named : others).push_back(axis);
  }
  if (named.size() > static_cast<size_t>(maxAxes))
    return false;
  size_t room = std::max<size_t>(6, named.size()) - named.size();
  if (others.size() > room) {
    others.resize(room);
    allMoves = false;
  }
  named.insert(named.end(), others.begin(), others.end());
  std::sort(named.begin(), named.end());
  for (GridAxis axis : named) {
    gridAxis[numAxes] = axis;
    size[numAxes] = grid.shape[axis];
    sizeClass[numAxes] = static_cast<uint8_t>(
        std::find(size, size + numAxes, grid.shape[axis]) - size);
    ++numAxes;
    devices *= static_cast<double>(grid.shape[axis]);
    allSizesEqual = allSizesEqual && grid.shape[axis] == size[0];
  }
  return true;
}

bool SearchSpace::chooseDims() {
  std::vector<int> usedDims, otherDims;
  for (size_t dim = 0; dim < problem.extents.size(); ++dim) {
    bool used =
        !problem.from.dims[dim].empty() || !problem.to.dims[dim].empty();
    bool fixed =
        (dim < problem.fixedDims.size() && problem.fixedDims[dim]) ||
        (dim < problem.partsDivide.size() && problem.partsDivide[dim] == 1);
    if (used && !fixed)
      usedDims.push_back(static_cast<int>(dim));
    else if (!fixed && problem.extents[dim] > 1)
      otherDims.push_back(static_cast<int>(dim));
    else
      unitBytes *= static_cast<double>(problem.extents[dim]);
  }
  // Of many free dimensions those with the most room to be split serve best.
  std::sort(otherDims.begin(), otherDims.end(), [&](int a, int b) {
    int64_t roomOfA = problem.extents[a], roomOfB = problem.extents[b];
    return roomOfA != roomOfB ? roomOfA > roomOfB : a < b;
  });
  if (usedDims.size() > static_cast<size_t>(maxDims))
    return false;
  size_t keep = std::min<size_t>(
      otherDims.size(),
      std::max<size_t>(4 > usedDims.size() ? 4 - usedDims.size() : 0,
                       spareDims));
  keep = std::min<size_t>(keep, maxDims - usedDims.size());
  allMoves = allMoves && keep == otherDims.size();
  for (size_t i = keep; i < otherDims.size(); ++i)
    unitBytes *= static_cast<double>(problem.extents[otherDims[i]]);
  otherDims.resize(keep);
  usedDims.insert(usedDims.end(), otherDims.begin(), otherDims.end());
  std::sort(usedDims.begin(), usedDims.end());
  wholeBytes = unitBytes;
  for (int dim : usedDims) {
    tensorDim[numDims] = dim;
    partsDivide[numDims] =
        problem.partsDivide.empty() ? 0 : problem.partsDivide[dim];
    hasPartLimits = hasPartLimits || partsDivide[numDims] != 0;
    extent[numDims++] = problem.extents[dim];
    wholeBytes *= static_cast<double>(problem.extents[dim]);
  }
  return true;
}

void SearchSpace::readEnds() {
  sameKind = problem.from.partial.empty() || problem.to.partial.empty() ||
             problem.from.reduction == problem.to.reduction;
  canMakePartial = problem.to.reduction != ReductionKind::Generic;
  canEmbedPartial =
      canMakePartial && problem.to.reduction != ReductionKind::Average;

  auto indexOf = [&](GridAxis axis) {
    const GridAxis *found = std::find(gridAxis, gridAxis + numAxes, axis);
    assert(found != gridAxis + numAxes && "axes of size 1 are left out");
    return found - gridAxis;
  };
  auto encode = [&](const Sharding &sharding, uint8_t partial) {
    State state;
    for (int dim = 0; dim < numDims; ++dim) {
      const AxisList &axes = sharding.dims[tensorDim[dim]];
      for (size_t i = 0; i < axes.size(); ++i)
        state.place[indexOf(axes[i])] =
            static_cast<uint8_t>(FirstSplit * (dim + 1) + i);
    }
    for (GridAxis axis : sharding.partial)
      state.place[indexOf(axis)] = partial;
    return state;
  };
  sourceState = encode(problem.from, PartialSource);
  targetState = encode(problem.to, sameKind ? PartialSource : PartialTarget);
  auto layOutEnd = [&](const State &state) {
    DimCode codes[maxDims];
    sortAxes(state, targetLayout, ~0u, codes);
    for (int dim = 0; dim < numDims; ++dim) {
      targetDims[dim] = *wholeDims[dim];
      for (DimCode &code = codes[dim]; code.count > 0; --code.count) {
        targetDims[dim] = append(targetDims[dim], code.axes & 15);
        code.axes >>= 4;
      }
      targetLayout.dims[dim] = &targetDims[dim];
    }
    sumBytes(targetLayout);
  };
  for (int dim = 0; dim < numDims; ++dim) {
    DimLayout whole;
    whole.dim = dim;
    whole.local = whole.extent[0] = extent[dim];
    wholeDims[dim] = keep(whole);
  }
  layOutEnd(sourceState);
  sourceBytes = targetLayout.bytes;
  layOutEnd(targetState);
  targetPartial = targetLayout.partialSource | targetLayout.partialTarget;
  targetBytes = unitBytes;
  for (int dim = 0; dim < numDims; ++dim) {
    targetSplit |= targetDims[dim].set;
    targetBytes *= static_cast<double>(targetLayout.local(dim));
    int64_t parts = 1;
    for (int i = 0; i < targetLayout.count(dim); ++i) {
      uint8_t axis = targetLayout.axes(dim)[i];
      targetPart[axis] = largestPart(targetDims[dim], i, parts);
      parts *= size[axis];
    }
    evenTarget[dim] = extent[dim] % parts == 0 &&
                      extent[dim] / parts == targetLayout.local(dim);
  }

  targetSummands = static_cast<double>(product(targetPartial));
  targetCopies = usableDevices / static_cast<double>(product(targetSplit));
  groupBytes = targetBytes / targetSummands;
  bytesPerDevice = wholeBytes / usableDevices;
  moreGroups = targetCopies / targetSummands - 1;
  for (int dim = 0; dim < numDims; ++dim)
    wholeDims[dim]->bound = boundOf(*wholeDims[dim]);
}

void SearchSpace::findSymmetries() {
  for (int a = 0; uniform && a < numAxes; ++a)
    for (int b = a + 1; b < numAxes; ++b)
      if (size[a] == size[b] && targetState.place[a] < FirstSplit &&
          targetState.place[a] == targetState.place[b])
        alike[numAlike++] = {static_cast<uint8_t>(a), static_cast<uint8_t>(b)};
  for (int axis = 0; axis < numAxes; ++axis) {
    spareBefore[axis] = -1;
    if (!uniform || sourceState.place[axis] || targetState.place[axis])
      continue;
    for (int before = 0; before < axis; ++before)
      if (size[before] == size[axis] && !sourceState.place[before] &&
          !targetState.place[before])
        spareBefore[axis] = before;
  }
}

void SearchSpace::sortAxes(const State &state, Layout &layout, uint32_t dims,
                           DimCode *codes) const {
  layout.replicated = layout.partialSource = layout.partialTarget = 0;
  for (int axis = 0; axis < numAxes; ++axis) {
    uint8_t place = state.place[axis];
    if (place >= FirstSplit) {
      int dim = (place >> 4) - 1;
      if (dims >> dim & 1) {
        codes[dim].axes |= static_cast<uint64_t>(axis) << 4 * (place & 15);
        ++codes[dim].count;
      }
    } else if (place == Replicated) {
      layout.replicated |= 1u << axis;
    } else if (place == PartialSource) {
      layout.partialSource |= 1u << axis;
    } else {
      layout.partialTarget |= 1u << axis;
    }
  }
}

DimLayout SearchSpace::append(const DimLayout &layout, uint8_t axis) const {
  DimLayout result;
  int count = layout.count;
  result.dim = layout.dim;
  result.count = count + 1;
  std::copy(layout.axes, layout.axes + count, result.axes);
  std::copy(layout.extent, layout.extent + count + 1, result.extent);
  result.axes[count] = axis;
  result.set = layout.set | 1u << axis;
  result.local = result.extent[count + 1] = ceilDiv(layout.local, size[axis]);
  int64_t sizes[maxAxes];
  for (int first = count; first >= 0; --first) {
    sizes[first] = size[result.axes[first]];
    if (cutsAtOnce(result.extent[first], sizes + first,
                   static_cast<size_t>(result.count - first)))
      result.flatFrom |= 1u << first;
  }
  return result;
}

const DimLayout *SearchSpace::with(const DimLayout *layout,
                                   uint8_t axis) const {
  const DimLayout *&known = layout->with[axis];
  if (!known) {
    DimLayout *made = keep(append(*layout, axis));
    made->bound = boundOf(*made);
    made->without = layout;
    known = made;
  }
  return known;
}

const DimLayout *SearchSpace::dimLayout(int dim, DimCode code) const {
  const DimLayout *at = wholeDims[dim];
  for (; code.count > 0; --code.count, code.axes >>= 4)
    at = with(at, static_cast<uint8_t>(code.axes & 15));
  return at;
}

void SearchSpace::sumBytes(Layout &layout) const {
  layout.bytes = unitBytes;
  for (int dim = 0; dim < numDims; ++dim)
    layout.bytes *= static_cast<double>(layout.local(dim));
}

void SearchSpace::layOut(const State &state, Layout &layout) const {
  DimCode codes[maxDims];
  sortAxes(state, layout, ~0u, codes);
  for (int dim = 0; dim < numDims; ++dim)
    layout.dims[dim] = dimLayout(dim, codes[dim]);
  sumBytes(layout);
}

void SearchSpace::layOutChild(const Layout &parent, const Move &move,
                              Layout &child) const {
  if (move.kind == Step::Kind::Permute) {
    layOut(move.to, child);
    return;
  }
  uint32_t changed = (move.dim >= 0 ? 1u << move.dim : 0) |
                     (move.concatDim >= 0 ? 1u << move.concatDim : 0);
  std::copy(parent.dims, parent.dims + numDims, child.dims);
  DimCode codes[maxDims];
  sortAxes(move.to, child, changed, codes);
  for (int dim : {move.dim, move.concatDim})
    if (dim >= 0)
      child.dims[dim] = dimLayout(dim, codes[dim]);
  sumBytes(child);
}

bool SearchSpace::flat(int64_t extent, const uint8_t *axes, int count) const {
  if (count == 1 || (even && !evenOnly))
    return true;
  int64_t sizes[maxAxes];
  for (int i = 0; i < count; ++i)
    sizes[i] = size[axes[i]];
  return cutsAtOnce(extent, sizes, static_cast<size_t>(count));
}

/// Whether `axes`, of the same product as the present axes of `dim`, cut it
/// into the same sequence of blocks.
bool SearchSpace::keepsBlocks(const Layout &layout, int dim,
                              const uint8_t *axes, int count) const {
  uint64_t codeBefore = sizesCode(layout.axes(dim), layout.count(dim));
  uint64_t codeAfter = sizesCode(axes, count);
  if (even || (count == layout.count(dim) && codeBefore == codeAfter))
    return true;
  uint64_t hash =
      (codeBefore * 31 + codeAfter) * 31 + static_cast<uint64_t>(dim);
  hash *= 0x9E3779B97F4A7C15u;
  static_assert(numKnownBlocks == 1 << 8);
  KnownBlocks &known = knownBlocks[hash >> 56];
  if (known.dim == dim && known.before == codeBefore &&
      known.after == codeAfter && known.countBefore == layout.count(dim) &&
      known.countAfter == count)
    return known.same;
  int64_t before[maxAxes], after[maxAxes];
  for (int i = 0; i < layout.count(dim); ++i)
    before[i] = size[layout.axes(dim)[i]];
  for (int i = 0; i < count; ++i)
    after[i] = size[axes[i]];
  bool same = sameBlocks(extent[dim], before, layout.count(dim), after,
                         static_cast<size_t>(count));
  known = {codeBefore,
           codeAfter,
           static_cast<int8_t>(dim),
           static_cast<uint8_t>(layout.count(dim)),
           static_cast<uint8_t>(count),
           same};
  return same;
}

double SearchSpace::costAlong(Collective collective, uint32_t axes,
                              double bytes) const {
  scratch.clear();
  for (; axes; axes &= axes - 1)
    scratch.push_back(gridAxis[__builtin_ctz(axes)]);
  return problem.costModel->cost(collective, scratch, bytes);
}

bool SearchSpace::restrictToEven() {
  if (even || numAxes <= 4)
    return false;
  for (const State *state : {&sourceState, &targetState}) {
    Layout layout;
    layOut(*state, layout);
    for (int dim = 0; dim < numDims; ++dim)
      for (int i = 0; i < layout.count(dim); ++i)
        if (layout.extent(dim)[i] % size[layout.axes(dim)[i]] != 0)
          return false;
  }
  even = evenOnly = true;
  return true;
}

/// The axes of which the coordinate of each block is the same in two sequences of as many
/// blocks: as many blocks are along the axes behind them.
uint32_t SearchSpace::axesThatStay(const DimLayout &from,
                                   const DimLayout &to) const {
  uint32_t still = 0;
  for (int i = 0; i < from.count; ++i)
    for (int j = 0; j < to.count; ++j)
      if (from.axes[i] == to.axes[j] &&
          product(setOf(from.axes + i, from.count - i)) ==
              product(setOf(to.axes + j, to.count - j)))
        still |= 1u << from.axes[i];
  return still;
}

Step SearchSpace::step(const State &from, const Move &move) const {
  Layout before, after;
  layOut(from, before);
  layOut(move.to, after);
  Step result;
  result.kind = move.kind;
  auto list = [&](const Layout &layout, int dim, int first) {
    AxisList axes;
    for (int i = first; i < layout.count(dim); ++i)
      axes.push_back(gridAxis[layout.axes(dim)[i]]);
    return axes;
  };
  auto set = [&](uint32_t mask) {
    AxisList axes;
    for (; mask; mask &= mask - 1)
      axes.push_back(gridAxis[__builtin_ctz(mask)]);
    return axes;
  };
  uint32_t partialBefore = before.partialSource | before.partialTarget;
  uint32_t partialAfter = after.partialSource | after.partialTarget;
  // Summands of a source that is not partial were made for the target.
  const ReductionKind kindBefore = problem.from.partial.empty()
                                       ? problem.to.reduction
                                       : problem.from.reduction;
  if (move.dim >= 0)
    result.dim = tensorDim[move.dim];
  if (move.concatDim >= 0)
    result.concatDim = tensorDim[move.concatDim];
  switch (move.kind) {
  case Step::Kind::AllGather:
  case Step::Kind::EmbedPartial:
    result.axes = list(before, move.dim, after.count(move.dim));
    result.reduction = problem.to.reduction;
    break;
  case Step::Kind::AllSlice:
  case Step::Kind::AllToAll:
    result.axes = list(after, move.dim, before.count(move.dim));
    break;
  case Step::Kind::ReduceScatter:
    result.axes = list(after, move.dim, before.count(move.dim));
    result.reduction = kindBefore;
    break;
  case Step::Kind::AllReduce:
    result.axes = set(partialBefore & ~partialAfter);
    result.reduction = kindBefore;
    break;
  case Step::Kind::MakePartial:
    result.axes = set(partialAfter & ~partialBefore);
    result.reduction = problem.to.reduction;
    break;
  case Step::Kind::Permute: {
    // Axes along which nothing moves are left out.
    for (int dim = 0; dim < numDims; ++dim) {
      const DimLayout &from = *before.dims[dim], &to = *after.dims[dim];
      uint32_t still = axesThatStay(from, to);
      auto append = [&](AxisList &axes, const DimLayout &layout) {
        for (int i = 0; i < layout.count; ++i)
          if (!(still >> layout.axes[i] & 1))
            axes.push_back(gridAxis[layout.axes[i]]);
      };
      append(result.axes, from);
      append(result.toAxes, to);
    }
    AxisList f = set(partialBefore & ~partialAfter);
    AxisList t = set(partialAfter & ~partialBefore);
    result.axes.insert(result.axes.end(), f.begin(), f.end());
    result.toAxes.insert(result.toAxes.end(), t.begin(), t.end());
    break;
  }
  default:
    break;
  }
  return result;
}

} // namespace detail
} // namespace shard
