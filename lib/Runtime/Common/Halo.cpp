//===- Halo.cpp - Which parts of a halo come from where -------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Halo.h"

#include <algorithm>

namespace shard {
namespace runtime {

namespace {

/// Elements [offset, offset + size) of a dimension, which are elements
/// [source, source + size) of the device `hops` blocks further.
struct Segment {
  int64_t offset;
  int64_t size;
  int64_t hops;
  int64_t source;
};

std::vector<Segment> segmentsOf(int64_t extent, int64_t low, int64_t high,
                                int64_t position, int64_t parts) {
  int64_t core = extent - low - high;
  std::vector<Segment> segments;
  segments.push_back({low, core, 0, low});
  // Outwards from the core, a block of the neighbour at a time.
  for (int64_t done = 0, hop = 1; done < low; ++hop) {
    int64_t size = std::min(core, low - done);
    if (position - hop < 0 || core == 0)
      size = low - done;
    int64_t offset = low - done - size;
    if (position - hop < 0 || core == 0)
      segments.push_back({offset, size, 0, offset});
    else
      segments.push_back({offset, size, -hop, low + core - size});
    done += size;
  }
  for (int64_t done = 0, hop = 1; done < high; ++hop) {
    int64_t size = std::min(core, high - done);
    if (position + hop >= parts || core == 0)
      size = high - done;
    int64_t offset = low + core + done;
    if (position + hop >= parts || core == 0)
      segments.push_back({offset, size, 0, offset});
    else
      segments.push_back({offset, size, hop, low});
    done += size;
  }
  return segments;
}

/// One dimension: its segments, and how far positions are apart whose blocks
/// are neighbours in it.
struct Dimension {
  std::vector<Segment> segments;
  int64_t stride = 0;
};

/// How a dimension is split over the group.
struct Split {
  int64_t parts = 1;
  int64_t at = 0; // of a position
  int64_t stride = 1;
};

std::vector<Split> splitsOf(const Group &group, int64_t rank,
                            const HaloWidths &halo, int64_t position) {
  std::vector<Split> splits(rank);
  int64_t stride = group.size;
  size_t axis = 0;
  for (int64_t d = 0; d < rank; ++d) {
    Split &split = splits[d];
    for (int64_t i = 0; i < halo.axesPerDim[d]; ++i, ++axis) {
      split.parts *= group.sizes[axis];
      split.at =
          split.at * group.sizes[axis] + group.coordinates[position][axis];
    }
    stride /= split.parts;
    split.stride = stride;
  }
  return splits;
}

/// Appends the boxes that have the given segments in the dimensions before
/// `dim`.
void appendBoxes(const std::vector<Dimension> &dims, size_t dim, HaloBox box,
                 std::vector<HaloBox> &boxes) {
  if (dim == dims.size()) {
    boxes.push_back(box);
    return;
  }
  for (const Segment &segment : dims[dim].segments) {
    if (segment.size == 0)
      continue;
    HaloBox next = box;
    next.position += segment.hops * dims[dim].stride;
    next.offsets[dim] = segment.offset;
    next.sources[dim] = segment.source;
    next.sizes[dim] = segment.size;
    appendBoxes(dims, dim + 1, next, boxes);
  }
}

/// Appends the positions whose coordinates differ by at most `reach` blocks in
/// each dimension.
void appendNear(const std::vector<Split> &splits,
                const std::vector<int64_t> &reach, size_t dim, int64_t position,
                std::vector<int64_t> &near) {
  if (dim == splits.size()) {
    near.push_back(position);
    return;
  }
  const Split &split = splits[dim];
  int64_t first = std::max<int64_t>(0, split.at - reach[dim]);
  int64_t last = std::min(split.parts - 1, split.at + reach[dim]);
  for (int64_t at = first; at <= last; ++at)
    appendNear(splits, reach, dim + 1,
               position + (at - split.at) * split.stride, near);
}

} // namespace

std::vector<HaloBox> haloBoxes(const Group &group, const View &view,
                               const HaloWidths &halo, int64_t position) {
  std::vector<Split> splits = splitsOf(group, view.rank, halo, position);
  std::vector<Dimension> dims(view.rank);
  for (int64_t d = 0; d < view.rank; ++d) {
    dims[d].stride = splits[d].stride;
    dims[d].segments =
        segmentsOf(view.sizes[d], halo.widths[2 * d], halo.widths[2 * d + 1],
                   splits[d].at, splits[d].parts);
  }
  std::vector<HaloBox> boxes;
  HaloBox box;
  box.position = position;
  appendBoxes(dims, 0, box, boxes);
  return boxes;
}

std::vector<int64_t> haloTakers(const Group &group, const View &view,
                                const HaloWidths &halo, int64_t position) {
  std::vector<Split> splits = splitsOf(group, view.rank, halo, position);
  std::vector<int64_t> reach(view.rank);
  for (int64_t d = 0; d < view.rank; ++d) {
    int64_t low = halo.widths[2 * d], high = halo.widths[2 * d + 1];
    int64_t core = view.sizes[d] - low - high;
    reach[d] = core == 0 ? 0 : ceilDiv(std::max(low, high), core);
  }
  std::vector<int64_t> near, takers;
  appendNear(splits, reach, 0, position, near);
  for (int64_t other : near) {
    if (other == position)
      continue;
    for (const HaloBox &box : haloBoxes(group, view, halo, other))
      if (box.position == position) {
        takers.push_back(other);
        break;
      }
  }
  std::sort(takers.begin(), takers.end());
  return takers;
}

} // namespace runtime
} // namespace shard
