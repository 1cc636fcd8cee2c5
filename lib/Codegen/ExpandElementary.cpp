//===- ExpandElementary.cpp - exp, log, tanh and erf by arithmetic --------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions of libm keep LLVM from vectorising a loop, and vector libraries give an element
// other bits in a vector than in the rest of a loop. Here a function becomes additions,
// multiplications and selections, which LLVM vectorises as they are: an element has the same
// bits wherever it stands, on every processor, in the reference as on the grid.
//
// The arguments are reduced as in Cody and Waite, "Software Manual for the Elementary
// Functions" (1980). The coefficients are minimax fits of these polynomials in f64, rounded.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;
using namespace shard;
using namespace shard::codegen;

namespace {

/// Emits arithmetic on f32 and on the bits of f32.
class Emitter {
public:
  Emitter(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  Value real(float value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getF32FloatAttr(value));
  }
  Value bits(int32_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI32IntegerAttr(value));
  }
  Value add(Value a, Value b) {
    return arith::AddFOp::create(builder, loc, a, b);
  }
  Value subtract(Value a, Value b) {
    return arith::SubFOp::create(builder, loc, a, b);
  }
  Value multiply(Value a, Value b) {
    return arith::MulFOp::create(builder, loc, a, b);
  }
  Value divide(Value a, Value b) {
    return arith::DivFOp::create(builder, loc, a, b);
  }
  Value isLess(Value a, Value b) {
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, a, b);
  }
  Value isEqual(Value a, Value b) {
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, a, b);
  }
  Value choose(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(builder, loc, condition, yes, no);
  }
  Value magnitude(Value x) { return asReal(maskBits(asBits(x), 0x7fffffff)); }
  /// The positive `x` with the sign of `sign`.
  Value withSignOf(Value x, Value sign) {
    Value bit = maskBits(asBits(sign), std::numeric_limits<int32_t>::min());
    return asReal(arith::OrIOp::create(builder, loc, asBits(x), bit));
  }
  Value asBits(Value x) {
    return arith::BitcastOp::create(builder, loc, builder.getI32Type(), x);
  }
  Value asReal(Value x) {
    return arith::BitcastOp::create(builder, loc, builder.getF32Type(), x);
  }
  Value toReal(Value integer) {
    return arith::SIToFPOp::create(builder, loc, builder.getF32Type(), integer);
  }
  Value addBits(Value a, Value b) {
    return arith::AddIOp::create(builder, loc, a, b);
  }
  Value subtractBits(Value a, Value b) {
    return arith::SubIOp::create(builder, loc, a, b);
  }
  Value maskBits(Value a, int32_t mask) {
    return arith::AndIOp::create(builder, loc, a, bits(mask));
  }
  Value shiftRight(Value a, int32_t count) {
    return arith::ShRSIOp::create(builder, loc, a, bits(count));
  }
  Value shiftLeft(Value a, int32_t count) {
    return arith::ShLIOp::create(builder, loc, a, bits(count));
  }
  /// The polynomial with these coefficients, the constant first.
  Value polynomial(Value x, ArrayRef<float> coefficients) {
    Value sum = real(coefficients.back());
    for (float coefficient : llvm::reverse(coefficients.drop_back()))
      sum = add(multiply(sum, x), real(coefficient));
    return sum;
  }

private:
  OpBuilder &builder;
  Location loc;
};

/// ln(2) in two parts. The products of the first and of exponents are exact.
constexpr float kLn2High = 0.693359375f, kLn2Low = -2.12194440e-4f;
/// A number whose last bit is worth 1: added to x, it rounds x to an integer.
constexpr float kRounder = 12582912.0f;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// 2 to the power of the integer `exponent`.
Value powerOfTwo(Emitter &e, Value exponent) {
  return e.asReal(e.shiftLeft(e.addBits(exponent, e.bits(127)), 23));
}

/// exp(x) as exp(r) * 2^n with |r| <= ln(2) / 2. Comparisons with NaN are false, so that NaN
/// goes through all steps. Exponents are scaled in two steps, because 2^n may be no f32 where
/// the result is one.
Value expandExp(Emitter &e, Value x) {
  Value lowest = e.real(-104.0f), highest = e.real(89.0f);
  x = e.choose(e.isLess(x, lowest), lowest, x);
  x = e.choose(e.isLess(highest, x), highest, x);
  Value rounder = e.real(kRounder);
  Value shifted = e.add(e.multiply(x, e.real(1.44269504f)), rounder);
  Value n = e.subtract(shifted, rounder);
  Value r = e.subtract(e.subtract(x, e.multiply(n, e.real(kLn2High))),
                       e.multiply(n, e.real(kLn2Low)));
  Value q = e.polynomial(
      r, {0.5f, 0.166665196f, 0.0416684039f, 0.00836889911f, 0.00138142216f});
  Value p = e.add(e.add(r, e.multiply(e.multiply(r, r), q)), e.real(1.0f));
  Value exponent = e.subtractBits(e.asBits(shifted), e.asBits(rounder));
  Value half = e.shiftRight(exponent, 1);
  Value scaled = e.multiply(p, powerOfTwo(e, half));
  return e.multiply(scaled, powerOfTwo(e, e.subtractBits(exponent, half)));
}

