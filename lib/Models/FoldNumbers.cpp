//===- FoldNumbers.cpp - Numbers that are computed of constants -----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Models/FoldNumbers.h"

#include "Extents.h"
#include "TensorModels.h"

#include "shard/IR/Poison.h"
#include "shard/IR/ShardDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace shard {

/// Whether `op` does nothing but compute numbers, and is no constant itself. Attributes of
/// other dialects may be hints, which a constant would not keep.
static bool computesNumbers(Operation *op) {
  return op->getNumResults() > 0 && op->getNumRegions() == 0 &&
         llvm::all_of(op->getResultTypes(),
                      [](Type type) { return type.isIntOrIndex(); }) &&
         !op->hasTrait<OpTrait::ConstantLike>() &&
         op->getDiscardableAttrs().empty() && isMemoryEffectFree(op);
}

/// What `op` folds to if its operands that are numbers are constant; failure if they are not.
/// `fold` may do more to ops with other operands, so these are not asked.
static FailureOr<SmallVector<OpFoldResult>> foldOfConstants(Operation *op) {
  SmallVector<Attribute> constants;
  for (Value operand : op->getOperands()) {
    Attribute constant;
    if (!matchPattern(operand, m_Constant(&constant)) &&
        operand.getType().isIntOrIndexOrFloat())
      return failure();
    constants.push_back(constant);
  }
  SmallVector<OpFoldResult> folded;
  if (failed(op->fold(constants, folded)))
    return failure();
  return folded;
}

/// Whether `op` stays as it is: with other extents or offsets it may have other loops than those
/// that its hint names.
static bool hasLoopHint(Operation *op) { return op->hasAttr(kLoopsAttrName); }

/// Puts `numbers` in the place of `op`. Returns whether that changed anything.
static bool replaceNumbers(Operation *op, ValueRange numbers,
                           RewriterBase &rewriter) {
  bool changed = op->use_empty();
  rewriter.replaceUsesWithIf(op->getResults(), numbers, [&](OpOperand &use) {
    bool isReplaced = !hasLoopHint(use.getOwner());
    changed |= isReplaced;
    return isReplaced;
  });
  if (op->use_empty())
    rewriter.eraseOp(op);
  return changed;
}

/// Replaces `op` by constants at its place. Returns whether it changed.
static bool foldNumber(Operation *op, RewriterBase &rewriter) {
  FailureOr<SmallVector<OpFoldResult>> folded = foldOfConstants(op);
  if (failed(folded))
    return false;
  // The op itself changed, as that which asks for an extent does behind a cast.
  if (folded->empty())
    return true;
  rewriter.setInsertionPoint(op);
  SmallVector<Value> made, numbers;
  for (auto [result, known] : llvm::zip_equal(op->getResults(), *folded)) {
    // A sum with zero is its other operand, which is constant.
    if (auto operand = dyn_cast<Value>(known)) {
      if (!matchPattern(operand, m_Constant()))
        break;
      numbers.push_back(operand);
      continue;
    }
    auto constant = arith::ConstantOp::materialize(
        rewriter, cast<Attribute>(known), result.getType(), op->getLoc());
    if (!constant)
      break;
    numbers.push_back(constant);
    made.push_back(constant);
  }
  if (numbers.size() == op->getNumResults() &&
      replaceNumbers(op, numbers, rewriter))
    return true;
  for (Value constant : made)
    rewriter.eraseOp(constant.getDefiningOp());
  return false;
}

/// Replaces `op` by `made`, whose type may state more extents.
static void replaceWithCast(Operation *op, Value made, RewriterBase &rewriter) {
  Type type = op->getResult(0).getType();
  if (made.getType() == type)
    rewriter.replaceOp(op, made);
  else
    rewriter.replaceOpWithNewOp<tensor::CastOp>(op, type, made);
}

static bool isInBounds(RankedTensorType type, ArrayRef<OpFoldResult> offsets,
                       ArrayRef<OpFoldResult> sizes,
                       ArrayRef<OpFoldResult> strides) {
  return verifyInBoundsSlice(type.getShape(), offsets, sizes, strides).isValid;
}

