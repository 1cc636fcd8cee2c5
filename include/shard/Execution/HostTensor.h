//===- HostTensor.h - Tensors in host memory --------------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What goes into and comes out of a run: an element type, a shape and bytes in
// row-major order, without gaps. Plain C++17, no MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_EXECUTION_HOSTTENSOR_H
#define SHARD_EXECUTION_HOSTTENSOR_H

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace shard {

/// What an element is. `I1` takes one byte, 0 or 1. `Index` is a signed 64-bit
/// integer. `U8`.. are the explicitly unsigned integers of a few dialects;
/// signless ones count as signed.
enum class ElementType : uint8_t {
  I1,
  I8,
  I16,
  I32,
  I64,
  U8,
  U16,
  U32,
  U64,
  Index,
  F16,
  BF16,
  F32,
  F64,
};

/// The bytes of one element.
int64_t byteWidth(ElementType type);
bool isFloat(ElementType type);
/// As MLIR prints it: "f32", "i1", "ui8", "index".
std::string_view stringifyElementType(ElementType type);
/// 2^-p, p the bits of the significand: the largest relative error of one
/// rounding. 0 for integers.
double unitRoundoff(ElementType type);

float halfToFloat(uint16_t bits);
float bfloatToFloat(uint16_t bits);
/// To nearest, ties to even; NaN stays NaN.
uint16_t floatToHalf(float value);
uint16_t floatToBfloat(float value);

/// A tensor in host memory, aligned to 64 bytes. Moves, does not copy silently.
class HostTensor {
public:
  HostTensor() = default;
  /// Zero elements.
  HostTensor(ElementType type, std::vector<int64_t> shape);

  ElementType type() const { return elementType; }
  const std::vector<int64_t> &shape() const { return extents; }
  int64_t numElements() const { return count; }
  int64_t numBytes() const { return count * byteWidth(elementType); }
  uint8_t *data() { return bytes.get(); }
  const uint8_t *data() const { return bytes.get(); }

  HostTensor clone() const;

  /// Element `i` in row-major order, as a double (64-bit integers round).
  double asDouble(int64_t i) const;

private:
  struct Free {
    void operator()(uint8_t *pointer) const { std::free(pointer); }
  };
  ElementType elementType = ElementType::F32;
  std::vector<int64_t> extents;
  int64_t count = 0;
  std::unique_ptr<uint8_t[], Free> bytes;
};

/// "2x3xf32", as in a tensor type.
std::string toString(ElementType type, const std::vector<int64_t> &shape);

/// Row-major element strides of `shape`.
std::vector<int64_t> rowMajorStrides(const std::vector<int64_t> &shape);

/// Fills `tensor` with values that depend only on `seed`, `stream` (the index
/// of the argument) and the element's position: floats uniform in [-1, 1),
/// integers uniform in [-8, 8), unsigned ones in [0, 16), i1 0 or 1. The same
/// bits on every machine.
void fillRandom(HostTensor &tensor, uint64_t seed, uint64_t stream);

/// Fills `tensor` with values that show up when anybody trusts them: NaN in
/// floats; -1, 0, the least and a large value by turns in integers.
void fillPoison(HostTensor &tensor);

/// Copies a box of `extents` elements from `source`, starting at the element
/// `sourceOffset`, to `target` at `targetOffset` (one entry per dimension; equal
/// element types; the box lies inside both).
void copyBox(const HostTensor &source, const std::vector<int64_t> &sourceOffset,
             HostTensor &target, const std::vector<int64_t> &targetOffset,
             const std::vector<int64_t> &extents);

} // namespace shard

#endif // SHARD_EXECUTION_HOSTTENSOR_H
