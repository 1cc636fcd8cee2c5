//===- UnitReshapes.cpp - Elementwise ops on dimensions of one element ----===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Frontends add dimensions of one element and drop them again, with elementwise ops between. A
// reshape that stands behind such ops instead meets the one that undoes it.
//
//===----------------------------------------------------------------------===//

#include "UnitReshapes.h"

#include "TensorModels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace shard {

static SmallVector<int64_t> withoutUnits(ArrayRef<int64_t> shape) {
  return llvm::to_vector(llvm::make_filter_range(
      shape, [](int64_t extent) { return extent != 1; }));
}

/// The op that makes `value`, if it changes nothing but dimensions of one element.
static Operation *unitReshape(Value value) {
  Operation *op = value.getDefiningOp();
  if (!isa_and_present<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op) ||
      !op->getDiscardableAttrs().empty())
    return nullptr;
  auto from = cast<RankedTensorType>(op->getOperand(0).getType());
  auto to = cast<RankedTensorType>(value.getType());
  bool isUnit = from.hasStaticShape() && to.hasStaticShape() &&
                !from.getEncoding() && !to.getEncoding() &&
                withoutUnits(from.getShape()) == withoutUnits(to.getShape());
  return isUnit ? op : nullptr;
}

static SmallVector<ReassociationIndices> groupsOf(Operation *reshape) {
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(reshape))
    return expand.getReassociationIndices();
  return cast<tensor::CollapseShapeOp>(reshape).getReassociationIndices();
}

/// Whether two reshapes do the same to tensors of one shape.
static bool areAlike(Operation *a, Operation *b) {
  auto shapeOf = [](Operation *op) {
    return cast<RankedTensorType>(op->getOperand(0).getType()).getShape();
  };
  return a->getName() == b->getName() && shapeOf(a) == shapeOf(b) &&
         groupsOf(a) == groupsOf(b);
}

Operation *sinkUnitReshape(Operation *op, const DenseSet<Value> &hinted,
                           RewriterBase &rewriter) {
  auto type = op->getNumResults() == 1
                  ? dyn_cast<RankedTensorType>(op->getResult(0).getType())
                  : RankedTensorType();
  if (!type || type.getEncoding() || hinted.contains(op->getResult(0)) ||
      op->getNumRegions() != 0 || !op->getDiscardableAttrs().empty() ||
      !OpTrait::hasElementwiseMappableTraits(op))
    return nullptr;
  Operation *reshape = nullptr;
  for (Value operand : op->getOperands()) {
    if (!isa<RankedTensorType>(operand.getType()) || splatNumber(operand))
      continue;
    Operation *other = unitReshape(operand);
    if (!other || hinted.contains(operand) ||
        (reshape && !areAlike(reshape, other)))
      return nullptr;
    reshape = other;
  }
  if (!reshape)
    return nullptr;
  auto shape =
      cast<RankedTensorType>(reshape->getOperand(0).getType()).getShape();
  rewriter.setInsertionPoint(op);
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    if (auto from = dyn_cast<RankedTensorType>(operand.getType())) {
      TypedAttr number = splatNumber(operand);
      operand = number ? arith::ConstantOp::create(
                             rewriter, op->getLoc(),
                             DenseElementsAttr::get(from.clone(shape), number))
                             .getResult()
                       : operand.getDefiningOp()->getOperand(0);
    }
    operands.push_back(operand);
  }
  OperationState state(op->getLoc(), op->getName(), operands,
                       {type.clone(shape)}, op->getAttrs());
  Value made = rewriter.create(state)->getResult(0);
  if (isa<tensor::ExpandShapeOp>(reshape))
    rewriter.replaceOpWithNewOp<tensor::ExpandShapeOp>(op, type, made,
                                                       groupsOf(reshape));
  else
    rewriter.replaceOpWithNewOp<tensor::CollapseShapeOp>(op, type, made,
                                                         groupsOf(reshape));
  return made.getDefiningOp();
}

} // namespace shard
