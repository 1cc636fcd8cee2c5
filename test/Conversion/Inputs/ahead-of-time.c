/* Runs `program` of ahead-of-time.mlir on the grid that the arguments give. */

#include "shard/Runtime/Runtime.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct {
  float *allocated;
  float *aligned;
  int64_t offset;
  int64_t size;
  int64_t stride;
} vector;

void _mlir_ciface_program(vector *result, vector *block);

static float results[64][4];
static int has_run[64];

static void run(void *context, int64_t device) {
  float data[2];
  vector block = {data, data, 0, 2, 1}, result;
  (void)context;
  data[0] = (float)device;
  data[1] = 10 * data[0];
  _mlir_ciface_program(&result, &block);
  for (int i = 0; i < 4; ++i)
    results[device][i] = result.aligned[result.offset + i];
  free(result.allocated);
  has_run[device] = 1;
}

int main(int argc, char **argv) {
  int64_t shape[8], devices = 1;
  for (int i = 1; i < argc; ++i)
    devices *= shape[i - 1] = atoi(argv[i]);
  if (shard_rt_run(argc - 1, shape, run, NULL)) {
    fprintf(stderr, "error: %s\n", shard_rt_error());
    return 1;
  }
  /* Under MPI, that of this process. */
  for (int64_t d = 0; d < devices; ++d)
    if (has_run[d])
      printf("device %d: %g %g %g %g\n", (int)d, results[d][0], results[d][1],
             results[d][2], results[d][3]);
  return 0;
}
