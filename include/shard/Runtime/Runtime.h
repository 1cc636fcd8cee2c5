/*===- Runtime.h - C ABI of the collectives ----------------------*- C -*-===*\
|*
|* Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
|* See LICENSE for license information.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* The functions that partitioned programs call. One ABI, one library per back
|* end:
|*   libshard_runtime.so     runs each device of the grid as a thread of the
|*                           process;
|*   libshard_rt_openmpi.so, libshard_rt_mpich.so
|*                           run one device in each rank of an MPI program, and
|*                           are linked to that MPI.
|* A program runs with either. Results are the same bits.
|*
|* Every argument is a 64-bit integer or a pointer to 64-bit words or to a
|* string, so that the caller needs no struct layout.
|*
|*  location  where the call stands in the user's program, for messages; lives
|*            as long as the run.
|*
|*  group     {grid rank, extent of each grid axis...,
|*             number of axes, axes...}
|*            The device group of a collective: the devices that agree in every
|*            coordinate outside `axes`; ordered by the list, outermost first.
|*            An extent -1 (a `?` axis) is taken from the grid that runs. All
|*            grids of a program have the same devices in the same linear order.
|*
|*  type      a shard_rt_type.
|*
|*  buffer    {address of the aligned data, offset, rank, sizes..., strides...}
|*            A memref; offset and strides count elements. Inputs may be strided.
|*            Results are buffers of the caller; those of all_reduce, reduce and
|*            reduce_scatter are contiguous (row-major). A result shares no
|*            memory with an input; update_halo alone may work in place. Ranks
|*            and grid ranks go up to SHARD_RT_MAX_RANK.
|*
|*  root, destination, source
|*            coordinates of a device within its group, one per axis of `group`.
|*
|* Dimensions that do not divide: axes cut a dimension one after another, major
|* first, each into blocks of ceil(extent / size) (shard/Geometry/BlockLayout.h).
|* Where a call cuts, blocks that are short are zero-filled at the end; where it
|* concatenates, only the valid elements of each block are taken. Nobody may
|* rely on what padding holds.
|*
|* Every device of a group makes the same calls in the same order. Where it does
|* not (other operation, place, arguments, element type or shape; a device that
|* has ended; a cycle of waiting devices), the run fails with a message that
|* names both places. No call hangs.
|*
\*===----------------------------------------------------------------------===*/

#ifndef SHARD_RUNTIME_RUNTIME_H
#define SHARD_RUNTIME_RUNTIME_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SHARD_RT_MAX_RANK 16
#define SHARD_RT_DYNAMIC (-1)

/* Element types. i1 is a byte that holds 0 or 1; `index` is i64. Integers are
 * signless: an operation says whether it reads them as signed. */
enum shard_rt_type {
  SHARD_RT_F16 = 1,
  SHARD_RT_BF16 = 2,
  SHARD_RT_F32 = 3,
  SHARD_RT_F64 = 4,
  SHARD_RT_I1 = 5,
  SHARD_RT_I8 = 6,
  SHARD_RT_I16 = 7,
  SHARD_RT_I32 = 8,
  SHARD_RT_I64 = 9
};

/* How values combine; the numbers of shard::ReductionKind.
 *  - The order of combination is that of the positions in the group, and all
 *    replicas of a result are bit-identical.
 *  - f16 and bf16 combine in f32 and are rounded once.
 *  - max and min propagate NaN, order -0 below +0, and are signed on integers
 *    (on i1, true is -1); umax and umin are unsigned, integers only.
 *  - average of integers: the sum in i64 divided by the group's size, truncated
 *    towards zero. Not defined on i1.
 *  - bitwise kinds are for integers only. */
enum shard_rt_reduction {
  SHARD_RT_SUM = 1,
  SHARD_RT_MAX = 2,
  SHARD_RT_MIN = 3,
  SHARD_RT_PRODUCT = 4,
  SHARD_RT_AVERAGE = 5,
  SHARD_RT_BITWISE_AND = 6,
  SHARD_RT_BITWISE_OR = 7,
  SHARD_RT_BITWISE_XOR = 8,
  SHARD_RT_UMIN = 9,
  SHARD_RT_UMAX = 10
};

/*===-- The run ----------------------------------------------------------===*/

