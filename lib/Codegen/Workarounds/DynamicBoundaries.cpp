//===- DynamicBoundaries.cpp - Dynamic tensors across functions -----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Codegen/Workarounds.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

void shard::copyDynamicBoundaries(Operation *root) {
  root->walk([](Operation *op) {
    if (!isa<func::ReturnOp, func::CallOp>(op))
      return;
    OpBuilder builder(op);
    for (OpOperand &operand : op->getOpOperands()) {
      auto type = dyn_cast<RankedTensorType>(operand.get().getType());
      if (!type || type.getRank() < 2 ||
          !ShapedType::isDynamicShape(type.getShape().drop_front()) ||
          operand.get().getDefiningOp<bufferization::AllocTensorOp>())
        continue;
      operand.set(bufferization::AllocTensorOp::create(
          builder, op->getLoc(), type, ValueRange(), operand.get()));
    }
  });
}
