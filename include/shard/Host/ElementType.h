//===- ElementType.h - Types of tensor elements -----------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_HOST_ELEMENTTYPE_H
#define SHARD_HOST_ELEMENTTYPE_H

#include <cstdint>
#include <string_view>

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

} // namespace shard

#endif // SHARD_HOST_ELEMENTTYPE_H
