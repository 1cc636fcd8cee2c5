//===- UnwrittenElements.cpp - Results that are written in parts ----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An element of a result that no iteration writes is that of the init. MLIR's
// fusion replaces an init by tensor.empty, and its bufferization does not copy one,
// where the body does not read it. Both take for granted that every element is
// written. Ops for which this does not hold become loops that insert elements.
//
//===----------------------------------------------------------------------===//

#include "shard/Codegen/Workarounds.h"

#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

/// Whether the iterations of `op` certainly write every element of `init`.
static bool writesAll(linalg::LinalgOp op, OpOperand &init) {
  auto type = cast<RankedTensorType>(init.get().getType());
  llvm::SmallBitVector indexes(op.getNumLoops());
  AffineMap map = op.getMatchingIndexingMap(&init);
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    if (auto loop = dyn_cast<AffineDimExpr>(expr)) {
      // Two dimensions of one loop meet on the diagonal only.
      if (indexes.test(loop.getPosition()))
        return false;
      indexes.set(loop.getPosition());
    } else if (!isa<AffineConstantExpr>(expr) || type.getDimSize(dim) != 1) {
      return false;
    }
  }
  // Another loop that is empty leaves nothing to be written.
  for (auto [loop, extent] : llvm::enumerate(op.getStaticLoopRanges()))
    if (!indexes.test(loop) && (ShapedType::isDynamic(extent) || extent == 0))
      return false;
  return true;
}

static bool losesInit(linalg::LinalgOp op) {
  return op.hasPureTensorSemantics() &&
         llvm::any_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
           return !op.payloadUsesValueFromOperand(&init) &&
                  !writesAll(op, init);
         });
}

/// Emits the body of `op` at the point `ivs` on the tensors `carried`, its outputs.
/// Returns them with the yielded elements.
static scf::ValueVector emitPoint(linalg::LinalgOp op, OpBuilder &builder,
                                  Location loc, ValueRange ivs,
                                  ValueRange carried) {
  auto placeOf = [&](OpOperand &operand) {
    SmallVector<Value> place;
    for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults())
      place.push_back(affine::expandAffineExpr(builder, loc, expr, ivs, {}));
    return place;
  };
  IRMapping mapping;
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if (argument.use_empty())
      continue;
    Value value =
        op.isDpsInit(&operand)
            ? carried[operand.getOperandNumber() - op.getNumDpsInputs()]
            : operand.get();
    if (isa<RankedTensorType>(value.getType()))
      value = tensor::ExtractOp::create(builder, loc, value, placeOf(operand));
    mapping.map(argument, value);
  }
  for (Operation &inner : op.getBlock()->without_terminator()) {
    Operation *clone = builder.clone(inner, mapping);
    clone->walk([&](linalg::IndexOp index) {
      index.replaceAllUsesWith(ivs[index.getDim()]);
      if (index.getOperation() == clone)
        mapping.map(inner.getResult(0), ivs[index.getDim()]);
      index.erase();
    });
  }
  scf::ValueVector results;
  for (auto [init, tensor, element] :
       llvm::zip_equal(op.getDpsInitsMutable(), carried,
                       op.getBlock()->getTerminator()->getOperands()))
    results.push_back(tensor::InsertOp::create(
        builder, loc, mapping.lookupOrDefault(element), tensor, placeOf(init)));
  return results;
}

void shard::keepUnwrittenElements(Operation *root) {
  SmallVector<linalg::LinalgOp> ops;
  root->walk([&](linalg::LinalgOp op) {
    if (losesInit(op))
      ops.push_back(op);
  });
  IRRewriter rewriter(root->getContext());
  for (linalg::LinalgOp op : ops) {
    rewriter.setInsertionPoint(op);
    Location loc = op.getLoc();
    SmallVector<Value> begins, ends, steps;
    auto value = [&](OpFoldResult number) {
      return getValueOrCreateConstantIndexOp(rewriter, loc, number);
    };
    for (const Range &range : op.createLoopRanges(rewriter, loc)) {
      begins.push_back(value(range.offset));
      ends.push_back(value(range.size));
      steps.push_back(value(range.stride));
    }
    scf::LoopNest nest = scf::buildLoopNest(
        rewriter, loc, begins, ends, steps, op.getDpsInits(),
        [&](OpBuilder &builder, Location nested, ValueRange ivs,
            ValueRange carried) {
          return emitPoint(op, builder, nested, ivs, carried);
        });
    rewriter.replaceOp(op, nest.results);
  }
}
