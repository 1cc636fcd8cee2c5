//===- SearchSpace.cpp - States and bounds of the reshard search ----------===//
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
  allMoves = allMoves && (numAxes <= 4 || (uniform && even && allSizesEqual &&
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
  layOut(sourceState, targetLayout);
  sourceBytes = targetLayout.bytes;
  layOut(targetState, targetLayout);
  targetPartial = targetLayout.partialSource | targetLayout.partialTarget;
  targetBytes = unitBytes;
  for (int dim = 0; dim < numDims; ++dim) {
    targetSplit |= setOf(targetLayout.axes[dim], targetLayout.count[dim]);
    targetBytes *= static_cast<double>(targetLayout.local(dim));
  }

  targetSummands = static_cast<double>(product(targetPartial));
  targetCopies = devices / static_cast<double>(product(targetSplit));
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

void SearchSpace::layOut(const State &state, Layout &layout) const {
  std::memset(layout.count, 0, sizeof(layout.count));
  layout.replicated = layout.partialSource = layout.partialTarget = 0;
  for (int axis = 0; axis < numAxes; ++axis) {
    uint8_t place = state.place[axis];
    if (place >= FirstSplit) {
      int dim = (place >> 4) - 1;
      layout.axes[dim][place & 15] = static_cast<uint8_t>(axis);
      ++layout.count[dim];
    } else if (place == Replicated) {
      layout.replicated |= 1u << axis;
    } else if (place == PartialSource) {
      layout.partialSource |= 1u << axis;
    } else {
      layout.partialTarget |= 1u << axis;
    }
  }
  layout.bytes = unitBytes;
  for (int dim = 0; dim < numDims; ++dim) {
    int64_t width = layout.extent[dim][0] = extent[dim];
    for (int i = 0; i < layout.count[dim]; ++i) {
      int64_t k = size[layout.axes[dim][i]];
      // Division of small numbers is several times faster.
      if ((static_cast<uint64_t>(width) | static_cast<uint64_t>(k)) >> 31 == 0)
        width = (static_cast<uint32_t>(width) + static_cast<uint32_t>(k) - 1) /
                static_cast<uint32_t>(k);
      else
        width = ceilDiv(width, k);
      layout.extent[dim][i + 1] = width;
    }
    layout.bytes *= static_cast<double>(width);
  }
}

bool SearchSpace::flat(int64_t extent, const uint8_t *axes, int count) const {
  int64_t sizes[maxAxes];
  for (int i = 0; i < count; ++i)
    sizes[i] = size[axes[i]];
  return cutsAtOnce(extent, sizes, static_cast<size_t>(count));
}

/// Whether `axes`, of the same product as the present axes of `dim`, cut it
/// into the same sequence of blocks.
bool SearchSpace::keepsBlocks(const Layout &layout, int dim,
                              const uint8_t *axes, int count) const {
  uint64_t codeBefore = sizesCode(layout.axes[dim], layout.count[dim]);
  uint64_t codeAfter = sizesCode(axes, count);
  if (even || (count == layout.count[dim] && codeBefore == codeAfter))
    return true;
  uint64_t hash =
      (codeBefore * 31 + codeAfter) * 31 + static_cast<uint64_t>(dim);
  hash *= 0x9E3779B97F4A7C15u;
  static_assert(numKnownBlocks == 1 << 8);
  KnownBlocks &known = knownBlocks[hash >> 56];
  if (known.dim == dim && known.before == codeBefore &&
      known.after == codeAfter && known.countBefore == layout.count[dim] &&
      known.countAfter == count)
    return known.same;
  int64_t before[maxAxes], after[maxAxes];
  for (int i = 0; i < layout.count[dim]; ++i)
    before[i] = size[layout.axes[dim][i]];
  for (int i = 0; i < count; ++i)
    after[i] = size[axes[i]];
  bool same = sameBlocks(extent[dim], before, layout.count[dim], after,
                         static_cast<size_t>(count));
  known = {codeBefore,
           codeAfter,
           static_cast<int8_t>(dim),
           layout.count[dim],
           static_cast<uint8_t>(count),
           same};
  return same;
}

double SearchSpace::cost(Collective collective, uint32_t axes,
                         double bytes) const {
  if (bytes <= 0)
    return 0;
  if (uniform)
    return bytes * costPerByte;
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
      for (int i = 0; i < layout.count[dim]; ++i)
        if (layout.extent[dim][i] % size[layout.axes[dim][i]] != 0)
          return false;
  }
  even = evenOnly = true;
  allMoves = false;
  return true;
}

/// Whether a device at coordinate 1 of one axis and 0 of all others has a full
/// target block and nothing of it, where blocks are uneven: state (the first
/// `count` axes of `dim`) and target split `dim` by the same axes up to `at`, by
/// different ones there.
bool SearchSpace::missesBlock(const Layout &layout, int dim, int at,
                              int count) const {
  const int64_t *target = targetLayout.extent[dim];
  int64_t wanted = targetLayout.local(dim), local = layout.extent[dim][count];
  // The axis of the state: its block moves away from that of the target.
  uint8_t axis = layout.axes[dim][at];
  int64_t start = layout.extent[dim][at + 1];
  uint8_t place = targetState.place[axis];
  if (place >= FirstSplit && (place >> 4) - 1 != dim) {
    int other = (place >> 4) - 1;
    const int64_t *extents = targetLayout.extent[other] + (place & 15);
    if (start >= wanted && extents[0] - extents[1] >= targetLayout.local(other))
      return true;
  }
  // The axis of the target.
  axis = targetLayout.axes[dim][at];
  if (target[at] - target[at + 1] < wanted)
    return false;
  int64_t shift = 0;
  for (int i = at + 1; i < count; ++i)
    if (layout.axes[dim][i] == axis)
      shift = layout.extent[dim][i + 1];
  return shift + local <= target[at + 1];
}

/// Communication moves bytes into a device no faster than it moves them out of
/// one, on average over the devices, and each symmetric step moves as much into
/// every device: so what the neediest device, or the average device, still has to
/// receive bounds what is to be sent.
///
/// With a partial target a group along its partial axes is needy as a whole: its
/// members may share the elements among them, each in one summand.
double SearchSpace::boundBytes(const Layout &layout) const {
  double summands = static_cast<double>(product(layout.partialSource));
  if (layout.partialSource != 0 && targetPartial == 0) {
    // A sum over k summands, wanted on m devices, takes k - 1 + m - 1 messages
    // per element; and no device has any element of its target block yet.
    return std::max(targetBytes,
                    wholeBytes / devices * (summands - 2 + targetCopies));
  }
  bool divides = true, disjoint = false, missesAll = false;
  double overlap = unitBytes, atOrigin = unitBytes;
  for (int dim = 0; dim < numDims; ++dim) {
    const uint8_t *have = layout.axes[dim], *want = targetLayout.axes[dim];
    int n = layout.count[dim], m = targetLayout.count[dim];
    while (n > 0 && (targetPartial >> have[n - 1] & 1))
      --n;
    int64_t local = layout.extent[dim][n], wanted = targetLayout.local(dim);
    int64_t parts = 1, wantedParts = 1, first = 0;
    bool scattered = false;
    for (int i = 0; i < n; ++i) {
      parts *= size[have[i]];
      scattered = scattered || (targetPartial >> have[i] & 1);
      // The device at coordinate 0 of all target axes and at the last
      // coordinate of the others.
      if (!(targetSplit >> have[i] & 1))
        first += layout.extent[dim][i + 1] * (size[have[i]] - 1);
    }
    for (int i = 0; i < m; ++i)
      wantedParts *= size[want[i]];
    divides = divides && extent[dim] % parts == 0 &&
              extent[dim] / parts == local && extent[dim] % wantedParts == 0 &&
              extent[dim] / wantedParts == wanted;
    if (scattered) {
      overlap *= static_cast<double>(wanted);
      atOrigin *= static_cast<double>(wanted);
      continue;
    }
    int same = 0;
    while (same < n && same < m && have[same] == want[same])
      ++same;
    if (same < n && same < m) {
      disjoint = true;
      missesAll = missesAll || missesBlock(layout, dim, same, n);
    }
    overlap *= static_cast<double>(std::min(local, wanted));
    atOrigin *= static_cast<double>(
        std::min(local, std::max<int64_t>(0, wanted - first)));
  }
  bool misses = divides ? disjoint : missesAll;
  double bytes = targetBytes - (misses ? 0 : divides ? overlap : atOrigin);
  bytes = std::max(bytes / targetSummands, 0.0);
  if (targetPartial != 0 && layout.partialSource != 0)
    bytes = std::max(bytes, wholeBytes / devices *
                                (summands - (sameKind ? targetSummands : 1)));
  return bytes;
}

double SearchSpace::bound(const Layout &layout) const {
  if (costPerByte <= 0)
    return 0;
  // Rounded down to what sums of costs are multiples of.
  return std::ldexp(
      std::floor(std::ldexp(boundBytes(layout) * costPerByte, kBytesGrainBits)),
      -kBytesGrainBits);
}

double SearchSpace::workLeft(const Layout &layout, double bound,
                             bool anyPath) const {
  uint32_t partial = layout.partialSource | layout.partialTarget;
  int reduced = __builtin_popcount(partial & ~targetPartial);
  int wrong = reduced + __builtin_popcount(targetPartial & ~partial);
  int blocked = reduced;
  for (int dim = 0; dim < numDims; ++dim) {
    int n = layout.count[dim], m = targetLayout.count[dim], common = 0;
    const uint8_t *have = layout.axes[dim], *want = targetLayout.axes[dim];
    while (common < n && common < m && have[common] == want[common])
      ++common;
    wrong += n + m - 2 * common;
    if (common == m)
      continue;
    blocked += n - common;
    for (int i = common; i < m; ++i)
      blocked += !(layout.replicated >> want[i] & 1);
  }
  double perByte = costPerByte > 0 ? costPerByte : 1;
  if (anyPath)
    return wrong * std::max(sourceBytes, targetBytes) * perByte;
  // The groups of a partial target rarely share their work as the bound hopes.
  return blocked * layout.bytes * perByte + bound * (targetSummands - 1);
}

Step SearchSpace::step(const State &from, const Move &move) const {
  Layout before, after;
  layOut(from, before);
  layOut(move.to, after);
  Step result;
  result.kind = move.kind;
  auto list = [&](const Layout &layout, int dim, int first) {
    AxisList axes;
    for (int i = first; i < layout.count[dim]; ++i)
      axes.push_back(gridAxis[layout.axes[dim][i]]);
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
    result.axes = list(before, move.dim, after.count[move.dim]);
    result.reduction = problem.to.reduction;
    break;
  case Step::Kind::AllSlice:
  case Step::Kind::AllToAll:
    result.axes = list(after, move.dim, before.count[move.dim]);
    break;
  case Step::Kind::ReduceScatter:
    result.axes = list(after, move.dim, before.count[move.dim]);
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
    // Dimensions and partial axes that stay as they are are left out.
    for (int dim = 0; dim < numDims; ++dim) {
      AxisList f = list(before, dim, 0), t = list(after, dim, 0);
      while (!f.empty() && !t.empty() && f.front() == t.front()) {
        f.erase(f.begin());
        t.erase(t.begin());
      }
      while (!f.empty() && !t.empty() && f.back() == t.back()) {
        f.pop_back();
        t.pop_back();
      }
      result.axes.insert(result.axes.end(), f.begin(), f.end());
      result.toAxes.insert(result.toAxes.end(), t.begin(), t.end());
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
