//===- Vectors.h - Vectors of elements that are widened ---------- -*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the forms of the kernel that do not pack an operand read it by. The compiler splits a
// vector that is longer than those of the machine; the values are the same.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_RUNTIME_KERNELS_VECTORS_H
#define SHARD_LIB_RUNTIME_KERNELS_VECTORS_H

#include "Packing.h"

namespace shard {

template <typename Acc, int lanes>
struct VectorOf {
  typedef Acc Type __attribute__((vector_size(lanes * sizeof(Acc))));
};

/// The `lanes` elements from `from` on, in the type of the sum.
template <typename Acc, int lanes, typename T>
SHARD_INLINE typename VectorOf<Acc, lanes>::Type loadVector(const T *from) {
  using Vector = typename VectorOf<Acc, lanes>::Type;
  Vector result;
  if constexpr (std::is_same_v<Acc, T>) {
    std::memcpy(&result, from, sizeof(result));
  } else if constexpr (std::is_same_v<T, Bfloat>) {
    typename VectorOf<uint16_t, lanes>::Type bits;
    std::memcpy(&bits, from, sizeof(bits));
    auto wide =
        __builtin_convertvector(bits, typename VectorOf<uint32_t, lanes>::Type);
    wide <<= 16;
    std::memcpy(&result, &wide, sizeof(result));
  } else {
    Acc values[lanes];
    for (int i = 0; i < lanes; ++i)
      values[i] = widen<Acc>(from[i]);
    std::memcpy(&result, values, sizeof(result));
  }
  return result;
}

} // namespace shard

#endif // SHARD_LIB_RUNTIME_KERNELS_VECTORS_H
