//===- Builtins.cpp - Functions that code generation may call ------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Runtime/Kernels/Builtins.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace {

using Bits = unsigned __int128;

constexpr Bits lowMask(int count) { return (Bits(1) << count) - 1; }

/// A binary interchange format: sign, `Exponent` bits of biased exponent, then the
/// fraction. `LeadingBit` formats (x87) store the leading one above the fraction.
template <int Exponent, int Fraction, bool LeadingBit = false>
struct Format {
  static constexpr int exponentBits = Exponent, fractionBits = Fraction;
  static constexpr bool hasLeadingBit = LeadingBit;
  static constexpr int storedBits = Fraction + (LeadingBit ? 1 : 0);
  static constexpr int bias = (1 << (Exponent - 1)) - 1;
  static constexpr int maxExponent = (1 << Exponent) - 1;
};
using Half = Format<5, 10>;
using Bfloat = Format<8, 7>;
using Single = Format<8, 23>;
using Double = Format<11, 52>;
using Extended = Format<15, 63, true>;
using Quad = Format<15, 112>;

int countLeadingZeros(Bits value) {
  uint64_t high = static_cast<uint64_t>(value >> 64);
  return high ? __builtin_clzll(high)
              : 64 + __builtin_clzll(static_cast<uint64_t>(value));
}

/// Puts the fields of a number of format `F` together. `fraction` includes the
/// leading bit of formats that store it.
template <typename F>
Bits assemble(bool negative, int exponent, Bits fraction) {
  return Bits(negative) << (F::storedBits + F::exponentBits) |
         Bits(exponent) << F::storedBits | fraction;
}

template <typename To>
Bits infinity(bool negative) {
  return assemble<To>(negative, To::maxExponent,
                      To::hasLeadingBit ? Bits(1) << To::fractionBits : 0);
}

/// Rounds significand * 2^exponent, whose leading one is bit 127, to `To`.
template <typename To>
Bits roundTo(bool negative, Bits significand, int exponent) {
  int biased = exponent + 127 + To::bias;
  int dropped = 127 - To::fractionBits;
  if (biased < 1) {
    // A subnormal number: its fraction has fewer bits.
    dropped += 1 - biased;
    biased = 0;
  }
  if (dropped > 128)
    return assemble<To>(negative, 0, 0);
  Bits kept = dropped == 128 ? 0 : significand >> dropped;
  Bits rest = dropped == 128 ? significand : significand & lowMask(dropped);
  Bits half = Bits(1) << (dropped - 1);
  if (rest > half || (rest == half && (kept & 1)))
    ++kept;
  if (To::hasLeadingBit)
    return assemble<To>(negative, biased, kept);
  // A carry out of the fraction adds one to the exponent, which is right.
  Bits magnitude =
      biased ? (Bits(biased - 1) << To::fractionBits) + kept : kept;
  if (magnitude >= Bits(To::maxExponent) << To::fractionBits)
    return infinity<To>(negative);
  return assemble<To>(negative, 0, magnitude);
}

/// The number `bits` of format `From` in format `To`. A format with a leading bit
/// is only converted to if it has room for every number of `From`.
template <typename From, typename To>
Bits convert(Bits bits) {
  static_assert(!To::hasLeadingBit || (To::exponentBits > From::exponentBits &&
                                       To::fractionBits > From::fractionBits));
  Bits fraction = bits & lowMask(From::fractionBits);
  bool leading = bits >> From::fractionBits & 1;
  int exponent =
      static_cast<int>(bits >> From::storedBits & lowMask(From::exponentBits));
  bool negative = bits >> (From::storedBits + From::exponentBits) & 1;
  if (exponent == From::maxExponent) {
    if (!fraction)
      return infinity<To>(negative);
    constexpr int shift = To::fractionBits - From::fractionBits;
    Bits payload = shift >= 0 ? fraction << (shift >= 0 ? shift : 0)
                              : fraction >> (shift >= 0 ? 0 : -shift);
    return infinity<To>(negative) | payload | Bits(1) << (To::fractionBits - 1);
  }
  if (!From::hasLeadingBit)
    leading = exponent != 0;
  Bits significand = Bits(leading) << From::fractionBits | fraction;
  if (!significand)
    return assemble<To>(negative, 0, 0);
  int shift = countLeadingZeros(significand);
  int scale = (exponent ? exponent : 1) - From::bias - From::fractionBits;
  return roundTo<To>(negative, significand << shift, scale - shift);
}

