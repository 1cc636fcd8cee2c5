/* Runs `program` of mpi-program.mlir on the device of this rank. */

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>

typedef struct {
  float *allocated;
  float *aligned;
  int64_t offset;
  int64_t size;
  int64_t stride;
} vector;

void _mlir_ciface_program(vector *result, vector *block);

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  float data[2] = {(float)rank, 10 * (float)rank};
  vector block = {data, data, 0, 2, 1}, result;
  _mlir_ciface_program(&result, &block);
  const float *all = result.aligned + result.offset;
  /* Nobody relies on the padding of the last device. */
  float most = rank == 3 ? -1 : all[3];
  printf("device %d: %g %g %g, %g, %g %g, %g %g\n", rank, all[0], all[1],
         all[2], most, all[4], all[5], all[6], all[7]);
  MPI_Finalize();
  return 0;
}
