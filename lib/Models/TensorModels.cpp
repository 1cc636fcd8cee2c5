//===- TensorModels.cpp - Ops of tensor that make and read tensors --------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops that fill a tensor, ask for its size, or reach for slices by computed
// indices.
//
//===----------------------------------------------------------------------===//

#include "TensorModels.h"

#include "shard/IR/ShardDialect.h"
#include "shard/IR/ShardingUtils.h"

#include "shard/Interfaces/DescribedModel.h"
#include "shard/Partitioning/LocalOps.h"

#include "shard/IR/ShardOps.h"
#include "shard/Models/Models.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace shard {

bool readsNoTensor(Region &region) {
  WalkResult walked = region.walk([](Operation *op) {
    bool isPlain =
        isMemoryEffectFree(op) &&
        llvm::none_of(op->getOperandTypes(), llvm::IsaPred<ShapedType>);
    return isPlain ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !walked.wasInterrupted();
}

namespace {

struct EmptyModel : public DescribedModel<EmptyModel, tensor::EmptyOp> {
  bool isCreator(Operation *) const { return true; }
  bool isPointwise(Operation *) const { return true; }
  bool computesBeyondBlock(Operation *) const { return true; }
  void describe(tensor::EmptyOp op, MapBuilder &maps) const {
    describeResult(op, maps);
  }
  LogicalResult partition(Operation *op, OpBuilder &builder,
                          ArrayRef<Value> operands, PartitionContext &context,
                          SmallVectorImpl<Value> &results) const {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    auto local = cast<RankedTensorType>(context.localResultType(type, 0));
    results.push_back(tensor::EmptyOp::create(
        builder, op->getLoc(), local,
        localExtents(builder, op->getLoc(), type, operands, context.emission,
                     context.result(0))));
    return success();
  }
};

struct SplatModel : public DescribedModel<SplatModel, tensor::SplatOp> {
  bool isCreator(Operation *) const { return true; }
  bool isPointwise(Operation *) const { return true; }
  bool computesBeyondBlock(Operation *) const { return true; }
  void describe(tensor::SplatOp op, MapBuilder &maps) const {
    describeResult(op, maps);
  }
  LogicalResult partition(Operation *op, OpBuilder &builder,
                          ArrayRef<Value> operands, PartitionContext &context,
                          SmallVectorImpl<Value> &results) const {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    auto local = cast<RankedTensorType>(context.localResultType(type, 0));
    results.push_back(tensor::SplatOp::create(
        builder, op->getLoc(), operands.front(), local,
        localExtents(builder, op->getLoc(), type, operands.drop_front(),
                     context.emission, context.result(0))));
    return success();
  }
};

/// The global extent is the local one times the number of blocks, where these are equal.
struct DimModel : public DescribedModel<DimModel, tensor::DimOp> {
  void describe(tensor::DimOp op, MapBuilder &maps) const {
    auto source = dyn_cast<RankedTensorType>(op.getSource().getType());
    if (!source)
      return;
    for (auto [dim, extent] : llvm::enumerate(source.getShape()))
      maps.operand(0)[dim] = maps.loop(extent);
  }
  PartialRule getPartialRule(Operation *op) const {
    return PartialRule::Movement;
  }
  LogicalResult partition(Operation *op, OpBuilder &builder,
                          ArrayRef<Value> operands, PartitionContext &context,
                          SmallVectorImpl<Value> &results) const {
    auto dimOp = cast<tensor::DimOp>(op);
    auto source = dyn_cast<RankedTensorType>(dimOp.getSource().getType());
    std::optional<int64_t> dim = dimOp.getConstantIndex();
    if (source && dim && *dim >= 0 && *dim < source.getRank()) {
      results.push_back(extentOf(builder, dimOp, *dim, operands[0], context));
      return success();
    }
    Sharding sharding = context.operand(0);
    bool isSplit = llvm::any_of(
        sharding.dims, [](const AxisList &axes) { return !axes.empty(); });
    if (source && !dim && isSplit) {
      results.push_back(chooseExtent(builder, dimOp, operands, context));
      return success();
    }
    return partitionByCloning(op, builder, operands, context, results);
  }

private:
  /// The extent of dimension `dim` of the whole of which `local` is the block.
  static Value extentOf(OpBuilder &builder, tensor::DimOp op, int64_t dim,
                        Value local, PartitionContext &context) {
    Location loc = op.getLoc();
    auto source = cast<RankedTensorType>(op.getSource().getType());
    if (!source.isDynamicDim(dim))
      return arith::ConstantIndexOp::create(builder, loc,
                                            source.getDimSize(dim));
    Value extent = tensor::DimOp::create(builder, loc, local, dim);
    const Sharding &sharding = context.operand(0);
    const AxisList &axes = sharding.dims[dim];
    if (context.grid.groupSize(axes) == 1)
      return extent;
    Value whole = wholeExtent(builder, loc, context.grid,
                              context.emission.gridSymbol, extent, axes);
    if (context.emission.blockExtents && !sharding.hasHalosOrOffsets())
      (*context.emission.blockExtents)[whole] = {axes, extent};
    return whole;
  }

  /// The extent of the dimension whose number is a value. As on one device
  /// (lib/Codegen/MakeTotal.cpp), a number that is out of range is moved into it.
  static Value chooseExtent(OpBuilder &builder, tensor::DimOp op,
                            ArrayRef<Value> operands,
                            PartitionContext &context) {
    Location loc = op.getLoc();
    Value chosen;
    for (int64_t dim = 0, rank = context.operand(0).dims.size(); dim < rank;
         ++dim) {
      Value extent = extentOf(builder, op, dim, operands[0], context);
      if (!chosen) {
        chosen = extent;
        continue;
      }
      Value number = arith::ConstantIndexOp::create(builder, loc, dim);
      Value isBehind = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::sge, operands[1], number);
      chosen = arith::SelectOp::create(builder, loc, isBehind, extent, chosen);
    }
    return chosen;
  }
};

/// The rank is the same everywhere.
struct RankModel : public DescribedModel<RankModel, tensor::RankOp> {
  void describe(tensor::RankOp op, MapBuilder &maps) const {
    if (auto source = dyn_cast<RankedTensorType>(op.getTensor().getType()))
      for (auto [dim, extent] : llvm::enumerate(source.getShape()))
        maps.operand(0)[dim] = maps.loop(extent);
  }
  PartialRule getPartialRule(Operation *op) const {
    return PartialRule::Movement;
  }
};

/// The elements are scalars, equal on all devices.
struct FromElementsModel
    : public DescribedModel<FromElementsModel, tensor::FromElementsOp> {
  void describe(tensor::FromElementsOp op, MapBuilder &maps) const {
    describeResult(op, maps);
  }
  LogicalResult partition(Operation *op, OpBuilder &builder,
                          ArrayRef<Value> operands, PartitionContext &context,
                          SmallVectorImpl<Value> &results) const {
    return partitionAsBlockOfWhole(op, builder, operands, context, results);
  }
};

/// Each device computes its block; the body's indices count globally.
struct GenerateModel
    : public DescribedModel<GenerateModel, tensor::GenerateOp> {
  bool isMadeForEachUser(Operation *op) const {
    return readsNoTensor(op->getRegion(0));
  }
  void describe(tensor::GenerateOp op, MapBuilder &maps) const {
    describeResult(op, maps);
  }
  LogicalResult partition(Operation *op, OpBuilder &builder,
                          ArrayRef<Value> operands, PartitionContext &context,
                          SmallVectorImpl<Value> &results) const {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    SmallVector<Value> extents =
        localExtents(builder, op->getLoc(), type, operands, context.emission,
                     context.result(0));
    Operation *local = op->clone();
    local->setOperands(extents);
    local->getResult(0).setType(context.localResultType(type, 0));
    globaliseIndexArguments(builder, op->getLoc(), local->getRegion(0).front(),
                            type, context.result(0), extents, context.emission);
    builder.insert(local);
    results.push_back(local->getResult(0));
    return success();
  }
};

} // namespace

void registerTensorModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    // Models build ops of these dialects.
    context->loadDialect<arith::ArithDialect, cf::ControlFlowDialect,
                         linalg::LinalgDialect>();
    attachElementModels(context);
    attachGatherModels(context);
    attachReshapeModels(context);
    attachPadModel(context);
    attachSliceModels(context);
    tensor::DimOp::attachInterface<DimModel>(*context);
    tensor::EmptyOp::attachInterface<EmptyModel>(*context);
    tensor::FromElementsOp::attachInterface<FromElementsModel>(*context);
    tensor::GenerateOp::attachInterface<GenerateModel>(*context);
    tensor::RankOp::attachInterface<RankModel>(*context);
    tensor::SplatOp::attachInterface<SplatModel>(*context);
  });
}

