//===- SinkBroadcasts.cpp - Elementwise ops in front of broadcasts --------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A frontend that compares all pairs of elements broadcasts rows and columns first, and then
// computes the keys that it compares: n^2 times what n elements need, and a reshard of a key sends
// it n times.
//
//===----------------------------------------------------------------------===//

#include "SinkBroadcasts.h"

#include "NormalizeBodies.h"
#include "TensorModels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace shard {

namespace {
/// A tensor that repeats `source` along the dimensions `added`.
struct Broadcast {
  Value source;
  SmallVector<int64_t> added;
  Value result;

  RankedTensorType type() const {
    return cast<RankedTensorType>(source.getType());
  }
};
} // namespace

/// What `value` repeats, if nothing else; the dimensions of the source are in their order.
static std::optional<Broadcast> broadcastOf(Value value) {
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  if (!op || mayHaveHint(op) || !op.hasPureTensorSemantics() ||
      op.getNumDpsInputs() != 1 || op->getNumResults() != 1 ||
      op.getNumLoops() != op.getNumParallelLoops())
    return std::nullopt;
  OpOperand *input = op.getDpsInputOperand(0);
  auto yielded =
      dyn_cast<BlockArgument>(op.getBlock()->getTerminator()->getOperand(0));
  AffineMap map = op.getMatchingIndexingMap(input);
  auto from = dyn_cast<RankedTensorType>(input->get().getType());
  if (!from || from.getEncoding() || !llvm::hasSingleElement(*op.getBlock()) ||
      !yielded || yielded != op.getMatchingBlockArgument(input) ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity() ||
      !map.isProjectedPermutation() || map.getNumResults() == map.getNumDims())
    return std::nullopt;
  Broadcast found{input->get(), {}, value};
  unsigned next = 0;
  for (unsigned dim = 0; dim < map.getNumDims(); ++dim)
    if (next < map.getNumResults() && map.getDimPosition(next) == dim)
      ++next;
    else
      found.added.push_back(dim);
  if (next != map.getNumResults())
    return std::nullopt;
  return found;
}

/// Whether `op` computes each element of its result of the elements of its operands in that place.
static bool isElementwise(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp)
    return op->getNumRegions() == 0 && op->getDiscardableAttrs().empty() &&
           OpTrait::hasElementwiseMappableTraits(op);
  // These state their maps in ways of their own.
  if (mayHaveHint(op) || isa<linalg::ElementwiseOp, linalg::TransposeOp>(op) ||
      !linalgOp.hasPureTensorSemantics() || linalgOp.getNumDpsInits() != 1 ||
      linalgOp.hasIndexSemantics() ||
      linalgOp.getNumLoops() != linalgOp.getNumParallelLoops() ||
      linalgOp.payloadUsesValueFromOperand(linalgOp.getDpsInitOperand(0)) ||
      !onlyComputes(linalgOp))
    return false;
  return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
    return linalgOp.isScalar(&operand) ||
           linalgOp.getMatchingIndexingMap(&operand).isIdentity();
  });
}

static bool isInit(OpOperand &operand) {
  auto op = dyn_cast<linalg::LinalgOp>(operand.getOwner());
  return op && op.isDpsInit(&operand);
}

static Value emptyLike(Value tensor, Type element, Location loc,
                       RewriterBase &rewriter) {
  return tensor::EmptyOp::create(
      rewriter, loc, tensor::getMixedSizes(rewriter, loc, tensor), element);
}

/// What all tensors that `op` reads repeat, but for those that are one number; nothing if they
/// differ in that.
static std::optional<Broadcast> commonBroadcast(Operation *op,
                                                const DenseSet<Value> &hinted) {
  std::optional<Broadcast> common;
  bool hasNumbers = false;
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    if (!isa<RankedTensorType>(value.getType()) || isInit(operand))
      continue;
    if (splatNumber(value)) {
      hasNumbers = true;
      continue;
    }
    std::optional<Broadcast> other = broadcastOf(value);
    if (!other || hinted.contains(value) ||
        (common && (common->added != other->added ||
                    common->type().getShape() != other->type().getShape())))
      return std::nullopt;
    common = other;
  }
  // A constant has a static shape.
  if (common && hasNumbers && !common->type().hasStaticShape())
    return std::nullopt;
  return common;
}

/// `op`, which is elementwise, on the tensors in front of broadcasts like `common`.
static Value computeBefore(const Broadcast &common, Operation *op,
                           RewriterBase &rewriter) {
  RankedTensorType from = common.type();
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    if (auto tensor = dyn_cast<RankedTensorType>(value.getType())) {
      Type element = tensor.getElementType();
      if (isInit(operand))
        value = emptyLike(common.source, element, op->getLoc(), rewriter);
      else if (TypedAttr number = splatNumber(value))
        value = arith::ConstantOp::create(
            rewriter, op->getLoc(),
            DenseElementsAttr::get(from.clone(element), number));
      else
        value = broadcastOf(value)->source;
    }
    operands.push_back(value);
  }
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  Operation *made = clone(rewriter, op, {from.clone(element)}, operands);
  // Ops that state their maps do so by attributes; others may have noted them.
  made->removeDiscardableAttr(
      linalg::LinalgDialect::kMemoizedIndexingMapsAttrName);
  if (auto generic = dyn_cast<linalg::GenericOp>(made)) {
    SmallVector<AffineMap> maps;
    for (OpOperand &operand : generic->getOpOperands())
      maps.push_back(
          generic.isScalar(&operand)
              ? AffineMap::get(from.getRank(), 0, rewriter.getContext())
              : rewriter.getMultiDimIdentityMap(from.getRank()));
    generic.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
    generic.setIteratorTypesAttr(rewriter.getArrayAttr(
        generic.getIteratorTypes().getValue().take_front(from.getRank())));
  }
  return made->getResult(0);
}

bool sinkBroadcast(Operation *op, const DenseSet<Value> &hinted,
                   RewriterBase &rewriter) {
  auto type = op->getNumResults() == 1
                  ? dyn_cast<RankedTensorType>(op->getResult(0).getType())
                  : RankedTensorType();
  if (!type || type.getEncoding() || hinted.contains(op->getResult(0)) ||
      broadcastOf(op->getResult(0)) || !isElementwise(op))
    return false;
  std::optional<Broadcast> common = commonBroadcast(op, hinted);
  if (!common)
    return false;
  // The init of an op of linalg may know other extents than what it reads.
  if (cast<RankedTensorType>(common->result.getType()).getShape() !=
      type.getShape())
    return false;
  rewriter.setInsertionPoint(op);
  Value made = computeBefore(*common, op, rewriter);
  rewriter.replaceOpWithNewOp<linalg::BroadcastOp>(
      op, made,
      emptyLike(common->result, type.getElementType(), op->getLoc(), rewriter),
      common->added);
  return true;
}

} // namespace shard
