//===- ReshapeModels.cpp - Ops of tensor that keep elements in order ------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Casts and reshapes: every element keeps its place in row-major order. Loops
// are the digits that both shapes are made of.
//
//===----------------------------------------------------------------------===//

#include "TensorModels.h"

#include "shard/Interfaces/DescribedModel.h"
#include "shard/Partitioning/LocalOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace shard {

namespace {

/// Dimensions that are static on one side only are split evenly.
struct CastModel : public DescribedModel<CastModel, tensor::CastOp> {
  void describe(tensor::CastOp op, MapBuilder &maps) const {
    auto source = dyn_cast<RankedTensorType>(op.getSource().getType());
    auto dest = dyn_cast<RankedTensorType>(op.getType());
    if (!source || !dest)
      return;
    for (int64_t dim = 0; dim < source.getRank(); ++dim) {
      Loop loop =
          Loop::parallel(source.isDynamicDim(dim) ? dest.getDimSize(dim)
                                                  : source.getDimSize(dim));
      loop.evenOnly = source.isDynamicDim(dim) != dest.isDynamicDim(dim);
      maps.operand(0)[dim] = maps.result(0)[dim] = maps.loop(loop);
    }
  }
  PartialRule getPartialRule(Operation *op) const {
    return PartialRule::Movement;
  }
};

/// The same elements read as another type of the same width.
struct BitcastModel : public DescribedModel<BitcastModel, tensor::BitcastOp> {
  void describe(tensor::BitcastOp op, MapBuilder &maps) const {
    auto source = dyn_cast<RankedTensorType>(op.getSource().getType());
    auto dest = dyn_cast<RankedTensorType>(op.getType());
    if (!source || !dest)
      return;
    for (int64_t dim = 0; dim < source.getRank(); ++dim)
      if (source.getDimSize(dim) == dest.getDimSize(dim))
        maps.operand(0)[dim] = maps.result(0)[dim] =
            maps.loop(source.getDimSize(dim));
  }
};

/// Relates the dimensions of the collapsed and the expanded type of a reshape.
void describeReassociation(RankedTensorType collapsed,
                           RankedTensorType expanded,
                           ArrayRef<ReassociationIndices> groups,
                           MapBuilder &maps,
                           SmallVector<AffineExpr> &collapsedExprs,
                           SmallVector<AffineExpr> &expandedExprs) {
  for (auto [dim, group] : llvm::enumerate(groups)) {
    // An unknown extent is the most major digit: the stride of a digit in front of it is
    // not known.
    SmallVector<int64_t> digits;
    llvm::copy_if(group, std::back_inserter(digits), [&](int64_t inner) {
      return expanded.getDimSize(inner) != 1;
    });
    bool single = digits.size() <= 1;
    if (!single && llvm::any_of(llvm::drop_begin(digits), [&](int64_t inner) {
          return expanded.isDynamicDim(inner);
        }))
      continue;
    AffineExpr index;
    int64_t stride = 1;
    for (int64_t inner : llvm::reverse(group)) {
      int64_t extent = expanded.getDimSize(inner);
      if (extent == 1)
        continue;
      if (single)
        extent =
            collapsed.getDimSize(dim) == extent ? extent : ShapedType::kDynamic;
      AffineExpr loop = maps.loop(extent);
      expandedExprs[inner] = loop;
      AffineExpr term = loop * stride;
      index = index ? term + index : term;
      if (!ShapedType::isDynamic(extent))
        stride *= extent;
    }
    if (index)
      collapsedExprs[dim] = index;
  }
}

struct ExpandModel : public DescribedModel<ExpandModel, tensor::ExpandShapeOp> {
  bool isAlias(Operation *) const { return true; }
  void describe(tensor::ExpandShapeOp op, MapBuilder &maps) const {
    describeReassociation(op.getSrcType(), op.getResultType(),
                          op.getReassociationIndices(), maps, maps.operand(0),
                          maps.result(0));
  }
  PartialRule getPartialRule(Operation *op) const {
    return PartialRule::Movement;
  }
  LogicalResult partition(Operation *op, OpBuilder &builder,
                          ArrayRef<Value> operands, PartitionContext &context,
                          SmallVectorImpl<Value> &results) const {
    auto expand = cast<tensor::ExpandShapeOp>(op);
    auto local = cast<RankedTensorType>(
        context.localResultType(expand.getResultType(), 0));
    SmallVector<Value> extents = localExtents(
        builder, op->getLoc(), expand.getResultType(), operands.drop_front(),
        context.emission, context.result(0));
    SmallVector<OpFoldResult> shape;
    size_t next = 0;
    for (int64_t extent : local.getShape())
      shape.push_back(ShapedType::isDynamic(extent)
                          ? OpFoldResult(extents[next++])
                          : builder.getIndexAttr(extent));
    results.push_back(
        tensor::ExpandShapeOp::create(builder, op->getLoc(), local, operands[0],
                                      expand.getReassociationIndices(), shape));
    return success();
  }
};

struct CollapseModel
    : public DescribedModel<CollapseModel, tensor::CollapseShapeOp> {
  bool isAlias(Operation *) const { return true; }
  void describe(tensor::CollapseShapeOp op, MapBuilder &maps) const {
    describeReassociation(op.getResultType(), op.getSrcType(),
                          op.getReassociationIndices(), maps, maps.result(0),
                          maps.operand(0));
  }
  /// Digits of extent 1 that are padded behind their element put fill between the
  /// elements of the outer digits (Insertions.h).
  Spread getElementSpread(Operation *op, unsigned dim) const {
    auto collapse = cast<tensor::CollapseShapeOp>(op);
    auto pad =
        beforeShardings(collapse.getSrc()).getDefiningOp<tensor::PadOp>();
    if (!pad || !pad.getType().hasStaticShape())
      return {};
    Spread spread{1, fillOfPad(pad)};
    if (!spread.fill)
      return {};
    SmallVector<ReassociationIndices> groups =
        collapse.getReassociationIndices();
    for (int64_t digit : llvm::reverse(groups[dim])) {
      if (pad.getSourceType().getDimSize(digit) != 1 ||
          pad.getStaticLow()[digit] != 0)
        break;
      spread.step *= pad.getType().getDimSize(digit);
    }
    return spread;
  }
  PartialRule getPartialRule(Operation *op) const {
    return PartialRule::Movement;
  }
};

/// Static shapes only; the local op's shape operand is a constant.
struct ReshapeModel : public DescribedModel<ReshapeModel, tensor::ReshapeOp> {
  bool isAlias(Operation *) const { return true; }
  bool isShapeOperand(Operation *, unsigned operand) const {
    return operand == 1;
  }
  void describe(tensor::ReshapeOp op, MapBuilder &maps) const {
    auto source = dyn_cast<RankedTensorType>(op.getSource().getType());
    auto result = dyn_cast<RankedTensorType>(op.getType());
    if (source && result && source.hasStaticShape())
      describeReshape(source.getShape(), result.getShape(), maps,
                      maps.operand(0), maps.result(0));
  }
  LogicalResult partition(Operation *op, OpBuilder &builder,
                          ArrayRef<Value> operands, PartitionContext &context,
                          SmallVectorImpl<Value> &results) const {
    auto local = dyn_cast<RankedTensorType>(
        context.localResultType(op->getResult(0).getType(), 0));
    if (!local || context.result(0).isReplicated())
      return partitionByCloning(op, builder, operands, context, results);
    auto shapeType = cast<RankedTensorType>(operands[1].getType());
    SmallVector<Attribute> extents;
    for (int64_t extent : local.getShape())
      extents.push_back(
          builder.getIntegerAttr(shapeType.getElementType(), extent));
    Value shape = arith::ConstantOp::create(
        builder, op->getLoc(),
        DenseElementsAttr::get(
            RankedTensorType::get(local.getRank(), shapeType.getElementType()),
            extents));
    results.push_back(tensor::ReshapeOp::create(builder, op->getLoc(), local,
                                                operands[0], shape));
    return success();
  }
  PartialRule getPartialRule(Operation *op) const { return PartialRule::None; }
};

} // namespace

void attachReshapeModels(MLIRContext *context) {
  tensor::BitcastOp::attachInterface<BitcastModel>(*context);
  tensor::CastOp::attachInterface<CastModel>(*context);
  tensor::CollapseShapeOp::attachInterface<CollapseModel>(*context);
  tensor::ExpandShapeOp::attachInterface<ExpandModel>(*context);
  tensor::ReshapeOp::attachInterface<ReshapeModel>(*context);
}

} // namespace shard