// Named ops of linalg note their indexing maps in an attribute.
Value unpackedAgain(linalg::UnPackOp op) {
  auto pack = op.getSource().getDefiningOp<linalg::PackOp>();
  bool isUndone = pack && op.getDestType().hasStaticShape() &&
                  pack.getInnerDimsPos() == op.getInnerDimsPos() &&
                  pack.getOuterDimsPerm() == op.getOuterDimsPerm() &&
                  pack.getMixedTiles() == op.getMixedTiles() &&
                  op->getNumResults() == 1;
  return isUndone ? pack.getSource() : Value();
}

bool isHint(Operation *op) {
  return op && isa_and_present<ShardDialect>(op->getDialect()) &&
         !isa<ReturnOp>(op) && !isCollective(op);
}

bool mayHaveHint(Operation *op) {
  return llvm::any_of(op->getDiscardableAttrs(), [](NamedAttribute attribute) {
    return attribute.getName() !=
           linalg::LinalgDialect::kMemoizedIndexingMapsAttrName;
  });
}

Attribute splatElement(Value tensor) {
  Attribute element;
  if (auto fill = tensor.getDefiningOp<linalg::FillOp>()) {
    matchPattern(fill.value(), m_Constant(&element));
    return element;
  }
  if (!matchPattern(tensor, m_Constant(&element)))
    return {};
  auto splat = dyn_cast<SplatElementsAttr>(element);
  return splat ? splat.getSplatValue<Attribute>() : Attribute();
}

TypedAttr splatNumber(Value tensor) {
  Attribute element = splatElement(tensor);
  if (!isa_and_present<IntegerAttr, FloatAttr>(element))
    return {};
  auto number = cast<TypedAttr>(element);
  return number.getType() == getElementTypeOrSelf(tensor.getType())
             ? number
             : TypedAttr();
}

} // namespace shard
