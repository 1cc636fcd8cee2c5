//===- RaiseElementwise.cpp - Elementwise ops of linalg on tensors --------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Models/NormalizeOps.h"

#include "TensorModels.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace shard {

/// The op of the body of `op` if it is the only one and takes inputs of `op` alone.
static Operation *onlyOpOnInputs(linalg::LinalgOp op) {
  mlir::Block &body = *op.getBlock();
  if (!llvm::hasNItems(body, 2))
    return nullptr;
  Operation &inner = body.front();
  auto isInput = [&](Value operand) {
    auto argument = dyn_cast<BlockArgument>(operand);
    return argument && argument.getOwner() == &body &&
           op.isDpsInput(op.getMatchingOpOperand(argument));
  };
  bool isOnly = OpTrait::hasElementwiseMappableTraits(&inner) &&
                inner.getNumRegions() == 0 && inner.getNumResults() == 1 &&
                body.getTerminator()->getOperands() == inner.getResults() &&
                llvm::all_of(inner.getOperands(), isInput);
  return isOnly ? &inner : nullptr;
}

/// Replaces `op` by the op of its body, on tensors: a sum is seen there whose operands are
/// sums, and one that a loop carries. Returns whether `op` is one.
static bool raise(linalg::LinalgOp op, RewriterBase &rewriter) {
  if (op->getNumResults() != 1 || mayHaveHint(op) || !op.getBlock())
    return false;
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  Operation *inner = onlyOpOnInputs(op);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (!inner || mayHaveHint(inner) || !maps.front().isPermutation() ||
      !llvm::all_equal(maps))
    return false;
  SmallVector<Value> operands;
  for (Value operand : inner->getOperands()) {
    Value input = op.getMatchingOpOperand(cast<BlockArgument>(operand))->get();
    auto from = dyn_cast<RankedTensorType>(input.getType());
    if (!from || from.getShape() != type.getShape() ||
        from.getEncoding() != type.getEncoding())
      return false;
    operands.push_back(input);
  }
  rewriter.setInsertionPoint(op);
  OperationState state(op.getLoc(), inner->getName(), operands, {type},
                       inner->getAttrs());
  rewriter.replaceOp(op, rewriter.create(state));
  return true;
}

bool raiseElementwise(Operation *root) {
  SmallVector<linalg::LinalgOp> ops;
  root->walk([&](linalg::LinalgOp op) {
    if (op.hasPureTensorSemantics())
      ops.push_back(op);
  });
  IRRewriter rewriter(root->getContext());
  bool changed = false;
  for (linalg::LinalgOp op : ops) {
    // To ask a named op for its indexing maps notes them in an attribute.
    DictionaryAttr noted = op->getDiscardableAttrDictionary();
    changed |=
        raise(op, rewriter) || op->getDiscardableAttrDictionary() != noted;
  }
  return changed;
}

} // namespace shard
