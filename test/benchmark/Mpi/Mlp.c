/*===- Mlp.c - The MLP by hand, with MPI and OpenBLAS ---------------------------===*\
|*
|* Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
|* See LICENSE for license information.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------------===*|
|*
|*   mpirun -n 2 mlp ROWS INPUT HIDDEN OUTPUT RUNS
|*
|* relu(x @ w1 + b1) @ w2 with the hidden dimension split over the ranks and one
|* MPI_Allreduce, which compare.py times beside what shard-compile makes of the same.
|* Prints the milliseconds of the fastest run on the slowest rank.
|*
\*===----------------------------------------------------------------------------===*/

#define OMPI_SKIP_MPICXX 1
#include <cblas.h>
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

static float *filled(size_t n) {
  float *data = malloc(n * sizeof(float));
  if (!data)
    MPI_Abort(MPI_COMM_WORLD, 1);
  for (size_t i = 0; i < n; ++i)
    data[i] = (float)(i % 17) / 17 - 0.5f;
  return data;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc != 6)
    MPI_Abort(MPI_COMM_WORLD, 1);
  int rows = atoi(argv[1]), input = atoi(argv[2]);
  int hidden = atoi(argv[3]) / size, output = atoi(argv[4]),
      runs = atoi(argv[5]);
  float *x = filled((size_t)rows * input), *w1 = filled((size_t)input * hidden);
  float *b1 = filled(hidden), *w2 = filled((size_t)hidden * output);
  float *h = filled((size_t)rows * hidden),
        *sum = filled((size_t)rows * output);
  float *y = filled((size_t)rows * output);
  double best = 1e30;
  for (int run = 0; run < runs; ++run) {
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime(), mine, slowest;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, hidden, input,
                1, x, input, w1, hidden, 0, h, hidden);
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < hidden; ++j) {
        float value = h[(size_t)i * hidden + j] + b1[j];
        h[(size_t)i * hidden + j] = value > 0 ? value : 0;
      }
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, output, hidden,
                1, h, hidden, w2, output, 0, sum, output);
    MPI_Allreduce(sum, y, rows * output, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    mine = MPI_Wtime() - begin;
    MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    best = slowest < best ? slowest : best;
  }
  if (rank == 0)
    printf("time    %.3f ms\n", 1e3 * best);
  MPI_Finalize();
  return 0;
}