/// log(x) as log(1 + f) + n * ln(2) with 1 + f between sqrt(1/2) and sqrt(2).
Value expandLog(Emitter &e, Value x) {
  Value zero = e.real(0.0f), infinity = e.real(kInfinity);
  // The bits of numbers below the least normal one do not hold the exponent.
  Value isSmall = e.isLess(x, e.real(std::numeric_limits<float>::min()));
  Value normal = e.choose(isSmall, e.multiply(x, e.real(0x1p23f)), x);
  int32_t rootOfHalf = 0x3f3504f3;
  Value place = e.subtractBits(e.asBits(normal), e.bits(rootOfHalf));
  Value n = e.toReal(e.shiftRight(place, 23));
  n = e.subtract(n, e.choose(isSmall, e.real(23.0f), zero));
  Value onePlusF =
      e.asReal(e.addBits(e.maskBits(place, 0x7fffff), e.bits(rootOfHalf)));
  Value f = e.subtract(onePlusF, e.real(1.0f));
  // log(1 + f) is f - f^2 / 2 + s * (f^2 / 2 + P(s^2)) with s = f / (2 + f).
  Value s = e.divide(f, e.add(e.real(2.0f), f));
  Value z = e.multiply(s, s), w = e.multiply(z, z);
  Value odd = e.multiply(
      z, e.add(e.multiply(w, e.real(0.295820147f)), e.real(0.666666865f)));
  Value p = e.add(odd, e.multiply(w, e.real(0.399887204f)));
  Value half = e.multiply(e.multiply(e.real(0.5f), f), f);
  Value sum =
      e.add(e.multiply(s, e.add(half, p)), e.multiply(n, e.real(kLn2Low)));
  sum = e.subtract(e.multiply(n, e.real(kLn2High)),
                   e.subtract(e.subtract(half, sum), f));
  sum = e.choose(e.isEqual(x, infinity), infinity, sum);
  Value others = e.choose(e.isEqual(x, zero), e.real(-kInfinity),
                          e.real(std::numeric_limits<float>::quiet_NaN()));
  return e.choose(e.isLess(zero, x), sum, others);
}

/// Where tanh(x) is small, x + x^3 * P(x^2); else 1 - 2 / (exp(2 |x|) + 1).
Value expandTanh(Emitter &e, Value x) {
  Value square = e.multiply(x, x), size = e.magnitude(x);
  Value p =
      e.polynomial(square, {-0.333333313f, 0.133332103f, -0.0539472029f,
                            0.0217029694f, -0.00818267744f, 0.00214753975f});
  Value small = e.add(x, e.multiply(e.multiply(x, square), p));
  Value highest = e.real(10.0f), one = e.real(1.0f);
  Value bounded = e.choose(e.isLess(highest, size), highest, size);
  Value power = expandExp(e, e.add(bounded, bounded));
  Value large = e.subtract(one, e.divide(e.real(2.0f), e.add(power, one)));
  return e.choose(e.isLess(size, e.real(0.625f)), small,
                  e.withSignOf(large, x));
}

/// Where erf(x) is small, x + x * P(x^2); else 1 - exp(-t - t * Q(t)) with t = |x|.
Value expandErf(Emitter &e, Value x) {
  Value square = e.multiply(x, x), size = e.magnitude(x);
  Value p = e.polynomial(square, {0.128379166f, -0.376126349f, 0.112836942f,
                                  -0.0268592704f, 0.00520063424f,
                                  -0.000813743798f, 8.34522725e-05f});
  Value small = e.add(x, e.multiply(x, p));
  Value highest = e.real(4.0f);
  Value t = e.choose(e.isLess(highest, size), highest, size);
  Value q = e.polynomial(t, {0.12854144f, 0.635673165f, 0.105169483f,
                             -0.0225756038f, 0.00286911381f, -2.7432463e-05f,
                             -4.99410271e-05f, 5.29704812e-06f});
  Value exponent = e.add(t, e.multiply(t, q));
  Value power = expandExp(e, e.subtract(e.real(-0.0f), exponent));
  Value large = e.subtract(e.real(1.0f), power);
  return e.choose(e.isLess(size, e.real(0.9277f)), small,
                  e.withSignOf(large, x));
}

} // namespace

void codegen::expandElementary(ModuleOp module) {
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (isa<math::ExpOp, math::LogOp, math::TanhOp, math::ErfOp>(op) &&
        op->getResult(0).getType().isF32())
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    OpBuilder builder(op);
    Emitter emitter(builder, op->getLoc());
    auto expand = isa<math::ExpOp>(op)    ? expandExp
                  : isa<math::LogOp>(op)  ? expandLog
                  : isa<math::TanhOp>(op) ? expandTanh
                                          : expandErf;
    op->getResult(0).replaceAllUsesWith(expand(emitter, op->getOperand(0)));
    op->erase();
  }
}
