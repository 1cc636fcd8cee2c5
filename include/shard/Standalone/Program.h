/*===- Program.h - Programs compiled ahead of time ---------------*- C -*-===*\
|*
|* Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
|* See LICENSE for license information.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* What `shard-compile` writes is the code of one device, the same for all, and a
|* table that describes it, a `struct shard_program`. This header has the table and
|* the functions of libshard_program.so, which needs neither LLVM nor MLIR:
|*
|*   static void run(void *context, int64_t device) {
|*     const struct shard_program *p = &model_program;
|*     // For each argument i: allocate p->arguments[i].local_bytes and fill them,
|*     // say by shard_program_slice from the whole tensor. For each result: allocate.
|*     shard_program_call(p, arguments, results);
|*     // Use the device's blocks of the results.
|*   }
|*   ...
|*   if (p->device_ids)
|*     shard_rt_set_processes(p->num_devices, p->device_ids);
|*   shard_rt_run(p->grid_rank, p->grid, run, context);
|*
|* docs/shard-compile.md describes it; docs/examples/ahead_of_time has a whole program.
|*
\*===----------------------------------------------------------------------===*/

#ifndef SHARD_STANDALONE_PROGRAM_H
#define SHARD_STANDALONE_PROGRAM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of the tables and of what compiled code calls. */
#define SHARD_PROGRAM_VERSION 2

/* An argument or a result. Tensors lie in memory row-major and without gaps; a
 * scalar has rank 0. */
struct shard_program_value {
  const char *type; /* the whole tensor in MLIR, such as "tensor<8x16xf32>" */
  const char *sharding; /* by axes, such as "[[x], []]" */
  const char *element;  /* such as "f32"; i1 is a byte that holds 0 or 1 */
  int64_t element_bytes;
  int64_t rank;
  const int64_t *shape;       /* of the whole tensor */
  const int64_t *local_shape; /* of the block of a device, the same on all */
  int64_t bytes, local_bytes;
  /* For the functions below: {number of the element type, grid rank, grid..., axes of
   * each dimension..., partial axes, reduction, halos, offsets}; each list begins with
   * its length. */
  const int64_t *layout;
};

struct shard_program {
  int64_t version; /* SHARD_PROGRAM_VERSION */
  const char *name;
  int64_t grid_rank;
  const int64_t *grid;           /* extents of the axes */
  const char *const *axis_names; /* of each axis */
  int64_t num_devices;
  int64_t num_arguments, num_results;
  const struct shard_program_value *arguments, *results;
  void (*entry)(void **packed); /* for shard_program_call */
  /* The physical device at each position of the grid, in row-major order; null: position
   * p is device p. For shard_rt_set_processes. */
  const int64_t *device_ids;
};

/* Runs the program on the calling device: within the function that shard_rt_run calls,
 * by all devices. arguments[i] is the device's block of argument i, which is not
 * written to, results[i] memory for its block of result i. Does not return if the run
 * fails. The memory that a call takes stays with its thread for the next call. */
void shard_program_call(const struct shard_program *program,
                        const void *const *arguments, void *const *results);

/* Copies the block of `device` out of the whole tensor. Where a block reaches beyond the
 * tensor (a division with a remainder), it is filled with values that show it if
 * something trusts them. */
void shard_program_slice(const struct shard_program_value *value,
                         int64_t device, const void *whole, void *block);

/* Copies what the block of `device` has of the tensor to its place in the whole one.
 * Devices that have the same block may all do so. Returns 1, and does nothing, if the
 * value is partial: the blocks of a partial value have to be combined. */
int shard_program_place(const struct shard_program_value *value, int64_t device,
                        const void *block, void *whole);

/* The main program of `shard-compile --emit=exe`: reads inputs, runs, times, and writes
 * results. Returns the exit code. */
int shard_program_main(int argc, char **argv,
                       const struct shard_program *program);

#ifdef __cplusplus
}
#endif

#endif /* SHARD_STANDALONE_PROGRAM_H */
