//===- MergedDims.cpp - What becomes of merged dimensions -----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MergedDims.h"

#include "shard/Models/Reshapes.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace shard {

llvm::SmallBitVector mergedDims(tensor::CollapseShapeOp op) {
  RankedTensorType source = op.getSrcType();
  llvm::SmallBitVector merged(op.getResultType().getRank());
  for (auto [dim, group] : llvm::enumerate(op.getReassociationIndices()))
    merged[dim] = llvm::count_if(group, [&](int64_t inner) {
                    return source.getDimSize(inner) != 1;
                  }) > 1;
  return merged;
}

/// Whether `op` computes each element of its one tensor of the elements at the same place.
static bool isElementwise(Operation *op) {
  return OpTrait::hasElementwiseMappableTraits(op) &&
         op->getNumResults() == 1 &&
         isa<RankedTensorType>(op->getResult(0).getType());
}

bool combinesAll(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return linalgOp && linalgOp.getNumLoops() > 0 &&
         linalgOp.getNumReductionLoops() == linalgOp.getNumLoops();
}

bool reachesSplit(Operation *op, unsigned &budget) {
  for (Operation *user : op->getUsers()) {
    if (budget == 0)
      return false;
    --budget;
    if (isa<tensor::ExpandShapeOp>(user) || combinesAll(user))
      return true;
    if ((isa<linalg::LinalgOp, tensor::ExtractSliceOp, tensor::CollapseShapeOp>(
             user) ||
         isElementwise(user)) &&
        reachesSplit(user, budget))
      return true;
  }
  return false;
}

/// Whether an op of one input combines the elements of `value` along `dim`.
static bool isCombined(Value value, unsigned dim, unsigned &budget) {
  for (OpOperand &use : value.getUses()) {
    if (budget == 0)
      return false;
    --budget;
    Operation *owner = use.getOwner();
    if (isElementwise(owner) && isCombined(owner->getResult(0), dim, budget))
      return true;
    auto user = dyn_cast<linalg::LinalgOp>(owner);
    if (!user || !user.isDpsInput(&use))
      continue;
    auto loop = dyn_cast<AffineDimExpr>(
        user.getMatchingIndexingMap(&use).getResult(dim));
    if (!loop)
      continue;
    if ((user.getIteratorTypesArray()[loop.getPosition()] ==
             utils::IteratorType::reduction &&
         user.getNumDpsInputs() == 1) ||
        isCombinedLater(user, loop.getPosition(), budget))
      return true;
  }
  return false;
}

bool isCombinedLater(linalg::LinalgOp op, unsigned loop, unsigned &budget) {
  AffineExpr made = getAffineDimExpr(loop, op->getContext());
  for (OpResult result : op->getResults())
    for (auto [dim, expr] :
         llvm::enumerate(op.getIndexingMapMatchingResult(result).getResults()))
      if (expr == made && isCombined(result, dim, budget))
        return true;
  return false;
}

bool comesApart(Value value, unsigned dim) {
  if (auto collapse = value.getDefiningOp<tensor::CollapseShapeOp>())
    return collapse.getReassociationIndices()[dim].size() > 1;
  if (value.getDefiningOp<tensor::SplatOp>() ||
      matchPattern(value, m_Constant()))
    return true;
  auto maker = value.getDefiningOp<linalg::LinalgOp>();
  if (!maker)
    return false;
  AffineMap result = maker.getIndexingMapMatchingResult(cast<OpResult>(value));
  auto loop = dyn_cast<AffineDimExpr>(result.getResult(dim));
  return loop &&
         llvm::none_of(maker.getDpsInputOperands(), [&](OpOperand *input) {
           return maker.getMatchingIndexingMap(input).isFunctionOfDim(
               loop.getPosition());
         });
}

/// Whether `value` comes from a merge of the same dimensions as `merge`, or comes apart there.
static bool comesApartAs(Value value, tensor::CollapseShapeOp merge) {
  if (auto other = value.getDefiningOp<tensor::CollapseShapeOp>())
    return !isHinted(other) &&
           other.getSrcType().getShape() == merge.getSrcType().getShape() &&
           other.getReassociationIndices() == merge.getReassociationIndices();
  if (!merge.getSrcType().hasStaticShape())
    return false;
  for (auto [dim, group] : llvm::enumerate(merge.getReassociationIndices()))
    if (group.size() > 1 && !comesApart(value, dim))
      return false;
  return true;
}

tensor::CollapseShapeOp mergeOfOperands(Operation *op) {
  if (!isElementwise(op))
    return {};
  tensor::CollapseShapeOp merge;
  for (Value operand : op->getOperands())
    if (auto collapse = operand.getDefiningOp<tensor::CollapseShapeOp>();
        collapse && mergedDims(collapse).any() && !isHinted(collapse))
      merge = collapse;
  if (!merge || !llvm::all_of(op->getOperands(), [&](Value operand) {
        return !isa<RankedTensorType>(operand.getType()) ||
               comesApartAs(operand, merge);
      }))
    return {};
  unsigned budget = kMaxVisits;
  if (reachesSplit(op, budget))
    return merge;
  llvm::SmallBitVector merged = mergedDims(merge);
  for (unsigned dim : merged.set_bits()) {
    budget = kMaxVisits;
    if (isCombined(op->getResult(0), dim, budget))
      return merge;
  }
  return {};
}

} // namespace shard
