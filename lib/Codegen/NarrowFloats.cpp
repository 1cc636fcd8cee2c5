//===- NarrowFloats.cpp - Arithmetic of narrow floats in f32 --------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "SmallFloats.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace shard;
using namespace shard::codegen;

/// Whether a conversion from and to `type` is integer arithmetic.
static bool isExpanded(Type type) {
  return type.isBF16() || isSmallFloat(type);
}

static bool isNarrow(Type type) { return type.isF16() || isExpanded(type); }

// Not by MLIR's populateExpandBFloat16Patterns: it leaves conversions between bf16 and
// floats other than f32 as they are, and makes one NaN of all.

/// bf16 -> f32: the bits move up.
static Value extendBfloat(OpBuilder &builder, Location loc, Value value) {
  Type i16 = builder.getI16Type(), i32 = builder.getI32Type();
  Value bits = arith::BitcastOp::create(builder, loc, i16, value);
  Value wide = arith::ExtUIOp::create(builder, loc, i32, bits);
  Value sixteen = arith::ConstantIntOp::create(builder, loc, 16, 32);
  Value shifted = arith::ShLIOp::create(builder, loc, wide, sixteen);
  return arith::BitcastOp::create(builder, loc, builder.getF32Type(), shifted);
}

/// f32 -> bf16, to nearest, ties to even; NaN stays NaN.
static Value truncateToBfloat(OpBuilder &builder, Location loc, Value value) {
  Type i16 = builder.getI16Type(), i32 = builder.getI32Type();
  auto constant = [&](int64_t number) -> Value {
    return arith::ConstantIntOp::create(builder, loc, number, 32);
  };
  Value bits = arith::BitcastOp::create(builder, loc, i32, value);
  Value high = arith::ShRUIOp::create(builder, loc, bits, constant(16));
  Value odd = arith::AndIOp::create(builder, loc, high, constant(1));
  Value bias = arith::AddIOp::create(builder, loc, odd, constant(0x7fff));
  Value sum = arith::AddIOp::create(builder, loc, bits, bias);
  Value rounded = arith::ShRUIOp::create(builder, loc, sum, constant(16));
  Value quiet = arith::OrIOp::create(builder, loc, high, constant(0x40));
  Value isNaN = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO,
                                      value, value);
  Value result = arith::SelectOp::create(builder, loc, isNaN, quiet, rounded);
  Value narrow = arith::TruncIOp::create(builder, loc, i16, result);
  return arith::BitcastOp::create(builder, loc, builder.getBF16Type(), narrow);
}

static Value toF32(OpBuilder &builder, Location loc, Value value) {
  if (value.getType().isBF16())
    return extendBfloat(builder, loc, value);
  if (isSmallFloat(value.getType()))
    return extendSmallFloat(builder, loc, value);
  return arith::ExtFOp::create(builder, loc, builder.getF32Type(), value);
}

static Value fromF32(OpBuilder &builder, Location loc, Value value, Type type) {
  if (type.isBF16())
    return truncateToBfloat(builder, loc, value);
  if (isSmallFloat(type))
    return truncateToSmallFloat(builder, loc, value, type);
  return arith::TruncFOp::create(builder, loc, type, value);
}

/// f64 -> f32, to odd: of the two neighbours of an inexact value the one whose last bit
/// is set. Rounded further to a type with two bits less or fewer, it gives what
/// rounding the f64 once gives (Boldo and Melquiond, "When double rounding is odd",
/// 2005).
static Value truncateToOdd(OpBuilder &builder, Location loc, Value value) {
  Type f32 = builder.getF32Type(), i32 = builder.getI32Type();
  auto constant = [&](int64_t number) -> Value {
    return arith::ConstantIntOp::create(builder, loc, number, 32);
  };
  auto compare = [&](arith::CmpFPredicate predicate, Value a, Value b) {
    return arith::CmpFOp::create(builder, loc, predicate, a, b).getResult();
  };
  Value nearest = arith::TruncFOp::create(builder, loc, f32, value);
  Value back = arith::ExtFOp::create(builder, loc, value.getType(), nearest);
  Value size = math::AbsFOp::create(builder, loc, value);
  Value nearestSize = math::AbsFOp::create(builder, loc, back);
  // Neither is true of NaN.
  Value isTooLarge = compare(arith::CmpFPredicate::OGT, nearestSize, size);
  Value isInexact = compare(arith::CmpFPredicate::ONE, nearestSize, size);
  Value bits = arith::BitcastOp::create(builder, loc, i32, nearest);
  Value below = arith::SubIOp::create(builder, loc, bits, constant(1));
  Value down = arith::SelectOp::create(builder, loc, isTooLarge, below, bits);
  Value odd = arith::OrIOp::create(builder, loc, down, constant(1));
  Value result = arith::SelectOp::create(builder, loc, isInexact, odd, bits);
  return arith::BitcastOp::create(builder, loc, f32, result);
}

/// arith.extf and arith.truncf from or to a type without conversions in LLVM that are
/// the same on every machine.
static void expandConversion(Operation *op) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  Value source = op->getOperand(0);
  Type type = op->getResult(0).getType();
  Type f32 = builder.getF32Type();
  Value result;
  if (isa<arith::ExtFOp>(op)) {
    if (!isExpanded(source.getType()))
      return;
    result = toF32(builder, loc, source);
    if (isNarrow(type))
      result = fromF32(builder, loc, result, type);
    else if (type != f32)
      result = arith::ExtFOp::create(builder, loc, type, result);
  } else {
    if (!isExpanded(type))
      return;
    if (source.getType() != f32)
      source = source.getType().getIntOrFloatBitWidth() > 32
                   ? truncateToOdd(builder, loc, source)
                   : toF32(builder, loc, source);
    result = fromF32(builder, loc, source, type);
  }
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}

