//===- shard-c/Processes.h - Devices as processes, in C -----------*- C -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program that mpirun has started as one of several processes joins the others, and its
// partitions run one device in each of them (docs/Clusters.md). All processes make the same
// partitions and runs in the same order. Nothing here needs MPI to build.
//
// If MPI has been initialised before, it is used and not finalized.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_C_PROCESSES_H
#define SHARD_C_PROCESSES_H

#include "mlir-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The processes of an MPI program; there is at most one object, which is not destroyed.
typedef struct ShardProcesses {
  void *ptr;
} ShardProcesses;

/// Calls `callback` with "openmpi" or "mpich" if a launcher of that MPI has started this
/// process as one of several; else does not call it.
MLIR_CAPI_EXPORTED void shardProcessesGetLauncher(MlirStringCallback callback,
                                                  void *userData);

/// Loads the runtime library for `mpi`, a name of shardProcessesGetLauncher, and begins
/// its session. It is looked for in `folder` and in ../lib of it, then where the system
/// looks. Null if that fails; `onError` gets the reason.
MLIR_CAPI_EXPORTED ShardProcesses shardProcessesJoin(MlirStringRef mpi,
                                                     MlirStringRef folder,
                                                     MlirStringCallback onError,
                                                     void *userData);

/// How many there are, and which one this is.
MLIR_CAPI_EXPORTED intptr_t shardProcessesGetCount(ShardProcesses processes);
MLIR_CAPI_EXPORTED intptr_t shardProcessesGetNumber(ShardProcesses processes);

/// Ends the session; all processes come here. For programs in which something else
/// finalizes MPI. Else it ends with the process.
MLIR_CAPI_EXPORTED void shardProcessesLeave(ShardProcesses processes);

/// Prints `message` and ends all processes with exit code 1.
MLIR_CAPI_EXPORTED void shardProcessesFail(ShardProcesses processes,
                                           MlirStringRef message);

#ifdef __cplusplus
}
#endif

#endif // SHARD_C_PROCESSES_H
