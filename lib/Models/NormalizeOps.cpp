//===- NormalizeOps.cpp - Ops in the form that models look for ------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes of MLIR and frontends write one program in several ways. The lowering of elementwise ops
// gives an op one of its inputs as init, so that the op seems to depend on it once more; fills
// that became linalg.generic are no neutral inits any more; and ops that give a tensor as it is
// stand between ops that would else be seen to belong together.
//
//===----------------------------------------------------------------------===//

#include "shard/Models/NormalizeOps.h"

#include "shard/IR/ShardDialect.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace shard {

/// Whether `op` has an attribute that may be a hint. Named ops of linalg note their indexing
/// maps in one.
static bool mayHaveHint(Operation *op) {
  return llvm::any_of(op->getDiscardableAttrs(), [](NamedAttribute attribute) {
    return attribute.getName() !=
           linalg::LinalgDialect::kMemoizedIndexingMapsAttrName;
  });
}

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

/// The input that `op` copies; null if it does something else.
static Value copiedBy(linalg::LinalgOp op) {
  if (op->getNumResults() != 1 || !op.hasPureTensorSemantics())
    return {};
  OpOperand &init = op.getDpsInitsMutable()[0];
  auto yielded =
      dyn_cast<BlockArgument>(op.getBlock()->getTerminator()->getOperand(0));
  if (!yielded || yielded.getOwner() != op.getBlock() || !writesOnce(op, init))
    return {};
  OpOperand *input = op.getMatchingOpOperand(yielded);
  bool isCopied = input != &init && op.getMatchingIndexingMap(input) ==
                                        op.getMatchingIndexingMap(&init);
  return isCopied ? input->get() : Value();
}

/// What `op` has transposed back; null if there is no such tensor.
static Value transposedBack(linalg::TransposeOp op) {
  auto first = op.getInput().getDefiningOp<linalg::TransposeOp>();
  if (!first || op->getNumResults() != 1)
    return {};
  for (auto [dim, from] : llvm::enumerate(op.getPermutation()))
    if (first.getPermutation()[from] != int64_t(dim))
      return {};
  return first.getInput();
}

/// The tensor that the result of `op` is, element by element; null if it is another one.
static Value sameTensor(Operation *op) {
  if (auto cast = dyn_cast<tensor::CastOp>(op)) {
    while (auto before = cast.getSource().getDefiningOp<tensor::CastOp>())
      cast = before;
    return cast.getSource();
  }
  if (auto transpose = dyn_cast<linalg::TransposeOp>(op))
    return transposedBack(transpose);
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return copiedBy(linalgOp);
  if (!isa<tensor::ExtractSliceOp, tensor::InsertSliceOp, tensor::ExpandShapeOp,
           tensor::CollapseShapeOp>(op))
    return {};
  SmallVector<OpFoldResult> folded;
  if (failed(op->fold(folded)) || folded.size() != 1)
    return {};
  return dyn_cast<Value>(folded.front());
}

/// Replaces `op` by the tensor that its result is. What a hint is about, or is stated by, stays.
static bool dropIdentity(Operation *op, RewriterBase &rewriter) {
  auto isHint = [](Operation *other) {
    return other && isa_and_present<ShardDialect>(other->getDialect());
  };
  if (mayHaveHint(op) || llvm::any_of(op->getUsers(), isHint))
    return false;
  Value same = sameTensor(op);
  if (!same || same.getType() != op->getResult(0).getType() ||
      isHint(same.getDefiningOp()))
    return false;
  SmallVector<Value> unused(op->getOperands());
  rewriter.replaceOp(op, same);
  // The ops of a chain come before its last one and are not visited again.
  while (!unused.empty())
    if (Operation *def = unused.pop_back_val().getDefiningOp();
        def && isOpTriviallyDead(def)) {
      llvm::append_range(unused, def->getOperands());
      rewriter.eraseOp(def);
    }
  return true;
}

/// Erases ops that nothing uses: they would decide about their operands. Hints stay.
static bool dropUnused(Operation *root, RewriterBase &rewriter) {
  SmallVector<Operation *> ops;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != root && !isa_and_present<ShardDialect>(op->getDialect()))
      ops.push_back(op);
  });
  bool changed = false;
  for (Operation *op : llvm::reverse(ops))
    if (isOpTriviallyDead(op) && !mayHaveHint(op)) {
      rewriter.eraseOp(op);
      changed = true;
    }
  return changed;
}

bool normalizeOps(Operation *root) {
  IRRewriter rewriter(root->getContext());
  bool changed = dropUnused(root, rewriter);
  SmallVector<Operation *> ops;
  // Operands come before the ops that use them.
  root->walk<WalkOrder::PreOrder, ForwardDominanceIterator<>>(
      [&](Operation *op) {
        auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
        if (linalgOp
                ? linalgOp.hasPureTensorSemantics()
                : isa_and_present<tensor::TensorDialect>(op->getDialect()) &&
                      op->getNumResults() == 1)
          ops.push_back(op);
      });
  for (Operation *op : ops) {
    if (dropIdentity(op, rewriter)) {
      changed = true;
      continue;
    }
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (generic && makeFill(generic, rewriter))
      changed = true;
    else if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
      changed |= releaseInits(linalgOp, rewriter);
  }
  return changed;
}

} // namespace shard
