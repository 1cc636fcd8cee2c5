//===- Collectives.cpp - Collectives between threads ----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The data movement of Runtime.h's collectives. All devices share memory, so a
// device copies what it needs straight from the others' inputs into its result:
// one copy. Every check is made before `enter` or by the comparison there.
//
//===----------------------------------------------------------------------===//

#include "Collective.h"

#include "shard/Geometry/SeededFaults.h"

#include <algorithm>
#include <cstring>

using namespace shard;
using namespace shard::runtime;

namespace {

/// Copies the valid part of every block of the group along `dim`; starts with
/// the own one, so that not all read the same device at once.
void concatenate(const Collective &c, int64_t dim) {
  const Member &m = *c.member;
  int64_t extent = c.call.result.sizes[dim];
  bool blocks = true;
  for (int64_t p = 0; p < m.size; ++p)
    blocks &= m.peer(p).input.sizes[dim] == ceilDiv(extent, m.size);
  if (!blocks) {
    int64_t offset = 0;
    for (int64_t p = 0; p < m.size; ++p) {
      const View &input = m.peer(p).input;
      copy(c.call.result.slice(dim, offset, input.sizes[dim]), input);
      offset += input.sizes[dim];
    }
    return;
  }
  for (int64_t i = 0; i < m.size; ++i) {
    int64_t p = (m.position + i) % m.size;
    Block block = m.block(extent, p);
    if (SHARD_FAULT(GatherKeepsPadding) && block.size > 0)
      block.offset = extent - block.size;
    copy(c.call.result.slice(dim, block.offset, block.size),
         m.peer(SHARD_FAULT(GatherReversed) ? m.size - 1 - p : p)
             .input.slice(dim, 0, block.size));
  }
}

/// Copies the own block of `whole` into `part`, zeros behind it.
void cut(const Member &m, const View &part, const View &whole, int64_t dim) {
  Block block = m.block(whole.sizes[dim], SHARD_FAULT(SliceOfOtherDevice)
                                              ? m.size - 1 - m.position
                                              : m.position);
  copy(part.slice(dim, 0, block.size),
       whole.slice(dim, block.offset, block.size));
  if (block.size < part.sizes[dim])
    fillZero(part.slice(dim, block.size, part.sizes[dim] - block.size));
}

} // namespace

int64_t shard_rt_group_size(const char *location, const int64_t *group) {
  Collective c(Kind::AllSlice, location);
  c.join(group);
  return c.member->size;
}

int64_t shard_rt_divide_extent(const char *location, const int64_t *group,
                               int64_t extent) {
  Collective c(Kind::AllSlice, location);
  c.join(group);
  if (extent % c.member->size == 0)
    return extent / c.member->size;
  // Named by its place alone: several collectives cut.
  char text[512];
  snprintf(text, sizeof(text),
           "at %s: a dynamic dimension of extent %lld is cut over a group of "
           "%lld devices, which does not divide it; give the dimension a "
           "static extent or another sharding",
           location, static_cast<long long>(extent),
           static_cast<long long>(c.member->size));
  shard_rt_fail(text);
  return 0;
}

void shard_rt_barrier(const char *location, const int64_t *group) {
  Collective c(Kind::Barrier, location);
  c.join(group);
  c.enter();
  c.leave();
  c.record(0);
}

void shard_rt_all_gather(const char *location, const int64_t *group,
                         int64_t type, const int64_t *input,
                         const int64_t *result, int64_t dim) {
  Collective c = begin(Kind::AllGather, location, group, type, input, result);
  c.checkDim("dimension", dim);
  c.checkShapes(dim);
  c.call.freeDim = dim;
  if (SHARD_FAULT(DeviceSkipsGather) && c.member->position == 1)
    return;
  c.enter();
  concatenate(c, dim);
  c.leave();
  c.record((c.member->size - 1) * c.call.input.bytes());
}

void shard_rt_gather(const char *location, const int64_t *group, int64_t type,
                     const int64_t *input, const int64_t *result, int64_t dim,
                     const int64_t *root) {
  Collective c = begin(Kind::Gather, location, group, type, input, result);
  c.checkDim("dimension", dim);
  c.checkShapes(dim);
  c.call.freeDim = dim;
  bool isRoot = c.positionOf("root", root) == c.member->position;
  c.enter();
  if (isRoot)
    concatenate(c, dim);
  else
    fillZero(c.call.result);
  c.leave();
  c.record(isRoot ? 0 : c.call.input.bytes());
}

void shard_rt_all_slice(const char *location, const int64_t *group,
                        int64_t type, const int64_t *input,
                        const int64_t *result, int64_t dim) {
  Collective c = begin(Kind::AllSlice, location, group, type, input, result);
  c.checkDim("dimension", dim);
  c.checkShapes(dim);
  c.checkCut(dim, c.call.input.sizes[dim], c.call.result.sizes[dim]);
  cut(*c.member, c.call.result, c.call.input, dim);
  c.record(0);
}

