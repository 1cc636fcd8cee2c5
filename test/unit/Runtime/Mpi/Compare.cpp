//===- Compare.cpp - Every collective under MPI and in threads, bit by bit ===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   mpirun -n N ShardMpiCompare LIBRARY [cases per grid] [seed]
//
// Draws calls of the runtime at random, the same on all ranks; runs them in the
// thread back end, then under MPI; every rank compares all bytes of its device's
// results. Kinds, element types, reductions and grids take turns, so that a
// number of cases covers each.
//
//===----------------------------------------------------------------------===//

#include "Api.h"
#include "shard/Geometry/BlockLayout.h"
#include "shard/Geometry/Grid.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

using namespace shard;
using namespace shard::test;

namespace {

enum Kind {
  Barrier,
  AllGather,
  AllGatherOffsets,
  Gather,
  AllReduce,
  Reduce,
  ReduceScatter,
  AllSlice,
  Scatter,
  AllToAll,
  AllToAllInPlace,
  Broadcast,
  SendRecv,
  RecvAny,
  Shift,
  UpdateHalo,
  UpdateHaloInPlace,
  Permute,
  NumKinds
};
const char *const kindNames[] = {"barrier",
                                 "all_gather",
                                 "all_gather of offsets",
                                 "gather",
                                 "all_reduce",
                                 "reduce",
                                 "reduce_scatter",
                                 "all_slice",
                                 "scatter",
                                 "all_to_all",
                                 "all_to_all, one dim",
                                 "broadcast",
                                 "send and recv",
                                 "recv any",
                                 "shift",
                                 "update_halo",
                                 "update_halo in place",
                                 "permute"};

using Random = std::mt19937_64;

int64_t between(Random &random, int64_t low, int64_t high) {
  return low + int64_t(random() % uint64_t(high - low + 1));
}

struct Case {
  int kind;
  std::string place;
  std::vector<int64_t> group;
  AxisList axes;
  int64_t type;
  /// Of the input and of the result on each device.
  std::vector<std::vector<int64_t>> inputs, results;
  int64_t dim = 0, dim2 = 0;
  int64_t reduction = 0;
  std::vector<int64_t> root;
  int64_t offset = 0, rotate = 0, mirror = 0;
  std::vector<int64_t> words, words2;
  /// Of an update of halos, or none.
  std::vector<int64_t> windows;
  /// Whether dimensions are strided, with gaps.
  bool inputGaps = false, resultGaps = false;
  uint64_t seed = 0;
};

int64_t elementBytes(int64_t type) {
  static const int64_t bytes[] = {0, 2, 2, 4, 8, 1, 1, 2, 4, 8};
  return bytes[type];
}

bool hasMeaning(int64_t reduction, int64_t type) {
  if (type <= SHARD_RT_F64)
    return reduction <= SHARD_RT_AVERAGE;
  return type != SHARD_RT_I1 || reduction != SHARD_RT_AVERAGE;
}

/// A buffer of random bits; with gaps, no dimension is contiguous.
struct Buffer {
  std::vector<char> bytes;
  std::vector<int64_t> words;

