//===- SearchBounds.cpp - What a state is from the target, at least -------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SearchSpace.h"

#include <algorithm>
#include <cmath>

namespace shard {
namespace detail {

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

DimBound SearchSpace::boundOf(const Layout &layout, int dim) const {
  DimBound result;
  const uint8_t *have = layout.axes[dim], *want = targetLayout.axes[dim];
  int n = layout.count[dim], m = targetLayout.count[dim];
  while (n > 0 && (targetPartial >> have[n - 1] & 1))
    --n;
  int64_t local = layout.extent[dim][n], wanted = targetLayout.local(dim);
  int64_t parts = 1, first = 0;
  bool scattered = false;
  for (int i = 0; i < n; ++i) {
    parts *= size[have[i]];
    scattered = scattered || (targetPartial >> have[i] & 1);
    // The device at coordinate 0 of all target axes and at the last
    // coordinate of the others.
    if (!(targetSplit >> have[i] & 1))
      first += layout.extent[dim][i + 1] * (size[have[i]] - 1);
  }
  int64_t whole;
  result.divides = !__builtin_mul_overflow(local, parts, &whole) &&
                   whole == extent[dim] && evenTarget[dim];
  if (scattered) {
    result.overlap = result.atOrigin = static_cast<double>(wanted);
    return result;
  }
  int same = 0;
  while (same < n && same < m && have[same] == want[same])
    ++same;
  if (same < n && same < m) {
    result.disjoint = true;
    result.missesAll = missesBlock(layout, dim, same, n);
  }
  result.overlap = static_cast<double>(std::min(local, wanted));
  result.atOrigin = static_cast<double>(
      std::min(local, std::max<int64_t>(0, wanted - first)));
  return result;
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
                    wholeBytes / usableDevices * (summands - 2 + targetCopies));
  }
  bool divides = true, disjoint = false, missesAll = false;
  double overlap = unitBytes, atOrigin = unitBytes;
  for (int dim = 0; dim < numDims; ++dim) {
    const DimBound &at = layout.dimBounds[dim];
    divides = divides && at.divides;
    disjoint = disjoint || at.disjoint;
    missesAll = missesAll || at.missesAll;
    overlap *= at.overlap;
    atOrigin *= at.atOrigin;
  }
  bool misses = divides ? disjoint : missesAll;
  double bytes = targetBytes - (misses ? 0 : divides ? overlap : atOrigin);
  bytes = std::max(bytes / targetSummands, 0.0);
  if (targetPartial != 0 && layout.partialSource != 0)
    bytes = std::max(bytes, wholeBytes / usableDevices *
                                (summands - (sameKind ? targetSummands : 1)));
  return bytes;
}

double SearchSpace::bound(const Layout &layout) const {
  if (costPerByte <= 0)
    return 0;
  // Rounded down to what sums of costs are multiples of.
  constexpr double grains = static_cast<double>(int64_t(1) << kBytesGrainBits);
  return std::floor(boundBytes(layout) * costPerByte * grains) / grains;
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

} // namespace detail
} // namespace shard