/* Runs fn(context, device) on every device of a grid of `rank` axes; returns
 * when all of them are done. Returns 0, or 1 if a device failed;
 * shard_rt_error() then tells why.
 *
 * Threads: calls fn once per device, each in a thread of its own.
 * MPI: every rank calls this function, with the same grid; it calls fn once, for
 * the device of the rank, on the calling thread. Starts MPI if the program has
 * not, and ends it at exit. Returns 1, on all ranks, if the run cannot begin: the
 * grid has more or fewer devices than there are ranks, or ranks differ in
 * program, grid or version. A failure during the run ends all ranks with exit
 * code 1 and one message on stderr; so does the end of a rank with another exit
 * code than 0. Environment:
 *   SHARD_RT_CHECK    first, always, never: shard_rt_set_checks
 *   SHARD_RT_TIMEOUT  seconds that a device may wait in one call (600)
 *   SHARD_RT_SILENCE  seconds after which a rank that does not answer counts as
 *                     stopped (10); MPI_Finalize may take three times as long
 *   SHARD_RT_WATCH    0: no connections beside MPI; ranks that have died or wait
 *                     in vain are not noticed */
int shard_rt_run(int64_t rank, const int64_t *shape,
                 void (*fn)(void *context, int64_t device), void *context);

/* The message of the last shard_rt_run of the calling thread; "" if it went
 * well. */
const char *shard_rt_error(void);

/* A run-time check failed. Within a run: the whole run ends and reports
 * `message`. Outside: prints it and exits with code 1. Does not return. */
void shard_rt_fail(const char *message);

/* The number of processes that run together, and the number of the calling one:
 * 1 and 0 for threads, the ranks of MPI_COMM_WORLD for MPI. */
int64_t shard_rt_num_processes(void);
int64_t shard_rt_process(void);

/* Places devices: device i (row-major) is run by process processes[i]; `count`
 * is the number of devices, or 0 for the default, device i in process i. The
 * same on all processes, between runs. No effect for threads. */
void shard_rt_set_processes(int64_t count, const int64_t *processes);

/* What tells this program from others: all processes have to give the same text.
 * Default: a hash of the executable. No effect for threads. */
void shard_rt_set_program(const char *name);

/* When the calls of a group are compared before they move data. Threads always
 * compare. */
enum shard_rt_check {
  SHARD_RT_CHECK_FIRST = 0, /* in the first run of a program; the default */
  SHARD_RT_CHECK_ALWAYS = 1,
  SHARD_RT_CHECK_NEVER = 2
};
void shard_rt_set_checks(int64_t mode);

/* The row-major position of the calling device in the grid; 0 outside a run. */
int64_t shard_rt_process_linear_index(void);

/* The extent of an axis of the grid that runs, for grids with `?` axes.
 * `grid_rank` and `extents` are those of the program's grid: if it has one `?`
 * axis, that follows from the number of devices; if more, the running grid has
 * to have the same rank. */
int64_t shard_rt_grid_extent(const char *location, int64_t grid_rank,
                             const int64_t *extents, int64_t axis);

/* The number of devices of each group. */
int64_t shard_rt_group_size(const char *location, const int64_t *group);

/* The extent of one block of a dynamic dimension of `extent`, cut over a group.
 * Dynamic dimensions divide evenly by contract: fails where this one does not. */
int64_t shard_rt_divide_extent(const char *location, const int64_t *group,
                               int64_t extent);

/*===-- Collectives beside other work -------------------------------------===*/

/* The next call of this device is started: it returns once its arguments are decoded
 * and checked, and data may move until shard_rt_wait. Until then nobody may read or
 * write its result, or write its input. Holds for all_gather, all_reduce, all_to_all,
 * broadcast, permute, reduce_scatter and shift; other calls run to their end. What is
 * started is carried out in its order, and every other collective of the device waits
 * for it first, so that the order of a device's calls is that of the program.
 * A back end may run the call to its end instead: MPI does. */
void shard_rt_start(const char *location);

/* Returns when the started calls whose result begins at `result` have ended. `input`
 * is their input; its memory is in use until then. Does nothing if there are none. */
void shard_rt_wait(const char *location, const void *result, const void *input);

/*===-- Collectives ------------------------------------------------------===*/

void shard_rt_barrier(const char *location, const int64_t *group);

/* Concatenates the inputs along `dim`. With k devices and a result of extent D,
 * inputs have extent ceil(D / k). Inputs of differing extents (explicit
 * offsets), which add up to D, are concatenated as they are. */
void shard_rt_all_gather(const char *location, const int64_t *group,
                         int64_t type, const int64_t *input,
                         const int64_t *result, int64_t dim);

/* Combines the inputs element by element. */
void shard_rt_all_reduce(const char *location, const int64_t *group,
                         int64_t type, const int64_t *input,
                         const int64_t *result, int64_t reduction);

/* The device's own block of its input along `dim`. No communication. */
void shard_rt_all_slice(const char *location, const int64_t *group,
                        int64_t type, const int64_t *input,
                        const int64_t *result, int64_t dim);

