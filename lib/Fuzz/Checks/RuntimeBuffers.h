//===- RuntimeBuffers.h - Small tensors for calls of the runtime -*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_FUZZ_CHECKS_RUNTIMEBUFFERS_H
#define SHARD_LIB_FUZZ_CHECKS_RUNTIMEBUFFERS_H

#include "shard/Fuzz/Random.h"

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace shard::fuzz {

using Numbers = std::vector<int64_t>;

/// The bytes of an element of a type of the runtime.
int64_t widthOf(int64_t type);

/// A tensor of one device; unless it is contiguous, in memory with gaps and in any order of its
/// dimensions.
class Buffer {
public:
  Buffer(Random &rng, int64_t type, Numbers sizes, bool isContiguous);

  const Numbers &sizes() const { return extents; }
  const int64_t *words() const { return encoded.data(); }
  const void *begin() const { return memory.data() + offset * width; }
  int64_t get(const Numbers &index) const;
  void set(const Numbers &index, int64_t value);
  /// fn(index) for every element.
  void forEach(const std::function<void(const Numbers &)> &fn) const;
  /// Whether the bytes between the elements are as they were.
  bool keepsGaps() const;

private:
  int64_t at(const Numbers &index) const;

  static constexpr char kGap = 0x2a;
  int64_t type, width, offset;
  Numbers extents, strides, encoded;
  std::vector<char> memory;
};

/// The blocks of a dimension of `extent` that is cut by axes of these sizes, one after another.
struct Cut {
  Cut(int64_t extent, const Numbers &sizes);
  /// The element at `place` of block `part`; -1 for padding.
  int64_t element(int64_t part, int64_t place) const {
    return elements[part][place];
  }
  /// The block and the place of an element.
  std::pair<int64_t, int64_t> find(int64_t element) const;

  int64_t width;
  std::vector<Numbers> elements;
};

} // namespace shard::fuzz

#endif // SHARD_LIB_FUZZ_CHECKS_RUNTIMEBUFFERS_H
