//===- Transfer.cpp - Memory as MPI counts it -----------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Transfer.h"

namespace shard {
namespace runtime {

void Elements::makeType(Collective &c, int64_t n, int64_t elementBytes) {
  // So many whole pieces, and the rest behind them.
  constexpr int64_t kPiece = int64_t(1) << 24;
  if (n / kPiece > INT_MAX)
    fail(c.device, c.call, "buffers of %lld elements are too large for MPI",
         static_cast<long long>(n));
  MPI_Datatype piece, pieces, rest;
  checkMpi(c, MPI_Type_contiguous(int(kPiece), type, &piece));
  checkMpi(c, MPI_Type_contiguous(int(n / kPiece), piece, &pieces));
  checkMpi(c, MPI_Type_contiguous(int(n % kPiece), type, &rest));
  int lengths[2] = {1, 1};
  MPI_Aint places[2] = {0, MPI_Aint(n / kPiece * kPiece * elementBytes)};
  MPI_Datatype types[2] = {pieces, rest};
  checkMpi(c, MPI_Type_create_struct(2, lengths, places, types, &type));
  checkMpi(c, MPI_Type_commit(&type));
  MPI_Type_free(&piece);
  MPI_Type_free(&pieces);
  MPI_Type_free(&rest);
  owned = true;
  count = 1;
}

Layout::Layout(Collective &c, int64_t elementBytes, int64_t unit)
    : type(wordType(elementBytes)), c(c), elementBytes(elementBytes),
      unit(unit) {}

Layout::~Layout() {
  if (owned)
    MPI_Type_free(&type);
}

void Layout::add(int64_t elements) {
  offsets.push_back(sum);
  sizes.push_back(elements);
  sum += elements;
}

void Layout::commit() {
  int64_t divisor = 1;
  if (sum > INT_MAX) {
    divisor = unit;
    if (unit > INT_MAX || sum / unit > INT_MAX)
      fail(c.device, c.call, "buffers of %lld elements are too large for MPI",
           static_cast<long long>(sum));
    checkMpi(c, MPI_Type_contiguous(int(unit), wordType(elementBytes), &type));
    checkMpi(c, MPI_Type_commit(&type));
    owned = true;
  }
  for (size_t p = 0; p < sizes.size(); ++p) {
    counts.push_back(int(sizes[p] / divisor));
    displacements.push_back(int(offsets[p] / divisor));
  }
}

} // namespace runtime
} // namespace shard
