//===- NumberReductions.cpp - Maxima and minima that skip NaN ------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NumberReductions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace shard;
using namespace shard::codegen;

/// The flags with which LLVM vectorises these ops correctly. The sign of a zero is
/// free in them.
static constexpr arith::FastMathFlags numbersOnly =
    arith::FastMathFlags::nnan | arith::FastMathFlags::nsz;

static bool isNumberOp(Operation *op) {
  return isa_and_nonnull<arith::MaxNumFOp, arith::MinNumFOp>(op);
}

static Value makeNumberOp(OpBuilder &builder, Location loc, bool isMax, Value a,
                          Value b) {
  if (isMax)
    return arith::MaxNumFOp::create(builder, loc, a, b);
  return arith::MinNumFOp::create(builder, loc, a, b);
}

static Value makeFloat(OpBuilder &builder, Location loc, FloatType type,
                       const APFloat &value) {
  return arith::ConstantOp::create(builder, loc, FloatAttr::get(type, value));
}

/// The infinity that changes no maximum (or minimum).
static Value makeNeutral(OpBuilder &builder, Location loc, FloatType type,
                         bool isMax) {
  return makeFloat(builder, loc, type,
                   APFloat::getInf(type.getFloatSemantics(), isMax));
}

/// `element`, or the infinity that changes no maximum (or minimum) if it is NaN. LLVM would
/// move a selection behind the maximum, and then not vectorise the reduction. Its own maximum
/// of two numbers stays, and ignores NaN where it is no reduction. It has no narrow types.
static Value replaceNaN(OpBuilder &builder, Location loc, bool isMax,
                        Value element, Value isNumber) {
  auto type = cast<FloatType>(element.getType());
  Value neutral = makeNeutral(builder, loc, type, isMax);
  if (!type.isF32() && !type.isF64())
    return arith::SelectOp::create(builder, loc, isNumber, element, neutral);
  if (isMax)
    return LLVM::MaxNumOp::create(builder, loc, element, neutral);
  return LLVM::MinNumOp::create(builder, loc, element, neutral);
}

NumberReductions::NumberReductions(linalg::LinalgOp op) {
  Operation *yield = op.getBlock()->getTerminator();
  for (auto [number, output] : llvm::enumerate(op.getRegionOutputArgs())) {
    Operation *combiner = yield->getOperand(number).getDefiningOp();
    if (isNumberOp(combiner) && combiner->getBlock() == op.getBlock() &&
        isa<FloatType>(output.getType()) && combiner->hasOneUse() &&
        output.hasOneUse() && *output.user_begin() == combiner)
      reductions.push_back({unsigned(number), isa<arith::MaxNumFOp>(combiner),
                            cast<FloatType>(output.getType())});
  }
}

SmallVector<Value> NumberReductions::begin(OpBuilder &builder, Location loc,
                                           ArrayRef<Value> outputs) const {
  SmallVector<Value> carried(outputs);
  for (const Reduction &reduction : reductions) {
    carried[reduction.output] =
        makeNeutral(builder, loc, reduction.type, reduction.isMax);
    carried.push_back(arith::ConstantIntOp::create(builder, loc, 0, 1));
  }
  return carried;
}

void NumberReductions::step(OpBuilder &builder, Location loc,
                            ArrayRef<Value> carried,
                            SmallVector<Value> &results) const {
  size_t flag = results.size();
  for (const Reduction &reduction : reductions) {
    Operation *combiner = results[reduction.output].getDefiningOp();
    Value accumulator = carried[reduction.output];
    unsigned other = combiner->getOperand(0) == accumulator ? 1 : 0;
    Value element = combiner->getOperand(other);
    Value isNumber = arith::CmpFOp::create(
        builder, loc, arith::CmpFPredicate::ORD, element, element);
    Value chosen = replaceNaN(builder, loc, reduction.isMax, element, isNumber);
    // Neither is NaN, and of two zeros the positive one is larger.
    if (reduction.isMax)
      results[reduction.output] = arith::MaximumFOp::create(
          builder, loc, accumulator, chosen, arith::FastMathFlags::nnan);
    else
      results[reduction.output] = arith::MinimumFOp::create(
          builder, loc, accumulator, chosen, arith::FastMathFlags::nnan);
    combiner->erase();
    results.push_back(
        arith::OrIOp::create(builder, loc, carried[flag++], isNumber));
  }
}

SmallVector<Value> NumberReductions::end(OpBuilder &builder, Location loc,
                                         ArrayRef<Value> outputs,
                                         ArrayRef<Value> carried) const {
  SmallVector<Value> results(carried.take_front(outputs.size()));
  size_t flag = outputs.size();
  for (const Reduction &reduction : reductions) {
    Value none = makeFloat(builder, loc, reduction.type,
                           APFloat::getNaN(reduction.type.getFloatSemantics()));
    Value &result = results[reduction.output];
    result =
        arith::SelectOp::create(builder, loc, carried[flag++], result, none);
    result = makeNumberOp(builder, loc, reduction.isMax,
                          outputs[reduction.output], result);
  }
  return results;
}

/// Whether a is the maximum (or minimum) of the numbers a and b: false if one is NaN. Of two
/// zeros the positive one is larger, so that the result does not depend on the order, which
/// canonicalization changes.
static Value isChosen(OpBuilder &builder, Location loc, bool isMax, Value a,
                      Value b) {
  Type bits = builder.getIntegerType(a.getType().getIntOrFloatBitWidth());
  auto compare = [&](arith::CmpFPredicate predicate) {
    return arith::CmpFOp::create(builder, loc, predicate, a, b);
  };
  Value isMore =
      compare(isMax ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT);
  Value hasOtherSign = arith::CmpIOp::create(
      builder, loc,
      isMax ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::slt,
      arith::BitcastOp::create(builder, loc, bits, a),
      arith::BitcastOp::create(builder, loc, bits, b));
  Value isZero = arith::AndIOp::create(
      builder, loc, compare(arith::CmpFPredicate::OEQ), hasOtherSign);
  return arith::OrIOp::create(builder, loc, isMore, isZero);
}

void codegen::expandNumberOps(Operation *root) {
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) {
    if (isNumberOp(op) && isa<FloatType>(op->getResult(0).getType()) &&
        !arith::bitEnumContainsAll(cast<arith::ArithFastMathInterface>(op)
                                       .getFastMathFlagsAttr()
                                       .getValue(),
                                   numbersOnly))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    OpBuilder builder(op);
    Location loc = op->getLoc();
    Value a = op->getOperand(0), b = op->getOperand(1);
    // If a is NaN, this is false and gives b.
    Value isFirst = isChosen(builder, loc, isa<arith::MaxNumFOp>(op), a, b);
    Value chosen = arith::SelectOp::create(builder, loc, isFirst, a, b);
    Value isNaN =
        arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO, b, b);
    op->getResult(0).replaceAllUsesWith(
        arith::SelectOp::create(builder, loc, isNaN, a, chosen));
    op->erase();
  }
}
