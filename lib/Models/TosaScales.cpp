//===- TosaScales.cpp - tosa.rescale as linalg.generic --------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Models/TosaScales.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace shard {

static bool isToLower(tosa::RescaleOp op) {
  bool hasConstants = matchPattern(op.getMultiplier(), m_Constant()) &&
                      matchPattern(op.getShift(), m_Constant());
  auto isKnown = [](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && type.getElementType().isSignlessInteger();
  };
  auto isOfOne = [&](Value value) {
    return isKnown(value) &&
           cast<RankedTensorType>(value.getType()).getShape() ==
               ArrayRef<int64_t>{1};
  };
  return !hasConstants && llvm::all_of(op->getOperands(), isKnown) &&
         isOfOne(op.getInputZp()) && isOfOne(op.getOutputZp()) &&
         (op.getPerChannel() ||
          (isOfOne(op.getMultiplier()) && isOfOne(op.getShift())));
}

/// `number` as one of 32 bits, if it has fewer.
static Value widened(OpBuilder &builder, Location loc, Value number,
                     bool isUnsigned) {
  Type wide = builder.getI32Type();
  if (number.getType().getIntOrFloatBitWidth() >= 32)
    return number;
  return isUnsigned
             ? arith::ExtUIOp::create(builder, loc, wide, number).getResult()
             : arith::ExtSIOp::create(builder, loc, wide, number).getResult();
}

/// What `op` makes of one element and of its parameters, in the order of its operands.
static Value scaled(OpBuilder &builder, tosa::RescaleOp op,
                    ValueRange operands) {
  Location loc = op.getLoc();
  Value value = widened(builder, loc, operands[0], op.getInputUnsigned());
  Value from = widened(builder, loc, operands[3], op.getInputUnsigned());
  value = arith::SubIOp::create(builder, loc, value, from);
  value = tosa::ApplyScaleOp::create(
      builder, loc, builder.getI32Type(), value,
      widened(builder, loc, operands[1], /*isUnsigned=*/false), operands[2],
      op.getRoundingModeAttr());
  Type type = getElementTypeOrSelf(op.getType());
  unsigned width = type.getIntOrFloatBitWidth();
  // Scaled numbers have 32 bits. Elements of more are those, and have 0 as zero point.
  if (width > 32)
    return arith::ExtSIOp::create(builder, loc, type, value);
  Value to = widened(builder, loc, operands[4], op.getOutputUnsigned());
  value = arith::AddIOp::create(builder, loc, value, to);
  if (width == 32)
    return value;
  auto bound = [&](int64_t number) {
    return arith::ConstantIntOp::create(builder, loc, number, 32);
  };
  int64_t count = int64_t(1) << width;
  int64_t least = op.getOutputUnsigned() ? 0 : -count / 2;
  value = arith::MaxSIOp::create(builder, loc, value, bound(least));
  value = arith::MinSIOp::create(builder, loc, value, bound(least + count - 1));
  return arith::TruncIOp::create(builder, loc, type, value);
}

static Value lowered(OpBuilder &builder, tosa::RescaleOp op) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getInput().getType());
  auto rank = static_cast<unsigned>(type.getRank());
  AffineMap elements = builder.getMultiDimIdentityMap(rank);
  AffineMap one = AffineMap::get(rank, 0, builder.getContext());
  AffineMap channel = AffineMap::getMinorIdentityMap(rank, std::min(rank, 1u),
                                                     builder.getContext());
  SmallVector<Value> inputs{op.getInput()};
  SmallVector<AffineMap> maps{elements};
  for (auto [index, parameter] :
       llvm::enumerate(op->getOperands().drop_front())) {
    bool isPerChannel = op.getPerChannel() && index < 2;
    maps.push_back(isPerChannel ? channel : one);
    inputs.push_back(isPerChannel ? parameter
                                  : tensor::CollapseShapeOp::create(
                                        builder, loc, parameter,
                                        ArrayRef<ReassociationIndices>{}));
  }
  maps.push_back(elements);
  Value empty = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, op.getInput()),
      getElementTypeOrSelf(op.getType()));
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  auto body = [&](OpBuilder &inner, Location at, ValueRange arguments) {
    linalg::YieldOp::create(inner, at, scaled(inner, op, arguments));
  };
  return linalg::GenericOp::create(builder, loc, empty.getType(), inputs, empty,
                                   maps, loops, body)
      .getResult(0);
}

void lowerTosaScales(Operation *root) {
  SmallVector<tosa::RescaleOp> ops;
  root->walk([&](tosa::RescaleOp op) {
    if (isToLower(op))
      ops.push_back(op);
  });
  IRRewriter rewriter(root->getContext());
  for (tosa::RescaleOp op : ops) {
    rewriter.setInsertionPoint(op);
    Value value = lowered(rewriter, op);
    if (value.getType() != op.getType())
      value =
          tensor::CastOp::create(rewriter, op.getLoc(), op.getType(), value);
    rewriter.replaceOp(op, value);
  }
}

} // namespace shard
