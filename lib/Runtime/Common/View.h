//===- View.h - Strided views of memory -------------------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Buffers as the runtime handles them, and the copies between them. Plain data:
// a device may leave any function by longjmp.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_RUNTIME_COMMON_VIEW_H
#define SHARD_LIB_RUNTIME_COMMON_VIEW_H

#include "shard/Runtime/Runtime.h"

#include <cstddef>
#include <cstdint>

namespace shard {
namespace runtime {

constexpr int64_t kMaxRank = SHARD_RT_MAX_RANK;

/// Whether `count` words are the same. There are few of them: a call of memcmp takes longer
/// than this loop.
inline bool sameWords(const int64_t *first, const int64_t *second,
                      int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    if (first[i] != second[i])
      return false;
  return true;
}

/// The bytes of an element of a shard_rt_type; 0 for a number that is none.
int64_t elementBytes(int64_t type);
/// "f32"
const char *typeName(int64_t type);

/// A strided array; strides count elements. A copy takes the dimensions that it has alone:
/// a call copies views many times, and most have few dimensions.
struct View {
  char *data = nullptr;
  int64_t elementBytes = 0;
  int64_t rank = 0;
  int64_t sizes[kMaxRank];
  int64_t strides[kMaxRank];

  View() = default;
  View(const View &other) { *this = other; }
  View &operator=(const View &other) {
    data = other.data;
    elementBytes = other.elementBytes;
    rank = other.rank;
    for (int64_t i = 0; i < rank; ++i) {
      sizes[i] = other.sizes[i];
      strides[i] = other.strides[i];
    }
    return *this;
  }

  int64_t numElements() const;
  int64_t bytes() const { return numElements() * elementBytes; }
  /// Row-major without gaps.
  bool isContiguous() const;
  /// [offset, offset + size) of dimension `dim`.
  View slice(int64_t dim, int64_t offset, int64_t size) const;
};

/// The view that the words of a buffer (Runtime.h) describe. The caller has
/// checked that the rank is at most kMaxRank.
View viewOf(const int64_t *buffer, int64_t type);

/// A row-major view of the shape of `like` at `data`.
View contiguousLike(const View &like, void *data);

/// Copies `source` to `target`, views of equal sizes that do not overlap (or
/// are the same).
void copy(const View &target, const View &source);

void fillZero(const View &target);

} // namespace runtime
} // namespace shard

#endif // SHARD_LIB_RUNTIME_COMMON_VIEW_H
