//===- NormalizeLinalg.cpp - Ops of linalg in one form --------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes of MLIR write one program in several ways. The lowering of elementwise ops gives an op
// one of its inputs as init, so that the op seems to depend on it once more; and fills that
// became linalg.generic are no neutral inits any more.
//
//===----------------------------------------------------------------------===//

#include "shard/Models/NormalizeLinalg.h"

#include "shard/IR/ShardDialect.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace shard {

/// Whether `op` writes each element of `init` once, by loops that are all parallel.
static bool writesOnce(linalg::LinalgOp op, OpOperand &init) {
  return op.getNumLoops() == op.getNumParallelLoops() &&
         op.getMatchingIndexingMap(&init).isPermutation() &&
         isa<RankedTensorType>(init.get().getType());
}

/// The number that the body of `op` yields, whatever the iteration; null if there is none.
static Value yieldedNumber(linalg::GenericOp op) {
  Value yielded = op.getBody()->getTerminator()->getOperand(0);
  if (auto argument = dyn_cast<BlockArgument>(yielded);
      argument && argument.getOwner() == op.getBody()) {
    OpOperand *operand = op.getMatchingOpOperand(argument);
    return op.isScalar(operand) ? operand->get() : Value();
  }
  Operation *def = yielded.getDefiningOp();
  bool isFixed =
      !def || !op->isAncestor(def) || def->hasTrait<OpTrait::ConstantLike>();
  return isFixed ? yielded : Value();
}

/// Makes a linalg.fill of `op`; false if it is something else.
static bool makeFill(linalg::GenericOp op, RewriterBase &rewriter) {
  if (op.getNumResults() != 1 || !writesOnce(op, op.getDpsInitsMutable()[0]))
    return false;
  Value number = yieldedNumber(op);
  if (!number ||
      number.getType() != getElementTypeOrSelf(op.getResult(0).getType()))
    return false;
  // The loops of a fill are the dimensions of its result, in their order.
  if (op->hasAttr(kLoopsAttrName) &&
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity())
    return false;
  rewriter.setInsertionPoint(op);
  // A constant may stand in the body.
  if (Operation *def = number.getDefiningOp(); def && op->isAncestor(def))
    rewriter.moveOpBefore(def, op);
  auto fill =
      linalg::FillOp::create(rewriter, op.getLoc(), number, op.getOutputs());
  fill->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  rewriter.replaceOp(op, fill);
  return true;
}

/// Gives `op` a new tensor for each init whose elements it does not read. A hint for an init
/// stays.
static bool releaseInits(linalg::LinalgOp op, RewriterBase &rewriter) {
  bool changed = false;
  for (OpOperand &init : op.getDpsInitsMutable()) {
    Operation *def = init.get().getDefiningOp();
    if (!writesOnce(op, init) || op.payloadUsesValueFromOperand(&init) ||
        isa_and_present<tensor::EmptyOp>(def) ||
        (def && isa_and_present<ShardDialect>(def->getDialect())) ||
        cast<RankedTensorType>(init.get().getType()).getEncoding())
      continue;
    rewriter.setInsertionPoint(op);
    Value empty = tensor::EmptyOp::create(
        rewriter, op.getLoc(),
        tensor::getMixedSizes(rewriter, op.getLoc(), init.get()),
        getElementTypeOrSelf(init.get()));
    rewriter.modifyOpInPlace(op, [&] { init.set(empty); });
    changed = true;
  }
  return changed;
}

bool normalizeLinalg(Operation *root) {
  SmallVector<linalg::LinalgOp> ops;
  root->walk([&](linalg::LinalgOp op) {
    if (op.hasPureTensorSemantics())
      ops.push_back(op);
  });
  IRRewriter rewriter(root->getContext());
  bool changed = false;
  for (linalg::LinalgOp op : ops) {
    auto generic = dyn_cast<linalg::GenericOp>(*op);
    if (generic && makeFill(generic, rewriter))
      changed = true;
    else
      changed |= releaseInits(op, rewriter);
  }
  return changed;
}

} // namespace shard
