//===- Launcher.h - Who has started this process ----------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_RUNTIME_LAUNCHER_H
#define SHARD_RUNTIME_LAUNCHER_H

#include <cstdlib>
#include <string>

namespace shard {
namespace runtime {

/// "openmpi" or "mpich" if the environment says that a launcher of that MPI has
/// started this process as one of several; else empty. In a header, so that what links
/// no back end has it too.
inline std::string launcherOfProcesses() {
  auto saysSeveral = [](const char *variable) {
    const char *text = getenv(variable);
    return text && atol(text) > 1;
  };
  // Open MPI's mpirun; that of MPICH and what speaks its protocol; srun, which
  // speaks one of both.
  if (saysSeveral("OMPI_COMM_WORLD_SIZE"))
    return "openmpi";
  if (saysSeveral("PMI_SIZE"))
    return "mpich";
  if (getenv("PMIX_RANK") && saysSeveral("SLURM_NTASKS"))
    return "openmpi";
  return std::string();
}

} // namespace runtime
} // namespace shard

#endif // SHARD_RUNTIME_LAUNCHER_H
