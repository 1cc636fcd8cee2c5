//===- SearchBounds.cpp - What a state is from the target, at least -------===//
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

/// Whether a device at coordinate 1 of one axis and 0 of all others has a full
/// target block and nothing of it, where blocks are uneven: state (the first
/// `count` axes of `dim`) and target split `dim` by the same axes up to `at`, by
/// different ones there.
bool SearchSpace::missesBlock(const DimLayout &layout, int at,
                              int count) const {
  int dim = layout.dim;
  const int64_t *target = targetLayout.extent(dim);
  int64_t wanted = targetLayout.local(dim), local = layout.extent[count];
  // The axis of the state: its block moves away from that of the target.
  uint8_t axis = layout.axes[at];
  int64_t start = layout.extent[at + 1];
  uint8_t place = targetState.place[axis];
  if (place >= FirstSplit && (place >> 4) - 1 != dim) {
    int other = (place >> 4) - 1;
    const int64_t *extents = targetLayout.extent(other) + (place & 15);
    if (start >= wanted && extents[0] - extents[1] >= targetLayout.local(other))
      return true;
  }
  // The axis of the target.
  axis = targetLayout.axes(dim)[at];
  if (target[at] - target[at + 1] < wanted)
    return false;
  int64_t shift = 0;
  for (int i = at + 1; i < count; ++i)
    if (layout.axes[i] == axis)
      shift = layout.extent[i + 1];
  return shift + local <= target[at + 1];
}

/// The largest part of a dimension that the devices at one coordinate of an axis have
/// together: the axis is number `index` of the dimension, and the axes before it cut the
/// dimension into `before` parts.
double SearchSpace::largestPart(const DimLayout &layout, int index,
                                int64_t before) const {
  double elements = static_cast<double>(before) *
                    static_cast<double>(layout.extent[index + 1]);
  int64_t whole = layout.extent[0];
  return whole ? elements / static_cast<double>(whole) : 1;
}

DimBound SearchSpace::boundOf(const DimLayout &layout) const {
  DimBound result;
  int dim = layout.dim;
  const uint8_t *have = layout.axes, *want = targetLayout.axes(dim);
  int n = layout.count, m = targetLayout.count(dim);
  int64_t local = layout.local, wanted = targetLayout.local(dim);
  // `alone` axes come before the first one that the target wants partial; `together` has
  // the elements of all blocks along those.
  int alone = n;
  int64_t parts = 1, first = 0;
  double together = static_cast<double>(local);
  for (int i = 0; i < n; ++i) {
    uint8_t axis = have[i], place = targetState.place[axis];
    // The coordinate along this axis depends on one dimension in the state and on
    // another one in the target: it is the same for part of the elements only.
    if (place >= FirstSplit && (place >> 4) - 1 != dim)
      result.meets = std::min(
          {result.meets, targetPart[axis], largestPart(layout, i, parts)});
    if (targetPartial >> axis & 1) {
      alone = std::min(alone, i);
      together *= static_cast<double>(size[axis]);
    }
    parts *= size[axis];
    // The device at coordinate 0 of all target axes and at the last
    // coordinate of the others.
    if (!(targetSplit >> axis & 1))
      first += layout.extent[i + 1] * (size[axis] - 1);
  }
  int64_t whole;
  if (__builtin_mul_overflow(local, parts, &whole) || whole != extent[dim] ||
      !evenTarget[dim])
    result.bits |= DimBound::Uneven;
  int same = 0;
  while (same < alone && same < m && have[same] == want[same])
    ++same;
  if (same < alone && same < m) {
    result.bits |= DimBound::Disjoint;
    if (missesBlock(layout, same, alone))
      result.bits |= DimBound::MissesAll;
  }
  double most = static_cast<double>(wanted);
  double atOrigin = static_cast<double>(std::max<int64_t>(0, wanted - first));
  if (alone < n) {
    together = std::min(together, static_cast<double>(layout.extent[alone]));
    atOrigin = most;
  }
  result.overlap = std::min(together, most);
  result.atOrigin = std::min(together, atOrigin);
  return result;
}

