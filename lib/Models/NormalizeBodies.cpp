//===- NormalizeBodies.cpp - Bodies of linalg that compute less -----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the bodies of linalg ops compute of numbers and of equal elements is folded, so that models
// see copies, fills and fewer inputs. Bodies of named ops are evaluated and stay as they are, but
// for operands of inner ops that MLIR's folds exchange.
//
//===----------------------------------------------------------------------===//

#include "NormalizeBodies.h"

#include "TensorModels.h"

#include "shard/IR/ShardDialect.h"
#include "shard/IR/ShardingUtils.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace shard {

bool fold(Operation *op, ArrayRef<Attribute> constants, OpFoldResult &result) {
  SmallVector<OpFoldResult> folded;
  if (failed(op->fold(constants, folded)))
    return false;
  if (folded.size() == 1)
    result = folded.front();
  return true;
}

Attribute constantOf(Value value) {
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

/// Whether `op` writes each element of `init` once, by loops that are all parallel.
static bool writesOnce(linalg::LinalgOp op, OpOperand &init) {
  return op.getNumLoops() == op.getNumParallelLoops() &&
         op.getMatchingIndexingMap(&init).isPermutation() &&
         isa<RankedTensorType>(init.get().getType());
}

bool onlyComputes(linalg::LinalgOp op) {
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

bool makeFill(linalg::GenericOp op, RewriterBase &rewriter) {
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

bool releaseInits(linalg::LinalgOp op, const DenseSet<Value> &hinted,
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

/// Drops the inputs of `op` for which `instead` gives, by their number, another value for the
/// body.
static bool replaceInputs(
    linalg::GenericOp op, RewriterBase &rewriter,
    llvm::function_ref<Value(unsigned, ArrayRef<Value>, ArrayRef<AffineMap>)>
        instead) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<Value> inputs(op.getInputs());
  bool changed = false;
  for (unsigned input = inputs.size(); input-- > 0;) {
    Value value = instead(input, inputs, maps);
    if (!value)
      continue;
    rewriter.replaceAllUsesWith(op.getBody()->getArgument(input), value);
    op.getBody()->eraseArgument(input);
    inputs.erase(inputs.begin() + input);
    maps.erase(maps.begin() + input);
    changed = true;
  }
  if (changed)
    rewriter.modifyOpInPlace(op, [&] {
      op.getInputsMutable().assign(inputs);
      op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
    });
  return changed;
}

bool joinInputs(linalg::GenericOp op, RewriterBase &rewriter) {
  return replaceInputs(op, rewriter,
                       [&](unsigned input, ArrayRef<Value> inputs,
                           ArrayRef<AffineMap> maps) -> Value {
                         for (unsigned first = 0; first < input; ++first)
                           if (inputs[first] == inputs[input] &&
                               maps[first] == maps[input])
                             return op.getBody()->getArgument(first);
                         return {};
                       });
}

bool inlineNumbers(linalg::GenericOp op, const DenseSet<Value> &hinted,
                   RewriterBase &rewriter) {
  return replaceInputs(
      op, rewriter,
      [&](unsigned input, ArrayRef<Value> inputs,
          ArrayRef<AffineMap> maps) -> Value {
        TypedAttr number = splatNumber(inputs[input]);
        SmallVector<AffineMap> others(maps);
        others.erase(others.begin() + input);
        // The other operands tell how far all loops go.
        if (!number || hinted.contains(inputs[input]) ||
            !inversePermutation(
                concatAffineMaps(others, rewriter.getContext())))
          return {};
        rewriter.setInsertionPointToStart(op.getBody());
        return arith::ConstantOp::create(rewriter, op.getLoc(), number);
      });
}

/// What the body of `op` yields: the number, if that is known, else the value. `isInitKnown` tells
/// that each iteration reads the inits as they come; in a sum it reads what is summed so far.
static OpFoldResult yieldedBy(linalg::LinalgOp op, bool isInitKnown,
                              bool &changed) {
  llvm::SmallDenseMap<Value, OpFoldResult> known;
  for (BlockArgument argument : op.getBlock()->getArguments()) {
    OpOperand *operand = op.getMatchingOpOperand(argument);
    if (!isInitKnown && op.isDpsInit(operand))
      continue;
    if (Attribute number = numberOf(operand->get()))
      known[argument] = number;
  }
  auto find = [&](Value value) -> OpFoldResult {
    auto found = known.find(value);
    return found == known.end() ? OpFoldResult(value) : found->second;
  };
  for (Operation &inner : op.getBlock()->without_terminator()) {
    auto fold = [&](OpFoldResult &folded) {
      return shard::fold(&inner,
                         llvm::map_to_vector(
                             inner.getOperands(),
                             [&](Value operand) {
                               auto number = dyn_cast<Attribute>(find(operand));
                               return number ? number : constantOf(operand);
                             }),
                         folded);
    };
    OpFoldResult folded;
    // The other form of an op may fold to a result.
    if (fold(folded) && folded.isNull()) {
      changed = true;
      fold(folded);
    }
    if (auto value = dyn_cast_if_present<Value>(folded))
      folded = find(value);
    if (!folded.isNull())
      known[inner.getResult(0)] = folded;
  }
  return find(op.getBlock()->getTerminator()->getOperand(0));
}

OpFoldResult resultOfBody(linalg::LinalgOp op, bool &changed) {
  if (op->getNumResults() != 1 || !op.hasPureTensorSemantics() ||
      !onlyComputes(op))
    return {};
  OpOperand &init = op.getDpsInitsMutable()[0];
  bool isOnce = writesOnce(op, init);
  // What yields a constant or a scalar is a fill.
  Value last = op.getBlock()->getTerminator()->getOperand(0);
  auto scalar = dyn_cast<BlockArgument>(last);
  if (last.getParentBlock() != op.getBlock() ||
      (scalar && op.isScalar(op.getMatchingOpOperand(scalar))) ||
      matchPattern(last, m_Constant()))
    return {};
  OpFoldResult yielded = yieldedBy(op, isOnce, changed);
  if (auto number = dyn_cast<Attribute>(yielded)) {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    auto typed = dyn_cast<TypedAttr>(number);
    bool isElement = isOnce && typed && type.hasStaticShape() &&
                     !type.getEncoding() &&
                     typed.getType() == type.getElementType();
    return isElement ? OpFoldResult(DenseElementsAttr::get(type, number))
                     : OpFoldResult();
  }
  auto argument = dyn_cast<BlockArgument>(cast<Value>(yielded));
  if (!argument || argument.getOwner() != op.getBlock())
    return {};
  OpOperand *operand = op.getMatchingOpOperand(argument);
  bool isSame =
      operand == &init || (isOnce && op.getMatchingIndexingMap(operand) ==
                                         op.getMatchingIndexingMap(&init));
  return isSame ? operand->get() : Value();
}

bool foldBody(linalg::GenericOp op, const DenseSet<Value> &hinted,
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

} // namespace shard
