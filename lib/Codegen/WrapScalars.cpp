//===- WrapScalars.cpp - Scalars in signatures as tensors -----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace shard;
using namespace shard::codegen;

void codegen::wrapScalars(func::FuncOp entry) {
  auto isTensor = [](Type type) { return isa<ShapedType>(type); };
  if (llvm::all_of(entry.getArgumentTypes(), isTensor) &&
      llvm::all_of(entry.getResultTypes(), isTensor))
    return;
  separateEntry(entry);
  OpBuilder builder(entry.getContext());
  Location loc = entry.getLoc();
  mlir::Block &body = entry.getBody().front();
  builder.setInsertionPointToStart(&body);
  SmallVector<Type> inputs, results;
  for (BlockArgument arg : body.getArguments()) {
    Type type = arg.getType();
    if (!isa<ShapedType>(type)) {
      arg.setType(RankedTensorType::get({}, type));
      SmallVector<OpOperand *> uses;
      for (OpOperand &use : arg.getUses())
        uses.push_back(&use);
      Value scalar = tensor::ExtractOp::create(builder, loc, arg, ValueRange{});
      for (OpOperand *use : uses)
        use->set(scalar);
    }
    inputs.push_back(arg.getType());
  }
  for (Type type : entry.getResultTypes())
    results.push_back(
        isa<ShapedType>(type) ? type : Type(RankedTensorType::get({}, type)));
  entry.walk([&](func::ReturnOp op) {
    builder.setInsertionPoint(op);
    for (OpOperand &operand : op->getOpOperands())
      if (!isa<ShapedType>(operand.get().getType()))
        operand.set(tensor::FromElementsOp::create(
            builder, loc, RankedTensorType::get({}, operand.get().getType()),
            operand.get()));
  });
  entry.setFunctionType(builder.getFunctionType(inputs, results));
}
