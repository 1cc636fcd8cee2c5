//===- ExpandMath.cpp - math ops that nothing else lowers ----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "Workarounds/NumberReductions.h"

#include "mlir/Conversion/ComplexToStandard/ComplexToStandard.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;
using namespace shard;
using namespace shard::codegen;

/// math.isinf and math.isnormal of a scalar as comparisons of its magnitude.
static Value expandClass(OpBuilder &builder, Operation *op) {
  Location loc = op->getLoc();
  Value operand = op->getOperand(0);
  auto type = cast<FloatType>(operand.getType());
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  auto constant = [&](const APFloat &value) -> Value {
    return arith::ConstantOp::create(builder, loc, FloatAttr::get(type, value));
  };
  Value magnitude = math::AbsFOp::create(builder, loc, operand);
  Value infinity = constant(APFloat::getInf(semantics));
  if (isa<math::IsInfOp>(op))
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ,
                                 magnitude, infinity);
  Value least = constant(APFloat::getSmallestNormalized(semantics));
  Value large = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGE,
                                      magnitude, least);
  Value finite = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT,
                                       magnitude, infinity);
  return arith::AndIOp::create(builder, loc, large, finite);
}

/// math.ipowi of scalars by repeated squaring, one step per bit of the exponent.
/// A negative exponent leaves something of 1 and -1 only; of 0, where the power
/// is not defined, it makes 0.
static Value expandPower(OpBuilder &builder, math::IPowIOp op) {
  Location loc = op.getLoc();
  Type type = op.getType();
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(
        builder, loc,
        builder.getIntegerAttr(type, APInt(width, value, /*isSigned=*/true,
                                           /*implicitTrunc=*/true)));
  };
  auto isEqual = [&](Value a, Value b) -> Value {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, a, b);
  };
  auto choose = [&](Value condition, Value yes, Value no) -> Value {
    return arith::SelectOp::create(builder, loc, condition, yes, no);
  };
  Value base = op.getLhs(), exponent = op.getRhs();
  Value zero = constant(0), one = constant(1), minusOne = constant(-1);
  Value begin = arith::ConstantIndexOp::create(builder, loc, 0);
  Value end = arith::ConstantIndexOp::create(builder, loc, width);
  Value step = arith::ConstantIndexOp::create(builder, loc, 1);
  auto loop = scf::ForOp::create(builder, loc, begin, end, step,
                                 ValueRange{one, base, exponent});
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value power = loop.getRegionIterArg(0), square = loop.getRegionIterArg(1),
          rest = loop.getRegionIterArg(2);
    Value bit = arith::AndIOp::create(builder, loc, rest, one);
    Value product = arith::MulIOp::create(builder, loc, power, square);
    Value next = choose(isEqual(bit, one), product, power);
    Value squared = arith::MulIOp::create(builder, loc, square, square);
    Value shifted = arith::ShRUIOp::create(builder, loc, rest, one);
    scf::YieldOp::create(builder, loc, ValueRange{next, squared, shifted});
  }
  if (width == 1)
    return loop.getResult(0);
  Value isNegative = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::slt, exponent, zero);
  Value odd = isEqual(arith::AndIOp::create(builder, loc, exponent, one), one);
  Value ofMinusOne = choose(odd, minusOne, one);
  Value reciprocal = choose(isEqual(base, one), one,
                            choose(isEqual(base, minusOne), ofMinusOne, zero));
  return choose(isNegative, reciprocal, loop.getResult(0));
}

/// Makes each math.sincos a sine and a cosine. As one op it would become LLVM's intrinsic
/// with two results, which the pass VectorCombine of LLVM 22.1.8 crashes on.
static void splitSineAndCosine(ModuleOp module) {
  module.walk([](math::SincosOp op) {
    OpBuilder builder(op);
    Value sine = math::SinOp::create(builder, op.getLoc(), op.getOperand(),
                                     op.getFastmath());
    Value cosine = math::CosOp::create(builder, op.getLoc(), op.getOperand(),
                                       op.getFastmath());
    op->replaceAllUsesWith(ValueRange{sine, cosine});
    op->erase();
  });
}

/// Functions of complex numbers become those of their parts. LLVM has none for them.
static void expandComplex(ModuleOp module) {
  MLIRContext *context = module.getContext();
  ConversionTarget target(*context);
  target.addIllegalOp<
      complex::AngleOp, complex::Atan2Op, complex::ConjOp, complex::CosOp,
      complex::EqualOp, complex::ExpOp, complex::Expm1Op, complex::Log1pOp,
      complex::LogOp, complex::NegOp, complex::NotEqualOp, complex::PowOp,
      complex::PowiOp, complex::RsqrtOp, complex::SignOp, complex::SinOp,
      complex::SqrtOp, complex::TanOp, complex::TanhOp>();
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  bool any = false;
  module.walk([&](Operation *op) { any |= target.isIllegal(op); });
  if (!any)
    return;
  RewritePatternSet patterns(context);
  populateComplexToStandardConversionPatterns(patterns);
  // What is left is an error of the conversion to LLVM.
  (void)applyPartialConversion(module, target, std::move(patterns));
}

void codegen::expandMath(ModuleOp module) {
  expandComplex(module);
  expandNumberOps(module);
  splitSineAndCosine(module);
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (isa<math::IsInfOp, math::IsNormalOp, math::IPowIOp>(op) &&
        !isa<ShapedType>(op->getOperand(0).getType()))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    OpBuilder builder(op);
    auto power = dyn_cast<math::IPowIOp>(op);
    Value value =
        power ? expandPower(builder, power) : expandClass(builder, op);
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
  }
}