void shard_rt_scatter(const char *location, const int64_t *group, int64_t type,
                      const int64_t *input, const int64_t *result, int64_t dim,
                      const int64_t *root) {
  Collective c = begin(Kind::Scatter, location, group, type, input, result);
  c.checkDim("dimension", dim);
  c.checkShapes(dim);
  c.checkCut(dim, c.call.input.sizes[dim], c.call.result.sizes[dim]);
  int64_t from = c.positionOf("root", root);
  c.enter();
  cut(*c.member, c.call.result, c.member->peer(from).input, dim);
  c.leave();
  c.record(from == c.member->position
               ? c.call.input.bytes() / c.member->size * (c.member->size - 1)
               : 0);
}

void shard_rt_all_to_all(const char *location, const int64_t *group,
                         int64_t type, const int64_t *input,
                         const int64_t *result, int64_t split_dim,
                         int64_t concat_dim) {
  Collective c = begin(Kind::AllToAll, location, group, type, input, result);
  c.checkDim("split dimension", split_dim);
  c.checkDim("concat dimension", concat_dim);
  Member &m = *c.member;
  const View &in = c.call.input, &out = c.call.result;
  if (split_dim == concat_dim) {
    c.checkShapes();
    if (in.sizes[split_dim] % m.size != 0)
      fail(c.device, c.call,
           "the split dimension is also the concat dimension, but its extent "
           "is not divisible by the group's size %lld",
           static_cast<long long>(m.size));
  } else {
    c.checkShapes(split_dim, concat_dim);
    c.checkCut(split_dim, in.sizes[split_dim], out.sizes[split_dim]);
    c.checkCut(concat_dim, out.sizes[concat_dim], in.sizes[concat_dim]);
  }
  c.enter();
  Block mine = m.block(in.sizes[split_dim], m.position);
  for (int64_t i = 0; i < m.size; ++i) {
    int64_t p = (m.position + i) % m.size;
    View source = m.peer(p).input.slice(split_dim, mine.offset, mine.size);
    Block theirs = m.block(out.sizes[concat_dim],
                           SHARD_FAULT(AllToAllReversed) ? m.size - 1 - p : p);
    View target = out.slice(concat_dim, theirs.offset, theirs.size);
    if (split_dim != concat_dim) {
      source = source.slice(concat_dim, 0, theirs.size);
      target = target.slice(split_dim, 0, mine.size);
    }
    copy(target, source);
  }
  if (split_dim != concat_dim && mine.size < out.sizes[split_dim])
    fillZero(out.slice(split_dim, mine.size, out.sizes[split_dim] - mine.size));
  c.leave();
  c.record(in.bytes() / m.size * (m.size - 1));
}

void shard_rt_broadcast(const char *location, const int64_t *group,
                        int64_t type, const int64_t *input,
                        const int64_t *result, const int64_t *root) {
  Collective c = begin(Kind::Broadcast, location, group, type, input, result);
  c.checkShapes();
  int64_t from = c.positionOf("root", root);
  c.enter();
  copy(c.call.result, c.member->peer(from).input);
  c.leave();
  bool sends = from == c.member->position && c.member->size > 1;
  c.record(sends ? c.call.input.bytes() : 0);
}

void shard_rt_all_reduce(const char *location, const int64_t *group,
                         int64_t type, const int64_t *input,
                         const int64_t *result, int64_t reduction) {
  Collective c = begin(Kind::AllReduce, location, group, type, input, result);
  c.checkShapes();
  ReduceKernel kernel = c.kernelFor(reduction);
  c.packInput();
  c.enter();
  // Each device combines one part of the elements, for all: the replicas are
  // the same bits. A piece at a time, so that it is copied from the cache.
  Member &m = *c.member;
  int64_t n = c.call.input.numElements(), bytes = c.call.input.elementBytes;
  int64_t begin = n * m.position / m.size, end = n * (m.position + 1) / m.size;
  constexpr int64_t kPiece = 4096;
  {
    std::vector<const char *> sources(m.size);
    for (int64_t at = begin; at < end; at += kPiece) {
      int64_t count = std::min(kPiece, end - at);
      for (int64_t p = 0; p < m.size; ++p)
        sources[p] = m.peer(p).input.data + at * bytes;
      char *own = c.call.result.data + at * bytes;
      kernel(own, sources.data(), m.size - SHARD_FAULT(AllReduceForgetsLast),
             count);
      for (int64_t p = 0; p < m.size; ++p)
        if (p != m.position && !SHARD_FAULT(ReduceNotSpread))
          memcpy(m.peer(p).result.data + at * bytes, own, count * bytes);
    }
  }
  c.leave();
  c.record(2 * (m.size - 1) * c.call.input.bytes() / m.size);
}

