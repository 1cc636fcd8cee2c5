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

#include "Rendezvous.h"

#include <algorithm>
#include <cstring>

namespace shard {
namespace runtime {

namespace {

/// Copies the valid part of every block of the group along `dim`; starts with
/// the own one, so that not all read the same device at once.
void concatenate(const Collective &c, int64_t dim) {
  const Group &m = *c.group;
  int64_t extent = c.call.result.sizes[dim];
  bool blocks = true;
  for (int64_t p = 0; p < m.size; ++p)
    blocks &= peer(m, p).input.sizes[dim] == ceilDiv(extent, m.size);
  if (!blocks) {
    int64_t offset = 0;
    for (int64_t p = 0; p < m.size; ++p) {
      const View &input = peer(m, p).input;
      copy(c.call.result.slice(dim, offset, input.sizes[dim]), input);
      offset += input.sizes[dim];
    }
    return;
  }
  for (int64_t i = 0; i < m.size; ++i) {
    int64_t p = (m.position + i) % m.size;
    Block block = m.block(extent, p);
    copy(c.call.result.slice(dim, block.offset, block.size),
         peer(m, p).input.slice(dim, 0, block.size));
  }
}

} // namespace

namespace backend {

void barrier(Collective &c) {
  enter(c);
  leave(c);
}

void allGather(Collective &c, int64_t dim) {
  enter(c);
  concatenate(c, dim);
  leave(c);
}

void gather(Collective &c, int64_t dim, int64_t root) {
  enter(c);
  if (root == c.group->position)
    concatenate(c, dim);
  else
    fillZero(c.call.result);
  leave(c);
}

void scatter(Collective &c, int64_t dim, int64_t root) {
  enter(c);
  cutBlock(*c.group, c.group->position, c.call.result,
           peer(*c.group, root).input, dim);
  leave(c);
}

void allToAll(Collective &c, int64_t splitDim, int64_t concatDim) {
  const Group &m = *c.group;
  const View &in = c.call.input, &out = c.call.result;
  enter(c);
  Block mine = m.block(in.sizes[splitDim], m.position);
  for (int64_t i = 0; i < m.size; ++i) {
    int64_t p = (m.position + i) % m.size;
    View source = peer(m, p).input.slice(splitDim, mine.offset, mine.size);
    Block theirs = m.block(out.sizes[concatDim], p);
    View target = out.slice(concatDim, theirs.offset, theirs.size);
    if (splitDim != concatDim) {
      source = source.slice(concatDim, 0, theirs.size);
      target = target.slice(splitDim, 0, mine.size);
    }
    copy(target, source);
  }
  if (splitDim != concatDim && mine.size < out.sizes[splitDim])
    fillZero(out.slice(splitDim, mine.size, out.sizes[splitDim] - mine.size));
  leave(c);
}

void broadcast(Collective &c, int64_t root) {
  enter(c);
  copy(c.call.result, peer(*c.group, root).input);
  leave(c);
}

void allReduce(Collective &c, const Reduction &reduction) {
  c.packInput();
  enter(c);
  // Each device combines one part of the elements, for all: the replicas are
  // the same bits. A piece at a time, so that it is copied from the cache.
  const Group &m = *c.group;
  int64_t n = c.call.input.numElements(), bytes = c.call.input.elementBytes;
  int64_t begin = n * m.position / m.size, end = n * (m.position + 1) / m.size;
  constexpr int64_t kPiece = 4096;
  {
    std::vector<const char *> sources(m.size);
    for (int64_t at = begin; at < end; at += kPiece) {
      int64_t count = std::min(kPiece, end - at);
      for (int64_t p = 0; p < m.size; ++p)
        sources[p] = peer(m, p).input.data + at * bytes;
      char *own = c.call.result.data + at * bytes;
      reduction.kernel(own, sources.data(), m.size, count);
      for (int64_t p = 0; p < m.size; ++p)
        if (p != m.position)
          memcpy(peer(m, p).result.data + at * bytes, own, count * bytes);
    }
  }
  leave(c);
}

void reduce(Collective &c, const Reduction &reduction, int64_t root) {
  c.packInput();
  enter(c);
  const Group &m = *c.group;
  if (root == m.position) {
    std::vector<const char *> sources;
    for (int64_t p = 0; p < m.size; ++p)
      sources.push_back(peer(m, p).input.data);
    reduction.kernel(c.call.result.data, sources.data(), m.size,
                     c.call.input.numElements());
  } else {
    fillZero(c.call.result);
  }
  leave(c);
}

void reduceScatter(Collective &c, const Reduction &reduction, int64_t dim) {
  const Group &m = *c.group;
  const View &out = c.call.result;
  Block block = m.block(c.call.input.sizes[dim], m.position);
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
  enter(c);
  {
    int64_t bytes = out.elementBytes;
    std::vector<const char *> sources(m.size);
    std::vector<char> packed;
    if (runs) {
      int64_t whole = outer == 0 ? 0 : c.call.input.numElements() / outer;
      int64_t targetStep = outer == 0 ? 0 : out.numElements() / outer;
      for (int64_t o = 0; o < outer; ++o) {
        for (int64_t p = 0; p < m.size; ++p)
          sources[p] = peer(m, p).input.data +
                       (o * whole + block.offset * inner) * bytes;
        reduction.kernel(out.data + o * targetStep * bytes, sources.data(),
                         m.size, run);
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
             peer(m, p).input.slice(dim, block.offset, block.size));
        sources[p] = data;
      }
      bool padded = block.size < out.sizes[dim];
      char *target =
          padded ? packed.data() + m.size * elements * bytes : out.data;
      reduction.kernel(target, sources.data(), m.size, elements);
      if (padded) {
        copy(shape, contiguousLike(shape, target));
        fillZero(out.slice(dim, block.size, out.sizes[dim] - block.size));
      }
    }
  }
  leave(c);
}

void exchange(Collective &c, int64_t from, int64_t) {
  enter(c);
  if (from < 0)
    fillZero(c.call.result);
  else
    copy(c.call.result, peer(*c.group, from).input);
  leave(c);
}

void moveBoxes(Collective &c, const HaloPlan &plan) {
  enter(c);
  for (const HaloBox &box : plan.boxes)
    copy(box.target(c.call.result),
         box.source(peer(*c.group, box.position).input));
  leave(c);
}

} // namespace backend
} // namespace runtime
} // namespace shard
