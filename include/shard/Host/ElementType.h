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
/// signless ones count as signed. `C64` and `C128` are pairs of f32 and f64.
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
  F8E4M3FN,
  F8E5M2,
  F8E4M3FNUZ,
  F8E5M2FNUZ,
  F8E4M3B11FNUZ,
  F8E4M3,
  F8E3M4,
  C64,
  C128,
};

/// The bytes of one element.
int64_t byteWidth(ElementType type);
bool isFloat(ElementType type);
/// Floats of one byte.
bool isSmallFloat(ElementType type);
bool isComplex(ElementType type);
/// The type of the real and of the imaginary part.
ElementType partType(ElementType complex);
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
/// For the floats of one byte. To nearest, ties to even; what is too large becomes the
/// largest number.
double smallFloatToDouble(ElementType type, uint8_t bits);
uint8_t doubleToSmallFloat(ElementType type, double value);
/// NaN, as bits.
uint8_t smallFloatNaN(ElementType type);

} // namespace shard

#endif // SHARD_HOST_ELEMENTTYPE_H
