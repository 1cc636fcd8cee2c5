//===- Direct.h - Small products, without packing ---------------- -*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product whose operands lie in the nearest cache is computed from where they are: to pack
// them would take as long as to multiply them. Terms are added in the order of the packed
// form, so that both give the same bits.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_RUNTIME_KERNELS_DIRECT_H
#define SHARD_LIB_RUNTIME_KERNELS_DIRECT_H

#include "LoopGroups.h"

namespace shard {

/// Bytes of operands that are read from where they are.
constexpr int64_t kDirectBytes = 96 << 10;

/// Whether packing into panels costs more than it saves.
template <typename Acc>
inline bool isDirect(const PlainProduct &p) {
  int64_t bytes = (p.m * p.k + p.k * p.n) * int64_t(sizeof(Acc));
  return p.m > 1 && p.n > 1 && p.columnC == 1 && bytes <= kDirectBytes;
}

/// C += A * B, of floats. A copy of B is made if its columns are not contiguous.
template <typename Acc>
void multiplyDirect(const PlainProduct &p, const Acc *a, const Acc *b, Acc *c,
                    ContractionIsa isa);

} // namespace shard

#endif // SHARD_LIB_RUNTIME_KERNELS_DIRECT_H
