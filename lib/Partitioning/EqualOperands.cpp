//===- EqualOperands.cpp - Ops on one value, on blocks of unknown size ----===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Partitioning/LocalOps.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

void shard::splatEqualOperands(Operation *root) {
  root->walk([](Operation *op) {
    if (!op->hasTrait<OpTrait::Elementwise>() || op->getNumResults() != 1 ||
        op->getNumOperands() < 2 || !llvm::all_equal(op->getOperands()))
      return;
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    SmallVector<OpFoldResult, 1> folded;
    if (!type || type.hasStaticShape() || failed(op->fold(folded)) ||
        folded.size() != 1)
      return;
    // x or x is x.
    if (auto value = dyn_cast<Value>(folded.front())) {
      op->replaceAllUsesWith(ValueRange(value));
      op->erase();
      return;
    }
    auto constant = dyn_cast_if_present<SplatElementsAttr>(
        dyn_cast<Attribute>(folded.front()));
    if (!constant)
      return;
    OpBuilder builder(op);
    Operation *element = op->getDialect()->materializeConstant(
        builder, constant.getSplatValue<Attribute>(), type.getElementType(),
        op->getLoc());
    if (!element)
      return;
    SmallVector<Value> sizes;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        sizes.push_back(tensor::DimOp::create(builder, op->getLoc(),
                                              op->getOperand(0), dim));
    op->replaceAllUsesWith(tensor::SplatOp::create(
        builder, op->getLoc(), type, element->getResult(0), sizes));
    op->erase();
  });
}