template <typename T>
Bits bitsOf(T value, size_t bytes = sizeof(T)) {
  Bits bits = 0;
  std::memcpy(&bits, &value, bytes);
  return bits;
}
template <typename T>
T fromBits(Bits bits, size_t bytes = sizeof(T)) {
  T value = 0;
  std::memcpy(&value, &bits, bytes);
  return value;
}

/// The number in the low bits of a register.
float inRegister(Bits bits) { return fromBits<float>(bits & 0xffff); }
Bits outOfRegister(float value) { return bitsOf(value) & 0xffff; }

#if defined(__x86_64__)
using LongDouble = Extended;
constexpr size_t longDoubleBytes = 10;
#else
using LongDouble = Quad;
constexpr size_t longDoubleBytes = sizeof(long double);
#endif
static_assert(sizeof(long double) == 16,
              "long double is the x87 format or IEEE binary128");

} // namespace

#define SHARD_BUILTIN __attribute__((weak))

extern "C" {
SHARD_BUILTIN float __truncsfhf2(float value) {
  return inRegister(convert<Single, Half>(bitsOf(value)));
}
SHARD_BUILTIN float __truncdfhf2(double value) {
  return inRegister(convert<Double, Half>(bitsOf(value)));
}
SHARD_BUILTIN float __truncxfhf2(long double value) {
  return inRegister(convert<LongDouble, Half>(bitsOf(value, longDoubleBytes)));
}
SHARD_BUILTIN float __truncsfbf2(float value) {
  return inRegister(convert<Single, Bfloat>(bitsOf(value)));
}
SHARD_BUILTIN float __truncdfbf2(double value) {
  return inRegister(convert<Double, Bfloat>(bitsOf(value)));
}
SHARD_BUILTIN float __truncxfbf2(long double value) {
  return inRegister(
      convert<LongDouble, Bfloat>(bitsOf(value, longDoubleBytes)));
}
SHARD_BUILTIN float __extendhfsf2(float bits) {
  return fromBits<float>(convert<Half, Single>(outOfRegister(bits)));
}
SHARD_BUILTIN double __extendhfdf2(float bits) {
  return fromBits<double>(convert<Half, Double>(outOfRegister(bits)));
}
SHARD_BUILTIN long double __extendhfxf2(float bits) {
  return fromBits<long double>(convert<Half, LongDouble>(outOfRegister(bits)),
                               longDoubleBytes);
}
SHARD_BUILTIN float __extendbfsf2(float bits) {
  return fromBits<float>(convert<Bfloat, Single>(outOfRegister(bits)));
}
SHARD_BUILTIN double __extendbfdf2(float bits) {
  return fromBits<double>(convert<Bfloat, Double>(outOfRegister(bits)));
}
SHARD_BUILTIN long double __extendbfxf2(float bits) {
  return fromBits<long double>(convert<Bfloat, LongDouble>(outOfRegister(bits)),
                               longDoubleBytes);
}
SHARD_BUILTIN float __gnu_h2f_ieee(unsigned short bits) {
  return fromBits<float>(convert<Half, Single>(bits));
}
SHARD_BUILTIN unsigned short __gnu_f2h_ieee(float value) {
  return static_cast<unsigned short>(convert<Single, Half>(bitsOf(value)));
}
#if defined(__SIZEOF_FLOAT128__)
SHARD_BUILTIN float __trunctfhf2(__float128 value) {
  return inRegister(convert<Quad, Half>(bitsOf(value)));
}
SHARD_BUILTIN float __trunctfbf2(__float128 value) {
  return inRegister(convert<Quad, Bfloat>(bitsOf(value)));
}
SHARD_BUILTIN __float128 __extendhftf2(float bits) {
  return fromBits<__float128>(convert<Half, Quad>(outOfRegister(bits)));
}
SHARD_BUILTIN __float128 __extendbftf2(float bits) {
  return fromBits<__float128>(convert<Bfloat, Quad>(outOfRegister(bits)));
}
#endif

// Functions of the toolchain's library (libgcc or compiler-rt). Only their
// addresses are taken here, so their types do not matter.
#define SHARD_TOOLCHAIN_FUNCTIONS(X)                                           \
  X(__multi3)                                                                  \
  X(__divti3)                                                                  \
  X(__modti3)                                                                  \
  X(__udivti3)                                                                 \
  X(__umodti3)                                                                 \
  X(__udivmodti4)                                                              \
  X(__ashlti3)                                                                 \
  X(__ashrti3)                                                                 \
  X(__lshrti3)                                                                 \
  X(__popcountdi2)                                                             \
  X(__popcountti2)                                                             \
  X(__clzti2)                                                                  \
  X(__ctzti2)                                                                  \
  X(__fixsfti)                                                                 \
  X(__fixdfti)                                                                 \
  X(__fixunssfti)                                                              \
  X(__fixunsdfti)                                                              \
  X(__floattisf)                                                               \
  X(__floattidf)                                                               \
  X(__floatuntisf)                                                             \
  X(__floatuntidf)                                                             \
  X(__powisf2)                                                                 \
  X(__powidf2)
#if defined(__x86_64__)
#define SHARD_EXTENDED_FUNCTIONS(X)                                            \
  X(__fixxfti)                                                                 \
  X(__fixunsxfti)                                                              \
  X(__floattixf)                                                               \
  X(__floatuntixf)                                                             \
  X(__powixf2)                                                                 \
  X(__extendxftf2)                                                             \
  X(__trunctfxf2)
#else
#define SHARD_EXTENDED_FUNCTIONS(X)
#endif
#define SHARD_QUAD_FUNCTIONS(X)                                                \
  X(__addtf3)                                                                  \
  X(__subtf3)                                                                  \
  X(__multf3)                                                                  \
  X(__divtf3)                                                                  \
  X(__eqtf2)                                                                   \
  X(__netf2)                                                                   \
  X(__lttf2)                                                                   \
  X(__letf2)                                                                   \
  X(__gttf2)                                                                   \
  X(__getf2)                                                                   \
  X(__unordtf2)                                                                \
  X(__extendsftf2)                                                             \
  X(__extenddftf2)                                                             \
  X(__trunctfsf2)                                                              \
  X(__trunctfdf2)                                                              \
  X(__fixtfsi)                                                                 \
  X(__fixtfdi)                                                                 \
  X(__fixtfti)                                                                 \
  X(__fixunstfsi)                                                              \
  X(__fixunstfdi)                                                              \
  X(__fixunstfti)                                                              \
  X(__floatsitf)                                                               \
  X(__floatditf)                                                               \
  X(__floattitf)                                                               \
  X(__floatunsitf)                                                             \
  X(__floatunditf)                                                             \
  X(__floatuntitf)

#define SHARD_DECLARE(name) void name();
SHARD_TOOLCHAIN_FUNCTIONS(SHARD_DECLARE)
SHARD_EXTENDED_FUNCTIONS(SHARD_DECLARE)
SHARD_QUAD_FUNCTIONS(SHARD_DECLARE)
#undef SHARD_DECLARE
} // extern "C"

