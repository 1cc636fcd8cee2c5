/* Runs mlp.mlir, compiled ahead of time, and times it. Each device reads its blocks of
 * the arguments from .npy files and writes its block of the result:
 *
 *   shard-compile ../mlp.mlir --emit=obj -o mlp.o
 *   cc main.c mlp.o -lshard_program -lshard_kernels -lshard_runtime -o threads
 *   ./threads x.npy w1.npy b1.npy w2.npy result.bin
 *   cc main.c mlp.o -lshard_program -lshard_kernels -lshard_rt_openmpi -o processes
 *   mpirun -n 4 ./processes x.npy w1.npy b1.npy w2.npy result.bin
 *
 * README.md beside this file tells more. */

#include "mlp.h"

#include "shard/Runtime/Runtime.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { RUNS = 10 };

struct context {
  const unsigned char *arguments[MLP_ARGUMENTS]; /* whole, mapped */
  unsigned char *result;                         /* whole, mapped */
  double
      seconds; /* of the fastest run on device 0; negative: it is elsewhere */
};

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* What a device does: shard_rt_run calls this once for each device. */
static void run(void *opaque, int64_t device) {
  struct context *context = opaque;
  const struct shard_program *program = &mlp_program;
  void *arguments[MLP_ARGUMENTS], *results[MLP_RESULTS];
  for (int i = 0; i < MLP_ARGUMENTS; ++i) {
    arguments[i] = malloc((size_t)program->arguments[i].local_bytes);
    if (!arguments[i])
      shard_rt_fail("out of memory");
    /* The files are mapped, so this reads the pages of this block alone. */
    shard_program_slice(&program->arguments[i], device, context->arguments[i],
                        arguments[i]);
  }
  for (int i = 0; i < MLP_RESULTS; ++i) {
    results[i] = malloc((size_t)program->results[i].local_bytes);
    if (!results[i])
      shard_rt_fail("out of memory");
  }

  double fastest = 1e30;
  for (int i = 0; i < RUNS; ++i) {
    double begin = now();
    shard_program_call(program, (const void *const *)arguments, results);
    double seconds = now() - begin;
    if (seconds < fastest)
      fastest = seconds;
  }
  if (device == 0) /* in one thread, or in one process */
    context->seconds = fastest;

  shard_program_place(&program->results[0], device, results[0],
                      context->result);
  for (int i = 0; i < MLP_ARGUMENTS; ++i)
    free(arguments[i]);
  for (int i = 0; i < MLP_RESULTS; ++i)
    free(results[i]);
}

/* The elements of a .npy file, version 1, that has `bytes` of them. */
static const unsigned char *map_argument(const char *path, int64_t bytes) {
  struct stat status;
  int file = open(path, O_RDONLY);
  if (file < 0 || fstat(file, &status) || status.st_size < 10) {
    fprintf(stderr, "error: cannot read '%s'\n", path);
    return NULL;
  }
  const unsigned char *data =
      mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  int64_t header = data == MAP_FAILED ? 0 : 10 + data[8] + 256 * data[9];
  if (data == MAP_FAILED || memcmp(data, "\x93NUMPY\x01", 7) ||
      header + bytes != status.st_size) {
    fprintf(stderr, "error: '%s' is no .npy file with %lld bytes of elements\n",
            path, (long long)bytes);
    return NULL;
  }
  return data + header;
}

/* A file of `bytes` that the devices write together. */
static unsigned char *map_result(const char *path, int64_t bytes) {
  int file = open(path, O_RDWR | O_CREAT, 0666);
  void *data = MAP_FAILED;
  if (file >= 0 && !ftruncate(file, bytes))
    data =
        mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (data == MAP_FAILED) {
    fprintf(stderr, "error: cannot write '%s'\n", path);
    return NULL;
  }
  close(file);
  return data;
}

int main(int argc, char **argv) {
  const struct shard_program *program = &mlp_program;
  struct context context = {.seconds = -1};
  if (argc != MLP_ARGUMENTS + 2) {
    fprintf(stderr, "usage: %s x.npy w1.npy b1.npy w2.npy result.bin\n",
            argv[0]);
    return 1;
  }
  for (int i = 0; i < MLP_ARGUMENTS; ++i) {
    context.arguments[i] =
        map_argument(argv[i + 1], program->arguments[i].bytes);
    if (!context.arguments[i])
      return 1;
  }
  context.result =
      map_result(argv[MLP_ARGUMENTS + 1], program->results[0].bytes);
  if (!context.result)
    return 1;
  /* Where the grid has device_ids, the device at position i of it is rank device_ids[i]. */
  if (program->device_ids)
    shard_rt_set_processes(program->num_devices, program->device_ids);
  /* Threads: `run` is called in one thread for each device. MPI: every rank is here,
   * and calls `run` for its device. */
  if (shard_rt_run(program->grid_rank, program->grid, run, &context)) {
    fprintf(stderr, "error: %s\n", shard_rt_error());
    return 1;
  }
  if (context.seconds >= 0)
    printf("%lld devices, %.3f ms\n", (long long)program->num_devices,
           1e3 * context.seconds);
  return 0;
}
