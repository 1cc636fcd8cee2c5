//===- NarrowProducts.cpp - High parts of products of small integers ------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fault: on x86-64, LLVM 22.1.8 makes a vector of i16 of a product of integers of 16 bits, which
// was computed in more than 32 bits, shifted right and truncated, by pmulhw or pmulhuw and a
// shift of 16 bits. The sign beyond bit 31 is lost, and a shift by 32 or more gives anything
// (test/Codegen/Workarounds/narrow-products.test).
//
// Workaround: such products are computed in 32 bits, which hold them.
//
//===----------------------------------------------------------------------===//

#include "shard/Codegen/Workarounds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

#include <algorithm>

using namespace mlir;

namespace shard {

/// The widths of what is multiplied and truncated to, at most, and of the product.
static constexpr unsigned kSmall = 16, kProduct = 32;

namespace {
/// An operand of a product: a value of few bits that is extended, or a constant.
struct Factor {
  Value value;
  std::optional<APInt> constant;
  bool isSigned = true;
};
} // namespace

static unsigned widthOf(Type type) {
  auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(type));
  return integer ? integer.getWidth() : 0;
}

static Type withWidth(Type type, unsigned width) {
  Type element = IntegerType::get(type.getContext(), width);
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped ? Type(shaped.clone(element)) : element;
}

static std::optional<Factor> factorOf(Value operand) {
  APInt number;
  if (matchPattern(operand, m_ConstantInt(&number))) {
    if (number.isSignedIntN(kSmall))
      return Factor{{}, number.trunc(kSmall), true};
    if (number.isIntN(kSmall))
      return Factor{{}, number.trunc(kSmall), false};
    return std::nullopt;
  }
  Operation *extension = operand.getDefiningOp();
  if (!isa_and_present<arith::ExtSIOp, arith::ExtUIOp>(extension) ||
      widthOf(extension->getOperand(0).getType()) > kSmall)
    return std::nullopt;
  return Factor{extension->getOperand(0), std::nullopt,
                isa<arith::ExtSIOp>(extension)};
}

static Value constantOf(OpBuilder &builder, Location loc, Type type,
                        const APInt &number) {
  auto shaped = dyn_cast<ShapedType>(type);
  TypedAttr attribute = shaped
                            ? TypedAttr(DenseElementsAttr::get(shaped, number))
                            : TypedAttr(IntegerAttr::get(type, number));
  return arith::ConstantOp::create(builder, loc, attribute);
}

static Value extend(OpBuilder &builder, Location loc, const Factor &factor,
                    Type type) {
  if (factor.constant)
    return constantOf(builder, loc, type,
                      factor.isSigned ? factor.constant->sext(kProduct)
                                      : factor.constant->zext(kProduct));
  if (factor.isSigned)
    return arith::ExtSIOp::create(builder, loc, type, factor.value);
  return arith::ExtUIOp::create(builder, loc, type, factor.value);
}

static void narrow(arith::TruncIOp truncation) {
  Operation *shift = truncation.getIn().getDefiningOp();
  APInt amount;
  if (!isa_and_present<arith::ShRUIOp, arith::ShRSIOp>(shift) ||
      !matchPattern(shift->getOperand(1), m_ConstantInt(&amount)))
    return;
  auto product = shift->getOperand(0).getDefiningOp<arith::MulIOp>();
  unsigned width = widthOf(shift->getResult(0).getType());
  unsigned kept = widthOf(truncation.getType());
  if (!product || width <= kProduct || kept > kSmall || amount.uge(width))
    return;
  std::optional<Factor> left = factorOf(product.getLhs()),
                        right = factorOf(product.getRhs());
  if (!left || !right)
    return;
  OpBuilder builder(truncation);
  Location loc = truncation.getLoc();
  Type type = withWidth(product.getType(), kProduct);
  auto by = unsigned(amount.getZExtValue());
  auto constant = [&](const APInt &number) {
    return constantOf(builder, loc, type, number);
  };
  Value made =
      arith::MulIOp::create(builder, loc, extend(builder, loc, *left, type),
                            extend(builder, loc, *right, type));
  // Of 32 bits a product of two unsigned factors needs all, any other has a sign.
  bool isSigned = left->isSigned || right->isSigned;
  if (isSigned) {
    made = arith::ShRSIOp::create(
        builder, loc, made,
        constant(APInt(kProduct, std::min(by, kProduct - 1))));
    // The wide shift brings zeros in from the left.
    if (isa<arith::ShRUIOp>(shift) && by + kept > width)
      made = arith::AndIOp::create(
          builder, loc, made,
          constant(APInt::getLowBitsSet(kProduct, width - by)));
  } else {
    made = by < kProduct
               ? Value(arith::ShRUIOp::create(builder, loc, made,
                                              constant(APInt(kProduct, by))))
               : constant(APInt(kProduct, 0));
  }
  truncation.getInMutable().set(made);
}

void narrowProducts(Operation *root) { root->walk(narrow); }

} // namespace shard
