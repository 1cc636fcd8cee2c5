//===- View.cpp - Strided views of memory ---------------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "View.h"

#include <cstring>

namespace shard {
namespace runtime {

int64_t elementBytes(int64_t type) {
  switch (type) {
  case SHARD_RT_I1:
  case SHARD_RT_I8:
    return 1;
  case SHARD_RT_F16:
  case SHARD_RT_BF16:
  case SHARD_RT_I16:
    return 2;
  case SHARD_RT_F32:
  case SHARD_RT_I32:
    return 4;
  case SHARD_RT_F64:
  case SHARD_RT_I64:
    return 8;
  default:
    return 0;
  }
}

const char *typeName(int64_t type) {
  static const char *const names[] = {"?",  "f16", "bf16", "f32", "f64",
                                      "i1", "i8",  "i16",  "i32", "i64"};
  return type >= SHARD_RT_F16 && type <= SHARD_RT_I64 ? names[type] : "?";
}

int64_t View::numElements() const {
  int64_t product = 1;
  for (int64_t i = 0; i < rank; ++i)
    product *= sizes[i];
  return product;
}

bool View::isContiguous() const {
  int64_t stride = 1;
  for (int64_t i = rank; i-- > 0;) {
    if (sizes[i] == 0)
      return true;
    if (sizes[i] != 1 && strides[i] != stride)
      return false;
    stride *= sizes[i];
  }
  return true;
}

View View::slice(int64_t dim, int64_t offset, int64_t size) const {
  View result = *this;
  // An empty array may have no memory at all.
  if (result.data)
    result.data += offset * strides[dim] * elementBytes;
  result.sizes[dim] = size;
  return result;
}

View viewOf(const int64_t *buffer, int64_t type) {
  View view;
  view.elementBytes = elementBytes(type);
  view.data = reinterpret_cast<char *>(static_cast<intptr_t>(buffer[0])) +
              buffer[1] * view.elementBytes;
  view.rank = buffer[2];
  for (int64_t i = 0; i < view.rank; ++i) {
    view.sizes[i] = buffer[3 + i];
    view.strides[i] = buffer[3 + view.rank + i];
  }
  return view;
}

View contiguousLike(const View &like, void *data) {
  View result = like;
  result.data = static_cast<char *>(data);
  int64_t stride = 1;
  for (int64_t i = like.rank; i-- > 0;) {
    result.strides[i] = stride;
    stride *= like.sizes[i];
  }
  return result;
}

namespace {

/// The loops of a copy: dimensions that advance alike in both views are one.
struct Loops {
  int64_t depth = 0;
  int64_t sizes[kMaxRank + 1];
  int64_t target[kMaxRank + 1]; // strides in bytes
  int64_t source[kMaxRank + 1];
};

Loops collapse(const View &target, const View &source) {
  Loops loops;
  int64_t bytes = target.elementBytes;
  for (int64_t i = 0; i < target.rank; ++i) {
    if (target.sizes[i] == 1)
      continue;
    int64_t targetStride = target.strides[i] * bytes;
    int64_t sourceStride = source.strides[i] * bytes;
    int64_t last = loops.depth - 1;
    if (last >= 0 && loops.target[last] == targetStride * target.sizes[i] &&
        loops.source[last] == sourceStride * target.sizes[i]) {
      loops.sizes[last] *= target.sizes[i];
      loops.target[last] = targetStride;
      loops.source[last] = sourceStride;
      continue;
    }
    loops.sizes[loops.depth] = target.sizes[i];
    loops.target[loops.depth] = targetStride;
    loops.source[loops.depth] = sourceStride;
    ++loops.depth;
  }
  return loops;
}

template <typename T>
void copyStrided(char *target, int64_t targetStride, const char *source,
                 int64_t sourceStride, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    *reinterpret_cast<T *>(target + i * targetStride) =
        *reinterpret_cast<const T *>(source + i * sourceStride);
}

/// Runs the innermost loop; `runBytes` is nonzero if it is one run of bytes in
/// both views.
void copyInner(char *target, const char *source, const Loops &loops,
               int64_t runBytes, int64_t elementBytes) {
  if (runBytes) {
    memcpy(target, source, runBytes);
    return;
  }
  int64_t inner = loops.depth - 1;
  int64_t count = loops.sizes[inner];
  int64_t ts = loops.target[inner], ss = loops.source[inner];
  switch (elementBytes) {
  case 1:
    return copyStrided<uint8_t>(target, ts, source, ss, count);
  case 2:
    return copyStrided<uint16_t>(target, ts, source, ss, count);
  case 4:
    return copyStrided<uint32_t>(target, ts, source, ss, count);
  default:
    return copyStrided<uint64_t>(target, ts, source, ss, count);
  }
}

} // namespace

void copy(const View &target, const View &source) {
  if (target.numElements() == 0)
    return;
  Loops loops = collapse(target, source);
  if (target.data == source.data) {
    bool same = true;
    for (int64_t i = 0; i < loops.depth; ++i)
      same &= loops.target[i] == loops.source[i];
    if (same)
      return;
  }
  int64_t bytes = target.elementBytes;
  int64_t runBytes = 0;
  int64_t outer = loops.depth - 1;
  if (loops.depth == 0) {
    runBytes = bytes;
    outer = 0;
  } else if (loops.target[outer] == bytes && loops.source[outer] == bytes) {
    runBytes = loops.sizes[outer] * bytes;
  }

  int64_t index[kMaxRank + 1] = {};
  char *to = target.data;
  const char *from = source.data;
  while (true) {
    copyInner(to, from, loops, runBytes, bytes);
    int64_t i = outer - 1;
    for (; i >= 0; --i) {
      to += loops.target[i];
      from += loops.source[i];
      if (++index[i] < loops.sizes[i])
        break;
      to -= loops.target[i] * loops.sizes[i];
      from -= loops.source[i] * loops.sizes[i];
      index[i] = 0;
    }
    if (i < 0)
      return;
  }
}

void fillZero(const View &target) {
  if (target.numElements() == 0)
    return;
  if (target.isContiguous()) {
    memset(target.data, 0, target.bytes());
    return;
  }
  // A source of one zero element, read again and again.
  static const uint64_t zero = 0;
  View source = target;
  source.data = reinterpret_cast<char *>(const_cast<uint64_t *>(&zero));
  for (int64_t i = 0; i < source.rank; ++i)
    source.strides[i] = 0;
  copy(target, source);
}

} // namespace runtime
} // namespace shard
