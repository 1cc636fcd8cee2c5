//===- CheckRounding.cpp - What reductions round, by definition -----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The floats of programs are small numbers, and those of 16 bits agree within a tolerance: whether a
// sum that lies between two of them becomes the right one cannot be seen there.
//
//===----------------------------------------------------------------------===//

#include "CheckRounding.h"

#include "../../Runtime/Common/Reduce.h"

#include "shard/Fuzz/Random.h"
#include "shard/Runtime/Runtime.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"

using llvm::APFloat;

namespace shard::fuzz {

namespace {
/// A type of 16 bits, of which the lowest `mantissa` are those of the mantissa.
struct HalfType {
  int64_t type;
  const llvm::fltSemantics &semantics;
  unsigned mantissa;

  APFloat read(uint16_t bits) const {
    return APFloat(semantics, llvm::APInt(16, bits));
  }
};
} // namespace

/// `a` and `b`, combined in their type.
static APFloat combined(int64_t reduction, APFloat a, const APFloat &b) {
  if (reduction == SHARD_RT_SUM)
    a.add(b, APFloat::rmNearestTiesToEven);
  else if (reduction == SHARD_RT_PRODUCT)
    a.multiply(b, APFloat::rmNearestTiesToEven);
  else
    return reduction == SHARD_RT_MAX ? llvm::maximum(a, b)
                                     : llvm::minimum(a, b);
  return a;
}

/// Random bits, and often a number of the size of `near`, so that a sum is rounded.
static uint16_t randomBits(Random &rng, const HalfType &half, uint16_t near) {
  auto bits = uint16_t(rng.between(0, 0xffff));
  if (rng.chance(40))
    return bits;
  uint16_t fraction = uint16_t(1 << half.mantissa) - 1;
  uint16_t less = uint16_t(rng.between(0, 3) << half.mantissa);
  uint16_t exponent = near & 0x7fff & ~fraction;
  return uint16_t((bits & (fraction | 0x8000)) |
                  (exponent >= less ? exponent - less : exponent));
}

std::string checkRounding(uint64_t seed) {
  Random rng(seed);
  const HalfType halves[] = {{SHARD_RT_F16, APFloat::IEEEhalf(), 10},
                             {SHARD_RT_BF16, APFloat::BFloat(), 7}};
  constexpr size_t count = 256;
  for (const HalfType &half : halves)
    for (int64_t reduction :
         {SHARD_RT_SUM, SHARD_RT_PRODUCT, SHARD_RT_MAX, SHARD_RT_MIN}) {
      uint16_t a[count], b[count], found[count];
      for (size_t i = 0; i < count; ++i) {
        a[i] = uint16_t(rng.between(0, 0xffff));
        b[i] = randomBits(rng, half, a[i]);
      }
      const char *sources[] = {reinterpret_cast<char *>(a),
                               reinterpret_cast<char *>(b)};
      runtime::reduceKernel(reduction, half.type)(found, sources, 2, count);
      for (size_t i = 0; i < count; ++i) {
        APFloat wanted = combined(reduction, half.read(a[i]), half.read(b[i]));
        APFloat got = half.read(found[i]);
        if (wanted.isNaN() ? !got.isNaN() : !wanted.bitwiseIsEqual(got))
          return std::string("the ") + runtime::reductionName(reduction) +
                 " of " + std::to_string(half.read(a[i]).convertToFloat()) +
                 " and " + std::to_string(half.read(b[i]).convertToFloat()) +
                 " in 16 bits is " + std::to_string(got.convertToFloat());
      }
    }
  return "";
}

} // namespace shard::fuzz