bool foldIntoBounds(RankedTensorType type, SmallVector<OpFoldResult> &offsets,
                    SmallVector<OpFoldResult> &sizes,
                    SmallVector<OpFoldResult> &strides) {
  bool hasSizes =
      succeeded(foldDynamicIndexList(sizes, /*onlyNonNegative=*/true));
  // One element needs no stride. MLIR tells by the strides which dimensions of one element a view
  // drops, and refuses its own choice where these differ.
  bool hasUnits = false;
  for (auto [size, stride] : llvm::zip_equal(sizes, strides))
    if (isConstantIntValue(size, 1) && !isConstantIntValue(stride, 1)) {
      stride = Builder(type.getContext()).getIndexAttr(1);
      hasUnits = true;
    }
  SmallVector<OpFoldResult> foldedOffsets = offsets, foldedStrides = strides;
  (void)foldDynamicIndexList(foldedOffsets, /*onlyNonNegative=*/true);
  (void)foldDynamicIndexList(foldedStrides);
  // A size that is known later may tell that a place is out of range, which is no op.
  for (size_t dim = 0; dim < sizes.size(); ++dim) {
    if (isa<Attribute>(sizes[dim]))
      continue;
    if (!isConstantIntValue(foldedOffsets[dim], 0))
      foldedOffsets[dim] = offsets[dim];
    if (!isConstantIntValue(foldedStrides[dim], 1))
      foldedStrides[dim] = strides[dim];
  }
  bool hasPlaces = foldedOffsets != offsets || foldedStrides != strides;
  if (hasPlaces && isInBounds(type, foldedOffsets, sizes, foldedStrides)) {
    offsets = std::move(foldedOffsets);
    strides = std::move(foldedStrides);
    return true;
  }
  return (hasSizes || hasUnits) && isInBounds(type, offsets, sizes, strides);
}

/// The type of a slice of `type`, without its `dropped` dimensions, whose `sizes` are known as
/// far as they are attributes. A constant that is none, because it is negative, is not.
static RankedTensorType sliceType(RankedTensorType type,
                                  ArrayRef<OpFoldResult> sizes,
                                  const llvm::SmallBitVector &dropped) {
  SmallVector<int64_t> shape;
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (!dropped.test(dim))
      shape.push_back(isa<Attribute>(size) ? *getConstantIntValue(size)
                                           : ShapedType::kDynamic);
  return RankedTensorType::get(shape, type.getElementType(),
                               type.getEncoding());
}

bool foldIntoSlice(tensor::ExtractSliceOp op, bool sizesOnly,
                   RewriterBase &rewriter) {
  SmallVector<OpFoldResult> offsets = op.getMixedOffsets(),
                            sizes = op.getMixedSizes(),
                            strides = op.getMixedStrides();
  if (sizesOnly) {
    if (failed(foldDynamicIndexList(sizes, /*onlyNonNegative=*/true)) ||
        !isInBounds(op.getSourceType(), offsets, sizes, strides))
      return false;
  } else if (!foldIntoBounds(op.getSourceType(), offsets, sizes, strides)) {
    return false;
  }
  rewriter.setInsertionPoint(op);
  auto slice = tensor::ExtractSliceOp::create(
      rewriter, op.getLoc(),
      sliceType(op.getType(), sizes, op.getDroppedDims()), op.getSource(),
      offsets, sizes, strides);
  slice->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  replaceWithCast(op, slice, rewriter);
  return true;
}

/// Gives the source of `op` a static extent in each dimension of which the size is constant
/// and the extent of the destination is known: others may go together as they are.
static bool stateSizes(tensor::InsertSliceOp op, RewriterBase &rewriter) {
  SmallVector<OpFoldResult> offsets = op.getMixedOffsets(),
                            sizes = op.getMixedSizes(),
                            strides = op.getMixedStrides();
  bool changed = false;
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    std::optional<int64_t> known = getConstantIntValue(size);
    if (!isa<Value>(size) || !known || *known < 0 ||
        op.getDestType().isDynamicDim(dim))
      continue;
    size = rewriter.getIndexAttr(*known);
    changed = true;
  }
  if (!changed || !isInBounds(op.getDestType(), offsets, sizes, strides))
    return false;
  RankedTensorType type = op.getSourceType(),
                   known = sliceType(type, sizes, op.getDroppedDims());
  if (!tensor::CastOp::areCastCompatible(type, known))
    return false;
  rewriter.setInsertionPoint(op);
  Value source = op.getSource();
  // The cast to the type of the source, as that of a slice has become.
  if (auto cast = source.getDefiningOp<tensor::CastOp>();
      cast && cast.getSource().getType() == known)
    source = cast.getSource();
  else if (type != known)
    source = tensor::CastOp::create(rewriter, op.getLoc(), known, source);
  auto insertion = tensor::InsertSliceOp::create(
      rewriter, op.getLoc(), source, op.getDest(), offsets, sizes, strides);
  insertion->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  rewriter.replaceOp(op, insertion);
  return true;
}

