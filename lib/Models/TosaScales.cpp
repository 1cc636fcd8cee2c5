//===- TosaScales.cpp - Factors of tosa.rescale ---------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Models/TosaScales.h"

#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace shard {

SmallVector<Operation *> hideLoneScales(Operation *root) {
  SmallVector<Operation *> casts;
  root->walk([&](tosa::RescaleOp op) {
    OpOperand &multiplier = op.getMultiplierMutable();
    OpOperand &shift = op.getShiftMutable();
    bool hasMultiplier = matchPattern(multiplier.get(), m_Constant());
    if (hasMultiplier == matchPattern(shift.get(), m_Constant()))
      return;
    OpOperand &constant = hasMultiplier ? multiplier : shift;
    OpBuilder builder(op);
    auto cast = UnrealizedConversionCastOp::create(
        builder, op.getLoc(), constant.get().getType(), constant.get());
    constant.set(cast.getResult(0));
    casts.push_back(cast);
  });
  return casts;
}

void showScales(ArrayRef<Operation *> casts) {
  for (Operation *cast : casts) {
    cast->replaceAllUsesWith(cast->getOperands());
    cast->erase();
  }
}

} // namespace shard
