//===- Model.h - Plain arrays to test the runtime with ----------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arrays of small whole numbers, which every element type holds exactly, and
// their encoding as memrefs of the runtime.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_TEST_UNIT_RUNTIME_MODEL_H
#define SHARD_TEST_UNIT_RUNTIME_MODEL_H

#include "shard/Geometry/Grid.h"
#include "shard/Runtime/Runtime.h"

#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace shard {
namespace test {

inline const std::vector<int64_t> &allTypes() {
  static const std::vector<int64_t> types = {
      SHARD_RT_F16, SHARD_RT_BF16, SHARD_RT_F32, SHARD_RT_F64, SHARD_RT_I1,
      SHARD_RT_I8,  SHARD_RT_I16,  SHARD_RT_I32, SHARD_RT_I64};
  return types;
}
/// One type of each width: what is only moved depends on nothing else.
inline const std::vector<int64_t> &oneTypePerWidth() {
  static const std::vector<int64_t> types = {SHARD_RT_I1, SHARD_RT_BF16,
                                             SHARD_RT_I32, SHARD_RT_F64};
  return types;
}
inline bool isFloat(int64_t type) { return type <= SHARD_RT_F64; }
inline int bitWidth(int64_t type) {
  static const int widths[] = {0, 16, 16, 32, 64, 1, 8, 16, 32, 64};
  return widths[type];
}
inline int64_t byteWidth(int64_t type) {
  return type == SHARD_RT_I1 ? 1 : bitWidth(type) / 8;
}

/// A row-major array.
struct Array {
  std::vector<int64_t> sizes;
  std::vector<double> values;

  explicit Array(std::vector<int64_t> sizes = {}, double fill = 0)
      : sizes(std::move(sizes)) {
    int64_t n = 1;
    for (int64_t size : this->sizes)
      n *= size;
    values.assign(n, fill);
  }
  double &at(const std::vector<int64_t> &index) {
    return values[linearize(index, sizes)];
  }
  double at(const std::vector<int64_t> &index) const {
    return values[linearize(index, sizes)];
  }
  /// fn(index) for every element.
  template <typename Fn>
  void forEach(Fn fn) const {
    for (size_t i = 0; i < values.size(); ++i)
      fn(delinearize(i, sizes));
  }
};

/// Finite values of few mantissa bits only.
inline uint64_t encodeFloat(double value, int mantissaBits, int exponentBits) {
  uint64_t bits;
  memcpy(&bits, &value, 8);
  uint64_t sign = bits >> 63 << (mantissaBits + exponentBits);
  if (value == 0)
    return sign;
  int64_t exponent = int64_t(bits >> 52 & 0x7ff) - 1023;
  int64_t biased = exponent + (int64_t(1) << (exponentBits - 1)) - 1;
  uint64_t mantissa = (bits & 0xfffffffffffffull) >> (52 - mantissaBits);
  return sign | uint64_t(biased) << mantissaBits | mantissa;
}
inline double decodeFloat(uint64_t bits, int mantissaBits, int exponentBits) {
  uint64_t sign = bits >> (mantissaBits + exponentBits) << 63;
  uint64_t exponent = bits >> mantissaBits & ((1u << exponentBits) - 1);
  uint64_t mantissa = bits & ((uint64_t(1) << mantissaBits) - 1);
  uint64_t result = sign;
  if (exponent)
    result |= (exponent + 1024 - (uint64_t(1) << (exponentBits - 1))) << 52 |
              mantissa << (52 - mantissaBits);
  double value;
  memcpy(&value, &result, 8);
  return value;
}

/// The bits of a number in a type; integers wrap.
inline uint64_t encode(double value, int64_t type) {
  switch (type) {
  case SHARD_RT_F16:
    return encodeFloat(value, 10, 5);
  case SHARD_RT_BF16:
    return encodeFloat(value, 7, 8);
  case SHARD_RT_F32:
    return encodeFloat(value, 23, 8);
  case SHARD_RT_F64:
    return encodeFloat(value, 52, 11);
  default: {
    uint64_t bits = uint64_t(int64_t(value));
    int width = bitWidth(type);
    return width == 64 ? bits : bits & ((uint64_t(1) << width) - 1);
  }
  }
}
/// The inverse; integers are read as signed.
inline double decode(uint64_t bits, int64_t type) {
  switch (type) {
  case SHARD_RT_F16:
    return decodeFloat(bits, 10, 5);
  case SHARD_RT_BF16:
    return decodeFloat(bits, 7, 8);
  case SHARD_RT_F32:
    return decodeFloat(bits, 23, 8);
  case SHARD_RT_F64:
    return decodeFloat(bits, 52, 11);
  default: {
    int shift = 64 - bitWidth(type);
    return double(int64_t(bits << shift) >> shift);
  }
  }
}

/// An array in memory with its words (Runtime.h, "buffer").
struct Buffer {
  std::vector<int64_t> words;
  std::vector<char> storage;
  int64_t type;