/// Gives `op` a static extent in each dimension of which the widths are constant.
static bool stateWidths(tensor::PadOp op, RewriterBase &rewriter) {
  // The getters give constants as attributes.
  SmallVector<OpFoldResult> low = op.getMixedLowPad(),
                            high = op.getMixedHighPad();
  SmallVector<int64_t> staticLow, staticHigh;
  SmallVector<Value> dynamic;
  dispatchIndexOpFoldResults(low, dynamic, staticLow);
  dispatchIndexOpFoldResults(high, dynamic, staticHigh);
  if (dynamic.size() == op.getLow().size() + op.getHigh().size())
    return false;
  // The width -2^63 is the number that stands for an unknown one.
  auto unknowns = [](ArrayRef<int64_t> widths) {
    return llvm::count_if(widths, ShapedType::isDynamic);
  };
  if (unknowns(staticLow) + unknowns(staticHigh) != int64_t(dynamic.size()))
    return false;
  RankedTensorType type = op.getType();
  auto known = tensor::PadOp::inferResultType(op.getSourceType(), staticLow,
                                              staticHigh, type.getShape());
  // A result of another extent, or of a negative one, would not verify.
  if (failed(verifyCompatibleShape(known, type)) ||
      llvm::any_of(known.getShape(), [](int64_t extent) {
        return extent < 0 && ShapedType::isStatic(extent);
      }))
    return false;
  rewriter.setInsertionPoint(op);
  auto pad =
      tensor::PadOp::create(rewriter, op.getLoc(), type.clone(known.getShape()),
                            op.getSource(), low, high, op.getNofold());
  pad->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  rewriter.inlineRegionBefore(op.getRegion(), pad.getRegion(),
                              pad.getRegion().begin());
  replaceWithCast(op, pad, rewriter);
  return true;
}

bool foldNumbers(Operation *root) {
  bool changed = replacePoison(root);
  IRRewriter rewriter(root->getContext());
  SmallVector<tensor::DimOp> extents;
  root->walk([&](tensor::DimOp op) { extents.push_back(op); });
  for (tensor::DimOp op : extents)
    changed |= askOriginOf(op, rewriter);
  SmallVector<Operation *> numbers;
  SmallVector<Operation *> views;
  // Operands come before the ops that use them.
  root->walk<WalkOrder::PreOrder, ForwardDominanceIterator<>>(
      [&](Operation *op) {
        if (isa<tensor::ExtractSliceOp, tensor::InsertSliceOp, tensor::PadOp>(
                op) &&
            !hasLoopHint(op))
          views.push_back(op);
        else if (computesNumbers(op))
          numbers.push_back(op);
      });
  // The constants that ops which are replaced have used.
  llvm::SetVector<Operation *> used;
  auto run = [&](Operation *op, auto rewrite) {
    SmallVector<Value> operands(op->getOperands());
    if (!rewrite())
      return;
    changed = true;
    for (Value operand : operands)
      if (Operation *def = operand.getDefiningOp();
          def && operand.getType().isIntOrIndexOrFloat() &&
          def->hasTrait<OpTrait::ConstantLike>())
        used.insert(def);
  };
  for (Operation *op : numbers)
    run(op, [&] { return foldNumber(op, rewriter); });
  for (Operation *op : views)
    run(op, [&] {
      if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
        return foldIntoSlice(slice, /*sizesOnly=*/true, rewriter);
      if (auto insertion = dyn_cast<tensor::InsertSliceOp>(op))
        return stateSizes(insertion, rewriter);
      auto pad = cast<tensor::PadOp>(op);
      return hasAllWidths(pad) && stateWidths(pad, rewriter);
    });
  for (Operation *op : used)
    if (isOpTriviallyDead(op))
      rewriter.eraseOp(op);
  return changed;
}

} // namespace shard
