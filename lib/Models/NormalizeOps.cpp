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

/// Whether `op` states a sharding of its operands. The results of a manual computation are stated
/// by that op, whatever its body returns.
static bool isHint(Operation *op) {
  return op && isa_and_present<ShardDialect>(op->getDialect()) &&
         !isa<ReturnOp>(op) && !isCollective(op);
}

/// Whether nothing uses `op`, which is no hint.
static bool mayBeErased(Operation *op) {
  return !isHint(op) && !mayHaveHint(op) && isOpTriviallyDead(op);
}

/// Whether `op` writes each element of `init` once, by loops that are all parallel.
static bool writesOnce(linalg::LinalgOp op, OpOperand &init) {
  return op.getNumLoops() == op.getNumParallelLoops() &&
         op.getMatchingIndexingMap(&init).isPermutation() &&
         isa<RankedTensorType>(init.get().getType());
}

/// Whether all that the body of `op` does is to compute what it yields: an assertion stays.
static bool onlyComputes(linalg::LinalgOp op) {
  return llvm::all_of(*op.getBlock(), [](Operation &inner) {
    return inner.hasTrait<OpTrait::IsTerminator>() ||
           isMemoryEffectFree(&inner);
  });
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
  if (op.getNumResults() != 1 || !onlyComputes(op) ||
      !writesOnce(op, op.getDpsInitsMutable()[0]))
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
static bool releaseInits(linalg::LinalgOp op, const DenseSet<Value> &hinted,
                         RewriterBase &rewriter) {
  bool changed = false;
  for (OpOperand &init : op.getDpsInitsMutable()) {
    Operation *def = init.get().getDefiningOp();
    if (!writesOnce(op, init) || op.payloadUsesValueFromOperand(&init) ||
        isa_and_present<tensor::EmptyOp>(def) || isHint(def) ||
        hinted.contains(init.get()) ||
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

/// Writes the elements of inputs that are one number into the body of `op`, and drops the inputs:
/// what a body does with a number tells whether it commutes with a sum.
static bool inlineNumbers(linalg::GenericOp op, const DenseSet<Value> &hinted,
                          RewriterBase &rewriter) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<Value> inputs(op.getInputs());
  bool changed = false;
  for (unsigned input = inputs.size(); input-- > 0;) {
    TypedAttr number = splatNumber(inputs[input]);
    SmallVector<AffineMap> others(maps);
    others.erase(others.begin() + input);
    // The other operands tell how far all loops go.
    if (!number || hinted.contains(inputs[input]) ||
        !inversePermutation(concatAffineMaps(others, rewriter.getContext())))
      continue;
    rewriter.setInsertionPointToStart(op.getBody());
    rewriter.replaceAllUsesWith(
        op.getBody()->getArgument(input),
        arith::ConstantOp::create(rewriter, op.getLoc(), number));
    op.getBody()->eraseArgument(input);
    inputs.erase(inputs.begin() + input);
    maps = std::move(others);
    changed = true;
  }
  if (changed)
    rewriter.modifyOpInPlace(op, [&] {
      op.getInputsMutable().assign(inputs);
      op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
    });
  return changed;
}

/// The input that `op` copies, or the init that it leaves as it is; null if it does something
/// else.
static Value copiedBy(linalg::LinalgOp op) {
  if (op->getNumResults() != 1 || !op.hasPureTensorSemantics() ||
      !onlyComputes(op))
    return {};
  OpOperand &init = op.getDpsInitsMutable()[0];
  auto yielded =
      dyn_cast<BlockArgument>(op.getBlock()->getTerminator()->getOperand(0));
  if (!yielded || yielded.getOwner() != op.getBlock())
    return {};
  OpOperand *operand = op.getMatchingOpOperand(yielded);
  bool isSame = operand == &init ||
                (writesOnce(op, init) && op.getMatchingIndexingMap(operand) ==
                                             op.getMatchingIndexingMap(&init));
  return isSame ? operand->get() : Value();
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

/// Folds `op`, whose operands are `constants` where these are not null. Gives the result, or null
/// if `op` folds to another form of itself. Returns whether it folds.
static bool fold(Operation *op, ArrayRef<Attribute> constants,
                 OpFoldResult &result) {
  SmallVector<OpFoldResult> folded;
  if (failed(op->fold(constants, folded)))
    return false;
  if (folded.size() == 1)
    result = folded.front();
  return true;
}

/// `value` if it is a number, or a fill or a constant of one number; null otherwise. To fold other
/// constants would take time for each element.
static Attribute constantOf(Value value) {
  Attribute constant;
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    matchPattern(value, m_Constant(&constant));
  else if (TypedAttr number = splatNumber(value);
           number && type.hasStaticShape() && !type.getEncoding())
    constant = DenseElementsAttr::get(type, number);
  return constant;
}

/// The element that `operand` of an op of linalg is in each iteration; null if it may change.
static Attribute numberOf(Value operand) {
  Attribute number = splatNumber(operand);
  if (!number && !isa<RankedTensorType>(operand.getType()))
    matchPattern(operand, m_Constant(&number));
  return number;
}

/// The operands of `op` that `constantOf` knows; null for others.
static SmallVector<Attribute> constantOperands(Operation *op) {
  return llvm::map_to_vector(op->getOperands(), constantOf);
}

/// The elements of the result of `op` if its body computes one number of constants and of
/// operands that are one number everywhere; null otherwise.
static Attribute computedNumber(linalg::LinalgOp op, bool &changed) {
  auto type = op->getNumResults() == 1
                  ? dyn_cast<RankedTensorType>(op->getResult(0).getType())
                  : RankedTensorType();
  if (!type || !type.hasStaticShape() || type.getEncoding() ||
      !onlyComputes(op) || !writesOnce(op, op.getDpsInitsMutable()[0]))
    return {};
  Value yielded = op.getBlock()->getTerminator()->getOperand(0);
  // What yields a constant or a scalar is a fill.
  auto argument = dyn_cast<BlockArgument>(yielded);
  Operation *last = yielded.getDefiningOp();
  if (yielded.getParentBlock() != op.getBlock() ||
      (argument && op.isScalar(op.getMatchingOpOperand(argument))) ||
      (last && last->hasTrait<OpTrait::ConstantLike>()))
    return {};
  llvm::SmallDenseMap<Value, Attribute> numbers;
  for (BlockArgument argument : op.getBlock()->getArguments()) {
    if (Attribute number = numberOf(op.getMatchingOpOperand(argument)->get()))
      numbers[argument] = number;
  }
  for (Operation &inner : op.getBlock()->without_terminator()) {
    auto constants =
        llvm::map_to_vector(inner.getOperands(), [&](Value operand) {
          Attribute number = numbers.lookup(operand);
          return number ? number : constantOf(operand);
        });
    OpFoldResult folded;
    if (fold(&inner, constants, folded) && folded.isNull()) {
      changed = true;
      return {};
    }
    auto number = dyn_cast_if_present<Attribute>(folded);
    if (auto value = dyn_cast_if_present<Value>(folded))
      number = numbers.lookup(value);
    if (number)
      numbers[inner.getResult(0)] = number;
  }
  auto number = dyn_cast_if_present<TypedAttr>(numbers.lookup(yielded));
  return number && number.getType() == type.getElementType()
             ? DenseElementsAttr::get(type, Attribute(number))
             : Attribute();
}

/// Uses in the body of `op` the values that ops of it fold to: what depends on a number may be an
/// input as it comes. What is `hinted` is taken for no number.
static bool foldBody(linalg::GenericOp op, const DenseSet<Value> &hinted,
                     RewriterBase &rewriter) {
  auto knownIn = [&](Value value) -> Attribute {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || argument.getOwner() != op.getBody())
      return constantOf(value);
    OpOperand *operand = op.getMatchingOpOperand(argument);
    if (op.isDpsInit(operand) || hinted.contains(operand->get()))
      return {};
    return numberOf(operand->get());
  };
  bool changed = false;
  for (Operation &inner :
       llvm::make_early_inc_range(op.getBody()->without_terminator())) {
    OpFoldResult folded;
    if (!fold(&inner, llvm::map_to_vector(inner.getOperands(), knownIn),
              folded))
      continue;
    auto value = dyn_cast_if_present<Value>(folded);
    if (value)
      rewriter.replaceOp(&inner, value);
    changed |= value || folded.isNull();
  }
  return changed;
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
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    if (Value copied = copiedBy(linalgOp))
      return copied;
    return computedNumber(linalgOp, changed);
  }
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
    if (generic)
      changed |= foldBody(generic, hinted, rewriter);
    // To ask a named op for its indexing maps notes them in an attribute.
    DictionaryAttr noted = op->getDiscardableAttrDictionary();
    if (dropIdentity(op, hinted, rewriter, changed))
      continue;
    if (!linalgOp) {
      changed |= sinkUnitReshape(op, hinted, rewriter);
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
