//===- Processes.cpp - Devices as processes of an MPI program -------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Runtime/Processes.h"

#include "shard/Runtime/Launcher.h"
#include "shard/Runtime/Runtime.h"
#include "shard/Runtime/Symbols.h"

#include <cstdlib>
#include <dlfcn.h>

using namespace shard;
using namespace shard::runtime;

std::string Processes::launcher() { return launcherOfProcesses(); }

Processes *Processes::load(const std::string &mpi, const std::string &folder,
                           std::string &error) {
  std::string name = "libshard_rt_" + mpi + ".so";
  std::vector<std::string> paths = {folder + "/" + name,
                                    folder + "/../lib/" + name, name};
  if (const char *path = getenv("SHARD_RT_LIBRARY"))
    paths = {path};
  void *library = nullptr;
  for (const std::string &path : paths) {
    library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library)
      break;
    const char *text = dlerror();
    error += (error.empty() ? "" : "; ") + std::string(text ? text : "?");
  }
  if (!library) {
    error = "this process was started by a launcher of MPI (" + mpi +
            "), but the runtime library for it cannot be loaded: " + error;
    return nullptr;
  }
  using Function = Processes *(*)();
  auto *function =
      reinterpret_cast<Function>(dlsym(library, "shard_rt_processes"));
  if (!function) {
    error = "the library for " + mpi + " is no runtime of this project";
    return nullptr;
  }
  error.clear();
  return function();
}

bool Processes::startTogether(std::string &problem) {
  started = true;
  std::vector<std::string> problems = gather(problem);
  for (int64_t i = 0, e = problems.size(); i < e && problem.empty(); ++i)
    if (!problems[i].empty())
      problem = "process " + std::to_string(i) + " on " + host(i) + ": " +
                problems[i];
  return broadcast(number() == 0 ? problem : std::string()).empty();
}

std::vector<std::pair<const char *, void *>> shard::runtime::runtimeSymbols() {
#define SHARD_RT_SYMBOL(name)                                                  \
  {                                                                            \
    #name, reinterpret_cast<void *>(&name)                                     \
  }
  return {
      SHARD_RT_SYMBOL(shard_rt_fail),
      SHARD_RT_SYMBOL(shard_rt_process_linear_index),
      SHARD_RT_SYMBOL(shard_rt_grid_extent),
      SHARD_RT_SYMBOL(shard_rt_group_size),
      SHARD_RT_SYMBOL(shard_rt_divide_extent),
      SHARD_RT_SYMBOL(shard_rt_start),
      SHARD_RT_SYMBOL(shard_rt_wait),
      SHARD_RT_SYMBOL(shard_rt_barrier),
      SHARD_RT_SYMBOL(shard_rt_all_gather),
      SHARD_RT_SYMBOL(shard_rt_all_reduce),
      SHARD_RT_SYMBOL(shard_rt_all_slice),
      SHARD_RT_SYMBOL(shard_rt_all_to_all),
      SHARD_RT_SYMBOL(shard_rt_broadcast),
      SHARD_RT_SYMBOL(shard_rt_gather),
      SHARD_RT_SYMBOL(shard_rt_scatter),
      SHARD_RT_SYMBOL(shard_rt_reduce),
      SHARD_RT_SYMBOL(shard_rt_reduce_scatter),
      SHARD_RT_SYMBOL(shard_rt_send),
      SHARD_RT_SYMBOL(shard_rt_recv),
      SHARD_RT_SYMBOL(shard_rt_shift),
      SHARD_RT_SYMBOL(shard_rt_update_halo),
      SHARD_RT_SYMBOL(shard_rt_permute),
      SHARD_RT_SYMBOL(shard_rt_redistribute),
  };
#undef SHARD_RT_SYMBOL
}
