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

#include "NormalizeBodies.h"
#include "SinkBroadcasts.h"
#include "TensorModels.h"
#include "UnitReshapes.h"

#include "shard/IR/ShardDialect.h"
#include "shard/IR/ShardingUtils.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace shard {

/// Whether nothing uses `op`, which is no hint.
static bool mayBeErased(Operation *op) {
  return !isHint(op) && !mayHaveHint(op) && isOpTriviallyDead(op);
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

/// The operands of `op` that `constantOf` knows; null for others.
static SmallVector<Attribute> constantOperands(Operation *op) {
  return llvm::map_to_vector(op->getOperands(), constantOf);
}

/// The tensor that the result of `op` is, element by element, or its elements if they are
/// constants; null if neither is known. Ops may fold to another form of themselves, which is noted
/// in `changed`. Casts of what is `hinted` are not passed.
static OpFoldResult sameTensor(Operation *op, const DenseSet<Value> &hinted,
                               bool &changed) {
  if (auto cast = dyn_cast<tensor::CastOp>(op)) {
    while (auto before = cast.getSource().getDefiningOp<tensor::CastOp>()) {
      if (hinted.contains(cast.getSource()))
        break;
      cast = before;
    }
    return cast.getSource();
  }
  if (auto transpose = dyn_cast<linalg::TransposeOp>(op))
    return transposedBack(transpose);
  if (auto unpack = dyn_cast<linalg::UnPackOp>(op))
    return unpackedAgain(unpack);
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return resultOfBody(linalgOp, changed);
  if (!OpTrait::hasElementwiseMappableTraits(op) &&
      !isa<tensor::ExtractSliceOp, tensor::InsertSliceOp, tensor::ExpandShapeOp,
           tensor::CollapseShapeOp>(op))
    return {};
  OpFoldResult folded;
  bool isFolded = fold(op, constantOperands(op), folded);
  // The other form may fold to a result.
  if (isFolded && folded.isNull()) {
    changed = true;
    fold(op, constantOperands(op), folded);
  }
  return folded;
}

/// The elements of the result of `op` if it moves or repeats elements that are all one number;
/// null otherwise.
static Attribute movedNumber(Operation *op) {
  if (!isa<tensor::ExtractSliceOp, tensor::ExpandShapeOp,
           tensor::CollapseShapeOp, linalg::TransposeOp, linalg::BroadcastOp>(
          op) ||
      op->getNumResults() != 1)
    return {};
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  TypedAttr number = splatNumber(op->getOperand(0));
  if (!number || !type.hasStaticShape() || type.getEncoding())
    return {};
  return DenseElementsAttr::get(type, number);
}

/// Replaces `op` by the tensor that its result is. What is `hinted`, or is stated by a hint,
/// stays. Returns whether `op` is gone.
static bool dropIdentity(Operation *op, const DenseSet<Value> &hinted,
                         RewriterBase &rewriter, bool &changed) {
  if (mayHaveHint(op) || llvm::any_of(op->getResults(), [&](Value result) {
        return hinted.contains(result);
      }))
    return false;
  // A tensor with a hint between `op` and the one that it gives back stays between them.
  auto isPassed = [&](Value same) {
    return llvm::any_of(op->getOperands(), [&](Value operand) {
      return operand != same && hinted.contains(operand);
    });
  };
  OpFoldResult found = sameTensor(op, hinted, changed);
  auto same = dyn_cast_if_present<Value>(found);
  if (isPassed(same))
    return false;
  if (!same) {
    auto number = dyn_cast_if_present<Attribute>(found);
    auto elements = dyn_cast_if_present<SplatElementsAttr>(
        number ? number : movedNumber(op));
    // MLIR also makes constants of unknown extents, which are no tensors.
    if (!elements || elements.getType() != op->getResult(0).getType() ||
        !elements.getType().hasStaticShape())
      return false;
    rewriter.setInsertionPoint(op);
    same = arith::ConstantOp::create(rewriter, op->getLoc(), elements);
  }
  if (same.getType() != op->getResult(0).getType() ||
      isHint(same.getDefiningOp()))
    return false;
  rewriter.replaceOp(op, same);
  changed = true;
  return true;
}

/// Replaces `op`, an element of a tensor that is one number everywhere, by that number.
static bool foldElement(tensor::ExtractOp op, const DenseSet<Value> &hinted,
                        RewriterBase &rewriter) {
  TypedAttr number = splatNumber(op.getTensor());
  if (!number || hinted.contains(op.getTensor()) || mayHaveHint(op))
    return false;
  rewriter.setInsertionPoint(op);
  rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, number);
  return true;
}

/// Erases ops that nothing uses: they would decide about their operands. Hints stay.
static bool dropUnused(Operation *root, RewriterBase &rewriter) {
  SmallVector<Operation *> ops;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != root)
      ops.push_back(op);
  });
  bool changed = false;
  for (Operation *op : llvm::reverse(ops))
    if (mayBeErased(op)) {
      rewriter.eraseOp(op);
      changed = true;
    }
  return changed;
}

/// Whether `op` may be normalized by itself. Elements that a body of linalg takes are folded with
/// its op, which may be a fill then.
static bool isNormalized(Operation *op) {
  if (isa<tensor::ExtractOp>(op))
    return !isa<linalg::LinalgOp>(op->getParentOp());
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return linalgOp.hasPureTensorSemantics();
  return op->getNumResults() == 1 &&
         isa<RankedTensorType>(op->getResult(0).getType());
}

bool normalizeOps(Operation *root) {
  IRRewriter rewriter(root->getContext());
  bool changed = dropUnused(root, rewriter);
  SmallVector<Operation *> ops;
  DenseSet<Value> hinted;
  root->walk([&](Operation *op) {
    if (isHint(op))
      hinted.insert(op->operand_begin(), op->operand_end());
    if (mayHaveHint(op))
      hinted.insert(op->result_begin(), op->result_end());
  });
  // Operands come before the ops that use them.
  root->walk<WalkOrder::PreOrder, ForwardDominanceIterator<>>(
      [&](Operation *op) {
        if (isNormalized(op))
          ops.push_back(op);
      });
  for (Operation *op : ops) {
    if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
      changed |= foldElement(extract, hinted, rewriter);
      continue;
    }
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (linalgOp)
      for (auto extract : llvm::make_early_inc_range(
               linalgOp.getBlock()->getOps<tensor::ExtractOp>()))
        changed |= foldElement(extract, hinted, rewriter);
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (generic) {
      changed |= joinInputs(generic, rewriter);
      changed |= foldBody(generic, hinted, rewriter);
    }
    // To ask a named op for its indexing maps notes them in an attribute.
    DictionaryAttr noted = op->getDiscardableAttrDictionary();
    if (dropIdentity(op, hinted, rewriter, changed))
      continue;
    if (sinkBroadcast(op, hinted, rewriter)) {
      changed = true;
      continue;
    }
    if (!linalgOp) {
      if (Operation *made = sinkUnitReshape(op, hinted, rewriter)) {
        changed = true;
        sinkBroadcast(made, hinted, rewriter);
      }
      continue;
    }
    if (generic && makeFill(generic, rewriter)) {
      changed = true;
      continue;
    }
    if (generic)
      changed |= inlineNumbers(generic, hinted, rewriter);
    changed |= releaseInits(linalgOp, hinted, rewriter);
    changed |= op->getDiscardableAttrDictionary() != noted;
  }
  if (changed)
    dropUnused(root, rewriter);
  return changed;
}

} // namespace shard