// Functions of libm. <cmath> overloads their names, so each is declared under a
// name of its own that stands for the symbol. `X(name)` is for double, `nameF` and
// `nameL` for float and long double.
// clang-format off
#define SHARD_MATH_FUNCTIONS(X)                                                \
  X(acos) X(acosh) X(asin) X(asinh) X(atan) X(atan2) X(atanh) X(cbrt) X(ceil)  \
  X(copysign) X(cos) X(cosh) X(erf) X(erfc) X(exp) X(exp2) X(expm1) X(fabs)    \
  X(floor) X(fma) X(fmax) X(fmin) X(fmod) X(frexp) X(ldexp) X(lgamma)          \
  X(llrint) X(llround) X(log) X(log10) X(log1p) X(log2) X(lrint) X(lround)     \
  X(modf) X(nearbyint) X(pow) X(remainder) X(rint) X(round) X(sin) X(sinh)     \
  X(sqrt) X(tan) X(tanh) X(tgamma) X(trunc)
// clang-format on
// Those that only the GNU library has.
#if defined(__GLIBC__)
#define SHARD_GNU_MATH_FUNCTIONS(X) X(exp10) X(roundeven) X(sincos)
#else
#define SHARD_GNU_MATH_FUNCTIONS(X)
#endif
#define SHARD_DECLARE(name)                                                    \
  extern "C" void shardMath_##name() __asm__(#name);                           \
  extern "C" void shardMath_##name##F() __asm__(#name "f");                    \
  extern "C" void shardMath_##name##L() __asm__(#name "l");
