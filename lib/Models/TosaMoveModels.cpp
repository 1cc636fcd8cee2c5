//===- TosaMoveModels.cpp - Ops of tosa that move or choose elements ------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops of tosa whose results are elements of an operand, at other places, or their
// indices. The dimensions that they do not work along are independent.
//
//===----------------------------------------------------------------------===//

#include "TosaModels.h"

#include "shard/Interfaces/DescribedModel.h"

#include "mlir/Dialect/Tosa/IR/TosaOps.h"

using namespace mlir;

namespace shard {

namespace {

/// Values of NxKxC, indices of NxW, result NxWxC: the indices reach into K, which
/// stays whole.
struct GatherModel : public DescribedModel<GatherModel, tosa::GatherOp> {
  void describe(tosa::GatherOp op, MapBuilder &maps) const {
    auto result = dyn_cast<RankedTensorType>(op.getType());
    if (!result || !isa<RankedTensorType>(op.getValues().getType()) ||
        !isa<RankedTensorType>(op.getIndices().getType()))
      return;
    AffineExpr batch = maps.loop(result.getDimSize(0));
    AffineExpr place = maps.loop(result.getDimSize(1));
    AffineExpr channel = maps.loop(result.getDimSize(2));
    maps.operand(0)[0] = batch;
    maps.operand(0)[2] = channel;
    maps.operand(1) = {batch, place};
    maps.result(0) = {batch, place, channel};
  }
  /// An index in the padding may lie outside of the values.
  bool mayTrapOnPadding(Operation *) const { return true; }
};

/// Updates of NxWxC go to the indices, NxW, of values of NxKxC. K and W stay whole:
/// each update may go to any place.
struct ScatterModel : public DescribedModel<ScatterModel, tosa::ScatterOp> {
  void describe(tosa::ScatterOp op, MapBuilder &maps) const {
    auto result = dyn_cast<RankedTensorType>(op.getType());
    auto isRanked = [](Type type) { return isa<RankedTensorType>(type); };
    if (!result || !llvm::all_of(op->getOperandTypes(), isRanked))
      return;
    AffineExpr batch = maps.loop(result.getDimSize(0));
    AffineExpr channel = maps.loop(result.getDimSize(2));
    for (unsigned index = 0; index < op->getNumOperands(); ++index)
      maps.operand(index)[0] = batch;
    maps.operand(0)[2] = maps.operand(2)[2] = channel;
    maps.result(0)[0] = batch;
    maps.result(0)[2] = channel;
  }
  /// An index in the padding may lie outside of the values.
  bool mayTrapOnPadding(Operation *) const { return true; }
};

/// Of the dimension that is reversed each device takes the window that its block comes
/// from, and reverses it.
struct ReverseModel : public DescribedModel<ReverseModel, tosa::ReverseOp> {
  void describe(tosa::ReverseOp op, MapBuilder &maps) const {
    auto source = dyn_cast<RankedTensorType>(op.getInput1().getType());
    auto result = dyn_cast<RankedTensorType>(op.getType());
    if (!source || !result)
      return;
    for (auto [dim, extent] : llvm::enumerate(source.getShape())) {
      bool isReversed = dim == op.getAxis();
      if (extent != result.getDimSize(dim) ||
          (isReversed && ShapedType::isDynamic(extent)))
        continue;
      AffineExpr loop = maps.loop(extent);
      maps.result(0)[dim] = loop;
      maps.operand(0)[dim] = isReversed ? (extent - 1) - loop : loop;
    }
  }
  PartialRule getPartialRule(Operation *) const {
    return PartialRule::Movement;
  }
};

/// The dimension that is searched stays whole; the result does not have it.
struct ArgMaxModel : public DescribedModel<ArgMaxModel, tosa::ArgMaxOp> {
  void describe(tosa::ArgMaxOp op, MapBuilder &maps) const {
    auto source = dyn_cast<RankedTensorType>(op.getInput().getType());
    auto result = dyn_cast<RankedTensorType>(op.getType());
    if (!source || !result)
      return;
    unsigned inner = 0;
    for (auto [dim, extent] : llvm::enumerate(source.getShape())) {
      if (dim == op.getAxis())
        continue;
      if (extent == result.getDimSize(inner))
        maps.operand(0)[dim] = maps.result(0)[inner] = maps.loop(extent);
      ++inner;
    }
  }
};

/// Images and channels are independent; rows and columns stay whole.
struct ResizeModel : public DescribedModel<ResizeModel, tosa::ResizeOp> {
  void describe(tosa::ResizeOp op, MapBuilder &maps) const {
    auto source = dyn_cast<RankedTensorType>(op.getInput().getType());
    auto result = dyn_cast<RankedTensorType>(op.getType());
    if (!source || !result)
      return;
    for (unsigned dim : {0, 3})
      if (source.getDimSize(dim) == result.getDimSize(dim))
        maps.operand(0)[dim] = maps.result(0)[dim] =
            maps.loop(source.getDimSize(dim));
  }
};

} // namespace

void attachTosaMoveModels(MLIRContext *context) {
  tosa::ArgMaxOp::attachInterface<ArgMaxModel>(*context);
  tosa::GatherOp::attachInterface<GatherModel>(*context);
  tosa::ResizeOp::attachInterface<ResizeModel>(*context);
  tosa::ReverseOp::attachInterface<ReverseModel>(*context);
  tosa::ScatterOp::attachInterface<ScatterModel>(*context);
}

} // namespace shard