  Buffer(const std::vector<int64_t> &sizes, int64_t type, bool gaps,
         uint64_t seed) {
    int64_t rank = sizes.size(), stride = gaps ? 2 : 1;
    std::vector<int64_t> strides(rank);
    for (int64_t i = rank; i-- > 0;) {
      strides[i] = stride;
      stride *= sizes[i] + (gaps ? 1 : 0);
    }
    int64_t offset = gaps ? 3 : 0;
    bytes.resize((stride + offset) * elementBytes(type));
    Random random(seed);
    for (char &byte : bytes)
      byte = char(random());
    if (type == SHARD_RT_I1)
      for (char &byte : bytes)
        byte &= 1;
    // Sums of random bits are mostly huge; let half of the floats be of about
    // one size, so that their rounding depends on the order.
    if (type == SHARD_RT_F32 && seed % 2)
      for (size_t i = 0; i + 4 <= bytes.size(); i += 4) {
        float value = float(int64_t(random() % 2001) - 1000) / 7;
        memcpy(&bytes[i], &value, 4);
      }
    words = {0, offset, rank};
    words.insert(words.end(), sizes.begin(), sizes.end());
    words.insert(words.end(), strides.begin(), strides.end());
  }
  const int64_t *get() {
    words[0] = int64_t(reinterpret_cast<intptr_t>(bytes.data()));
    return words.data();
  }
  /// The first element.
  const void *data(int64_t type) const {
    return bytes.data() + words[1] * elementBytes(type);
  }
};

AxisList randomAxes(Random &random, int64_t rank, bool empty) {
  AxisList axes;
  for (int64_t axis = 0; axis < rank; ++axis)
    axes.push_back(axis);
  std::shuffle(axes.begin(), axes.end(), random);
  axes.resize(between(random, empty ? 0 : 1, rank));
  return axes;
}

std::vector<int64_t> wordsOf(const Grid &grid, const AxisList &axes) {
  std::vector<int64_t> words = {grid.rank()};
  words.insert(words.end(), grid.shape.begin(), grid.shape.end());
  words.push_back(axes.size());
  words.insert(words.end(), axes.begin(), axes.end());
  return words;
}

/// An extent that `parts` may or may not divide.
int64_t randomExtent(Random &random, int64_t parts) {
  if (random() % 2)
    return parts * between(random, 1, 4);
  return between(random, 0, 3 * parts);
}

void chooseHalo(Case &c, Random &random, const Grid &grid,
                std::vector<int64_t> &local) {
  std::vector<int64_t> perDim(local.size(), 0);
  // Axes in order: each goes to the same dimension as the one before, or a
  // later one.
  size_t dim = 0;
  for (size_t i = 0; i < c.axes.size(); ++i) {
    dim = size_t(between(random, dim, local.size() - 1));
    ++perDim[dim];
  }
  c.words = perDim;
  for (size_t d = 0; d < local.size(); ++d) {
    int64_t low = perDim[d] ? between(random, 0, 3) : 0;
    int64_t high = perDim[d] ? between(random, 0, 3) : 0;
    local[d] += low + high;
    c.words2.push_back(low);
    c.words2.push_back(high);
  }
  (void)grid;
  // What is not read of a fresh result is unspecified.
  if (c.kind != UpdateHaloInPlace || random() % 2)
    return;
  for (size_t d = 0; d < local.size(); ++d) {
    int64_t stride = between(random, 1, 3);
    for (int64_t number :
         {between(random, 0, 20), random() % 2 ? stride : -stride,
          between(random, -3, 20), between(random, 0, 4), between(random, 0, 3),
          between(random, 0, 40), std::max<int64_t>(between(random, -2, 3), 1)})
      c.windows.push_back(number);
  }
}

/// Axes of the same number of devices; permute goes from one to the other.
AxisList axesLike(Random &random, const Grid &grid, const AxisList &axes) {
  for (int i = 0; i < 20; ++i) {
    AxisList other = randomAxes(random, grid.rank(), true);
    if (grid.groupSize(other) == grid.groupSize(axes))
      return other;
  }
  return AxisList(axes.rbegin(), axes.rend());
}

Case makeCase(int number, Random &random, const Grid &grid) {
  Case c;
  c.kind = number % NumKinds;
  c.seed = random();
  c.type = 1 + (number / NumKinds + c.kind) % 9;
  c.place =
      std::string(kindNames[c.kind]) + " of case " + std::to_string(number);
  c.axes = randomAxes(random, grid.rank(), random() % 4 == 0);
  if (c.kind == Shift && c.axes.empty())
    c.axes = {0};
  c.group = wordsOf(grid, c.axes);
  int64_t size = grid.groupSize(c.axes), devices = grid.numDevices();
  c.inputGaps = random() % 3 == 0;
  c.resultGaps = random() % 3 == 0;
  do {
    c.reduction = between(random, 1, 10);
  } while (!hasMeaning(c.reduction, c.type));
  if (!c.axes.empty()) {
    for (int64_t extent : grid.sizes(c.axes))
      c.root.push_back(between(random, 0, extent - 1));
  }

  int64_t rank = between(random, c.kind == AllToAll ? 2 : 1, 3);
  std::vector<int64_t> in(rank);
  for (int64_t &extent : in)
    extent = between(random, 1, 5);
  if (random() % 8 == 0) // enough for the other algorithms of reductions
    in[rank - 1] = between(random, 3000, c.kind == Reduce ? 90000 : 9000);
  c.dim = between(random, 0, rank - 1);
  std::vector<int64_t> out = in;
  switch (c.kind) {
  case AllGather:
  case Gather:
    out[c.dim] = randomExtent(random, size);
    in[c.dim] = ceilDiv(out[c.dim], size);
    break;
  case ReduceScatter:
  case AllSlice:
  case Scatter:
    in[c.dim] = randomExtent(random, size);
    out[c.dim] = ceilDiv(in[c.dim], size);
    break;
  case AllToAll:
    c.dim2 = (c.dim + 1) % rank;
    in[c.dim] = randomExtent(random, size);
    out[c.dim] = ceilDiv(in[c.dim], size);
    out[c.dim2] = randomExtent(random, size);
    in[c.dim2] = ceilDiv(out[c.dim2], size);
    break;
  case AllToAllInPlace:
    c.dim2 = c.dim;
    in[c.dim] = out[c.dim] = size * between(random, 1, 3);
    break;
  case Shift: {
    AxisList along = c.axes;
    std::shuffle(along.begin(), along.end(), random);
    along.resize(between(random, 1, along.size()));
    c.words = {int64_t(along.size())};
    c.words.insert(c.words.end(), along.begin(), along.end());
    c.offset = between(random, -5, 5);
    c.rotate = random() % 2;
    c.mirror = random() % 2;
    break;
  }
  case UpdateHalo:
  case UpdateHaloInPlace:
    chooseHalo(c, random, grid, in);
    out = in;
    break;
  case Permute: {
    AxisList to = axesLike(random, grid, c.axes);
    c.words = {int64_t(to.size())};
    c.words.insert(c.words.end(), to.begin(), to.end());
    break;
  }
  default:
    break;
  }
  if (c.kind == AllReduce || c.kind == Reduce || c.kind == ReduceScatter)
    c.resultGaps = false;
  c.inputs.assign(devices, in);
  c.results.assign(devices, out);
  if (c.kind == AllGatherOffsets) {
    // The group's devices have parts of several extents.
    std::vector<int64_t> parts(size);
    int64_t sum = 0;
    for (int64_t &part : parts)
      sum += part = between(random, 0, 4);
    for (int64_t device = 0; device < devices; ++device) {
      c.inputs[device][c.dim] = parts[grid.positionInGroup(device, c.axes)];
      c.results[device][c.dim] = sum;
    }
  }
  return c;
}

/// The buffers of a case, which live until what it has started has ended.
struct CaseBuffers {
  Buffer input, result;

