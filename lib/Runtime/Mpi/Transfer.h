//===- Transfer.h - Memory as MPI counts it ------------------- -*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MPI counts with 32-bit integers. Arrays of more elements travel as fewer
// elements of a longer type.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_RUNTIME_MPI_TRANSFER_H
#define SHARD_LIB_RUNTIME_MPI_TRANSFER_H

#include "Session.h"

#include <climits>

namespace shard {
namespace runtime {

/// MPI's unsigned integer of so many bytes.
inline MPI_Datatype wordType(int64_t bytes) {
  switch (bytes) {
  case 1:
    return MPI_UINT8_T;
  case 2:
    return MPI_UINT16_T;
  case 4:
    return MPI_UINT32_T;
  default:
    return MPI_UINT64_T;
  }
}

/// `n` contiguous elements as a count of a type.
struct Elements {
  int count = 0;
  MPI_Datatype type = MPI_BYTE;

  Elements(Collective &c, int64_t n, int64_t elementBytes)
      : type(wordType(elementBytes)) {
    if (n <= INT_MAX)
      count = int(n);
    else
      makeType(c, n, elementBytes);
  }
  Elements(const Elements &) = delete;
  ~Elements() {
    if (owned)
      MPI_Type_free(&type);
  }

private:
  /// One element of a type of `n`.
  void makeType(Collective &c, int64_t n, int64_t elementBytes);

  bool owned = false;
};

/// Parts of several sizes one after another, for the _v forms.
struct Layout {
  std::vector<int> counts, displacements;
  MPI_Datatype type;

  /// All parts are multiples of `unit` elements.
  Layout(Collective &c, int64_t elementBytes, int64_t unit);
  Layout(const Layout &) = delete;
  ~Layout();

  void add(int64_t elements);
  /// Sets counts, displacements and type.
  void commit();
  /// Of part `p`, in elements.
  int64_t offset(int64_t p) const { return offsets[p]; }
  int64_t total() const { return sum; }

private:
  Collective &c;
  int64_t elementBytes, unit, sum = 0;
  std::vector<int64_t> offsets, sizes;
  bool owned = false;
};

/// Memory of the device for what arrives, until the next call.
void *receiveBuffer(Collective &c, int64_t bytes);

/// The blocks of the call's input along `dim`, each of the shape of `part`, one
/// after another and padded with zeros; the input itself where it is that
/// already.
void *packParts(Collective &c, const View &part, int64_t dim);

} // namespace runtime
} // namespace shard

#endif // SHARD_LIB_RUNTIME_MPI_TRANSFER_H
