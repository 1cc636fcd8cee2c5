//===- SmallFloats.cpp - Floats of one byte -------------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SmallFloats.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>

using namespace mlir;
using namespace shard;
using llvm::APFloat;

bool codegen::isSmallFloat(Type type) {
  auto floatType = dyn_cast<FloatType>(type);
  return floatType && floatType.getWidth() == 8 &&
         APFloat::semanticsHasSignedRepr(floatType.getFloatSemantics()) &&
         APFloat::semanticsHasZero(floatType.getFloatSemantics());
}

namespace {

constexpr int kMantissaOfF32 = 23, kBiasOfF32 = 127;

/// The encoding of a float of 8 bits.
struct Encoding {
  explicit Encoding(Type type) {
    const llvm::fltSemantics &format =
        cast<FloatType>(type).getFloatSemantics();
    auto bitsOf = [](const APFloat &number) {
      return int64_t(number.bitcastToAPInt().getZExtValue());
    };
    mantissa = int(APFloat::semanticsPrecision(format)) - 1;
    bias = 1 - APFloat::semanticsMinExponent(format);
    largest = bitsOf(APFloat::getLargest(format));
    hasInf = APFloat::semanticsHasInf(format);
    nan = bitsOf(APFloat::getNaN(format));
    infinity = hasInf ? bitsOf(APFloat::getInf(format)) : nan;
    hasNegativeZero = APFloat::getZero(format, /*Negative=*/true).isNegative();
  }

  /// How far the mantissa moves to become that of an f32.
  int shift() const { return kMantissaOfF32 - mantissa; }
  /// What is added to the exponent to make it that of an f32.
  int64_t rebias() const {
    return int64_t(kBiasOfF32 - bias) << kMantissaOfF32;
  }
  /// The distance between subnormal numbers is 2 to the power of this.
  int smallestExponent() const { return 1 - bias - mantissa; }

  int mantissa, bias;
  /// The bits of numbers without a sign; NaN without it too where zero has a sign.
  int64_t largest, infinity, nan;
  bool hasInf, hasNegativeZero;
};

/// Makes ops on i32 and f32.
class Arithmetic {
public:
  Arithmetic(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  Value constant(int64_t number) {
    return arith::ConstantIntOp::create(builder, loc, number, 32);
  }
  Value constantFloat(double number) {
    return arith::ConstantFloatOp::create(builder, loc, builder.getF32Type(),
                                          APFloat(float(number)));
  }
  template <typename OpTy>
  Value apply(Value a, int64_t b) {
    return OpTy::create(builder, loc, a, constant(b));
  }
  template <typename OpTy>
  Value apply(Value a, Value b) {
    return OpTy::create(builder, loc, a, b);
  }
  Value compare(arith::CmpIPredicate predicate, Value a, int64_t b) {
    return arith::CmpIOp::create(builder, loc, predicate, a, constant(b));
  }
  Value select(Value condition, Value a, Value b) {
    return arith::SelectOp::create(builder, loc, condition, a, b);
  }
  Value asBits(Value value) {
    return arith::BitcastOp::create(builder, loc, builder.getI32Type(), value);
  }
  Value asFloat(Value bits) {
    return arith::BitcastOp::create(builder, loc, builder.getF32Type(), bits);
  }

  OpBuilder &builder;
  Location loc;
};

} // namespace

Value codegen::extendSmallFloat(OpBuilder &builder, Location loc, Value value) {
  Encoding format(value.getType());
  Arithmetic make(builder, loc);
  Type i8 = builder.getI8Type(), i32 = builder.getI32Type();
  Value byte = arith::BitcastOp::create(builder, loc, i8, value);
  Value bits = arith::ExtUIOp::create(builder, loc, i32, byte);
  Value size = make.apply<arith::AndIOp>(bits, 0x7f);
  Value sign = make.apply<arith::AndIOp>(bits, 0x80);
  Value moved = make.apply<arith::ShLIOp>(size, format.shift());
  Value normal = make.apply<arith::AddIOp>(moved, format.rebias());
  Value count =
      arith::UIToFPOp::create(builder, loc, builder.getF32Type(), size);
  Value subnormal = make.asBits(make.apply<arith::MulFOp>(
      count, make.constantFloat(std::ldexp(1.0, format.smallestExponent()))));
  Value isSubnormal = make.compare(arith::CmpIPredicate::ult, size,
                                   int64_t(1) << format.mantissa);
  Value result = make.select(isSubnormal, subnormal, normal);
  Value infinite = make.constant(0x7f800000), nan = make.constant(0x7fc00000);
  if (format.hasNegativeZero) {
    Value isNaN =
        make.compare(arith::CmpIPredicate::ugt, size,
                     format.hasInf ? format.infinity : format.largest);
    result = make.select(isNaN, nan, result);
  } else {
    result = make.select(
        make.compare(arith::CmpIPredicate::eq, bits, format.nan), nan, result);
  }
  if (format.hasInf)
    result = make.select(
        make.compare(arith::CmpIPredicate::eq, size, format.infinity), infinite,
        result);
  Value high = make.apply<arith::ShLIOp>(sign, 24);
  return make.asFloat(make.apply<arith::OrIOp>(result, high));
}

Value codegen::truncateToSmallFloat(OpBuilder &builder, Location loc,
                                    Value value, Type type) {
  Encoding format(type);
  Arithmetic make(builder, loc);
  Value bits = make.asBits(value);
  Value size = make.apply<arith::AndIOp>(bits, 0x7fffffff);
  // A normal number: half of what is cut off is added, less one bit for even numbers.
  Value last = make.apply<arith::AndIOp>(
      make.apply<arith::ShRUIOp>(size, format.shift()), 1);
  Value sum =
      make.apply<arith::AddIOp>(make.apply<arith::AddIOp>(size, last),
                                (int64_t(1) << (format.shift() - 1)) - 1);
  Value normal = make.apply<arith::ShRUIOp>(
      make.apply<arith::SubIOp>(sum, format.rebias()), format.shift());
  // A subnormal one: 2^23 and more has no fraction, so the addition rounds.
  Value scaled = make.apply<arith::MulFOp>(
      make.asFloat(size),
      make.constantFloat(std::ldexp(1.0, -format.smallestExponent())));
  Value rounded = make.asBits(make.apply<arith::AddFOp>(
      scaled, make.constantFloat(std::ldexp(1.0, kMantissaOfF32))));
  Value subnormal = make.apply<arith::SubIOp>(
      rounded, int64_t(kBiasOfF32 + kMantissaOfF32) << kMantissaOfF32);
  Value isSubnormal =
      make.compare(arith::CmpIPredicate::ult, size,
                   int64_t(kBiasOfF32 + 1 - format.bias) << kMantissaOfF32);
  Value result = make.select(isSubnormal, subnormal, normal);
  Value isTooLarge =
      make.compare(arith::CmpIPredicate::ugt, result, format.largest);
  result = make.select(isTooLarge, make.constant(format.infinity), result);
  Value isNaN = make.compare(arith::CmpIPredicate::ugt, size, 0x7f800000);
  result = make.select(isNaN, make.constant(format.nan), result);
  Value sign =
      make.apply<arith::AndIOp>(make.apply<arith::ShRUIOp>(bits, 24), 0x80);
  if (!format.hasNegativeZero)
    sign = make.select(make.compare(arith::CmpIPredicate::eq, result, 0),
                       make.constant(0), sign);
  result = make.apply<arith::OrIOp>(result, sign);
  Value byte =
      arith::TruncIOp::create(builder, loc, builder.getI8Type(), result);
  return arith::BitcastOp::create(builder, loc, type, byte);
}
