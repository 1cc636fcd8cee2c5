//===- Commuting.cpp - Scalar ops that commute with reductions ------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commuting.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace shard {

/// The float that `value` is, or that each of its elements is, if that is known.
static std::optional<APFloat> knownFloat(Value value) {
  Attribute constant;
  if (!matchPattern(value, m_Constant(&constant)))
    return std::nullopt;
  if (auto splat = dyn_cast<SplatElementsAttr>(constant))
    constant = splat.getSplatValue<Attribute>();
  auto number = dyn_cast<FloatAttr>(constant);
  return number ? std::optional<APFloat>(number.getValue()) : std::nullopt;
}

/// Whether what is too large or too small for `type` becomes infinite, instead of NaN.
static bool hasInfinity(Type type) {
  auto element = cast<FloatType>(getElementTypeOrSelf(type));
  return APFloat::semanticsHasInf(element.getFloatSemantics());
}

/// Whether `op`, of floats, never falls as operand `operand` rises, and gives NaN for NaN.
static bool isMonotoneOfFloats(Operation *op, unsigned operand) {
  // Infinities of both signs would add up to NaN, and so would zero times infinity.
  auto isFinite = [&](unsigned other, bool positive) {
    std::optional<APFloat> number = knownFloat(op->getOperand(other));
    return number && number->isFinite() &&
           (!positive || (!number->isNegative() && !number->isZero()));
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<arith::ExtFOp, math::CeilOp, math::FloorOp, math::RoundOp,
            math::RoundEvenOp, math::TruncOp, arith::MaximumFOp,
            arith::MinimumFOp>([](auto) { return true; })
      .Case([](arith::TruncFOp op) { return hasInfinity(op.getType()); })
      .Case<arith::AddFOp>([&](auto) { return isFinite(1 - operand, false); })
      .Case<arith::SubFOp>(
          [&](auto) { return operand == 0 && isFinite(1, false); })
      .Case<arith::MulFOp>([&](auto) { return isFinite(1 - operand, true); })
      .Case<arith::DivFOp>(
          [&](auto) { return operand == 0 && isFinite(1, true); })
      .Default(false);
}

/// Whether `op`, of integers, never falls as operand `operand` rises, both read as signed
/// ones or as unsigned ones.
static bool isMonotoneOfIntegers(Operation *op, bool isSigned) {
  if (auto conversion = dyn_cast<arith::SIToFPOp>(op))
    return isSigned && hasInfinity(conversion.getType());
  if (isSigned)
    return isa<arith::ExtSIOp, arith::MaxSIOp, arith::MinSIOp>(op);
  return isa<arith::ExtUIOp, arith::MaxUIOp, arith::MinUIOp>(op);
}

/// Whether `op`, of integers, gives bits of its result from bits at other places, or at the
/// same, of operand `operand`, unchanged or combined with bits of the other operand.
static bool worksOnBits(Operation *op, ReductionKind kind, unsigned operand) {
  if (isa<arith::TruncIOp, arith::ExtSIOp, arith::ExtUIOp>(op))
    return true;
  if (isa<arith::ShLIOp, arith::ShRUIOp, arith::ShRSIOp>(op))
    return operand == 0;
  // `and` distributes over all three, `or` over `and` and over itself.
  return isa<arith::AndIOp>(op) ||
         (isa<arith::OrIOp>(op) && kind != ReductionKind::BitwiseXor);
}

/// Whether `op` promises something of its operands, which need not be true of the operands
/// of each device.
static bool promises(Operation *op) {
  if (auto flags = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op))
    if (flags.hasNoSignedWrap() || flags.hasNoUnsignedWrap())
      return true;
  if (auto shift = dyn_cast<arith::ShRUIOp>(op))
    return shift.getIsExact();
  if (auto shift = dyn_cast<arith::ShRSIOp>(op))
    return shift.getIsExact();
  return false;
}

/// Whether `op` adds zero to operand `operand`, as sums do that begin with it, or takes it away.
static bool addsZero(Operation *op, unsigned operand) {
  if (!isa<arith::AddFOp, arith::AddIOp>(op) &&
      !(isa<arith::SubFOp, arith::SubIOp>(op) && operand == 0))
    return false;
  Value other = op->getOperand(1 - operand);
  return matchPattern(other, m_AnyZeroFloat()) || matchPattern(other, m_Zero());
}

bool commutesWithReduction(Operation *op, ReductionKind kind,
                           unsigned operand) {
  if (op->getNumResults() != 1 || promises(op))
    return false;
  bool isFloat =
      isa<FloatType>(getElementTypeOrSelf(op->getOperand(operand).getType()));
  // Reduced with themselves, values stay what they are under these kinds: it does not matter
  // which ones the condition, the same everywhere, takes.
  if (isa<arith::SelectOp>(op))
    return operand > 0 && kind != ReductionKind::Sum &&
           kind != ReductionKind::Product && kind != ReductionKind::Average &&
           kind != ReductionKind::BitwiseXor && kind != ReductionKind::Generic;
  switch (kind) {
  case ReductionKind::Max:
  case ReductionKind::Min:
    return isFloat ? isMonotoneOfFloats(op, operand)
                   : isMonotoneOfIntegers(op, /*isSigned=*/true);
  case ReductionKind::UMax:
  case ReductionKind::UMin:
    return isMonotoneOfIntegers(op, /*isSigned=*/false);
  case ReductionKind::BitwiseAnd:
  case ReductionKind::BitwiseOr:
  case ReductionKind::BitwiseXor:
    return !isFloat && worksOnBits(op, kind, operand);
  case ReductionKind::Sum:
    if (addsZero(op, operand))
      return true;
    return !isFloat && (isa<arith::TruncIOp>(op) ||
                        (isa<arith::ShLIOp>(op) && operand == 0));
  case ReductionKind::Product:
    return isa<arith::TruncIOp>(op);
  case ReductionKind::Average:
  case ReductionKind::Generic:
    return false;
  }
  return false;
}

} // namespace shard
