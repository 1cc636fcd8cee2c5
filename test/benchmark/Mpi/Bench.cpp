//===- Bench.cpp - The runtime's collectives against MPI's own ------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   mpirun -n N shard-mpi-bench-MPI [--quick] [COLLECTIVE]
//
// Times each collective of the runtime and the plain MPI call of the same
// meaning in turns, from 1 KiB to 64 MiB, where a size is that of the larger of
// input and result on one rank. Prints the time of both, the ratio plain / ours
// (1 is as fast as MPI) and the difference in microseconds.
//
//===----------------------------------------------------------------------===//

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include "shard/Runtime/Runtime.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace {

int size, rank;
/// The one collective to measure; null: all.
const char *only = nullptr;

/// A matrix of f32 with one row per rank, or one row, as a buffer of Runtime.h.
struct Matrix {
  std::vector<float> values;
  std::vector<int64_t> words;

  Matrix(int64_t rows, int64_t columns) : values(rows * columns, 1) {
    words = {int64_t(reinterpret_cast<intptr_t>(values.data())),
             0,
             2,
             rows,
             columns,
             columns,
             1};
  }
  const int64_t *get() const { return words.data(); }
  float *data() { return values.data(); }
};

struct Pair {
  const char *name;
  std::function<void()> plain, ours;
};

/// Seconds per call of the slowest rank.
double timeOf(const std::function<void()> &call, int calls) {
  MPI_Barrier(MPI_COMM_WORLD);
  double begin = MPI_Wtime();
  for (int i = 0; i < calls; ++i)
    call();
  double seconds = (MPI_Wtime() - begin) / calls, slowest;
  MPI_Allreduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest;
}

void measure(const Pair &pair, int64_t bytes, bool quick) {
  int calls = int(std::clamp<int64_t>((int64_t(8) << 20) / bytes, 1, 500));
  int rounds = quick ? 4 : bytes > (8 << 20) ? 10 : 60;
  double plain = 1e9, ours = 1e9;
  // The first round makes communicators, plans and connections, and touches memory for the
  // first time: which of both runs first must not matter.
  timeOf(pair.plain, calls);
  timeOf(pair.ours, calls);
  for (int i = 0; i < rounds; ++i) {
    plain = std::min(plain, timeOf(pair.plain, calls));
    ours = std::min(ours, timeOf(pair.ours, calls));
  }
  if (rank == 0)
    printf("%-16s %9lld %12.2f %12.2f %8.2f %10.2f\n", pair.name,
           static_cast<long long>(bytes), plain * 1e6, ours * 1e6, plain / ours,
           (ours - plain) * 1e6);
}

