//===- Processes.cpp - Devices as processes, in C -------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"

#include "shard-c/Processes.h"

using namespace shard;
using namespace shard::capi;

void shardProcessesGetLauncher(MlirStringCallback callback, void *userData) {
  std::string launcher = runtime::Processes::launcher();
  if (!launcher.empty())
    callback(text(launcher), userData);
}

ShardProcesses shardProcessesJoin(MlirStringRef mpi, MlirStringRef folder,
                                  MlirStringCallback onError, void *userData) {
  std::string error;
  runtime::Processes *processes =
      runtime::Processes::load(get(mpi).str(), get(folder).str(), error);
  if (!processes)
    onError(text(error), userData);
  return {processes};
}

intptr_t shardProcessesGetCount(ShardProcesses processes) {
  return get(processes)->count();
}

intptr_t shardProcessesGetNumber(ShardProcesses processes) {
  return get(processes)->number();
}

void shardProcessesLeave(ShardProcesses processes) { get(processes)->leave(); }

void shardProcessesFail(ShardProcesses processes, MlirStringRef message) {
  get(processes)->fail(get(message).str());
}