  CaseBuffers(const Case &c, int64_t device)
      : input(c.inputs[device], c.type, c.inputGaps,
              c.seed + (c.kind == Barrier ? 0 : 2 * device)),
        result(c.results[device], c.type, c.resultGaps, c.seed / 3) {}

  const std::vector<char> &bytes(const Case &c) const {
    return c.kind == UpdateHaloInPlace ? input.bytes : result.bytes;
  }
};

/// Runs the case on `device`, or starts it after shard_rt_start.
void runCase(const Api &api, const Case &c, const Grid &grid, int64_t device,
             CaseBuffers &buffers) {
  Buffer &input = buffers.input, &result = buffers.result;
  const char *at = c.place.c_str();
  const int64_t *group = c.group.data();
  switch (c.kind) {
  case Barrier:
    api.barrier(at, group);
    break;
  case AllGather:
  case AllGatherOffsets:
    api.all_gather(at, group, c.type, input.get(), result.get(), c.dim);
    break;
  case Gather:
    api.gather(at, group, c.type, input.get(), result.get(), c.dim,
               c.root.data());
    break;
  case AllReduce:
    api.all_reduce(at, group, c.type, input.get(), result.get(), c.reduction);
    break;
  case Reduce:
    api.reduce(at, group, c.type, input.get(), result.get(), c.reduction,
               c.root.data());
    break;
  case ReduceScatter:
    api.reduce_scatter(at, group, c.type, input.get(), result.get(),
                       c.reduction, c.dim);
    break;
  case AllSlice:
    api.all_slice(at, group, c.type, input.get(), result.get(), c.dim);
    break;
  case Scatter:
    api.scatter(at, group, c.type, input.get(), result.get(), c.dim,
                c.root.data());
    break;
  case AllToAll:
  case AllToAllInPlace:
    api.all_to_all(at, group, c.type, input.get(), result.get(), c.dim, c.dim2);
    break;
  case Broadcast:
    api.broadcast(at, group, c.type, input.get(), result.get(), c.root.data());
    break;
  case SendRecv:
  case RecvAny: {
    // Around a ring; with RecvAny everybody gets one message.
    std::vector<int64_t> sizes = grid.sizes(c.axes);
    int64_t size = grid.groupSize(c.axes);
    int64_t position = grid.positionInGroup(device, c.axes);
    std::vector<int64_t> to = delinearize((position + 1) % size, sizes);
    std::vector<int64_t> from =
        delinearize((position + size - 1) % size, sizes);
    api.send(at, group, c.type, input.get(), to.data());
    bool any = c.kind == RecvAny;
    if (!any) {
      // In order: the second message is another one.
      Buffer second(c.inputs[device], c.type, false, c.seed / 5 + device);
      api.send(at, group, c.type, second.get(), to.data());
    }
    api.recv(at, group, c.type, result.get(), any ? nullptr : from.data());
    if (!any) {
      std::vector<char> first = result.bytes;
      api.recv(at, group, c.type, result.get(), from.data());
      result.bytes.insert(result.bytes.end(), first.begin(), first.end());
    }
    // So that nobody receives what belongs to the next case.
    api.barrier(at, group);
    break;
  }
  case Shift:
    api.shift(at, group, c.type, input.get(), result.get(), c.words.data(),
              c.offset, c.rotate, c.mirror);
    break;
  case UpdateHalo:
    api.update_halo(at, group, c.type, input.get(), result.get(),
                    c.words.data(), c.words2.data(), nullptr);
    break;
  case UpdateHaloInPlace:
    api.update_halo(at, group, c.type, input.get(), input.get(), c.words.data(),
                    c.words2.data(),
                    c.windows.empty() ? nullptr : c.windows.data());
    break;
  case Permute:
    api.permute(at, group, c.type, input.get(), result.get(), c.words.data());
    break;
  }
}

using Results = std::vector<std::vector<std::vector<char>>>;

/// The cases on one device, up to `ahead` of them beside later ones.
std::vector<std::vector<char>> runOnDevice(const Api &api,
                                           const std::vector<Case> &cases,
                                           const Grid &grid, int64_t device,
                                           size_t ahead) {
  std::vector<std::unique_ptr<CaseBuffers>> buffers;
  std::vector<std::vector<char>> results(cases.size());
  auto collect = [&](size_t i) {
    if (ahead > 0)
      api.wait("wait.mlir:1:1", buffers[i]->result.data(cases[i].type),
               buffers[i]->input.data(cases[i].type));
    results[i] = buffers[i]->bytes(cases[i]);
    buffers[i].reset();
  };
  for (size_t i = 0; i < cases.size(); ++i) {
    buffers.push_back(std::make_unique<CaseBuffers>(cases[i], device));
    // Also without what is not started in between.
    if (ahead > 0 && i % 5 != 0)
      api.start(cases[i].place.c_str());
    runCase(api, cases[i], grid, device, *buffers[i]);
    if (i >= ahead)
      collect(i - ahead);
  }
  for (size_t i = cases.size() - std::min(ahead, cases.size());
       i < cases.size(); ++i)
    collect(i);
  return results;
}

/// By device and case; under MPI only the rank's device has some.
Results runCases(const Api &api, const std::vector<Case> &cases,
                 const Grid &grid, size_t ahead = 0) {
  struct Context {
    const Api &api;
    const std::vector<Case> &cases;
    const Grid &grid;
    size_t ahead;
    Results results;
  } context{api, cases, grid, ahead, Results(grid.numDevices())};
  int code = api.run(
      grid.rank(), grid.shape.data(),
      [](void *argument, int64_t device) {
        auto &context = *static_cast<Context *>(argument);
        context.results[device] = runOnDevice(
            context.api, context.cases, context.grid, device, context.ahead);
      },
      &context);
  if (code == 0)
    return context.results;
  fprintf(stderr, "error: %s\n", api.error());
  exit(1);
}

/// Every grid of so many devices with up to three axes.
std::vector<Grid> gridsOf(int64_t devices) {
  std::vector<Grid> grids;
  for (int64_t a = 1; a <= devices; ++a)
    for (int64_t b = 1; a * b <= devices; ++b) {
      if (devices % (a * b) != 0)
        continue;
      int64_t c = devices / (a * b);
      if (b == 1 && c == 1)
        grids.push_back({{a}});
      else if (c == 1)
        grids.push_back({{a, b}});
      else
        grids.push_back({{a, b, c}});
    }
  return grids;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: %s LIBRARY [CASES] [SEED]\n", argv[0]);
    return 2;
  }
  int numCases = argc > 2 ? atoi(argv[2]) : 360;
  uint64_t seed = argc > 3 ? strtoull(argv[3], nullptr, 10) : 1;
  Api mpi = loadApi(argv[1]), threads = threadApi();
  int64_t ranks = mpi.num_processes(), rank = mpi.process();
  int64_t compared = 0, wrong = 0;
  for (const Grid &grid : gridsOf(ranks)) {
    Random random(seed++);
    std::vector<Case> cases;
    for (int i = 0; i < numCases; ++i)
      cases.push_back(makeCase(i, random, grid));
    // Every second grid has its devices on other ranks.
    std::vector<int64_t> processes;
    if (seed % 2)
      for (int64_t i = 0; i < ranks; ++i)
        processes.push_back((i * (ranks - 1) + 1) % ranks);
    int64_t device = rank;
    for (size_t i = 0; i < processes.size(); ++i)
      if (processes[i] == rank)
        device = i;
    mpi.set_processes(processes.size(), processes.data());

    Results expected = runCases(threads, cases, grid);
    Results found = runCases(mpi, cases, grid);
    // Calls that are started, and end behind the next three.
    Results beside = runCases(mpi, cases, grid, 3);
    for (size_t i = 0; i < cases.size(); ++i) {
      ++compared;
      bool isRight = expected[device][i] == found[device][i];
      if (isRight && expected[device][i] == beside[device][i])
        continue;
      ++wrong;
      const Case &c = cases[i];
      fprintf(stderr, "rank %d, device %d: %s %sdiffers; type %d, dim %d of",
              int(rank), int(device), c.place.c_str(),
              isRight ? "when started " : "", int(c.type), int(c.dim));
      for (int64_t extent : c.inputs[device])
        fprintf(stderr, " %d", int(extent));
      fprintf(stderr, ", reduction %d, axes", int(c.reduction));
      for (int64_t axis : c.axes)
        fprintf(stderr, " %d", int(axis));
      fprintf(stderr, " of grid");
      for (int64_t extent : grid.shape)
        fprintf(stderr, " %d", int(extent));
      fprintf(stderr, "\n");
    }
  }
  if (rank == 0)
    printf("%d results of rank 0 compared, %d differ\n", int(compared),
           int(wrong));
  return wrong ? 1 : 0;
}