void shard_rt_reduce(const char *location, const int64_t *group, int64_t type,
                     const int64_t *input, const int64_t *result,
                     int64_t reduction, const int64_t *root) {
  Collective c = begin(Kind::Reduce, location, group, type, input, result);
  c.checkShapes();
  ReduceKernel kernel = c.kernelFor(reduction);
  int64_t to = c.positionOf("root", root);
  c.packInput();
  c.enter();
  Member &m = *c.member;
  if (to == m.position) {
    std::vector<const char *> sources;
    for (int64_t p = 0; p < m.size; ++p)
      sources.push_back(m.peer(p).input.data);
    kernel(c.call.result.data, sources.data(), m.size,
           c.call.input.numElements());
  } else {
    fillZero(c.call.result);
  }
  c.leave();
  c.record((m.size - 1) * c.call.input.bytes() / m.size);
}

void shard_rt_reduce_scatter(const char *location, const int64_t *group,
                             int64_t type, const int64_t *input,
                             const int64_t *result, int64_t reduction,
                             int64_t dim) {
  Collective c =
      begin(Kind::ReduceScatter, location, group, type, input, result);
  ReduceKernel kernel = c.kernelFor(reduction);
  c.checkDim("dimension", dim);
  c.checkShapes(dim);
  c.checkCut(dim, c.call.input.sizes[dim], c.call.result.sizes[dim]);
  Member &m = *c.member;
  const View &out = c.call.result;
  Block block = m.block(c.call.input.sizes[dim],
                        SHARD_FAULT(ReduceScatterFirstBlock) ? 0 : m.position);
  int64_t inner = 1, outer = 1;
  for (int64_t i = dim + 1; i < out.rank; ++i)
    inner *= out.sizes[i];
  for (int64_t i = 0; i < dim; ++i)
    outer *= out.sizes[i];

  // In a contiguous input, an own block is `outer` runs of `run` elements.
  // Short runs are not worth a kernel call each: pack the blocks first. Blocks
  // may be short on some devices only, but all have to decide alike: whether
  // inputs are packed is for the others to rely on.
  constexpr int64_t kShortRun = 64;
  int64_t run = block.size * inner;
  bool runs = outer == 1 || out.sizes[dim] * inner >= kShortRun;
  if (runs)
    c.packInput();
  c.enter();
  {
    int64_t bytes = out.elementBytes;
    std::vector<const char *> sources(m.size);
    std::vector<char> packed;
    if (runs) {
      int64_t whole = outer == 0 ? 0 : c.call.input.numElements() / outer;
      int64_t targetStep = outer == 0 ? 0 : out.numElements() / outer;
      for (int64_t o = 0; o < outer; ++o) {
        for (int64_t p = 0; p < m.size; ++p)
          sources[p] =
              m.peer(p).input.data + (o * whole + block.offset * inner) * bytes;
        kernel(out.data + o * targetStep * bytes, sources.data(), m.size, run);
      }
      if (block.size < out.sizes[dim])
        fillZero(out.slice(dim, block.size, out.sizes[dim] - block.size));
    } else {
      int64_t elements = outer * run;
      View shape = out.slice(dim, 0, block.size);
      packed.resize((m.size + 1) * elements * bytes);
      for (int64_t p = 0; p < m.size; ++p) {
        char *data = packed.data() + p * elements * bytes;
        copy(contiguousLike(shape, data),
             m.peer(p).input.slice(dim, block.offset, block.size));
        sources[p] = data;
      }
      bool padded = block.size < out.sizes[dim];
      char *target =
          padded ? packed.data() + m.size * elements * bytes : out.data;
      kernel(target, sources.data(), m.size, elements);
      if (padded) {
        copy(shape, contiguousLike(shape, target));
        fillZero(out.slice(dim, block.size, out.sizes[dim] - block.size));
      }
    }
  }
  c.leave();
  c.record((m.size - 1) * c.call.input.bytes() / m.size);
}

void shard_rt_send(const char *location, const int64_t *group, int64_t type,
                   const int64_t *input, const int64_t *destination) {
  Collective c = begin(Kind::Send, location, group, type, input, nullptr);
  int64_t to = c.positionOf("destination", destination);
  sendMessage(c.device, *c.member, c.call, to);
  c.record(to == c.member->position ? 0 : c.call.input.bytes());
}

void shard_rt_recv(const char *location, const int64_t *group, int64_t type,
                   const int64_t *result, const int64_t *source) {
  Collective c = begin(Kind::Recv, location, group, type, nullptr, result);
  int64_t from = source ? c.positionOf("source", source) : -1;
  receiveMessage(c.device, *c.member, c.call, from);
  c.record(0);
}

