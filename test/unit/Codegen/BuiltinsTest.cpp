//===- BuiltinsTest.cpp - Conversions against APFloat --------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every conversion of Builtins.h, bit by bit, against llvm::APFloat: exhaustively
// from 16 bits; to 16 bits from every number of the narrow type, the middles between
// neighbours, and what stands next to these.
//
//===----------------------------------------------------------------------===//

#include "shard/Runtime/Kernels/Builtins.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

#include <cstring>
#include <random>

using llvm::APFloat;
using llvm::APInt;
using llvm::fltSemantics;

namespace {

template <typename T>
APInt bitsOf(T value, unsigned width) {
  uint64_t words[2] = {0, 0};
  std::memcpy(words, &value, std::min<size_t>(sizeof(T), (width + 7) / 8));
  return APInt(width, words);
}
template <typename T>
T fromBits(const APInt &bits) {
  T value = 0;
  std::memcpy(&value, bits.getRawData(),
              std::min<size_t>(sizeof(T), (bits.getBitWidth() + 7) / 8));
  return value;
}

/// Whether `actual` is `bits` of format `from` in format `to`. Of a NaN only the
/// sign and that it is quiet are checked.
testing::AssertionResult isConversion(const APInt &bits,
                                      const fltSemantics &from,
                                      const APInt &actual,
                                      const fltSemantics &to) {
  APFloat source(from, bits), expected = source;
  bool loses;
  expected.convert(to, APFloat::rmNearestTiesToEven, &loses);
  APFloat result(to, actual);
  bool same = source.isNaN() ? result.isNaN() && !result.isSignaling() &&
                                   result.isNegative() == source.isNegative()
                             : expected.bitcastToAPInt() == actual;
  if (same)
    return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << llvm::toString(bits, 16, false) << " gives "
         << llvm::toString(actual, 16, false) << " instead of "
         << llvm::toString(expected.bitcastToAPInt(), 16, false);
}

template <typename T>
void checkExtension(T (*extend)(float), const fltSemantics &from,
                    const fltSemantics &to) {
  unsigned width = APFloat::semanticsSizeInBits(to);
  for (unsigned number = 0; number < 0x10000; ++number) {
    APInt bits(16, number);
    // The upper half of the register may hold anything.
    APInt given(32, number | 0xabcd0000u);
    ASSERT_TRUE(isConversion(
        bits, from, bitsOf(extend(fromBits<float>(given)), width), to));
  }
}

template <typename T>
void checkTruncation(float (*truncate)(T), const fltSemantics &from,
                     const fltSemantics &to) {
  unsigned width = APFloat::semanticsSizeInBits(from);
  auto check = [&](const APInt &bits) {
    ASSERT_TRUE(
        isConversion(bits, from, bitsOf(truncate(fromBits<T>(bits)), 16), to));
  };
  for (unsigned number = 0; number < 0x10000; ++number) {
    APFloat value(to, APInt(16, number)), next = value;
    next.next(/*nextDown=*/false);
    bool loses;
    value.convert(from, APFloat::rmNearestTiesToEven, &loses);
    next.convert(from, APFloat::rmNearestTiesToEven, &loses);
    APFloat middle = value;
    middle.add(next, APFloat::rmNearestTiesToEven);
    middle.divide(APFloat(from, "2"), APFloat::rmNearestTiesToEven);
    for (APFloat center : {value, middle}) {
      check(center.bitcastToAPInt());
      if (!center.isFinite())
        continue;
      for (bool down : {false, true}) {
        APFloat beside = center;
        beside.next(down);
        check(beside.bitcastToAPInt());
      }
    }
  }
  std::mt19937_64 random(7);
  for (int i = 0; i < 100000; ++i) {
    uint64_t words[2] = {random(), random()};
    APInt bits(width, words);
    // The x87 format has patterns that are no numbers.
    if (&from == &APFloat::x87DoubleExtended())
      bits.setBitVal(63, !bits.extractBits(15, 64).isZero());
    check(bits);
  }
}

} // namespace

TEST(BuiltinsTest, FromHalf) {
  const fltSemantics &half = APFloat::IEEEhalf();
  checkExtension(__extendhfsf2, half, APFloat::IEEEsingle());
  checkExtension(__extendhfdf2, half, APFloat::IEEEdouble());
  for (unsigned number = 0; number < 0x10000; ++number)
    ASSERT_TRUE(isConversion(APInt(16, number), half,
                             bitsOf(__gnu_h2f_ieee(number), 32),
                             APFloat::IEEEsingle()));
}

TEST(BuiltinsTest, FromBfloat) {
  checkExtension(__extendbfsf2, APFloat::BFloat(), APFloat::IEEEsingle());
  checkExtension(__extendbfdf2, APFloat::BFloat(), APFloat::IEEEdouble());
}

TEST(BuiltinsTest, ToHalf) {
  const fltSemantics &half = APFloat::IEEEhalf();
  checkTruncation(__truncsfhf2, APFloat::IEEEsingle(), half);
  checkTruncation(__truncdfhf2, APFloat::IEEEdouble(), half);
}

TEST(BuiltinsTest, ToBfloat) {
  checkTruncation(__truncsfbf2, APFloat::IEEEsingle(), APFloat::BFloat());
  checkTruncation(__truncdfbf2, APFloat::IEEEdouble(), APFloat::BFloat());
}

TEST(BuiltinsTest, LongDouble) {
#if defined(__x86_64__)
  const fltSemantics &wide = APFloat::x87DoubleExtended();
#else
  const fltSemantics &wide = APFloat::IEEEquad();
#endif
  checkExtension(__extendhfxf2, APFloat::IEEEhalf(), wide);
  checkExtension(__extendbfxf2, APFloat::BFloat(), wide);
  checkTruncation(__truncxfhf2, wide, APFloat::IEEEhalf());
  checkTruncation(__truncxfbf2, wide, APFloat::BFloat());
}

#if defined(__SIZEOF_FLOAT128__)
TEST(BuiltinsTest, Quad) {
  const fltSemantics &quad = APFloat::IEEEquad();
  checkExtension(__extendhftf2, APFloat::IEEEhalf(), quad);
  checkExtension(__extendbftf2, APFloat::BFloat(), quad);
  checkTruncation(__trunctfhf2, quad, APFloat::IEEEhalf());
  checkTruncation(__trunctfbf2, quad, APFloat::BFloat());
}
#endif

TEST(BuiltinsTest, SymbolsHaveAddressesAndNamesOfTheirOwn) {
  std::vector<std::pair<const char *, void *>> symbols =
      shard::builtinSymbols();
  std::vector<std::string> names;
  for (auto [name, address] : symbols) {
    EXPECT_NE(address, nullptr) << name;
    names.push_back(name);
  }
  llvm::sort(names);
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}