  /// With `gaps`, every dimension is strided, the order of dimensions is
  /// reversed, and the data begin behind an offset.
  Buffer(const Array &array, int64_t type, bool gaps = false) : type(type) {
    int64_t rank = array.sizes.size(), stride = gaps ? 2 : 1;
    std::vector<int64_t> strides(rank);
    for (int64_t i = 0; i < rank; ++i) {
      int64_t dim = gaps ? i : rank - 1 - i;
      strides[dim] = stride;
      stride *= array.sizes[dim] + (gaps ? 1 : 0);
    }
    int64_t offset = gaps ? 3 : 0;
    storage.assign((stride + offset) * byteWidth(type), 0x2a);
    words = {int64_t(reinterpret_cast<intptr_t>(storage.data())), offset, rank};
    words.insert(words.end(), array.sizes.begin(), array.sizes.end());
    words.insert(words.end(), strides.begin(), strides.end());
    array.forEach([&](const std::vector<int64_t> &index) {
      uint64_t bits = encode(array.at(index), type);
      memcpy(address(index), &bits, byteWidth(type));
    });
  }
  Buffer(const Buffer &) = delete;
  Buffer(Buffer &&) = default;

  char *address(const std::vector<int64_t> &index) {
    int64_t rank = words[2], at = words[1];
    for (int64_t i = 0; i < rank; ++i)
      at += index[i] * words[3 + rank + i];
    return storage.data() + at * byteWidth(type);
  }
  Array array() {
    Array result(
        std::vector<int64_t>(words.begin() + 3, words.begin() + 3 + words[2]));
    result.forEach([&](const std::vector<int64_t> &index) {
      uint64_t bits = 0;
      memcpy(&bits, address(index), byteWidth(type));
      result.at(index) = decode(bits, type);
    });
    return result;
  }
};

inline std::vector<int64_t> groupWords(const Grid &grid, const AxisList &axes) {
  std::vector<int64_t> words = {grid.rank()};
  words.insert(words.end(), grid.shape.begin(), grid.shape.end());
  words.push_back(axes.size());
  words.insert(words.end(), axes.begin(), axes.end());
  return words;
}

/// Every ordered list of distinct axes of a grid of `rank`, the empty one too.
inline std::vector<AxisList> allAxisLists(int64_t rank) {
  std::vector<AxisList> lists = {{}};
  for (size_t i = 0; i < lists.size(); ++i)
    for (GridAxis axis = 0; axis < rank; ++axis) {
      bool used = false;
      for (GridAxis other : lists[i])
        used |= other == axis;
      if (used)
        continue;
      lists.push_back(lists[i]);
      lists.back().push_back(axis);
    }
  return lists;
}

/// Every grid of at most three axes with extents up to 2x3x2.
inline std::vector<Grid> allGrids() {
  std::vector<Grid> grids = {Grid{{}}, Grid{{3}}};
  for (int64_t a = 1; a <= 2; ++a) {
    grids.push_back(Grid{{a}});
    for (int64_t b = 1; b <= 3; ++b) {
      grids.push_back(Grid{{a, b}});
      for (int64_t c = 1; c <= 2; ++c)
        grids.push_back(Grid{{a, b, c}});
    }
  }
  return grids;
}

} // namespace test
} // namespace shard

#endif // SHARD_TEST_UNIT_RUNTIME_MODEL_H