void measureAll(int64_t bytes, bool quick) {
  const char *at = "bench";
  int64_t group[] = {1, size, 1, 0};
  int64_t n = std::max<int64_t>(1, bytes / 4 / size);
  int64_t zero = 0;
  int64_t axesPerDim[] = {1, 0};
  // `part` is a rank's block of `whole`.
  Matrix part(1, n), part2(1, n), whole(size, n), whole2(size, n);
  int count = int(n), all = int(n * size);
  int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  MPI_Comm world = MPI_COMM_WORLD;
  float *p = part.data(), *w = whole.data(), *w2 = whole2.data();
  auto copyAtRoot = [&](const void *from, void *to, size_t length) {
    if (rank == 0)
      memcpy(to, from, length);
  };
  size_t wholeBytes = size_t(all) * 4;
  // A halo of an eighth of the elements on both sides.
  int64_t halo = std::max<int64_t>(1, n / 8);
  Matrix field(n + 2 * halo, 1);
  float *f = field.data();
  int64_t halos[] = {halo, halo, 0, 0};
  int low = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  int high = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;

  const Pair pairs[] = {
      {"all_gather",
       [&] { MPI_Allgather(p, count, MPI_FLOAT, w, count, MPI_FLOAT, world); },
       [&] {
         shard_rt_all_gather(at, group, SHARD_RT_F32, part.get(), whole.get(),
                             0);
       }},
      {"all_reduce",
       [&] { MPI_Allreduce(w, w2, all, MPI_FLOAT, MPI_SUM, world); },
       [&] {
         shard_rt_all_reduce(at, group, SHARD_RT_F32, whole.get(), whole2.get(),
                             SHARD_RT_SUM);
       }},
      {"reduce_scatter",
       [&] {
         MPI_Reduce_scatter_block(w, p, count, MPI_FLOAT, MPI_SUM, world);
       },
       [&] {
         shard_rt_reduce_scatter(at, group, SHARD_RT_F32, whole.get(),
                                 part.get(), SHARD_RT_SUM, 0);
       }},
      {"all_to_all",
       [&] { MPI_Alltoall(w, count, MPI_FLOAT, w2, count, MPI_FLOAT, world); },
       [&] {
         shard_rt_all_to_all(at, group, SHARD_RT_F32, whole.get(), whole2.get(),
                             0, 0);
       }},
      {"broadcast",
       [&] {
         MPI_Bcast(rank == 0 ? w : w2, all, MPI_FLOAT, 0, world);
         copyAtRoot(w, w2, wholeBytes);
       },
       [&] {
         shard_rt_broadcast(at, group, SHARD_RT_F32, whole.get(), whole2.get(),
                            &zero);
       }},
      {"gather",
       [&] {
         MPI_Gather(p, count, MPI_FLOAT, w, count, MPI_FLOAT, 0, world);
         if (rank != 0)
           memset(w, 0, wholeBytes);
       },
       [&] {
         shard_rt_gather(at, group, SHARD_RT_F32, part.get(), whole.get(), 0,
                         &zero);
       }},
      {"scatter",
       [&] { MPI_Scatter(w, count, MPI_FLOAT, p, count, MPI_FLOAT, 0, world); },
       [&] {
         shard_rt_scatter(at, group, SHARD_RT_F32, whole.get(), part.get(), 0,
                          &zero);
       }},
      {"reduce",
       [&] {
         MPI_Reduce(w, w2, all, MPI_FLOAT, MPI_SUM, 0, world);
         if (rank != 0)
           memset(w2, 0, wholeBytes);
       },
       [&] {
         shard_rt_reduce(at, group, SHARD_RT_F32, whole.get(), whole2.get(),
                         SHARD_RT_SUM, &zero);
       }},
      {"shift",
       [&] {
         MPI_Sendrecv(w, all, MPI_FLOAT, next, 0, w2, all, MPI_FLOAT, previous,
                      0, world, MPI_STATUS_IGNORE);
       },
       [&] {
         const int64_t along[] = {1, 0};
         shard_rt_shift(at, group, SHARD_RT_F32, whole.get(), whole2.get(),
                        along, 1, 1, 0);
       }},
      {"update_halo",
       [&] {
         MPI_Request requests[4];
         int h = int(halo);
         MPI_Irecv(f, h, MPI_FLOAT, low, 0, world, &requests[0]);
         MPI_Irecv(f + halo + n, h, MPI_FLOAT, high, 1, world, &requests[1]);
         MPI_Isend(f + halo, h, MPI_FLOAT, low, 1, world, &requests[2]);
         MPI_Isend(f + n, h, MPI_FLOAT, high, 0, world, &requests[3]);
         MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
       },
       [&] {
         shard_rt_update_halo(at, group, SHARD_RT_F32, field.get(), field.get(),
                              axesPerDim, halos, nullptr);
       }},
      {"barrier", [&] { MPI_Barrier(world); },
       [&] { shard_rt_barrier(at, group); }},
  };
  for (const Pair &pair : pairs)
    if ((!only || strcmp(pair.name, only) == 0) &&
        (bytes <= 1024 || strcmp(pair.name, "barrier") != 0))
      measure(pair, bytes, quick);
}

} // namespace

int main(int argc, char **argv) {
  bool quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
  if (argc > 1 + quick)
    only = argv[1 + quick];
  size = int(shard_rt_num_processes());
  rank = int(shard_rt_process());
  shard_rt_set_checks(SHARD_RT_CHECK_NEVER);
  if (rank == 0)
    printf("%d ranks\n%-16s %9s %12s %12s %8s %10s\n", size, "collective",
           "bytes", "plain us", "ours us", "ratio", "more us");
  int64_t shape = size;
  int code = shard_rt_run(
      1, &shape,
      [](void *context, int64_t) {
        bool quick = *static_cast<bool *>(context);
        for (int64_t bytes = 1024; bytes <= int64_t(64) << 20; bytes *= 16)
          measureAll(bytes, quick);
      },
      &quick);
  if (code != 0)
    fprintf(stderr, "error: %s\n", shard_rt_error());
  return code;
}