/// `value`, an i64, with what f64 cannot hold gathered in one bit, if that is needed:
/// to round it to a narrow type, it is enough to know whether low bits are set.
static Value gatherLowBits(OpBuilder &builder, Location loc, Value value,
                           bool isSigned) {
  auto constant = [&](int64_t number) -> Value {
    return arith::ConstantIntOp::create(builder, loc, number, 64);
  };
  constexpr int64_t kExact = int64_t(1) << 53, kLow = (1 << 12) - 1;
  Value shifted = value, limit = constant(kExact);
  if (isSigned) {
    shifted = arith::AddIOp::create(builder, loc, value, limit);
    limit = constant(2 * kExact);
  }
  Value isExact = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                        shifted, limit);
  Value low = arith::AndIOp::create(builder, loc, value, constant(kLow));
  Value any = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, low,
                                    constant(0));
  Value bit = arith::SelectOp::create(builder, loc, any,
                                      constant((kLow + 1) / 2), constant(0));
  Value high = arith::AndIOp::create(builder, loc, value, constant(~kLow));
  Value gathered = arith::OrIOp::create(builder, loc, high, bit);
  return arith::SelectOp::create(builder, loc, isExact, value, gathered);
}

/// arith.sitofp and arith.uitofp from integers that f32 does not hold to a narrow
/// type, rounded once. Returns whether it was one.
static bool expandIntConversion(Operation *op) {
  if (!isa<arith::SIToFPOp, arith::UIToFPOp>(op))
    return false;
  Value source = op->getOperand(0);
  unsigned width = source.getType().getIntOrFloatBitWidth();
  if (width <= 24 || width > 64)
    return false;
  OpBuilder builder(op);
  Location loc = op->getLoc();
  Type type = op->getResult(0).getType();
  bool isSigned = isa<arith::SIToFPOp>(op);
  if (width > 53) {
    Type i64 = builder.getI64Type();
    if (width < 64 && isSigned)
      source = arith::ExtSIOp::create(builder, loc, i64, source);
    else if (width < 64)
      source = arith::ExtUIOp::create(builder, loc, i64, source);
    source = gatherLowBits(builder, loc, source, isSigned);
  }
  Type f64 = builder.getF64Type();
  Value wide;
  if (isSigned)
    wide = arith::SIToFPOp::create(builder, loc, f64, source);
  else
    wide = arith::UIToFPOp::create(builder, loc, f64, source);
  Value odd = truncateToOdd(builder, loc, wide);
  op->getResult(0).replaceAllUsesWith(fromF32(builder, loc, odd, type));
  op->erase();
  return true;
}

/// math.copysign of bf16, on the bits: LLVM 22 loses the sign where a number that is
/// converted to bf16 has the magnitude of one number and the sign bit of another, put
/// together by masks or by llvm.copysign. Returns whether it was one.
static bool expandCopySign(Operation *op) {
  Type type = op->getResult(0).getType();
  if (!isa<math::CopySignOp>(op) || !type.isBF16())
    return false;
  OpBuilder builder(op);
  Location loc = op->getLoc();
  Type i16 = builder.getI16Type();
  auto constant = [&](int64_t number) -> Value {
    return arith::ConstantIntOp::create(builder, loc, number, 16);
  };
  Value bits = arith::BitcastOp::create(builder, loc, i16, op->getOperand(0));
  Value sign = arith::BitcastOp::create(builder, loc, i16, op->getOperand(1));
  Value positive = arith::AndIOp::create(builder, loc, bits, constant(0x7fff));
  Value negative = arith::OrIOp::create(builder, loc, bits, constant(-0x8000));
  Value isNegative = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::slt, sign, constant(0));
  Value result =
      arith::SelectOp::create(builder, loc, isNegative, negative, positive);
  op->getResult(0).replaceAllUsesWith(
      arith::BitcastOp::create(builder, loc, type, result));
  op->erase();
  return true;
}

void codegen::expandNarrowFloats(ModuleOp module) {
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (!isa_and_present<arith::ArithDialect, math::MathDialect>(
            op->getDialect()) ||
        isa<arith::ConstantOp, arith::BitcastOp, arith::SelectOp>(op))
      return;
    if (llvm::any_of(op->getOperandTypes(), isNarrow) ||
        llvm::any_of(op->getResultTypes(), isNarrow))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    if (isa<arith::ExtFOp, arith::TruncFOp>(op)) {
      expandConversion(op);
      continue;
    }
    if (expandIntConversion(op) || expandCopySign(op))
      continue;
    OpBuilder builder(op);
    Location loc = op->getLoc();
    for (OpOperand &operand : op->getOpOperands())
      if (isNarrow(operand.get().getType()))
        operand.set(toF32(builder, loc, operand.get()));
    builder.setInsertionPointAfter(op);
    for (Value result : op->getResults()) {
      Type type = result.getType();
      if (!isNarrow(type))
        continue;
      result.setType(builder.getF32Type());
      // Uses after the conversion, which reads the wide result itself.
      SmallVector<OpOperand *> uses;
      for (OpOperand &use : result.getUses())
        uses.push_back(&use);
      Value narrow = fromF32(builder, loc, result, type);
      for (OpOperand *use : uses)
        use->set(narrow);
    }
  }
}
