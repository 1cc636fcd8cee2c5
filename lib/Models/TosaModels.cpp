//===- TosaModels.cpp - The common ops of tosa ----------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pipelines lower tosa before they propagate. These models are for programs that
// are propagated and partitioned as tosa: elementwise ops with tosa's
// broadcasting of extents of 1, contractions, reductions, moves. All other tosa
// ops are replicated.
//
//===----------------------------------------------------------------------===//

#include "shard/Models/Models.h"

#include "Concat.h"
#include "TosaModels.h"

#include "shard/Interfaces/DescribedModel.h"
#include "shard/Partitioning/LocalOps.h"

#include "shard/IR/ShardingUtils.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/DialectRegistry.h"

using namespace mlir;

namespace shard {

namespace {

/// One parallel loop per dimension of the result. It indexes the operands of the
/// same rank whose extent is the result's; those of extent 1 are repeated, and
/// others (shifts, zero points) are whole.
struct BroadcastingModel : public GenericShardingModel<BroadcastingModel> {
  static MapBuilder describe(Operation *op) {
    MapBuilder maps(op);
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!type)
      return maps;
    describeResult(op, maps);
    for (auto [index, operand] : llvm::enumerate(op->getOperandTypes())) {
      auto tensor = dyn_cast<RankedTensorType>(operand);
      if (!tensor || tensor.getRank() != type.getRank())
        continue;
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        if (tensor.getDimSize(dim) == type.getDimSize(dim))
          maps.operand(index)[dim] = maps.result(0)[dim];
    }
    // One of several dynamic extents may turn out to be 1, and is repeated then: only a
    // dimension that divides evenly has none.
    if (op->getNumOperands() > 1)
      for (Loop &loop : maps.loops)
        loop.evenOnly |= ShapedType::isDynamic(loop.extent);
    return maps;
  }
  SmallVector<Loop> getShardingLoops(Operation *op) const {
    return describe(op).loops;
  }
  SmallVector<AffineMap> getShardingMaps(Operation *op) const {
    return describe(op).maps();
  }
  /// tosa does not say of a division that it stops the machine on some operands.
  bool mayTrapOnPadding(Operation *op) const {
    return isa<tosa::IntDivOp>(op) || mayTrapByEffects(op);
  }
  PartialRule getPartialRule(Operation *op) const {
    if (isa<tosa::IdentityOp>(op))
      return PartialRule::Movement;
    if (isa<tosa::AddOp, tosa::SubOp>(op))
      return PartialRule::Additive;
    // Products of integers are shifted and rounded.
    if (isa<tosa::MulOp>(op) &&
        isa<FloatType>(getElementTypeOrSelf(op->getResult(0).getType())))
      return PartialRule::Multilinear;
    return PartialRule::None;
  }
};

struct MatMulModel : public DescribedModel<MatMulModel, tosa::MatMulOp> {
  void describe(tosa::MatMulOp op, MapBuilder &maps) const {
    auto lhs = dyn_cast<RankedTensorType>(op.getA().getType());
    auto result = dyn_cast<RankedTensorType>(op.getType());
    if (!lhs || !result || !isa<RankedTensorType>(op.getB().getType()))
      return;
    AffineExpr batch = maps.loop(result.getDimSize(0));
    AffineExpr row = maps.loop(result.getDimSize(1));
    AffineExpr column = maps.loop(result.getDimSize(2));
    AffineExpr inner =
        maps.loop(Loop::reduce(lhs.getDimSize(2), ReductionKind::Sum));
    maps.operand(0) = {batch, row, inner};
    maps.operand(1) = {batch, inner, column};
    maps.result(0) = {batch, row, column};
  }
  PartialRule getPartialRule(Operation *op) const {
    // Integer operands have zero points: not linear.
    return isa<FloatType>(getElementTypeOrSelf(op->getOperand(0).getType()))
               ? PartialRule::Multilinear
               : PartialRule::None;
  }
};

struct TransposeModel
    : public DescribedModel<TransposeModel, tosa::TransposeOp> {
  void describe(tosa::TransposeOp op, MapBuilder &maps) const {
    auto source = dyn_cast<RankedTensorType>(op.getInput1().getType());
    auto result = dyn_cast<RankedTensorType>(op.getType());
    if (!source || !result)
      return;
    for (auto [dim, from] : llvm::enumerate(op.getPerms()))
      if (source.getDimSize(from) == result.getDimSize(dim))
        maps.operand(0)[from] = maps.result(0)[dim] =
            maps.loop(result.getDimSize(dim));
  }
  PartialRule getPartialRule(Operation *) const {
    return PartialRule::Movement;
  }
};

/// Whether NaN survives, as in the kinds max and min.
template <typename OpTy>
bool propagatesNaN(OpTy op) {
  return op.getNanMode() == tosa::NanPropagationMode::PROPAGATE;
}

/// The kind of a reduction; none where parts cannot be combined.
std::optional<ReductionKind> kindOf(Operation *op) {
  using Kind = std::optional<ReductionKind>;
  return llvm::TypeSwitch<Operation *, Kind>(op)
      .Case([](tosa::ReduceSumOp) { return ReductionKind::Sum; })
      .Case([](tosa::ReduceProductOp) { return ReductionKind::Product; })
      .Case([](tosa::ReduceAllOp) { return ReductionKind::BitwiseAnd; })
      .Case([](tosa::ReduceAnyOp) { return ReductionKind::BitwiseOr; })
      .Case([](tosa::ReduceMaxOp max) {
        return propagatesNaN(max) ? Kind(ReductionKind::Max) : std::nullopt;
      })
      .Case([](tosa::ReduceMinOp min) {
        return propagatesNaN(min) ? Kind(ReductionKind::Min) : std::nullopt;
      })
      .Default([](Operation *) { return std::nullopt; });
}

/// The reduced dimension stays, with extent 1.
template <typename OpTy>
struct ReduceModel : public DescribedModel<ReduceModel<OpTy>, OpTy> {
  void describe(OpTy op, MapBuilder &maps) const {
    auto source = dyn_cast<RankedTensorType>(op.getInput().getType());
    auto result = dyn_cast<RankedTensorType>(op.getType());
    if (!source || !result)
      return;
    for (auto [dim, extent] : llvm::enumerate(source.getShape())) {
      if (dim != op.getAxis()) {
        maps.operand(0)[dim] = maps.result(0)[dim] = maps.loop(extent);
        continue;
      }
      std::optional<ReductionKind> kind = kindOf(op);
      maps.operand(0)[dim] =
          maps.loop(kind ? Loop::reduce(extent, *kind) : Loop::invalid(extent));
    }
  }
  PartialRule getPartialRule(Operation *op) const {
    return isa<tosa::ReduceSumOp>(op) ? PartialRule::Multilinear
                                      : PartialRule::None;
  }
};

/// The local shape is a new constant.
struct ReshapeModel : public DescribedModel<ReshapeModel, tosa::ReshapeOp> {
  void describe(tosa::ReshapeOp op, MapBuilder &maps) const {
    auto source = dyn_cast<RankedTensorType>(op.getInput1().getType());
    auto result = dyn_cast<RankedTensorType>(op.getType());
    if (source && result)
      describeReshape(source.getShape(), result.getShape(), maps,
                      maps.operand(0), maps.result(0));
  }
  PartialRule getPartialRule(Operation *) const {
    return PartialRule::Movement;
  }
  LogicalResult partition(Operation *op, OpBuilder &builder,
                          ArrayRef<Value> operands, PartitionContext &context,
                          SmallVectorImpl<Value> &results) const {
    auto local = dyn_cast<RankedTensorType>(
        context.localResultType(op->getResult(0).getType(), 0));
    if (!local || context.result(0).isReplicated())
      return partitionByCloning(op, builder, operands, context, results);
    // An extent that is not known follows from the others.
    SmallVector<int64_t> extents(local.getShape());
    llvm::replace(extents, ShapedType::kDynamic, int64_t(-1));
    Value shape = tosa::ConstShapeOp::create(
        builder, op->getLoc(),
        tosa::shapeType::get(op->getContext(), local.getRank()),
        builder.getIndexTensorAttr(extents));
    results.push_back(tosa::ReshapeOp::create(builder, op->getLoc(), local,
                                              operands[0], shape));
    return success();
  }
};

struct ConstModel : public DescribedModel<ConstModel, tosa::ConstOp> {
  void describe(tosa::ConstOp op, MapBuilder &maps) const {
    describeResult(op, maps);
  }
  LogicalResult partition(Operation *op, OpBuilder &builder,
                          ArrayRef<Value> operands, PartitionContext &context,
                          SmallVectorImpl<Value> &results) const {
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    auto splat =
        dyn_cast<SplatElementsAttr>(cast<tosa::ConstOp>(op).getValues());
    if (!type || !splat)
      return partitionAsBlockOfWhole(op, builder, operands, context, results);
    RankedTensorType local = localType(type, context.grid, context.result(0));
    results.push_back(tosa::ConstOp::create(builder, op->getLoc(), local,
                                            splat.resizeSplat(local)));
    return success();
  }
};

template <typename... OpTys>
void attachReductions(MLIRContext *context) {
  (OpTys::template attachInterface<ReduceModel<OpTys>>(*context), ...);
}

} // namespace

void registerTosaModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tosa::TosaDialect *) {
    context->loadDialect<tensor::TensorDialect>();
    for (RegisteredOperationName op : context->getRegisteredOperations())
      if (op.getDialectNamespace() == "tosa" &&
          op.hasTrait<OpTrait::tosa::TosaElementwiseOperator>())
        op.attachInterface<BroadcastingModel>();
    tosa::ApplyScaleOp::attachInterface<BroadcastingModel>(*context);
    tosa::CastOp::attachInterface<BroadcastingModel>(*context);
    tosa::IdentityOp::attachInterface<BroadcastingModel>(*context);
    tosa::MulOp::attachInterface<BroadcastingModel>(*context);
    tosa::NegateOp::attachInterface<BroadcastingModel>(*context);
    tosa::ConcatOp::attachInterface<
        ConcatModel<tosa::ConcatOp, &tosa::ConcatOp::getAxis>>(*context);
    tosa::ConstOp::attachInterface<ConstModel>(*context);
    tosa::MatMulOp::attachInterface<MatMulModel>(*context);
    tosa::ReshapeOp::attachInterface<ReshapeModel>(*context);
    tosa::TransposeOp::attachInterface<TransposeModel>(*context);
    attachReductions<tosa::ReduceAllOp, tosa::ReduceAnyOp, tosa::ReduceMaxOp,
                     tosa::ReduceMinOp, tosa::ReduceProductOp,
                     tosa::ReduceSumOp>(context);
    attachTosaMoveModels(context);
  });
}

} // namespace shard
