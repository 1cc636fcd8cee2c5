//===- MpiCalls.cpp - Calls of MPI ----------------------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What programs of convert-shard-to-mpi refer to in the MPI of this library.
//
//===----------------------------------------------------------------------===//

#include "shard/Runtime/Symbols.h"

#include <mpi.h>

std::vector<std::pair<const char *, void *>> shard::runtime::mpiSymbols() {
  return {
      {"MPI_Comm_rank", reinterpret_cast<void *>(&MPI_Comm_rank)},
      {"MPI_Recv", reinterpret_cast<void *>(&MPI_Recv)},
      {"MPI_Send", reinterpret_cast<void *>(&MPI_Send)},
#ifdef OPEN_MPI
      {"ompi_mpi_comm_world", &ompi_mpi_comm_world},
      {"ompi_mpi_int8_t", &ompi_mpi_int8_t},
      {"ompi_mpi_int16_t", &ompi_mpi_int16_t},
      {"ompi_mpi_int32_t", &ompi_mpi_int32_t},
      {"ompi_mpi_int64_t", &ompi_mpi_int64_t},
#endif
  };
}

const char *shard::runtime::mpiName() {
#ifdef OPEN_MPI
  return "openmpi";
#else
  return "mpich";
#endif
}
