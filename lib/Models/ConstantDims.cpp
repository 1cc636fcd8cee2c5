//===- ConstantDims.cpp - Dimensions that an op reads at 0 ----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConstantDims.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace shard {

/// The dimensions of one element that `operand` of `op` is read at 0 in.
static llvm::SmallBitVector constantDims(linalg::GenericOp op,
                                         OpOperand &operand) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  ArrayRef<int64_t> shape = op.getShape(&operand);
  llvm::SmallBitVector dims(shape.size());
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    dims[dim] = constant && constant.getValue() == 0 && shape[dim] == 1;
  }
  return dims;
}

/// The dimensions in groups, each of which has one that is not in `dropped`; none if all are.
static SmallVector<ReassociationIndices>
groupsWithout(const llvm::SmallBitVector &dropped) {
  SmallVector<ReassociationIndices> groups;
  ReassociationIndices leading;
  for (unsigned dim = 0; dim < dropped.size(); ++dim) {
    if (dropped.test(dim)) {
      (groups.empty() ? leading : groups.back()).push_back(dim);
      continue;
    }
    groups.push_back(std::exchange(leading, {}));
    groups.back().push_back(dim);
  }
  return groups;
}

static RankedTensorType typeWithout(RankedTensorType type,
                                    const llvm::SmallBitVector &dropped) {
  SmallVector<int64_t> shape;
  for (auto [dim, extent] : llvm::enumerate(type.getShape()))
    if (!dropped.test(dim))
      shape.push_back(extent);
  return RankedTensorType::get(shape, type.getElementType());
}

bool dropConstantDims(linalg::GenericOp op, PatternRewriter &rewriter) {
  if (!op.hasPureTensorSemantics())
    return false;
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  SmallVector<llvm::SmallBitVector> dropped;
  bool any = false;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    llvm::SmallBitVector dims = constantDims(op, operand);
    any |= dims.any();
    dropped.push_back(dims);
    maps.push_back(map.dropResults(dims));
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (type && type.getEncoding())
      return false;
  }
  if (!any)
    return false;
  Location loc = op.getLoc();
  for (auto [operand, dims] : llvm::zip_equal(op->getOpOperands(), dropped)) {
    Value value = operand.get();
    if (dims.any())
      value = tensor::CollapseShapeOp::create(
          rewriter, loc,
          typeWithout(cast<RankedTensorType>(value.getType()), dims), value,
          groupsWithout(dims));
    operands.push_back(value);
  }
  unsigned numInputs = op.getNumDpsInputs();
  ValueRange all(operands);
  auto made = linalg::GenericOp::create(
      rewriter, loc, all.drop_front(numInputs).getTypes(),
      all.take_front(numInputs), all.drop_front(numInputs),
      rewriter.getAffineMapArrayAttr(maps), op.getIteratorTypes(),
      op.getDocAttr(), op.getLibraryCallAttr());
  made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  made.getRegion().takeBody(op.getRegion());
  SmallVector<Value> results;
  for (auto [number, result] : llvm::enumerate(made.getResults())) {
    const llvm::SmallBitVector &dims = dropped[numInputs + number];
    Value value = result;
    if (dims.any())
      value = tensor::ExpandShapeOp::create(rewriter, loc,
                                            op.getResult(number).getType(),
                                            value, groupsWithout(dims));
    results.push_back(value);
  }
  rewriter.replaceOp(op, results);
  return true;
}

} // namespace shard
