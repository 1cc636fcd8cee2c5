//===- Collectives.cpp - Data movement by MPI's collectives ---------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where blocks are contiguous in both buffers, they go straight through MPI's
// own collective; else they are packed, so that MPI moves contiguous memory.
// Blocks travel with their padding, except where all of them are prefixes and
// the _v form places them.
//
//===----------------------------------------------------------------------===//

#include "Session.h"
#include "Transfer.h"

#include <cstring>

namespace shard {
namespace runtime {

namespace {

int64_t outerElements(const View &view, int64_t dim) {
  int64_t product = 1;
  for (int64_t i = 0; i < dim; ++i)
    product *= view.sizes[i];
  return product;
}

/// The view with another extent in one dimension; for its shape only.
View resized(const View &view, int64_t dim, int64_t extent) {
  View result = view;
  result.sizes[dim] = extent;
  return result;
}

/// Whether all blocks of an extent over the group are of one size.
bool isEven(const Group &group, int64_t extent) {
  return extent % group.size == 0;
}

/// Where the blocks of a gathered dimension lie.
std::vector<Block> blocksOf(const Group &group, int64_t extent,
                            const std::vector<int64_t> &extents) {
  std::vector<Block> blocks(group.size);
  int64_t offset = 0;
  for (int64_t p = 0; p < group.size; ++p) {
    blocks[p] =
        extents.empty() ? group.block(extent, p) : Block{offset, extents[p]};
    offset += blocks[p].size;
  }
  return blocks;
}

/// Gathers or starts to gather inputs of one size into `target`, then unpacks them.
template <typename Unpack>
void gatherEqual(Collective &c, Communicator &comm, int64_t root, void *target,
                 const Unpack &unpack) {
  const View &in = c.call.input;
  Elements block(c, in.numElements(), in.elementBytes);
  StartedCall *starting = rankOf(c.device).starting;
  if (starting && root < 0) {
    checkMpi(c, MPI_Iallgather(in.data, block.count, block.type, target,
                               block.count, block.type, comm.comm,
                               starting->request()));
    starting->finish = unpack;
    return;
  }
  checkMpi(c, root < 0 ? MPI_Allgather(in.data, block.count, block.type, target,
                                       block.count, block.type, comm.comm)
                       : MPI_Gather(in.data, block.count, block.type, target,
                                    block.count, block.type, root, comm.comm));
  unpack(c);
}

/// Gathers into the result along `dim`, at `root` or, if that is -1, on all
/// devices.
void gatherBlocks(Collective &c, int64_t dim, int64_t root) {
  const Group &g = *c.group;
  View &in = c.call.input;
  const View &out = c.call.result;
  // The valid elements of an input come first in it.
  bool prefixes = outerElements(in, dim) == 1;
  bool even = isEven(g, out.sizes[dim]) || !prefixes;
  if (!even)
    backend::wait(c.device, nullptr);
  std::vector<int64_t> extents;
  Communicator &comm = enter(c, &extents);
  bool here = root < 0 || root == g.position;
  if (g.size == 1) {
    copy(out, in.slice(dim, 0, out.sizes[dim]));
    return;
  }
  c.packInput();
  int64_t extent = out.sizes[dim];
  bool straight = outerElements(out, dim) == 1 && out.isContiguous();
  if (extents.empty() && even && (straight || !here))
    return gatherEqual(c, comm, root, out.data, [](Collective &) {});
  std::vector<Block> blocks = blocksOf(g, extent, extents);
  int64_t row = extent == 0 ? 0 : out.numElements() / extent;

  if (extents.empty() && even) {
    // Blocks of one size, padding included.
    void *target = receiveBuffer(c, g.size * in.bytes());
    auto unpack = [=](Collective &c) {
      for (int64_t p = 0; p < c.group->size; ++p) {
        View part = contiguousLike(c.call.input, static_cast<char *>(target) +
                                                     p * c.call.input.bytes());
        copy(c.call.result.slice(dim, blocks[p].offset, blocks[p].size),
             part.slice(dim, 0, blocks[p].size));
      }
    };
    return gatherEqual(c, comm, root, target, unpack);
  }

  // Blocks of several sizes: valid elements only. They are prefixes of the
  // inputs, or the inputs as a whole.
  Layout layout(c, in.elementBytes, row);
  for (const Block &block : blocks)
    layout.add(block.size * row);
  bool ordered = straight;
  for (int64_t p = 1; p < g.size; ++p)
    ordered &=
        blocks[p].size == 0 || blocks[p].offset * row == layout.offset(p);
  void *target = nullptr;
  if (here)
    target = ordered ? out.data : receiveBuffer(c, out.bytes());
  layout.commit();
  int count = layout.counts[g.position];
  checkMpi(
      c, root < 0
             ? MPI_Allgatherv(in.data, count, layout.type, target,
                              layout.counts.data(), layout.displacements.data(),
                              layout.type, comm.comm)
             : MPI_Gatherv(in.data, count, layout.type, target,
                           layout.counts.data(), layout.displacements.data(),
                           layout.type, root, comm.comm));
  if (!here || ordered)
    return;
  for (int64_t p = 0; p < g.size; ++p) {
    View part = contiguousLike(resized(in, dim, blocks[p].size),
                               static_cast<char *>(target) +
                                   layout.offset(p) * in.elementBytes);
    copy(out.slice(dim, blocks[p].offset, blocks[p].size), part);
  }
}

/// The blocks of `whole` along `dim`, each of the shape of `part`, one after
/// another and padded with zeros; `whole` itself where it is that already.
void *packBlocks(Collective &c, const View &whole, const View &part,
                 int64_t dim) {
  const Group &g = *c.group;
  if (outerElements(whole, dim) == 1 && isEven(g, whole.sizes[dim]) &&
      whole.isContiguous())
    return whole.data;
  c.device.scratch.resize(g.size * part.bytes());
  for (int64_t p = 0; p < g.size; ++p)
    cutBlock(g, p,
             contiguousLike(part, c.device.scratch.data() + p * part.bytes()),
             whole, dim);
  return c.device.scratch.data();
}

} // namespace

void *receiveBuffer(Collective &c, int64_t bytes) {
  std::vector<char> &buffer = rankOf(c.device).received;
  if (int64_t(buffer.size()) < bytes)
    buffer.resize(bytes);
  return buffer.data();
}

void *packParts(Collective &c, const View &part, int64_t dim) {
  return packBlocks(c, c.call.input, part, dim);
}

namespace backend {

void barrier(Collective &c) {
  Communicator &comm = enter(c);
  if (c.group->size > 1)
    checkMpi(c, MPI_Barrier(comm.comm));
  leave(c);
}

void allGather(Collective &c, int64_t dim) {
  gatherBlocks(c, dim, -1);
  leave(c);
}

void gather(Collective &c, int64_t dim, int64_t root) {
  gatherBlocks(c, dim, root);
  if (root != c.group->position)
    fillZero(c.call.result);
  leave(c);
}

void scatter(Collective &c, int64_t dim, int64_t root) {
  Communicator &comm = enter(c);
  const View &out = c.call.result;
  bool isRoot = root == c.group->position;
  if (c.group->size == 1) {
    cutBlock(*c.group, 0, out, c.call.input, dim);
    return leave(c);
  }
  View part = contiguousLike(out, nullptr);
  void *source = isRoot ? packBlocks(c, c.call.input, part, dim) : nullptr;
  bool straight = out.isContiguous();
  part.data =
      straight ? out.data : static_cast<char *>(receiveBuffer(c, out.bytes()));
  Elements block(c, out.numElements(), out.elementBytes);
  checkMpi(c, MPI_Scatter(source, block.count, block.type, part.data,
                          block.count, block.type, root, comm.comm));
  if (!straight)
    copy(out, part);
  leave(c);
}

void allToAll(Collective &c, int64_t splitDim, int64_t concatDim) {
  Communicator &comm = enter(c);
  const Group &g = *c.group;
  const View &in = c.call.input, &out = c.call.result;
  int64_t extent = out.sizes[concatDim];
  bool same = splitDim == concatDim;
  // A block as it travels: one of the input's, padded in both dimensions.
  View part = contiguousLike(
      resized(in, splitDim, same ? extent / g.size : out.sizes[splitDim]),
      nullptr);
  void *source = packBlocks(c, in, part, splitDim);
  bool straight = outerElements(out, concatDim) == 1 && isEven(g, extent) &&
                  out.isContiguous();
  void *target = straight ? out.data : receiveBuffer(c, g.size * part.bytes());
  Elements block(c, part.numElements(), part.elementBytes);
  auto unpack = [=](Collective &c) {
    View theirPart = part;
    for (int64_t p = 0; !straight && p < c.group->size; ++p) {
      Block theirs = c.group->block(extent, p);
      theirPart.data = static_cast<char *>(target) + p * part.bytes();
      copy(c.call.result.slice(concatDim, theirs.offset, theirs.size),
           theirPart.slice(concatDim, 0, theirs.size));
    }
  };
  StartedCall *starting = rankOf(c.device).starting;
  if (g.size > 1 && starting) {
    checkMpi(c,
             MPI_Ialltoall(source, block.count, block.type, target, block.count,
                           block.type, comm.comm, starting->request()));
    starting->finish = unpack;
    return leave(c);
  }
  if (g.size > 1)
    checkMpi(c, MPI_Alltoall(source, block.count, block.type, target,
                             block.count, block.type, comm.comm));
  else if (part.bytes() > 0)
    memcpy(target, source, part.bytes());
  unpack(c);
  leave(c);
}

void broadcast(Collective &c, int64_t root) {
  wait(c.device, nullptr);
  Communicator &comm = enter(c);
  const View &out = c.call.result;
  bool isRoot = root == c.group->position;
  if (c.group->size > 1) {
    if (isRoot)
      c.packInput();
    bool straight = isRoot || out.isContiguous();
    View whole = contiguousLike(out, nullptr);
    whole.data = isRoot ? c.call.input.data
                 : straight
                     ? out.data
                     : static_cast<char *>(receiveBuffer(c, out.bytes()));
    Elements block(c, out.numElements(), out.elementBytes);
    checkMpi(c,
             MPI_Bcast(whole.data, block.count, block.type, root, comm.comm));
    if (!straight)
      copy(out, whole);
  }
  if (isRoot)
    copy(out, c.call.input);
  leave(c);
}

void exchange(Collective &c, int64_t from, int64_t to) {
  Communicator &comm = enter(c);
  const Group &g = *c.group;
  const View &out = c.call.result;
  bool receives = from >= 0 && from != g.position;
  bool sends = to >= 0 && to != g.position;
  bool straight = out.isContiguous();
  View target = contiguousLike(out, out.data);
  if (sends)
    c.packInput();
  if (receives && !straight)
    target.data = static_cast<char *>(receiveBuffer(c, out.bytes()));
  Elements whole(c, out.numElements(), out.elementBytes);
  StartedCall *starting = rankOf(c.device).starting;
  if (starting && (sends || receives)) {
    if (receives)
      checkMpi(c, MPI_Irecv(target.data, whole.count, whole.type, int(from), 0,
                            comm.comm, starting->request()));
    if (sends)
      checkMpi(c, MPI_Isend(c.call.input.data, whole.count, whole.type, int(to),
                            0, comm.comm, starting->request()));
    starting->finish = [=](Collective &c) {
      if (!receives && from < 0)
        fillZero(c.call.result);
      else if (!receives)
        copy(c.call.result, c.call.input);
      else if (!straight)
        copy(c.call.result, target);
    };
    return leave(c);
  }
  if (sends || receives)
    checkMpi(c, MPI_Sendrecv(c.call.input.data, whole.count, whole.type,
                             sends ? to : MPI_PROC_NULL, 0, target.data,
                             whole.count, whole.type,
                             receives ? from : MPI_PROC_NULL, 0, comm.comm,
                             MPI_STATUS_IGNORE));
  if (from < 0)
    fillZero(out);
  else if (!receives)
    copy(out, c.call.input);
  else if (!straight)
    copy(out, target);
  leave(c);
}

} // namespace backend
} // namespace runtime
} // namespace shard
