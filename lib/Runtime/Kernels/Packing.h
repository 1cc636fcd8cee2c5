//===- Packing.h - Panels of a matrix product ----------------- -*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel of matrix products (Contraction.cpp) reads its operands from panels: elements
// in the order in which it takes them, of the type in which it computes. All functions are
// inlined, so that each form of the kernel has them with its own instructions.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_RUNTIME_KERNELS_PACKING_H
#define SHARD_LIB_RUNTIME_KERNELS_PACKING_H

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <type_traits>

#define SHARD_INLINE inline __attribute__((always_inline))
#define SHARD_INLINE_LAMBDA __attribute__((always_inline))

namespace shard {

/// A 16-bit float that converts by bit operations alone.
struct Bfloat {
  uint16_t bits;
};
/// IEEE half; the compiler uses the machine's conversion where there is one.
struct Half {
  _Float16 value;
};

template <typename Acc, typename T>
SHARD_INLINE Acc widen(T value) {
  return static_cast<Acc>(value);
}
template <>
SHARD_INLINE float widen<float, Bfloat>(Bfloat value) {
  uint32_t wide = static_cast<uint32_t>(value.bits) << 16;
  float result;
  std::memcpy(&result, &wide, sizeof(result));
  return result;
}
template <>
SHARD_INLINE float widen<float, Half>(Half value) {
  return static_cast<float>(value.value);
}

/// Bytes of a cache line, and of the longest vector: panels and tiles begin at one.
constexpr size_t kLine = 64;

/// What a kernel keeps between calls, per thread.
enum class Scratch { PanelsA, PanelsB, WideC, Few, Sums };

/// Memory for `count` elements, which begin at a cache line.
template <typename T>
T *scratch(Scratch use, int64_t count) {
  constexpr int uses = 5;
  struct Free {
    void operator()(void *pointer) const { std::free(pointer); }
  };
  static thread_local std::unique_ptr<void, Free> memory[uses];
  static thread_local size_t sizes[uses] = {};
  int which = static_cast<int>(use);
  size_t size = (count * sizeof(T) + 2 * kLine - 1) / kLine * kLine;
  if (size > sizes[which]) {
    memory[which].reset(std::aligned_alloc(kLine, size));
    sizes[which] = size;
  }
  return static_cast<T *>(memory[which].get());
}

/// Whether `count` offsets follow one another.
SHARD_INLINE bool areConsecutive(const int64_t *offsets, int64_t count) {
  bool consecutive = true;
  for (int64_t i = 1; i < count; ++i)
    consecutive &= offsets[i] == offsets[0] + i;
  return consecutive;
}

/// target[k * width + i] = source[rows[i] + k] for 4 rows and 4 values of k.
template <typename T>
SHARD_INLINE void transpose4(const T *source, const int64_t *rows, T *target,
                             int64_t width) {
  typedef T Vector __attribute__((vector_size(4 * sizeof(T))));
  Vector row[4];
  for (int i = 0; i < 4; ++i)
    std::memcpy(&row[i], source + rows[i], sizeof(Vector));
  Vector low01 = __builtin_shufflevector(row[0], row[1], 0, 4, 1, 5);
  Vector high01 = __builtin_shufflevector(row[0], row[1], 2, 6, 3, 7);
  Vector low23 = __builtin_shufflevector(row[2], row[3], 0, 4, 1, 5);
  Vector high23 = __builtin_shufflevector(row[2], row[3], 2, 6, 3, 7);
  Vector column[4] = {__builtin_shufflevector(low01, low23, 0, 1, 4, 5),
                      __builtin_shufflevector(low01, low23, 2, 3, 6, 7),
                      __builtin_shufflevector(high01, high23, 0, 1, 4, 5),
                      __builtin_shufflevector(high01, high23, 2, 3, 6, 7)};
  for (int k = 0; k < 4; ++k)
    std::memcpy(target + k * width, &column[k], sizeof(Vector));
}

/// Packs the terms from `begin` to `end` of a panel whose elements are contiguous.
template <int width, typename Acc, typename T>
SHARD_INLINE void packRows(const T *source, const int64_t *depthOffsets,
                           int64_t begin, int64_t end, Acc *target) {
  for (int64_t k = begin; k < end; ++k) {
    // Read before anything is written: the compiler then uses vectors.
    Acc values[width];
    const T *from = source + depthOffsets[k];
    for (int i = 0; i < width; ++i)
      values[i] = widen<Acc>(from[i]);
    std::memcpy(target + k * width, values, sizeof(values));
  }
}

/// Packs `count` x `depth` elements into panels of `width`: element (i, k) goes
/// to panel i / width, at k * width + i % width; missing ones are zero.
template <int width, typename Acc, typename T>
SHARD_INLINE void packPanels(const T *source, const int64_t *offsets,
                             int64_t count, const int64_t *depthOffsets,
                             int64_t depth, Acc *target) {
  constexpr bool transposes = std::is_same_v<Acc, T> && width % 4 == 0;
  bool depthIsContiguous = transposes && areConsecutive(depthOffsets, depth);
  int64_t start = 0;
  // Where all panels are contiguous, a few rows are read from one end to the other: panel by
  // panel, each read of a row would begin in another page.
  constexpr int64_t atOnce = 8;
  if (int64_t whole = count / width * width;
      whole > width && areConsecutive(offsets, whole)) {
    for (int64_t k = 0; k < depth; k += atOnce)
      for (int64_t i = 0; i < whole; i += width)
        packRows<width>(source + offsets[i], depthOffsets, k,
                        std::min(k + atOnce, depth), target + i * depth);
    start = whole;
    target += whole * depth;
  }
  for (; start < count; start += width, target += width * depth) {
    int64_t filled = std::min<int64_t>(width, count - start);
    const int64_t *rows = offsets + start;
    if (filled < width)
      std::fill(target, target + width * depth, Acc(0));
    if (filled == width && areConsecutive(rows, width)) {
      packRows<width>(source + rows[0], depthOffsets, 0, depth, target);
      continue;
    }
    int64_t done = 0;
    if constexpr (transposes)
      if (filled == width && depthIsContiguous)
        for (; done + 4 <= depth; done += 4)
          for (int i = 0; i < width; i += 4)
            transpose4(source + depthOffsets[done], rows + i,
                       target + done * width + i, width);
    for (int64_t i = 0; i < filled; ++i) {
      const T *from = source + rows[i];
      for (int64_t k = done; k < depth; ++k)
        target[k * width + i] = widen<Acc>(from[depthOffsets[k]]);
    }
  }
}

} // namespace shard

#endif // SHARD_LIB_RUNTIME_KERNELS_PACKING_H
