/*===- Yield.c - Ranks of MPICH that wait give their core to others --------------===*\
|*
|* Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
|* See LICENSE for license information.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------------===*|
|*
|* A library for LD_PRELOAD. Ranks of MPICH that wait never yield, so that with more ranks
|* than cores each message takes until the scheduler changes the process. Here the
|* function of UCX in which MPICH waits yields when it has found nothing.
|*
\*===----------------------------------------------------------------------------===*/

#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>

unsigned ucp_worker_progress(void *worker) {
  static unsigned (*real)(void *);
  if (!real) {
    /* A program that loads MPICH itself may have kept UCX to that library. */
    void *library = dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD);
    real = (unsigned (*)(void *))dlsym(library ? library : RTLD_NEXT,
                                       "ucp_worker_progress");
  }
  unsigned found = real(worker);
  if (found == 0)
    sched_yield();
  return found;
}
