//===- TosaReductions.cpp - Where maxima of tosa begin --------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Models/TosaReductions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace shard {

llvm::DenseSet<Operation *> findReductions(Operation *root) {
  llvm::DenseSet<Operation *> reductions;
  root->walk([&](linalg::LinalgOp op) {
    if (op.getNumReductionLoops() > 0)
      reductions.insert(op);
  });
  return reductions;
}

void padWithInfinities(Operation *root) {
  root->walk([&](tosa::MaxPool2dOp op) {
    auto type = dyn_cast<RankedTensorType>(op.getInput().getType());
    ArrayRef<int64_t> widths = op.getPad();
    if (!type || !isa<FloatType>(type.getElementType()) ||
        llvm::all_of(widths, [](int64_t width) { return width == 0; }))
      return;
    const llvm::fltSemantics &semantics =
        cast<FloatType>(type.getElementType()).getFloatSemantics();
    if (!APFloat::semanticsHasInf(semantics))
      return;
    OpBuilder builder(op);
    auto number = builder.getFloatAttr(
        type.getElementType(), APFloat::getInf(semantics, /*Negative=*/true));
    Value least = arith::ConstantOp::create(builder, op.getLoc(), number);
    auto zero = OpFoldResult(builder.getIndexAttr(0));
    auto width = [&](unsigned index) {
      return OpFoldResult(builder.getIndexAttr(widths[index]));
    };
    SmallVector<OpFoldResult> low{zero, width(0), width(2), zero};
    SmallVector<OpFoldResult> high{zero, width(1), width(3), zero};
    Value padded = tensor::PadOp::create(builder, op.getLoc(), Type(),
                                         op.getInput(), low, high, least);
    op.getInputMutable().set(padded);
    op.setPad({0, 0, 0, 0});
  });
}

/// The infinity with the sign of `number`, if this is the least or the largest finite number.
static std::optional<APFloat> infinityOf(const APFloat &number) {
  const llvm::fltSemantics &semantics = number.getSemantics();
  if (!APFloat::semanticsHasInf(semantics) ||
      !number.bitwiseIsEqual(
          APFloat::getLargest(semantics, number.isNegative())))
    return std::nullopt;
  return APFloat::getInf(semantics, number.isNegative());
}

void beginWithInfinities(Operation *root,
                         const llvm::DenseSet<Operation *> &others) {
  root->walk([&](linalg::LinalgOp op) {
    if (op.getNumReductionLoops() == 0 || others.contains(op))
      return;
    for (Value init : op.getDpsInits()) {
      auto fill = init.getDefiningOp<linalg::FillOp>();
      APFloat number(0.0);
      if (!fill || !matchPattern(fill.value(), m_ConstantFloat(&number)))
        continue;
      std::optional<APFloat> infinity = infinityOf(number);
      if (!infinity)
        continue;
      OpBuilder builder(fill);
      Type type = fill.value().getType();
      Value begin = arith::ConstantOp::create(builder, fill.getLoc(),
                                              FloatAttr::get(type, *infinity));
      fill.getInputsMutable()[0].set(begin);
    }
  });
}

} // namespace shard
