/*===- Llama.c - A block of Llama by hand, with MPI and OpenBLAS ----------------===*\
|*
|* Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
|* See LICENSE for license information.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------------===*|
|*
|*   mpirun -n 2 llama TOKENS WIDTH HEADS HIDDEN RUNS [OUTPUT]
|*
|* The block of programs.py, tensor parallel: each rank has its heads and its part of the
|* hidden dimension, with its parts of the weights contiguous, and there are two
|* MPI_Allreduce. compare.py times it beside what shard-compile makes of the same. Prints
|* the milliseconds of the fastest run on the slowest rank; OUTPUT gets the bytes of the
|* result.
|*
\*===----------------------------------------------------------------------------===*/

#define OMPI_SKIP_MPICXX 1
#include <cblas.h>
#include <mpi.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size;
static int tokens, width, heads, hidden, extent; /* extent: of a head */

static float *memory(size_t rows, size_t columns) {
  float *data = malloc(rows * columns * sizeof(float));
  if (!data)
    MPI_Abort(MPI_COMM_WORLD, 1);
  for (size_t i = 0; i < rows * columns; ++i)
    data[i] = 0;
  return data;
}

/* Rows and columns from (row, column) on of argument `number`, which has `whole` columns.
 * programs.py writes the same values to files. */
static float *argument(int number, size_t rows, size_t columns, size_t row,
                       size_t column, size_t whole) {
  float *data = memory(rows, columns);
  for (size_t i = 0; i < rows; ++i)
    for (size_t j = 0; j < columns; ++j) {
      size_t index = (row + i) * whole + column + j;
      data[i * columns + j] =
          ((float)((index * 7 + (size_t)number) % 17) - 8) / 64;
    }
  return data;
}

static void norm(const float *restrict x, const float *restrict weight,
                 float *restrict y) {
  for (int i = 0; i < tokens; ++i) {
    const float *row = x + (size_t)i * width;
    float sum = 0;
    for (int j = 0; j < width; ++j)
      sum += row[j] * row[j];
    float scale = 1 / sqrtf(sum / (float)width + 1e-5f);
    for (int j = 0; j < width; ++j)
      y[(size_t)i * width + j] = row[j] * scale * weight[j];
  }
}

/* y = x * transposed(weight) */
static void project(const float *x, const float *weight, float *y, int outputs,
                    int inputs) {
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, tokens, outputs, inputs,
              1, x, inputs, weight, inputs, 0, y, outputs);
}

/* Rotates the heads of this rank in place. */
static void rotate(float *restrict x, const float *restrict cosine,
                   const float *restrict sine) {
  int half = extent / 2;
  for (int i = 0; i < tokens; ++i)
    for (int h = 0; h < heads / size; ++h) {
      float *head = x + ((size_t)i * (heads / size) + h) * extent;
      const float *c = cosine + (size_t)i * extent,
                  *s = sine + (size_t)i * extent;
      for (int j = 0; j < half; ++j) {
        float low = head[j], high = head[half + j];
        head[j] = low * c[j] - high * s[j];
        head[half + j] = high * c[half + j] + low * s[half + j];
      }
    }
}

/* Of the rows of the scores, what a token may see. */
static void softmax(float *restrict scores, float scale) {
  for (int i = 0; i < tokens; ++i) {
    float *row = scores + (size_t)i * tokens;
    float most = row[0] * scale, sum = 0;
    for (int j = 0; j <= i; ++j) {
      row[j] *= scale;
      most = row[j] > most ? row[j] : most;
    }
    for (int j = 0; j <= i; ++j) {
      row[j] = expf(row[j] - most);
      sum += row[j];
    }
    float inverse = 1 / sum;
    for (int j = 0; j <= i; ++j)
      row[j] *= inverse;
    for (int j = i + 1; j < tokens; ++j)
      row[j] = 0;
  }
}

static void attend(const float *q, const float *k, const float *v,
                   float *scores, float *y) {
  int own = width / size;
  for (int h = 0; h < heads / size; ++h) {
    size_t at = (size_t)h * extent;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, tokens, tokens, extent,
                1, q + at, own, k + at, own, 0, scores, tokens);
    softmax(scores, 1 / sqrtf((float)extent));
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, tokens, extent,
                tokens, 1, scores, tokens, v + at, own, 0, y + at, own);
  }
}

static void add(float *restrict y, const float *restrict x) {
  for (size_t i = 0; i < (size_t)tokens * width; ++i)
    y[i] += x[i];
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc != 6 && argc != 7)
    MPI_Abort(MPI_COMM_WORLD, 1);
  tokens = atoi(argv[1]), width = atoi(argv[2]), heads = atoi(argv[3]);
  hidden = atoi(argv[4]), extent = width / heads;
  int runs = atoi(argv[5]), own = width / size, inner = hidden / size;
  size_t all = (size_t)tokens * width, first = (size_t)rank * own,
         firstInner = (size_t)rank * inner;

  float *x = argument(0, tokens, width, 0, 0, width);
  float *weight1 = argument(1, 1, width, 0, 0, width);
  float *wq = argument(2, own, width, first, 0, width);
  float *wk = argument(3, own, width, first, 0, width);
  float *wv = argument(4, own, width, first, 0, width);
  float *wo = argument(5, width, own, 0, first, width);
  float *cosine = argument(6, tokens, extent, 0, 0, extent);
  float *sine = argument(7, tokens, extent, 0, 0, extent);
  float *weight2 = argument(8, 1, width, 0, 0, width);
  float *gate = argument(9, inner, width, firstInner, 0, width);
  float *up = argument(10, inner, width, firstInner, 0, width);
  float *down = argument(11, width, inner, 0, firstInner, hidden);

  float *normed = memory(tokens, width), *q = memory(tokens, own);
  float *k = memory(tokens, own), *v = memory(tokens, own);
  float *scores = memory(tokens, tokens), *seen = memory(tokens, own);
  float *part = memory(tokens, width), *y = memory(tokens, width);
  float *a = memory(tokens, inner), *b = memory(tokens, inner);
  float *result = memory(tokens, width);
  double best = 1e30;
  for (int run = 0; run < runs; ++run) {
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime(), mine, slowest;
    norm(x, weight1, normed);
    project(normed, wq, q, own, width);
    project(normed, wk, k, own, width);
    project(normed, wv, v, own, width);
    rotate(q, cosine, sine);
    rotate(k, cosine, sine);
    attend(q, k, v, scores, seen);
    project(seen, wo, part, width, own);
    MPI_Allreduce(part, y, (int)all, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    add(y, x);
    norm(y, weight2, normed);
    project(normed, gate, a, inner, width);
    project(normed, up, b, inner, width);
    for (size_t i = 0; i < (size_t)tokens * inner; ++i)
      a[i] = a[i] / (1 + expf(-a[i])) * b[i];
    project(a, down, part, width, inner);
    MPI_Allreduce(part, result, (int)all, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    add(result, y);
    mine = MPI_Wtime() - begin;
    MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    best = slowest < best ? slowest : best;
  }
  if (rank == 0)
    printf("time    %.3f ms\n", 1e3 * best);
  if (rank == 0 && argc == 7) {
    FILE *file = fopen(argv[6], "wb");
    if (!file || fwrite(result, sizeof(float), all, file) != all ||
        fclose(file) != 0)
      MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return 0;
}
