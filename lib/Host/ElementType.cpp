//===- ElementType.cpp - Types of tensor elements -------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Host/ElementType.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

using namespace shard;

int64_t shard::byteWidth(ElementType type) {
  switch (type) {
  case ElementType::I1:
  case ElementType::I8:
  case ElementType::U8:
  case ElementType::F8E4M3FN:
  case ElementType::F8E5M2:
  case ElementType::F8E4M3FNUZ:
  case ElementType::F8E5M2FNUZ:
  case ElementType::F8E4M3B11FNUZ:
  case ElementType::F8E4M3:
  case ElementType::F8E3M4:
    return 1;
  case ElementType::I16:
  case ElementType::U16:
  case ElementType::F16:
  case ElementType::BF16:
    return 2;
  case ElementType::I32:
  case ElementType::U32:
  case ElementType::F32:
    return 4;
  case ElementType::I64:
  case ElementType::U64:
  case ElementType::Index:
  case ElementType::F64:
  case ElementType::C64:
    return 8;
  case ElementType::C128:
    return 16;
  }
  return 0;
}

bool shard::isFloat(ElementType type) {
  return type >= ElementType::F16 && !isComplex(type);
}

bool shard::isSmallFloat(ElementType type) {
  return type >= ElementType::F8E4M3FN && type <= ElementType::F8E3M4;
}

bool shard::isComplex(ElementType type) { return type >= ElementType::C64; }

ElementType shard::partType(ElementType complex) {
  return complex == ElementType::C64 ? ElementType::F32 : ElementType::F64;
}

std::string_view shard::stringifyElementType(ElementType type) {
  switch (type) {
  case ElementType::I1:
    return "i1";
  case ElementType::I8:
    return "i8";
  case ElementType::I16:
    return "i16";
  case ElementType::I32:
    return "i32";
  case ElementType::I64:
    return "i64";
  case ElementType::U8:
    return "ui8";
  case ElementType::U16:
    return "ui16";
  case ElementType::U32:
    return "ui32";
  case ElementType::U64:
    return "ui64";
  case ElementType::Index:
    return "index";
  case ElementType::F16:
    return "f16";
  case ElementType::BF16:
    return "bf16";
  case ElementType::F32:
    return "f32";
  case ElementType::F64:
    return "f64";
  case ElementType::F8E4M3FN:
    return "f8E4M3FN";
  case ElementType::F8E5M2:
    return "f8E5M2";
  case ElementType::F8E4M3FNUZ:
    return "f8E4M3FNUZ";
  case ElementType::F8E5M2FNUZ:
    return "f8E5M2FNUZ";
  case ElementType::F8E4M3B11FNUZ:
    return "f8E4M3B11FNUZ";
  case ElementType::F8E4M3:
    return "f8E4M3";
  case ElementType::F8E3M4:
    return "f8E3M4";
  case ElementType::C64:
    return "complex<f32>";
  case ElementType::C128:
    return "complex<f64>";
  }
  return "";
}

namespace {
/// A float of one byte.
struct SmallFormat {
  int mantissaBits;
  int bias;
  /// The largest exponent stands for infinity and NaN.
  bool hasInfinity = false;
  /// The only NaN is what would be -0; there is no -0.
  bool hasUnsignedZero = false;
};
} // namespace

static SmallFormat formatOf(ElementType type) {
  switch (type) {
  case ElementType::F8E5M2:
    return {2, 15, true, false};
  case ElementType::F8E4M3FNUZ:
    return {3, 8, false, true};
  case ElementType::F8E5M2FNUZ:
    return {2, 16, false, true};
  case ElementType::F8E4M3B11FNUZ:
    return {3, 11, false, true};
  case ElementType::F8E4M3:
    return {3, 7, true, false};
  case ElementType::F8E3M4:
    return {4, 3, true, false};
  default: // F8E4M3FN: all bits set are NaN.
    return {3, 7, false, false};
  }
}

uint8_t shard::smallFloatNaN(ElementType type) {
  return formatOf(type).hasUnsignedZero ? 0x80 : 0xff;
}

double shard::smallFloatToDouble(ElementType type, uint8_t bits) {
  SmallFormat format = formatOf(type);
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  if (format.hasUnsignedZero && bits == 0x80)
    return nan;
  double sign = bits & 0x80 ? -1.0 : 1.0;
  int mantissa = bits & ((1 << format.mantissaBits) - 1);
  int exponent = (bits & 0x7f) >> format.mantissaBits;
  int largest = (1 << (7 - format.mantissaBits)) - 1;
  if (format.hasInfinity && exponent == largest)
    return mantissa ? nan : sign * std::numeric_limits<double>::infinity();
  if (!format.hasInfinity && !format.hasUnsignedZero && (bits & 0x7f) == 0x7f)
    return nan;
  if (exponent > 0)
    mantissa += 1 << format.mantissaBits;
  return sign * std::ldexp(mantissa, std::max(exponent, 1) - format.bias -
                                         format.mantissaBits);
}

uint8_t shard::doubleToSmallFloat(ElementType type, double value) {
  if (value != value)
    return smallFloatNaN(type);
  // The magnitudes ascend with the bits.
  int best = 0;
  double error = std::numeric_limits<double>::infinity();
  for (int bits = 0; bits < 0x80; ++bits) {
    double own = smallFloatToDouble(type, bits);
    double distance = std::fabs(std::fabs(value) - own);
    if (!std::isfinite(own) || distance > error ||
        (distance == error && bits % 2 != 0))
      continue;
    best = bits;
    error = distance;
  }
  bool isNegative =
      std::signbit(value) && !(formatOf(type).hasUnsignedZero && best == 0);
  return static_cast<uint8_t>(isNegative ? best | 0x80 : best);
}

double shard::unitRoundoff(ElementType type) {
  switch (type) {
  case ElementType::F16:
    return std::ldexp(1.0, -11);
  case ElementType::BF16:
    return std::ldexp(1.0, -8);
  case ElementType::F32:
    return std::ldexp(1.0, -24);
  case ElementType::F64:
    return std::ldexp(1.0, -53);
  case ElementType::C64:
  case ElementType::C128:
    return unitRoundoff(partType(type));
  default:
    if (isSmallFloat(type))
      return std::ldexp(1.0, -1 - formatOf(type).mantissaBits);
    return 0.0;
  }
}

float shard::bfloatToFloat(uint16_t bits) {
  uint32_t wide = static_cast<uint32_t>(bits) << 16;
  float value;
  std::memcpy(&value, &wide, sizeof(value));
  return value;
}

uint16_t shard::floatToBfloat(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  if (value != value)
    return static_cast<uint16_t>((bits >> 16) | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

float shard::halfToFloat(uint16_t bits) {
  _Float16 value;
  std::memcpy(&value, &bits, sizeof(value));
  return static_cast<float>(value);
}

uint16_t shard::floatToHalf(float value) {
  auto half = static_cast<_Float16>(value);
  uint16_t bits;
  std::memcpy(&bits, &half, sizeof(bits));
  return bits;
}
