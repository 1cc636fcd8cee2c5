//===- DynamicConstants.cpp - Constants of unknown extents ----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Codegen/Workarounds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

/// An operand of `user`, an elementwise op, that has the shape of constant `op`; null if
/// there is none of which the extents are known.
static Value shapedLike(arith::ConstantOp op, Operation *user) {
  if (!user->hasTrait<OpTrait::Elementwise>())
    return {};
  for (Value operand : user->getOperands())
    if (isa<RankedTensorType>(operand.getType()) &&
        !operand.getDefiningOp<arith::ConstantOp>())
      return operand;
  return {};
}

/// Gives uses of `op` in elementwise ops the extents of another operand.
static void giveExtents(arith::ConstantOp op, RankedTensorType type) {
  auto splat = dyn_cast<SplatElementsAttr>(op.getValue());
  if (!splat)
    return;
  for (OpOperand &use : llvm::make_early_inc_range(op->getUses())) {
    Operation *user = use.getOwner();
    Value like = shapedLike(op, user);
    if (!like)
      continue;
    OpBuilder builder(user);
    Value element = arith::ConstantOp::create(builder, op.getLoc(),
                                              splat.getSplatValue<TypedAttr>());
    SmallVector<Value> sizes;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        sizes.push_back(tensor::DimOp::create(builder, op.getLoc(), like, dim));
    use.set(
        tensor::SplatOp::create(builder, op.getLoc(), type, element, sizes));
  }
  if (op.use_empty())
    op.erase();
}

LogicalResult shard::giveConstantsExtents(Operation *root) {
  SmallVector<arith::ConstantOp> constants;
  root->walk([&](arith::ConstantOp op) {
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (type && !type.hasStaticShape())
      constants.push_back(op);
  });
  for (arith::ConstantOp op : constants)
    giveExtents(op, cast<RankedTensorType>(op.getType()));
  WalkResult walked = root->walk([](arith::ConstantOp op) {
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (!type || type.hasStaticShape())
      return WalkResult::advance();
    op.emitError()
        << "is a constant of type " << type
        << ", which does not say how large it is; it may stand for a "
           "comparison of a tensor with itself";
    return WalkResult::interrupt();
  });
  return failure(walked.wasInterrupted());
}
