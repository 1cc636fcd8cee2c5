//===- Api.h - One of two runtimes in one program ------------- -*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of Runtime.h as pointers: those of the thread back end, which the
// test links, or those of an MPI library that it loads.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_TEST_UNIT_RUNTIME_MPI_API_H
#define SHARD_TEST_UNIT_RUNTIME_MPI_API_H

#include "shard/Runtime/Runtime.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

namespace shard {
namespace test {

#define SHARD_TEST_FUNCTIONS(APPLY)                                            \
  APPLY(run)                                                                   \
  APPLY(error)                                                                 \
  APPLY(fail)                                                                  \
  APPLY(num_processes)                                                         \
  APPLY(process)                                                               \
  APPLY(set_processes)                                                         \
  APPLY(set_program)                                                           \
  APPLY(set_checks)                                                            \
  APPLY(process_linear_index)                                                  \
  APPLY(grid_extent)                                                           \
  APPLY(group_size)                                                            \
  APPLY(divide_extent)                                                         \
  APPLY(start)                                                                 \
  APPLY(wait)                                                                  \
  APPLY(barrier)                                                               \
  APPLY(all_gather)                                                            \
  APPLY(all_reduce)                                                            \
  APPLY(all_slice)                                                             \
  APPLY(all_to_all)                                                            \
  APPLY(broadcast)                                                             \
  APPLY(gather)                                                                \
  APPLY(scatter)                                                               \
  APPLY(reduce)                                                                \
  APPLY(reduce_scatter)                                                        \
  APPLY(send)                                                                  \
  APPLY(recv)                                                                  \
  APPLY(shift)                                                                 \
  APPLY(update_halo)                                                           \
  APPLY(permute)

struct Api {
#define SHARD_TEST_MEMBER(name) decltype(&shard_rt_##name) name;
  SHARD_TEST_FUNCTIONS(SHARD_TEST_MEMBER)
#undef SHARD_TEST_MEMBER
};

inline Api threadApi() {
#define SHARD_TEST_MEMBER(name) &shard_rt_##name,
  return {SHARD_TEST_FUNCTIONS(SHARD_TEST_MEMBER)};
#undef SHARD_TEST_MEMBER
}

inline Api loadApi(const char *library) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    fprintf(stderr, "%s\n", dlerror());
    exit(2);
  }
  auto find = [&](const char *name) {
    void *address = dlsym(handle, name);
    if (address)
      return address;
    fprintf(stderr, "%s: no %s\n", library, name);
    exit(2);
  };
#define SHARD_TEST_MEMBER(name)                                                \
  reinterpret_cast<decltype(&shard_rt_##name)>(find("shard_rt_" #name)),
  return {SHARD_TEST_FUNCTIONS(SHARD_TEST_MEMBER)};
#undef SHARD_TEST_MEMBER
}

} // namespace test
} // namespace shard

#endif // SHARD_TEST_UNIT_RUNTIME_MPI_API_H
