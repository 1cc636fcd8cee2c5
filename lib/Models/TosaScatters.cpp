//===- TosaScatters.cpp - tosa.scatter as tensor.scatter ------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Models/TosaScatters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace shard {

/// The pairs of a batch and of an index in it, in the form that the models of tensor.gather
/// and tensor.scatter know (`batchDim`, GatherModels.cpp).
static Value makePairs(OpBuilder &builder, Location loc, Value indices) {
  MLIRContext *context = builder.getContext();
  Type index = builder.getIndexType();
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(builder, loc, indices);
  sizes.push_back(builder.getIndexAttr(2));
  Value empty = tensor::EmptyOp::create(builder, loc, sizes, index);
  SmallVector<AffineMap> maps{AffineMap::getMultiDimIdentityMap(2, context),
                              AffineMap::getMultiDimIdentityMap(3, context)};
  maps[0] = AffineMap::get(3, 0, maps[0].getResults(), context);
  SmallVector<utils::IteratorType> loops(3, utils::IteratorType::parallel);
  auto body = [&](OpBuilder &inner, Location at, ValueRange arguments) {
    Value batch = linalg::IndexOp::create(inner, at, 0);
    Value place = arith::IndexCastOp::create(inner, at, index, arguments[0]);
    Value number = linalg::IndexOp::create(inner, at, 2);
    Value one = arith::ConstantIndexOp::create(inner, at, 1);
    Value isPlace =
        arith::CmpIOp::create(inner, at, arith::CmpIPredicate::eq, number, one);
    Value chosen = arith::SelectOp::create(inner, at, isPlace, place, batch);
    linalg::YieldOp::create(inner, at, chosen);
  };
  return linalg::GenericOp::create(builder, loc, empty.getType(), indices,
                                   empty, maps, loops, body)
      .getResult(0);
}

void lowerTosaScatters(Operation *root) {
  SmallVector<tosa::ScatterOp> scatters;
  root->walk([&](tosa::ScatterOp op) {
    if (llvm::all_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>) &&
        op.getType() == op.getValuesIn().getType())
      scatters.push_back(op);
  });
  IRRewriter rewriter(root->getContext());
  for (tosa::ScatterOp op : scatters) {
    rewriter.setInsertionPoint(op);
    Value pairs = makePairs(rewriter, op.getLoc(), op.getIndices());
    rewriter.replaceOpWithNewOp<tensor::ScatterOp>(
        op, op.getType(), op.getInput(), op.getValuesIn(), pairs,
        rewriter.getDenseI64ArrayAttr({0, 1}), rewriter.getUnitAttr());
  }
}

} // namespace shard
