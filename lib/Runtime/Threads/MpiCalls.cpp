//===- MpiCalls.cpp - Calls of MPI between threads ------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions that programs of convert-shard-to-mpi call, with the ABI of MPICH, for
// devices that are threads: rank i is physical device i. A send waits until its receiver has
// taken the message, as MPI allows it to: programs that rely on MPI's buffers fail
// here, with the messages of the runtime about devices that cannot go on.
//
//===----------------------------------------------------------------------===//

#include "Rendezvous.h"

#include "shard/Runtime/Runtime.h"
#include "shard/Runtime/Symbols.h"

using namespace shard::runtime;

namespace {

constexpr const char *kPlace = "a message of MPI";
/// All devices, as a grid of one axis whose extent is that of the run.
constexpr int64_t kAllDevices[] = {1, SHARD_RT_DYNAMIC, 1, 0};

/// The size of an element is the second byte of MPICH's handle of a type.
int64_t typeOf(int datatype) {
  switch ((datatype >> 8) & 0xff) {
  case 1:
    return SHARD_RT_I8;
  case 2:
    return SHARD_RT_I16;
  case 4:
    return SHARD_RT_I32;
  default:
    return SHARD_RT_I64;
  }
}

struct Buffer {
  int64_t words[5];

  Buffer(const void *data, int64_t count)
      : words{reinterpret_cast<int64_t>(data), 0, 1, count, 1} {}
};

/// The position of a rank; that of none is none too.
int64_t positionOf(int64_t rank) {
  const Device *device = backend::currentDevice();
  if (!device)
    return rank;
  const Run &run = *static_cast<const ThreadDevice *>(device)->run;
  return rank >= 0 && rank < int64_t(run.positions.size()) ? run.positions[rank]
                                                           : rank;
}

int commRank(int, int *rank) {
  const Device *device = backend::currentDevice();
  *rank = device ? int(static_cast<const ThreadDevice *>(device)->id) : 0;
  return 0;
}

int send(const void *data, int count, int datatype, int destination, int, int) {
  int64_t to = positionOf(destination);
  int8_t taken = 0;
  Buffer buffer(data, count), reply(&taken, 1);
  shard_rt_send(kPlace, kAllDevices, typeOf(datatype), buffer.words, &to);
  shard_rt_recv(kPlace, kAllDevices, SHARD_RT_I1, reply.words, &to);
  return 0;
}

int receive(void *data, int count, int datatype, int source, int, int, void *) {
  int64_t from = positionOf(source);
  int8_t taken = 1;
  Buffer buffer(data, count), reply(&taken, 1);
  shard_rt_recv(kPlace, kAllDevices, typeOf(datatype), buffer.words, &from);
  shard_rt_send(kPlace, kAllDevices, SHARD_RT_I1, reply.words, &from);
  return 0;
}

} // namespace

std::vector<std::pair<const char *, void *>> shard::runtime::mpiSymbols() {
  return {{"MPI_Comm_rank", reinterpret_cast<void *>(&commRank)},
          {"MPI_Recv", reinterpret_cast<void *>(&receive)},
          {"MPI_Send", reinterpret_cast<void *>(&send)}};
}

const char *shard::runtime::mpiName() { return "mpich"; }