void shard_rt_shift(const char *location, const int64_t *group, int64_t type,
                    const int64_t *input, const int64_t *result, int64_t axis,
                    int64_t offset, int64_t rotate) {
  Collective c = begin(Kind::Shift, location, group, type, input, result);
  c.checkShapes();
  c.call.add("axis", axis);
  c.call.add("offset", offset);
  c.call.add("rotate", rotate != 0);
  Member &m = *c.member;
  size_t index = 0;
  int64_t stride = m.size;
  for (; index < m.axes.size(); ++index) {
    stride /= m.sizes[index];
    if (m.axes[index] == axis)
      break;
  }
  if (index == m.axes.size())
    fail(c.device, c.call, "the shift axis is not one of the group's axes");

  int64_t extent = m.sizes[index];
  int64_t here = m.coordinates[m.position][index];
  // The position `by` steps further along the axis; -1 if there is none.
  auto partner = [&](int64_t by) -> int64_t {
    if (!rotate && (by <= -extent || by >= extent))
      return -1;
    int64_t there = here + by % extent;
    if (rotate)
      there = (there + extent) % extent;
    if (there < 0 || there >= extent)
      return -1;
    return m.position + (there - here) * stride;
  };
  // Modulo first: -offset may overflow.
  int64_t back =
      rotate ? -(offset % extent) : -std::clamp(offset, -extent, extent);
  int64_t from = partner(back), to = partner(-back);
  c.enter();
  if (from < 0)
    fillZero(c.call.result);
  else
    copy(c.call.result, m.peer(from).input);
  c.leave();
  c.record(to < 0 || to == m.position ? 0 : c.call.input.bytes());
}

void shard_rt_permute(const char *location, const int64_t *group, int64_t type,
                      const int64_t *input, const int64_t *result,
                      const int64_t *to) {
  Collective c = begin(Kind::Permute, location, group, type, input, result);
  c.checkShapes();
  Member &from = *c.member;
  int64_t gridRank = group[0], numTo = to[0];
  if (numTo < 0 || numTo > gridRank)
    fail(c.device, c.call, "permute to %lld axes of a grid of %lld axes",
         static_cast<long long>(numTo), static_cast<long long>(gridRank));

  // Validates `to`.
  int64_t words[3 * kMaxRank + 2];
  std::copy(group, group + 1 + gridRank, words);
  words[1 + gridRank] = numTo;
  std::copy(to + 1, to + 1 + numTo, words + 2 + gridRank);
  Member &target = memberOf(c.device, c.call, words);
  if (target.size != from.size)
    fail(c.device, c.call,
         "permute from axes that make %lld parts to axes that make %lld",
         static_cast<long long>(from.size),
         static_cast<long long>(target.size));

  // The devices that exchange agree outside of both lists.
  auto listed = [](const Member &m, int64_t axis) {
    return std::find(m.axes.begin(), m.axes.end(), axis) != m.axes.end();
  };
  int64_t &numAxes = words[1 + gridRank];
  int64_t *axes = words + 2 + gridRank;
  numAxes = 0;
  for (GridAxis axis : from.axes)
    axes[numAxes++] = axis;
  for (GridAxis axis : target.axes)
    if (!listed(from, axis))
      axes[numAxes++] = axis;
  Member &all = memberOf(c.device, c.call, words);
  c.member = &all;
  for (GridAxis axis : target.axes)
    c.call.add("to axis", axis);

  // Coordinates on `all` of the device to receive from: the first ones, on
  // `from`, number what was numbered by `to`; the rest, on to \ from, what was
  // numbered by from \ to.
  const std::vector<int64_t> &here = all.coordinates[all.position];
  auto coordinateOn = [&](int64_t axis) {
    for (size_t i = 0; i < all.axes.size(); ++i)
      if (all.axes[i] == axis)
        return here[i];
    return int64_t(0);
  };
  int64_t block = 0, replica = 0;
  for (size_t i = 0; i < target.axes.size(); ++i)
    block = block * target.sizes[i] + coordinateOn(target.axes[i]);
  for (size_t i = 0; i < from.axes.size(); ++i)
    if (!listed(target, from.axes[i]))
      replica = replica * from.sizes[i] + coordinateOn(from.axes[i]);
  // `all` is ordered from, then to \ from, so the position is the linear index
  // over the two lists.
  int64_t source = block * (all.size / from.size) + replica;
  if (SHARD_FAULT(PermuteMirrored))
    source = all.size - 1 - source;
  c.enter();
  copy(c.call.result, all.peer(source).input);
  c.leave();
  c.record(source == all.position ? 0 : c.call.input.bytes());
}
