//===- TensorModels.cpp - Ops of the tensor dialect -----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops that make, move or cut tensors. A dimension that an op leaves whole gets
// a loop; one that it slices, pads or joins gets none and stays unsplit.
//
//===----------------------------------------------------------------------===//

#include "shard/Models/Models.h"

#include "shard/IR/ShardOps.h"
#include "shard/Interfaces/PartitionContext.h"
#include "shard/Interfaces/ShardingInterface.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Utils/Utils.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace shard {

namespace {

/// Loops and maps under construction: maps are lists of expressions.
class MapBuilder {
public:
  explicit MapBuilder(Operation *op) : op(op), context(op->getContext()) {
    auto add = [&](Type type) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      exprs.emplace_back(tensor ? tensor.getRank() : 0,
                         getAffineConstantExpr(0, context));
      isTensor.push_back(bool(tensor));
    };
    for (Type type : op->getOperandTypes())
      add(type);
    for (Type type : op->getResultTypes())
      add(type);
  }

  AffineExpr loop(int64_t extent) {
    loops.push_back(Loop::parallel(extent));
    return getAffineDimExpr(loops.size() - 1, context);
  }

  SmallVector<AffineExpr> &operand(unsigned index) { return exprs[index]; }
  SmallVector<AffineExpr> &result(unsigned index) {
    return exprs[op->getNumOperands() + index];
  }

  SmallVector<AffineMap> maps() const {
    SmallVector<AffineMap> maps;
    for (auto [tensor, list] : llvm::zip_equal(isTensor, exprs))
      maps.push_back(tensor ? AffineMap::get(loops.size(), 0, list, context)
                            : AffineMap());
    return maps;
  }

  SmallVector<Loop> loops;

private:
  Operation *op;
  MLIRContext *context;
  SmallVector<SmallVector<AffineExpr>> exprs;
  SmallVector<bool> isTensor;
};

/// A model that says its loops and maps in one function, `void describe(OpTy,
/// MapBuilder &)`.
template <typename Model, typename OpTy>
struct TensorModel : public ShardingInterface::ExternalModel<Model, OpTy> {
  SmallVector<Loop> getShardingLoops(Operation *op) const {
    MapBuilder maps(op);
    static_cast<const Model *>(this)->describe(cast<OpTy>(op), maps);
    return maps.loops;
  }
  SmallVector<AffineMap> getShardingMaps(Operation *op) const {
    MapBuilder maps(op);
    static_cast<const Model *>(this)->describe(cast<OpTy>(op), maps);
    return maps.maps();
  }
};

/// One loop for each dimension of result 0 alone.
void describeResult(Operation *op, MapBuilder &maps) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  for (auto [dim, extent] : llvm::enumerate(type.getShape()))
    maps.result(0)[dim] = maps.loop(extent);
}

/// The local extents of a tensor that an op makes out of the global dynamic
/// ones: a split dynamic dimension must divide evenly, checked at run time.
SmallVector<Value> localExtents(OpBuilder &builder, Location loc,
                                RankedTensorType type, ValueRange extents,
                                const Grid &grid, const Sharding &sharding) {
  SmallVector<Value> local;
  size_t next = 0;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (!type.isDynamicDim(dim))
      continue;
    Value extent = extents[next++];
    int64_t parts = grid.groupSize(sharding.dims[dim]);
    if (parts > 1) {
      Value divisor = arith::ConstantIndexOp::create(builder, loc, parts);
      Value rest = arith::RemUIOp::create(builder, loc, extent, divisor);
      Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
      Value divides = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::eq, rest, zero);
      cf::AssertOp::create(builder, loc, divides,
                           "dynamic dimension " + std::to_string(dim) +
                               " does not divide evenly among " +
                               std::to_string(parts) + " devices");
      extent = arith::DivUIOp::create(builder, loc, extent, divisor);
    }
    local.push_back(extent);
  }
  return local;
}

struct EmptyModel : public TensorModel<EmptyModel, tensor::EmptyOp> {
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
        localExtents(builder, op->getLoc(), type, operands, context.grid,
                     context.result(0))));
    return success();
  }
};

struct SplatModel : public TensorModel<SplatModel, tensor::SplatOp> {
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
                     context.grid, context.result(0))));
    return success();
  }
};

/// Dimensions that are static on one side only get no loop: an uneven static
/// extent must not turn into a dynamic one, which divides evenly by contract.
struct CastModel : public TensorModel<CastModel, tensor::CastOp> {
  void describe(tensor::CastOp op, MapBuilder &maps) const {
    auto source = dyn_cast<RankedTensorType>(op.getSource().getType());
    auto dest = dyn_cast<RankedTensorType>(op.getType());
    if (!source || !dest)
      return;
    for (int64_t dim = 0; dim < source.getRank(); ++dim)
      if (source.getDimSize(dim) == dest.getDimSize(dim))
        maps.operand(0)[dim] = maps.result(0)[dim] =
            maps.loop(source.getDimSize(dim));
  }
  PartialRule getPartialRule(Operation *op) const {
    return PartialRule::Movement;
  }
};

