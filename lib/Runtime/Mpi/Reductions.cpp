//===- Reductions.cpp - Reductions in a fixed order -----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runtime.h fixes the order in which values combine, so that results are the
// same bits on all devices, in every run and in every back end. MPI leaves the
// order open. Where it does not matter, for integers, MPI's own collectives do
// the work; else the devices exchange inputs, each combines one part of the
// elements in the order of the positions, and the parts are spread.
//
// The arithmetic is the runtime's own in both cases: MPICH 4.0 takes unsigned
// numbers for signed ones in MPI_MIN and MPI_MAX, Open MPI 4.1 saturates sums of
// 8 and 16 bits.
//
//===----------------------------------------------------------------------===//

#include "Session.h"
#include "Transfer.h"

#include <algorithm>
#include <cstring>

namespace shard {
namespace runtime {

namespace {

/// inout[i] = in[i] + inout[i], the kernel's way.
template <int64_t kind, int64_t type>
void combinePairs(void *in, void *inout, int *length, MPI_Datatype *) {
  const char *sources[2] = {static_cast<char *>(in),
                            static_cast<char *>(inout)};
  reduceKernel(kind, type)(inout, sources, 2, *length);
}

template <int64_t kind, int64_t type>
MPI_Op opOf() {
  static const MPI_Op op = [] {
    MPI_Op made = MPI_OP_NULL;
    MPI_Op_create(combinePairs<kind, type>, 1, &made);
    return made;
  }();
  return op;
}

template <int64_t kind>
MPI_Op opOfType(int64_t type) {
  switch (type) {
  case SHARD_RT_I1:
    return opOf<kind, SHARD_RT_I1>();
  case SHARD_RT_I8:
    return opOf<kind, SHARD_RT_I8>();
  case SHARD_RT_I16:
    return opOf<kind, SHARD_RT_I16>();
  case SHARD_RT_I32:
    return opOf<kind, SHARD_RT_I32>();
  case SHARD_RT_I64:
    return opOf<kind, SHARD_RT_I64>();
  default:
    return MPI_OP_NULL;
  }
}

/// The reduction for MPI's collectives, which combine in any order; MPI_OP_NULL
/// where the order matters.
MPI_Op unorderedOp(const Reduction &reduction, int64_t type) {
  switch (reduction.kind) {
  case SHARD_RT_SUM:
    return opOfType<SHARD_RT_SUM>(type);
  case SHARD_RT_PRODUCT:
    return opOfType<SHARD_RT_PRODUCT>(type);
  case SHARD_RT_MAX:
    return opOfType<SHARD_RT_MAX>(type);
  case SHARD_RT_MIN:
    return opOfType<SHARD_RT_MIN>(type);
  case SHARD_RT_UMAX:
    return opOfType<SHARD_RT_UMAX>(type);
  case SHARD_RT_UMIN:
    return opOfType<SHARD_RT_UMIN>(type);
  case SHARD_RT_BITWISE_AND:
    return opOfType<SHARD_RT_BITWISE_AND>(type);
  case SHARD_RT_BITWISE_OR:
    return opOfType<SHARD_RT_BITWISE_OR>(type);
  case SHARD_RT_BITWISE_XOR:
    return opOfType<SHARD_RT_BITWISE_XOR>(type);
  default:
    return MPI_OP_NULL;
  }
}

/// Up to so many bytes of all inputs together, every device takes all of them
/// and combines for itself: one exchange instead of two.
constexpr int64_t kGatherBytes = 16 << 10;
/// So it is between two devices on two hosts: both ways send as many bytes, and what a
/// message takes on a network outweighs the arithmetic.
constexpr int64_t kGatherBytesBetweenHosts = 8 << 20;
/// Up to so many bytes of all inputs together, the root of a reduce combines alone: the
/// others send and go on, where parts would make all devices wait for one another twice.
constexpr int64_t kRootBytes = 2 << 20;

bool gathersInputs(const Collective &c, const Communicator &comm) {
  int64_t size = c.group->size;
  bool isPairOfHosts = size == 2 && comm.crossesHosts;
  return c.call.input.bytes() * size <=
         (isPairOfHosts ? kGatherBytesBetweenHosts : kGatherBytes);
}

/// The part of n elements that the device at position `p` combines.
Block partOf(int64_t n, int64_t size, int64_t p) {
  int64_t begin = n / size * p + std::min(p, n % size);
  return {begin, n / size + (p < n % size ? 1 : 0)};
}

/// Begins to exchange parts of contiguous elements: the device at position p receives
/// part p of all inputs. Returns where they lie, by position.
std::vector<const char *> exchangeParts(Collective &c, Communicator &comm,
                                        const char *input, int64_t n,
                                        int64_t bytes,
                                        std::vector<MPI_Request> &requests) {
  const Group &g = *c.group;
  Block mine = partOf(n, g.size, g.position);
  auto *received =
      static_cast<char *>(receiveBuffer(c, g.size * mine.size * bytes));
  std::vector<const char *> sources(g.size);
  MPI_Datatype word = wordType(bytes);
  for (int64_t i = 1; i < g.size; ++i) {
    int64_t p = (g.position + g.size - i) % g.size;
    sources[p] = received + p * mine.size * bytes;
    requests.emplace_back();
    checkMpi(c, MPI_Irecv(received + p * mine.size * bytes, int(mine.size),
                          word, int(p), 0, comm.comm, &requests.back()));
  }
  for (int64_t i = 1; i < g.size; ++i) {
    int64_t p = (g.position + i) % g.size;
    Block theirs = partOf(n, g.size, p);
    requests.emplace_back();
    checkMpi(c, MPI_Isend(input + theirs.offset * bytes, int(theirs.size), word,
                          int(p), 0, comm.comm, &requests.back()));
  }
  sources[g.position] = input + mine.offset * bytes;
  return sources;
}

/// Exchanges parts, and combines the own one into `target`.
void combinePart(Collective &c, Communicator &comm, const Reduction &reduction,
                 const char *input, int64_t n, int64_t bytes, char *target) {
  std::vector<MPI_Request> requests;
  std::vector<const char *> sources =
      exchangeParts(c, comm, input, n, bytes, requests);
  checkMpi(c,
           MPI_Waitall(requests.size(), requests.data(), MPI_STATUSES_IGNORE));
  reduction.kernel(target, sources.data(), c.group->size,
                   partOf(n, c.group->size, c.group->position).size);
}

/// Elements that are combined at once: what is received fits the cache, and
/// counts fit MPI's.
int64_t pieceElements(const Group &g, int64_t bytes) {
  constexpr int64_t kPieceBytes = int64_t(1) << 20;
  return std::max<int64_t>(g.size, g.size * kPieceBytes / bytes);
}

/// Everybody's input on every device, combined there.
void gatherAndCombine(Collective &c, Communicator &comm,
                      const Reduction &reduction) {
  const Group &g = *c.group;
  const View &in = c.call.input;
  auto *all = static_cast<char *>(receiveBuffer(c, g.size * in.bytes()));
  Elements block(c, in.numElements(), in.elementBytes);
  checkMpi(c, MPI_Allgather(in.data, block.count, block.type, all, block.count,
                            block.type, comm.comm));
  std::vector<const char *> sources;
  for (int64_t p = 0; p < g.size; ++p)
    sources.push_back(all + p * in.bytes());
  reduction.kernel(c.call.result.data, sources.data(), g.size,
                   in.numElements());
}

void combineAlone(Collective &c, const Reduction &reduction) {
  const char *source = c.call.input.data;
  reduction.kernel(c.call.result.data, &source, 1, c.call.input.numElements());
}

/// Sends the own part to everybody, or to `root`, and receives theirs.
void spreadParts(Collective &c, Communicator &comm, char *result, int64_t n,
                 int64_t bytes, int64_t root) {
  const Group &g = *c.group;
  bool here = root < 0 || root == g.position;
  std::vector<MPI_Request> requests;
  MPI_Datatype word = wordType(bytes);
  auto request = [&]() -> MPI_Request * {
    requests.emplace_back();
    return &requests.back();
  };
  for (int64_t i = 1; here && i < g.size; ++i) {
    int64_t p = (g.position + g.size - i) % g.size;
    Block theirs = partOf(n, g.size, p);
    checkMpi(c, MPI_Irecv(result + theirs.offset * bytes, int(theirs.size),
                          word, int(p), 1, comm.comm, request()));
  }
  Block mine = partOf(n, g.size, g.position);
  for (int64_t i = 1; i < g.size; ++i) {
    int64_t p = (g.position + i) % g.size;
    if (root < 0 || p == root)
      checkMpi(c, MPI_Isend(result + mine.offset * bytes, int(mine.size), word,
                            int(p), 1, comm.comm, request()));
  }
  checkMpi(c,
           MPI_Waitall(requests.size(), requests.data(), MPI_STATUSES_IGNORE));
}

/// Combines in parts; the whole result lies on all devices, or on `root`.
void combineInParts(Collective &c, Communicator &comm,
                    const Reduction &reduction, int64_t root) {
  const Group &g = *c.group;
  int64_t n = c.call.input.numElements(), bytes = c.call.input.elementBytes;
  int64_t piece = pieceElements(g, bytes);
  for (int64_t at = 0; at < n; at += piece) {
    int64_t count = std::min(piece, n - at);
    char *result = c.call.result.data + at * bytes;
    Block mine = partOf(count, g.size, g.position);
    combinePart(c, comm, reduction, c.call.input.data + at * bytes, count,
                bytes, result + mine.offset * bytes);
    spreadParts(c, comm, result, count, bytes, root);
  }
}

/// The others send their inputs to `root`, where they are combined. The last one goes to
/// the result, and so to where its sum belongs.
void combineAtRoot(Collective &c, Communicator &comm,
                   const Reduction &reduction, int64_t root) {
  const Group &g = *c.group;
  const View &in = c.call.input;
  Elements all(c, in.numElements(), in.elementBytes);
  if (root != g.position) {
    checkMpi(c,
             MPI_Send(in.data, all.count, all.type, int(root), 1, comm.comm));
    return;
  }
  char *result = c.call.result.data;
  auto *next = static_cast<char *>(receiveBuffer(c, (g.size - 2) * in.bytes()));
  int64_t last = root == g.size - 1 ? g.size - 2 : g.size - 1;
  std::vector<const char *> sources(g.size);
  std::vector<MPI_Request> &requests = rankOf(c.device).requests;
  requests.clear();
  for (int64_t p = 0; p < g.size; ++p) {
    if (p == root) {
      sources[p] = in.data;
      continue;
    }
    char *target = p == last ? result : next;
    next += p == last ? 0 : in.bytes();
    sources[p] = target;
    requests.emplace_back();
    checkMpi(c, MPI_Irecv(target, all.count, all.type, int(p), 1, comm.comm,
                          &requests.back()));
  }
  checkMpi(c,
           MPI_Waitall(requests.size(), requests.data(), MPI_STATUSES_IGNORE));
  reduction.kernel(result, sources.data(), g.size, in.numElements());
}

/// Up to so many bytes an ordered reduction is started: it takes memory for all inputs
/// of a part.
constexpr int64_t kStartedBytes = int64_t(64) << 20;

/// The exchange of the inputs is started; the parts are combined and spread at the wait,
/// where calls end in the order in which all devices of the group have started them.
void startInParts(Collective &c, Communicator &comm,
                  const Reduction &reduction) {
  StartedCall &starting = *rankOf(c.device).starting;
  int64_t n = c.call.input.numElements(), bytes = c.call.input.elementBytes;
  std::vector<const char *> sources =
      exchangeParts(c, comm, c.call.input.data, n, bytes, starting.requests);
  starting.finish = [=, &comm](Collective &c) {
    std::vector<const char *> inputs = sources;
    Block mine = partOf(n, c.group->size, c.group->position);
    char *result = c.call.result.data;
    reduction.kernel(result + mine.offset * bytes, inputs.data(), c.group->size,
                     mine.size);
    spreadParts(c, comm, result, n, bytes, -1);
  };
}

} // namespace

namespace backend {

void allReduce(Collective &c, const Reduction &reduction) {
  c.packInput();
  MPI_Op op = unorderedOp(reduction, c.call.type);
  const View &in = c.call.input;
  int64_t n = in.numElements();
  bool starts =
      rankOf(c.device).starting &&
      (op == MPI_OP_NULL ? in.bytes() <= kStartedBytes : n <= INT32_MAX);
  if (!starts)
    wait(c.device, nullptr);
  Communicator &comm = enter(c);
  MPI_Datatype type = wordType(c.call.result.elementBytes);
  if (c.group->size == 1)
    combineAlone(c, reduction);
  else if (starts && op != MPI_OP_NULL)
    checkMpi(c,
             MPI_Iallreduce(in.data, c.call.result.data, int(n), type, op,
                            comm.comm, rankOf(c.device).starting->request()));
  else if (starts)
    startInParts(c, comm, reduction);
  else if (op != MPI_OP_NULL && n <= INT32_MAX)
    checkMpi(c, MPI_Allreduce(in.data, c.call.result.data, int(n), type, op,
                              comm.comm));
  else if (gathersInputs(c, comm))
    gatherAndCombine(c, comm, reduction);
  else
    combineInParts(c, comm, reduction, -1);
  leave(c);
}

void reduce(Collective &c, const Reduction &reduction, int64_t root) {
  c.packInput();
  Communicator &comm = enter(c);
  const View &in = c.call.input;
  MPI_Datatype type = wordType(c.call.result.elementBytes);
  MPI_Op op = unorderedOp(reduction, c.call.type);
  int64_t n = in.numElements();
  if (c.group->size == 1)
    combineAlone(c, reduction);
  else if (op != MPI_OP_NULL && n <= INT32_MAX)
    checkMpi(c, MPI_Reduce(in.data, c.call.result.data, int(n), type, op,
                           int(root), comm.comm));
  else if (c.group->size == 2 || in.bytes() * c.group->size <= kRootBytes)
    combineAtRoot(c, comm, reduction, root);
  else
    combineInParts(c, comm, reduction, root);
  if (root != c.group->position)
    fillZero(c.call.result);
  leave(c);
}

void reduceScatter(Collective &c, const Reduction &reduction, int64_t dim) {
  wait(c.device, nullptr);
  Communicator &comm = enter(c);
  const Group &g = *c.group;
  const View &out = c.call.result;
  // Padding is zero in all inputs, which every kind combines to zero.
  auto *blocks =
      static_cast<char *>(packParts(c, contiguousLike(out, nullptr), dim));
  MPI_Datatype type = wordType(c.call.result.elementBytes);
  MPI_Op op = unorderedOp(reduction, c.call.type);
  int64_t n = out.numElements(), bytes = out.elementBytes;
  if (g.size > 1 && op != MPI_OP_NULL && n <= INT32_MAX) {
    checkMpi(c, MPI_Reduce_scatter_block(blocks, out.data, int(n), type, op,
                                         comm.comm));
    return leave(c);
  }
  // Every device combines its own block, a piece at a time.
  constexpr int64_t kPieceBytes = int64_t(1) << 20;
  int64_t piece = std::max<int64_t>(1, kPieceBytes / bytes);
  auto *received = static_cast<char *>(
      receiveBuffer(c, g.size * std::min(n, piece) * bytes));
  std::vector<const char *> sources(g.size);
  std::vector<MPI_Request> requests(2 * (g.size - 1));
  MPI_Datatype word = wordType(bytes);
  for (int64_t at = 0; at < n; at += piece) {
    int64_t count = std::min(piece, n - at);
    MPI_Request *request = requests.data();
    for (int64_t i = 1; i < g.size; ++i) {
      int64_t p = (g.position + g.size - i) % g.size;
      sources[p] = received + p * count * bytes;
      checkMpi(c, MPI_Irecv(received + p * count * bytes, int(count), word,
                            int(p), 0, comm.comm, request++));
    }
    for (int64_t i = 1; i < g.size; ++i) {
      int64_t p = (g.position + i) % g.size;
      checkMpi(c, MPI_Isend(blocks + (p * n + at) * bytes, int(count), word,
                            int(p), 0, comm.comm, request++));
    }
    checkMpi(
        c, MPI_Waitall(requests.size(), requests.data(), MPI_STATUSES_IGNORE));
    sources[g.position] = blocks + (g.position * n + at) * bytes;
    reduction.kernel(out.data + at * bytes, sources.data(), g.size, count);
  }
  leave(c);
}

} // namespace backend
} // namespace runtime
} // namespace shard
