//===- SmallFloatTest.cpp - Floats of one byte ----------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every number of every format, compared with LLVM's.
//
//===----------------------------------------------------------------------===//

#include "shard/Host/ElementType.h"

#include "llvm/ADT/APFloat.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace shard;
using llvm::APFloat;

namespace {

double convert(const llvm::fltSemantics &format, uint8_t bits) {
  APFloat value(format, llvm::APInt(8, bits));
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToDouble();
}

TEST(SmallFloatTest, everyNumber) {
  const std::pair<ElementType, const llvm::fltSemantics *> formats[] = {
      {ElementType::F8E4M3FN, &APFloat::Float8E4M3FN()},
      {ElementType::F8E5M2, &APFloat::Float8E5M2()},
      {ElementType::F8E4M3FNUZ, &APFloat::Float8E4M3FNUZ()},
      {ElementType::F8E5M2FNUZ, &APFloat::Float8E5M2FNUZ()},
      {ElementType::F8E4M3B11FNUZ, &APFloat::Float8E4M3B11FNUZ()},
      {ElementType::F8E4M3, &APFloat::Float8E4M3()},
      {ElementType::F8E3M4, &APFloat::Float8E3M4()},
  };
  for (auto [type, format] : formats) {
    SCOPED_TRACE(std::string(stringifyElementType(type)));
    EXPECT_TRUE(isSmallFloat(type));
    EXPECT_TRUE(std::isnan(smallFloatToDouble(type, smallFloatNaN(type))));
    for (int bits = 0; bits < 256; ++bits) {
      double expected = convert(*format, bits);
      double value = smallFloatToDouble(type, bits);
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(value)) << bits;
        continue;
      }
      EXPECT_EQ(value, expected) << bits;
      if (std::isfinite(value))
        EXPECT_EQ(doubleToSmallFloat(type, value), bits);
    }
  }
}

TEST(SmallFloatTest, roundsToEven) {
  // Between 1 and 1.125 of f8E4M3FN lies 1.0625; between 1.125 and 1.25 lies 1.1875.
  EXPECT_EQ(
      smallFloatToDouble(ElementType::F8E4M3FN,
                         doubleToSmallFloat(ElementType::F8E4M3FN, 1.0625)),
      1.0);
  EXPECT_EQ(
      smallFloatToDouble(ElementType::F8E4M3FN,
                         doubleToSmallFloat(ElementType::F8E4M3FN, -1.1875)),
      -1.25);
  EXPECT_EQ(smallFloatToDouble(ElementType::F8E5M2,
                               doubleToSmallFloat(ElementType::F8E5M2, 1e9)),
            57344.0);
}

} // namespace