/* Cuts the input along `split_dim`, sends block p to the device at position p,
 * and concatenates what arrives along `concat_dim`, trimmed to the result's
 * extent. The dims may be equal if the group's size divides the extent. */
void shard_rt_all_to_all(const char *location, const int64_t *group,
                         int64_t type, const int64_t *input,
                         const int64_t *result, int64_t split_dim,
                         int64_t concat_dim);

/* The root's input, everywhere. */
void shard_rt_broadcast(const char *location, const int64_t *group,
                        int64_t type, const int64_t *input,
                        const int64_t *result, const int64_t *root);

/* all_gather at the root; zeros elsewhere. */
void shard_rt_gather(const char *location, const int64_t *group, int64_t type,
                     const int64_t *input, const int64_t *result, int64_t dim,
                     const int64_t *root);

/* The device's own block of the root's input along `dim`. */
void shard_rt_scatter(const char *location, const int64_t *group, int64_t type,
                      const int64_t *input, const int64_t *result, int64_t dim,
                      const int64_t *root);

/* all_reduce at the root; zeros elsewhere. */
void shard_rt_reduce(const char *location, const int64_t *group, int64_t type,
                     const int64_t *input, const int64_t *result,
                     int64_t reduction, const int64_t *root);

/* The device's own block along `dim` of the combined inputs. */
void shard_rt_reduce_scatter(const char *location, const int64_t *group,
                             int64_t type, const int64_t *input,
                             const int64_t *result, int64_t reduction,
                             int64_t dim);

/* Hands a copy of the input to `destination` and goes on. Messages between two
 * devices of a group arrive in order. A message that nobody receives is an
 * error at the end of the run. */
void shard_rt_send(const char *location, const int64_t *group, int64_t type,
                   const int64_t *input, const int64_t *destination);

/* The next message from `source`, or, if that is null, the next one from the
 * lowest position that has one. */
void shard_rt_recv(const char *location, const int64_t *group, int64_t type,
                   const int64_t *result, const int64_t *source);

/* Along `axes` (their number, then the axes, major first, all of the group) position
 * p receives the input of position p - offset, or, with `mirror`, of position
 * offset - p; with `rotate` modulo the number of positions, else zeros where there
 * is none. */
void shard_rt_shift(const char *location, const int64_t *group, int64_t type,
                    const int64_t *input, const int64_t *result,
                    const int64_t *axes, int64_t offset, int64_t rotate,
                    int64_t mirror);

/* Copies the input and refreshes its halos from the neighbours. The axes of
 * `group` are those of all dimensions one after another, `axes_per_dim` tells
 * how many each of them has; `halos` holds two widths per dimension, low and
 * high, zero where no axis splits it. A dimension of extent n has its own
 * n - low - high elements in the middle. Halos wider than that reach beyond
 * the nearest neighbour. At the border of the grid a halo keeps what it had.
 * `windows`, if not null, holds seven numbers per dimension, which tell what devices
 * read: {iterations, stride, offset, reach, first, size, step}, as those of
 * shard.update_halo; with a reach of 0 all is read. No other elements are sent, and
 * those of the halo that are not read keep what they had.
 * input and result may be the same buffer. */
void shard_rt_update_halo(const char *location, const int64_t *group,
                          int64_t type, const int64_t *input,
                          const int64_t *result, const int64_t *axes_per_dim,
                          const int64_t *halos, const int64_t *windows);

/* Reorders or replaces axes: `group` lists the axes `from`, `to` is {number of
 * axes, axes...}, with equal products of extents. A value whose blocks were
 * numbered by `from` is afterwards numbered by `to`: the device with
 * coordinates c receives from c', where
 *   c' on from        = delinearize(linear(c on to)) over from,
 *   c' on to \ from   = delinearize(linear(c on from \ to)) over to \ from,
 *   c' elsewhere      = c. */
void shard_rt_permute(const char *location, const int64_t *group, int64_t type,
                      const int64_t *input, const int64_t *result,
                      const int64_t *to);

/* Takes blocks of one sharding to blocks of another. The devices of the group have
 * together a tensor of `extents`, one number per dimension of the buffers. `from` and
 * `to` tell which axes of the group split it before and after: for each dimension the
 * number of its axes, then the axes, major first. Every device receives what its
 * new block lacks. Of several devices that have an element, the one sends that
 * shard/Geometry/Redistribution.h names. */
void shard_rt_redistribute(const char *location, const int64_t *group,
                           int64_t type, const int64_t *input,
                           const int64_t *result, const int64_t *extents,
                           const int64_t *from, const int64_t *to);

#ifdef __cplusplus
}
#endif

#endif /* SHARD_RUNTIME_RUNTIME_H */
