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
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace shard {

llvm::DenseSet<Operation *> findReductions(Operation *root) {
  llvm::DenseSet<Operation *> reductions;
  root->walk([&](linalg::ReduceOp op) { reductions.insert(op); });
  return reductions;
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
  root->walk([&](linalg::ReduceOp op) {
    if (others.contains(op))
      return;
    for (Value init : op.getInits()) {
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
