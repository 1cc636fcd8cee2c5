//===- Halo.cpp - Refreshing halos between threads ------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dimension falls into segments: the own elements, and the parts of its halos
// by the device that owns them. The box of one segment per dimension has one
// owner, from which it is copied: corners come from diagonal neighbours at
// once. Where the grid ends, a segment stays at home in that dimension, so that
// no element that a device reads is written by its owner meanwhile, and the
// result may be the input.
//
//===----------------------------------------------------------------------===//

#include "Collective.h"

#include "shard/Geometry/SeededFaults.h"

#include <algorithm>

using namespace shard;
using namespace shard::runtime;

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
      segments.push_back(
          {offset, size, -hop,
           low + core - size -
               (SHARD_FAULT(HaloOffByOne) && core > size ? 1 : 0)});
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
      segments.push_back(
          {offset, size, hop,
           low + (SHARD_FAULT(HaloOffByOne) && core > size ? 1 : 0)});
    done += size;
  }
  return segments;
}

/// One dimension: its segments and its place in the group's linear order.
struct Dimension {
  std::vector<Segment> segments;
  int64_t stride = 0;
};

/// The boxes of one segment per dimension.
struct Boxes {
  const Member &member;
  const Call &call;
  std::vector<Dimension> dims;
  /// One segment per dimension: the current box.
  std::vector<const Segment *> box;
  int64_t receivedBytes = 0;

  void copyBox(int64_t position) {
    View target = call.result;
    View source = member.peer(position).input;
    for (size_t d = 0; d < dims.size(); ++d) {
      target = target.slice(d, box[d]->offset, box[d]->size);
      source = source.slice(d, box[d]->source, box[d]->size);
    }
    copy(target, source);
    if (position != member.position)
      receivedBytes += target.bytes();
  }

  void copyAll(size_t dim, int64_t position) {
    if (dim == dims.size())
      return copyBox(position);
    for (const Segment &segment : dims[dim].segments) {
      box[dim] = &segment;
      copyAll(dim + 1, position + segment.hops * dims[dim].stride);
    }
  }
};

/// Copies all boxes; returns the bytes that came from other devices, which are
/// as many as others take, but for the border.
int64_t exchange(const Member &m, const Call &call, const int64_t *axesPerDim,
                 const int64_t *halos) {
  int64_t rank = call.input.rank;
  Boxes boxes{m, call, std::vector<Dimension>(rank),
              std::vector<const Segment *>(rank)};
  int64_t stride = m.size;
  size_t axis = 0;
  for (int64_t d = 0; d < rank; ++d) {
    int64_t parts = 1, at = 0;
    for (int64_t i = 0; i < axesPerDim[d]; ++i, ++axis) {
      parts *= m.sizes[axis];
      at = at * m.sizes[axis] + m.coordinates[m.position][axis];
    }
    stride /= parts;
    boxes.dims[d].stride = stride;
    boxes.dims[d].segments = segmentsOf(call.input.sizes[d], halos[2 * d],
                                        halos[2 * d + 1], at, parts);
  }
  boxes.copyAll(0, m.position);
  return boxes.receivedBytes;
}

/// Checks what does not depend on the others.
void check(Device &device, Call &call, const Member &m,
           const int64_t *axesPerDim, const int64_t *halos) {
  int64_t numAxes = 0;
  for (int64_t d = 0; d < call.input.rank; ++d) {
    numAxes += axesPerDim[d];
    int64_t low = halos[2 * d], high = halos[2 * d + 1];
    call.add("axes", axesPerDim[d]);
    call.add("halo", low);
    call.add("halo", high);
    if (low < 0 || high < 0 || low + high > call.input.sizes[d])
      fail(device, call,
           "halos of %lld and %lld do not fit dimension %d of extent %lld",
           static_cast<long long>(low), static_cast<long long>(high), int(d),
           static_cast<long long>(call.input.sizes[d]));
    if (call.input.sizes[d] != call.result.sizes[d])
      fail(device, call, "input and result differ in dimension %d", int(d));
  }
  if (numAxes != int64_t(m.axes.size()))
    fail(device, call, "the axes per dimension do not add up to the group's");
}

} // namespace

void shard_rt_update_halo(const char *location, const int64_t *group,
                          int64_t type, const int64_t *input,
                          const int64_t *result, const int64_t *axes_per_dim,
                          const int64_t *halos) {
  Collective c = begin(Kind::UpdateHalo, location, group, type, input, result);
  if (c.call.input.rank != c.call.result.rank)
    fail(c.device, c.call, "input and result differ in rank");
  check(c.device, c.call, *c.member, axes_per_dim, halos);
  c.enter();
  int64_t bytes = exchange(*c.member, c.call, axes_per_dim, halos);
  c.leave();
  c.record(bytes);
}
