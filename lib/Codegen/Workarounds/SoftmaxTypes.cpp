//===- SoftmaxTypes.cpp - Softmax with two types --------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Codegen/Workarounds.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

static void unifyTypes(linalg::SoftmaxOp op) {
  auto input = dyn_cast<RankedTensorType>(op.getInput().getType());
  auto output = dyn_cast<RankedTensorType>(op.getOutput().getType());
  if (!input || !output || input == output)
    return;
  SmallVector<int64_t> shape(input.getShape());
  for (auto [extent, other] : llvm::zip_equal(shape, output.getShape()))
    if (ShapedType::isDynamic(extent))
      extent = other;
  OpBuilder builder(op);
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = cast<RankedTensorType>(operand.get().getType()).clone(shape);
    if (type != operand.get().getType())
      operand.set(
          tensor::CastOp::create(builder, op.getLoc(), type, operand.get()));
  }
  Value result = op->getResult(0);
  if (output.getShape() == ArrayRef<int64_t>(shape))
    return;
  result.setType(output.clone(shape));
  builder.setInsertionPointAfter(op);
  Value back = tensor::CastOp::create(builder, op.getLoc(), output, result);
  result.replaceAllUsesExcept(back, back.getDefiningOp());
}

void shard::unifySoftmaxTypes(Operation *root) { root->walk(unifyTypes); }