/// The global extent is the local one times the number of blocks.
struct DimModel : public TensorModel<DimModel, tensor::DimOp> {
  void describe(tensor::DimOp op, MapBuilder &maps) const {
    auto source = dyn_cast<RankedTensorType>(op.getSource().getType());
    if (!source || !op.getConstantIndex())
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
    Location loc = op->getLoc();
    if (source && dim && *dim >= 0 && *dim < source.getRank()) {
      if (!source.isDynamicDim(*dim)) {
        results.push_back(arith::ConstantIndexOp::create(
            builder, loc, source.getDimSize(*dim)));
        return success();
      }
      int64_t parts = context.grid.groupSize(context.operand(0).dims[*dim]);
      if (parts > 1) {
        Value local = tensor::DimOp::create(builder, loc, operands[0], *dim);
        Value factor = arith::ConstantIndexOp::create(builder, loc, parts);
        results.push_back(arith::MulIOp::create(builder, loc, local, factor));
        return success();
      }
    }
    return partitionByCloning(op, builder, operands, context, results);
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
    // An unknown extent is a digit only where all others of its group are 1.
    bool single = llvm::count_if(group, [&](int64_t inner) {
                    return expanded.getDimSize(inner) != 1;
                  }) <= 1;
    bool isStatic = llvm::none_of(
        group, [&](int64_t inner) { return expanded.isDynamicDim(inner); });
    if (!isStatic && !single)
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

struct ExpandModel : public TensorModel<ExpandModel, tensor::ExpandShapeOp> {
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
    SmallVector<Value> extents =
        localExtents(builder, op->getLoc(), expand.getResultType(),
                     operands.drop_front(), context.grid, context.result(0));
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
    : public TensorModel<CollapseModel, tensor::CollapseShapeOp> {
  void describe(tensor::CollapseShapeOp op, MapBuilder &maps) const {
    describeReassociation(op.getResultType(), op.getSrcType(),
                          op.getReassociationIndices(), maps, maps.result(0),
                          maps.operand(0));
  }
  PartialRule getPartialRule(Operation *op) const {
    return PartialRule::Movement;
  }
};

/// Whether a slice covers the whole of a dimension of `extent`.
bool coversWhole(OpFoldResult offset, OpFoldResult size, OpFoldResult stride,
                 int64_t extent) {
  return isConstantIntValue(offset, 0) && isConstantIntValue(stride, 1) &&
         !ShapedType::isDynamic(extent) && isConstantIntValue(size, extent);
}

/// Slices and insertions: `small` is the slice, `large` what it is cut from.
template <typename OpTy>
void describeSlice(OpTy op, RankedTensorType large, MapBuilder &maps,
                   SmallVector<AffineExpr> &small,
                   ArrayRef<SmallVector<AffineExpr> *> larges) {
  llvm::SmallBitVector dropped = op.getDroppedDims();
  unsigned inner = 0;
  for (int64_t dim = 0; dim < large.getRank(); ++dim) {
    bool isDropped = dropped.test(dim);
    if (!isDropped &&
        coversWhole(op.getMixedOffsets()[dim], op.getMixedSizes()[dim],
                    op.getMixedStrides()[dim], large.getDimSize(dim))) {
      AffineExpr loop = maps.loop(large.getDimSize(dim));
      small[inner] = loop;
      for (SmallVector<AffineExpr> *exprs : larges)
        (*exprs)[dim] = loop;
    }
    inner += !isDropped;
  }
}

/// The sizes of a slice with those of split dimensions made local.
template <typename OpTy>
SmallVector<OpFoldResult> localSliceSizes(OpTy op, OpBuilder &builder,
                                          RankedTensorType local,
                                          const Sharding &sharding) {
  SmallVector<OpFoldResult> sizes = op.getMixedSizes();
  for (auto [dim, axes] : llvm::enumerate(sharding.dims))
    if (!axes.empty())
      sizes[dim] = builder.getIndexAttr(local.getDimSize(dim));
  return sizes;
}

/// The dynamic offsets, sizes and strides stay those of the global op: they
/// belong to dimensions that are not split.
template <typename OpTy>
void mapOffsets(OpTy op, unsigned firstIndexOperand, ArrayRef<Value> operands,
                SmallVectorImpl<OpFoldResult> &list) {
  for (OpFoldResult &entry : list)
    if (auto value = dyn_cast_if_present<Value>(entry))
      for (unsigned index = firstIndexOperand; index < operands.size(); ++index)
        if (op->getOperand(index) == value)
          entry = operands[index];
}

struct ExtractSliceModel
    : public TensorModel<ExtractSliceModel, tensor::ExtractSliceOp> {
  void describe(tensor::ExtractSliceOp op, MapBuilder &maps) const {
    describeSlice(op, op.getSourceType(), maps, maps.result(0),
                  {&maps.operand(0)});
  }
  PartialRule getPartialRule(Operation *op) const {
    return PartialRule::Movement;
  }
  LogicalResult partition(Operation *op, OpBuilder &builder,
                          ArrayRef<Value> operands, PartitionContext &context,
                          SmallVectorImpl<Value> &results) const {
    auto slice = cast<tensor::ExtractSliceOp>(op);
    SmallVector<OpFoldResult> offsets = slice.getMixedOffsets(),
                              strides = slice.getMixedStrides(),
                              sizes = localSliceSizes(
                                  slice, builder,
                                  cast<RankedTensorType>(operands[0].getType()),
                                  context.operand(0));
    mapOffsets(slice, 1, operands, offsets);
    mapOffsets(slice, 1, operands, sizes);
    mapOffsets(slice, 1, operands, strides);
    auto local =
        cast<RankedTensorType>(context.localResultType(slice.getType(), 0));
    results.push_back(tensor::ExtractSliceOp::create(
        builder, op->getLoc(), local, operands[0], offsets, sizes, strides));
    return success();
  }
};

struct InsertSliceModel
    : public TensorModel<InsertSliceModel, tensor::InsertSliceOp> {
  void describe(tensor::InsertSliceOp op, MapBuilder &maps) const {
    describeSlice(op, op.getDestType(), maps, maps.operand(0),
                  {&maps.operand(1), &maps.result(0)});
  }
  PartialRule getPartialRule(Operation *op) const {
    return PartialRule::Movement;
  }
  LogicalResult partition(Operation *op, OpBuilder &builder,
                          ArrayRef<Value> operands, PartitionContext &context,
                          SmallVectorImpl<Value> &results) const {
    auto slice = cast<tensor::InsertSliceOp>(op);
    SmallVector<OpFoldResult> offsets = slice.getMixedOffsets(),
                              strides = slice.getMixedStrides(),
                              sizes = localSliceSizes(
                                  slice, builder,
                                  cast<RankedTensorType>(operands[1].getType()),
                                  context.operand(1));
    mapOffsets(slice, 2, operands, offsets);
    mapOffsets(slice, 2, operands, sizes);
    mapOffsets(slice, 2, operands, strides);
    results.push_back(tensor::InsertSliceOp::create(builder, op->getLoc(),
                                                    operands[0], operands[1],
                                                    offsets, sizes, strides));
    return success();
  }
};

struct PadModel : public TensorModel<PadModel, tensor::PadOp> {
  void describe(tensor::PadOp op, MapBuilder &maps) const {
    // A body that asks where it is would get local indices.
    if (!op.getConstantPaddingValue())
      return;
    for (auto [dim, low, high] :
         llvm::enumerate(op.getMixedLowPad(), op.getMixedHighPad()))
      if (isConstantIntValue(low, 0) && isConstantIntValue(high, 0))
        maps.operand(0)[dim] = maps.result(0)[dim] =
            maps.loop(op.getSourceType().getDimSize(dim));
  }
  PartialRule getPartialRule(Operation *op) const {
    Value padding = cast<tensor::PadOp>(op).getConstantPaddingValue();
    bool isZero = padding && (matchPattern(padding, m_AnyZeroFloat()) ||
                              matchPattern(padding, m_Zero()));
    return isZero ? PartialRule::Additive : PartialRule::None;
  }
};

struct ConcatModel : public TensorModel<ConcatModel, tensor::ConcatOp> {
  void describe(tensor::ConcatOp op, MapBuilder &maps) const {
    for (int64_t dim = 0; dim < op.getType().getRank(); ++dim) {
      if (dim == int64_t(op.getDim()))
        continue;
      AffineExpr loop = maps.loop(op.getType().getDimSize(dim));
      maps.result(0)[dim] = loop;
      for (unsigned index = 0; index < op->getNumOperands(); ++index)
        maps.operand(index)[dim] = loop;
    }
  }
  PartialRule getPartialRule(Operation *op) const {
    return PartialRule::Movement;
  }
};

} // namespace

void registerTensorModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    // Models build ops of these dialects.
    context->loadDialect<arith::ArithDialect, cf::ControlFlowDialect>();
    tensor::CastOp::attachInterface<CastModel>(*context);
    tensor::CollapseShapeOp::attachInterface<CollapseModel>(*context);
    tensor::ConcatOp::attachInterface<ConcatModel>(*context);
    tensor::DimOp::attachInterface<DimModel>(*context);
    tensor::EmptyOp::attachInterface<EmptyModel>(*context);
    tensor::ExpandShapeOp::attachInterface<ExpandModel>(*context);
    tensor::ExtractSliceOp::attachInterface<ExtractSliceModel>(*context);
    tensor::InsertSliceOp::attachInterface<InsertSliceModel>(*context);
    tensor::PadOp::attachInterface<PadModel>(*context);
    tensor::SplatOp::attachInterface<SplatModel>(*context);
  });
}

} // namespace shard