/// Communication moves bytes into a device no faster than it moves them out of
/// one, on average over the devices, and each symmetric step moves as much into
/// every device: so what the neediest device, or the average device, still has to
/// receive bounds what is to be sent.
///
/// The devices along the partial axes of the target count as one, a *group*: they may
/// share the elements among them, each in one summand. So the bytes that a group lacks
/// are divided by their number.
///
/// Messages of one element, with k summands in the state and g groups that want it: a group
/// has at most `together` of the summands, each of the others has to leave its device before
/// any group has the sum, and every further group needs one message more. Where no group
/// has any summand, all k have to leave.
double SearchSpace::boundBytes(const Layout &layout) const {
  if (layout.partialSource) {
    double summands = static_cast<double>(product(layout.partialSource));
    // Of another kind than the target's, a sum is complete on one device first.
    uint32_t reduced =
        sameKind ? layout.partialSource & ~targetPartial : layout.partialSource;
    if (reduced) {
      double meets = 1;
      for (int dim = 0; dim < numDims; ++dim)
        meets = std::min(meets, layout.dims[dim]->bound.meets);
      double together =
          sameKind ? summands / static_cast<double>(product(reduced)) : 1;
      return std::max(groupBytes,
                      bytesPerDevice *
                          (summands - meets * together + moreGroups));
    }
    return bytesToMove(layout, summands);
  }
  return bytesToMove(layout, 1);
}

/// The same of a state with so many summands, none of which has to be reduced.
double SearchSpace::bytesToMove(const Layout &layout, double summands) const {
  uint8_t bits = 0;
  double overlap = unitBytes, atOrigin = unitBytes, meets = 1;
  for (int dim = 0; dim < numDims; ++dim) {
    const DimBound &at = layout.dims[dim]->bound;
    bits |= at.bits;
    overlap *= at.overlap;
    atOrigin *= at.atOrigin;
    meets = std::min(meets, at.meets);
  }
  bool divides = !(bits & DimBound::Uneven);
  bool misses = bits & (divides ? DimBound::Disjoint : DimBound::MissesAll);
  double bytes = targetBytes - (misses ? 0 : divides ? overlap : atOrigin);
  if (targetSummands != 1)
    bytes /= targetSummands;
  return std::max(bytes,
                  bytesPerDevice * (1 - meets) * (summands + moreGroups));
}

/// The same of every state with the partial axes of `layout`, whose devices have at most
/// `overlap` bytes of their target blocks together.
double SearchSpace::leastBytes(const Layout &layout, double overlap) const {
  if (!layout.partialSource)
    return (targetBytes - overlap) / targetSummands;
  // Of a sum, a group has at most one summand for each of its devices.
  double summands = static_cast<double>(product(layout.partialSource));
  double together = sameKind ? targetSummands : 1;
  if (summands <= together)
    return 0;
  return std::max(groupBytes,
                  bytesPerDevice * (summands - together + moreGroups));
}

double SearchSpace::boundWithSameExtents(const Layout &layout) const {
  double overlap = unitBytes;
  for (int dim = 0; dim < numDims; ++dim)
    overlap *=
        std::min(static_cast<double>(targetLayout.local(dim)),
                 static_cast<double>(layout.local(dim)) * targetSummands);
  return costOf(leastBytes(layout, overlap));
}

double SearchSpace::boundWithMoreAxes(const Layout &layout) const {
  // With padding, devices of a group may have more together when an axis is added.
  double overlap = targetPartial ? targetBytes : unitBytes;
  for (int dim = 0; dim < numDims && !targetPartial; ++dim)
    overlap *= layout.dims[dim]->bound.overlap;
  return costOf(leastBytes(layout, overlap));
}

double SearchSpace::workLeft(const Layout &layout, double bound,
                             bool anyPath) const {
  uint32_t partial = layout.partialSource | layout.partialTarget;
  int reduced = __builtin_popcount(partial & ~targetPartial);
  int wrong = reduced + __builtin_popcount(targetPartial & ~partial);
  int blocked = reduced;
  for (int dim = 0; dim < numDims; ++dim) {
    int n = layout.count(dim), m = targetLayout.count(dim), common = 0;
    const uint8_t *have = layout.axes(dim), *want = targetLayout.axes(dim);
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

} // namespace detail
} // namespace shard