SHARD_MATH_FUNCTIONS(SHARD_DECLARE)
SHARD_GNU_MATH_FUNCTIONS(SHARD_DECLARE)
#undef SHARD_DECLARE

// clang-format off
std::vector<std::pair<const char *, void *>>
shard::builtinSymbols() {
#define SHARD_SYMBOL(name) {#name, reinterpret_cast<void *>(&::name)},
#define SHARD_MATH_SYMBOLS(name)                                               \
  {#name, reinterpret_cast<void *>(&shardMath_##name)},                        \
      {#name "f", reinterpret_cast<void *>(&shardMath_##name##F)},             \
      {#name "l", reinterpret_cast<void *>(&shardMath_##name##L)},
  return {
      SHARD_SYMBOL(__truncsfhf2) SHARD_SYMBOL(__truncdfhf2)
      SHARD_SYMBOL(__truncxfhf2) SHARD_SYMBOL(__truncsfbf2)
      SHARD_SYMBOL(__truncdfbf2) SHARD_SYMBOL(__truncxfbf2)
      SHARD_SYMBOL(__extendhfsf2) SHARD_SYMBOL(__extendhfdf2)
      SHARD_SYMBOL(__extendhfxf2) SHARD_SYMBOL(__extendbfsf2)
      SHARD_SYMBOL(__extendbfdf2) SHARD_SYMBOL(__extendbfxf2)
      SHARD_SYMBOL(__gnu_h2f_ieee) SHARD_SYMBOL(__gnu_f2h_ieee)
#if defined(__SIZEOF_FLOAT128__)
      SHARD_SYMBOL(__trunctfhf2) SHARD_SYMBOL(__trunctfbf2)
      SHARD_SYMBOL(__extendhftf2) SHARD_SYMBOL(__extendbftf2)
#endif
      SHARD_TOOLCHAIN_FUNCTIONS(SHARD_SYMBOL)
      SHARD_EXTENDED_FUNCTIONS(SHARD_SYMBOL)
      SHARD_QUAD_FUNCTIONS(SHARD_SYMBOL)
      SHARD_MATH_FUNCTIONS(SHARD_MATH_SYMBOLS)
      SHARD_GNU_MATH_FUNCTIONS(SHARD_MATH_SYMBOLS)
      SHARD_SYMBOL(memcpy) SHARD_SYMBOL(memmove)
      SHARD_SYMBOL(memset) SHARD_SYMBOL(abort)};
#undef SHARD_SYMBOL
#undef SHARD_MATH_SYMBOLS
}
// clang-format on
