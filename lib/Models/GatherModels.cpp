//===- GatherModels.cpp - tensor.gather and tensor.scatter ----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A look-up in a table that is split along the dimension it reaches into gives a partial
// sum: the device that has the element gives it, all others the neutral element, which is
// -0 for floats, so that the sum has the bits of the element.
//
// A coordinate may be the place along a dimension of the indices everywhere: table[b, ids[b]].
// Then that dimension of the table and that of the indices are split together, and each
// device has the elements that it looks up, or the updates that it makes.
//
//===----------------------------------------------------------------------===//

#include "TensorModels.h"

#include "shard/IR/ShardOps.h"
#include "shard/Interfaces/DescribedModel.h"
#include "shard/Partitioning/PartitionContext.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace shard {

bool isSummable(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.isSignless() && integer.getWidth() >= 8 &&
           llvm::isPowerOf2_32(integer.getWidth()) && integer.getWidth() <= 64;
  return isa<IndexType, Float16Type, BFloat16Type, Float32Type, Float64Type>(
      type);
}

namespace {

/// Gathers: the leading dimensions come from the indices, the trailing ones are
/// the source's that are not gathered. `sliced` is the tensor with the whole
/// slices, `indexed` the one whose shape begins with that of the indices.
void describeGather(RankedTensorType sliced, RankedTensorType indices,
                    RankedTensorType indexed, ArrayRef<int64_t> gathered,
                    MapBuilder &maps, ArrayRef<SmallVector<AffineExpr> *> large,
                    SmallVector<AffineExpr> *indexExprs,
                    SmallVector<AffineExpr> &indexedExprs) {
  int64_t batchRank = indices.getRank() - 1;
  if (indexExprs)
    for (int64_t dim = 0; dim < batchRank; ++dim)
      if (indices.getDimSize(dim) == indexed.getDimSize(dim))
        (*indexExprs)[dim] = indexedExprs[dim] =
            maps.loop(indices.getDimSize(dim));
  bool keepsRank = indexed.getRank() == batchRank + sliced.getRank();
  int64_t inner = batchRank;
  for (int64_t dim = 0; dim < sliced.getRank(); ++dim) {
    bool isGathered = llvm::is_contained(gathered, dim);
    if (!isGathered && inner < indexed.getRank() &&
        sliced.getDimSize(dim) == indexed.getDimSize(inner)) {
      AffineExpr loop = maps.loop(sliced.getDimSize(dim));
      indexedExprs[inner] = loop;
      for (SmallVector<AffineExpr> *exprs : large)
        (*exprs)[dim] = loop;
    }
    inner += !isGathered || keepsRank;
  }
}

/// One coordinate of the indices, of a dimension of which a device has a block.
struct SplitCoordinate {
  int64_t number;
  /// The extent of the dimension, and where the block begins, its valid elements and all.
  Value extent, offset, size, width;
  /// Whether the block has the elements that its indices ask for.
  bool isBatch;
};

/// Coordinate `number`, of dimension `dim` of `type`, which `axes` split into blocks, of which
/// `local` is one. An extent that is not known is not split.
SplitCoordinate coordinateOf(OpBuilder &builder, Location loc, int64_t number,
                             RankedTensorType type, int64_t dim,
                             const AxisList &axes, Value local,
                             const PartitionContext &context) {
  auto value = [&](OpFoldResult part) {
    return getValueOrCreateConstantIndexOp(builder, loc, part);
  };
  int64_t extent = type.getDimSize(dim);
  Value width = extentOf(builder, loc, local, dim);
  DynamicBlock block =
      blockOf(builder, loc, context.grid, context.emission.gridSymbol, extent,
              axes, width);
  return {number,
          ShapedType::isDynamic(extent) ? width
                                        : value(builder.getIndexAttr(extent)),
          value(block.offset),
          value(block.size),
          width,
          /*isBatch=*/false};
}

/// Whether `condition` is that the loop `loop` is at `place`.
bool isAt(Value condition, int64_t loop, int64_t &place) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  auto index =
      compare ? compare.getLhs().getDefiningOp<linalg::IndexOp>() : nullptr;
  std::optional<int64_t> constant =
      compare ? getConstantIntValue(compare.getRhs()) : std::nullopt;
  if (!index || !constant || int64_t(index.getDim()) != loop ||
      compare.getPredicate() != arith::CmpIPredicate::eq)
    return false;
  place = *constant;
  return true;
}

/// The dimension of `indices` along which the coordinate `number` is the place everywhere,
/// as raiseLookUp (LookUps.cpp) makes them; -1 if none is known.
int64_t batchDim(Value indices, int64_t number) {
  while (auto annotation = indices.getDefiningOp<ShardOp>())
    indices = annotation.getSrc();
  auto op = indices.getDefiningOp<linalg::GenericOp>();
  if (!op || op->getNumResults() != 1 ||
      op.getNumParallelLoops() != op.getNumLoops() ||
      !op.getIndexingMapsArray().back().isIdentity())
    return -1;
  int64_t last = op.getNumLoops() - 1;
  Value value = op.getBlock()->getTerminator()->getOperand(0);
  while (auto select = value.getDefiningOp<arith::SelectOp>()) {
    int64_t place = 0;
    if (!isAt(select.getCondition(), last, place))
      return -1;
    value = place == number ? select.getTrueValue() : select.getFalseValue();
  }
  auto index = value.getDefiningOp<linalg::IndexOp>();
  return index && int64_t(index.getDim()) < last ? int64_t(index.getDim()) : -1;
}

/// The dimension of `indices` that is split together with dimension `dims[number]` of
/// `table`, which the coordinates of `number` reach into, and with that of `indexed`, of the
/// slices; -1 if there is none.
int64_t batchDim(Value indices, RankedTensorType table,
                 RankedTensorType indexed, ArrayRef<int64_t> dims,
                 int64_t number) {
  int64_t dim = batchDim(indices, number);
  int64_t extent = table.getDimSize(dims[number]);
  if (dim < 0 || ShapedType::isDynamic(extent) ||
      cast<RankedTensorType>(indices.getType()).getDimSize(dim) != extent ||
      indexed.getDimSize(dim) != extent)
    return -1;
  // A dimension of the indices goes with one of the table.
  for (int64_t other = 0; other < number; ++other)
    if (batchDim(indices, table, indexed, dims, other) == dim)
      return -1;
  return dim;
}

int64_t batchDim(tensor::GatherOp op, int64_t number) {
  return batchDim(op.getIndices(), op.getSourceType(), op.getResultType(),
                  op.getGatherDims(), number);
}

int64_t batchDim(tensor::ScatterOp op, int64_t number) {
  return batchDim(op.getIndices(), op.getDestType(), op.getSourceType(),
                  op.getScatterDims(), number);
}

/// By coordinate the dimension of the indices that is split together with that of the table.
template <typename OpTy>
SmallVector<int64_t> batchDims(OpTy op, ArrayRef<int64_t> dims) {
  return llvm::map_to_vector(
      llvm::seq<int64_t>(dims.size()),
      [&](int64_t number) { return batchDim(op, number); });
}

/// What `coordinate` makes of `index`, of any integer type.
struct LocalIndex {
  /// The nearest one in the block, padding included.
  Value nearest;
  /// Whether the block has the element.
  Value isInside;
};

LocalIndex localIndex(OpBuilder &builder, Location loc, Value index,
                      const SplitCoordinate &coordinate) {
  if (!index.getType().isIndex())
    index =
        arith::IndexCastOp::create(builder, loc, builder.getIndexType(), index);
  auto constant = [&](int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value).getResult();
  };
  auto clamped = [&](Value value, Value last) -> Value {
    Value low = arith::MinSIOp::create(builder, loc, value, last);
    return arith::MaxSIOp::create(builder, loc, low, constant(0));
  };
  // An index outside of the table means the nearest one in it, on one device too.
  Value inTable = clamped(index, builder.createOrFold<arith::SubIOp>(
                                     loc, coordinate.extent, constant(1)));
  Value local = arith::SubIOp::create(builder, loc, inTable, coordinate.offset);
  // As unsigned numbers, indices before the block are beyond its end too.
  Value isInside = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ult, local, coordinate.size);
  Value last =
      arith::SubIOp::create(builder, loc, coordinate.width, constant(1));
  return {clamped(local, last), isInside};
}

/// The reached dimensions are summed over, but for batches; all others are as described
/// above.
struct GatherModel : public DescribedModel<GatherModel, tensor::GatherOp> {
  void describe(tensor::GatherOp op, MapBuilder &maps) const {
    RankedTensorType source = op.getSourceType();
    describeGather(source, op.getIndicesType(), op.getResultType(),
                   op.getGatherDims(), maps, {&maps.operand(0)},
                   &maps.operand(1), maps.result(0));
    for (auto [number, dim] : llvm::enumerate(op.getGatherDims()))
      if (int64_t batch = batchDim(op, number); batch >= 0)
        maps.operand(0)[dim] = maps.operand(1)[batch];
      else if (!source.isDynamicDim(dim) && source.getDimSize(dim) > 1 &&
               isSummable(source.getElementType()))
        maps.operand(0)[dim] =
            maps.loop(Loop::reduce(source.getDimSize(dim), ReductionKind::Sum));
  }
  SmallVector<int64_t> getFactsOfOperands(Operation *op) const {
    auto gather = cast<tensor::GatherOp>(op);
    return batchDims(gather, gather.getGatherDims());
  }
  /// MLIR calls it pure, but an index may lie outside of the tensor.
  bool mayTrapOnPadding(Operation *) const { return true; }

  LogicalResult partition(Operation *op, OpBuilder &builder,
                          ArrayRef<Value> operands, PartitionContext &context,
                          SmallVectorImpl<Value> &results) const {
    auto gather = cast<tensor::GatherOp>(op);
    SmallVector<SplitCoordinate> split =
        splitCoordinates(gather, builder, operands[0], context);
    if (split.empty())
      return partitionByCloning(op, builder, operands, context, results);
    Value indices = inBlock(builder, op->getLoc(), operands[1], split);
    Type type = context.localResultType(op->getResult(0).getType(), 0);
    Value found = tensor::GatherOp::create(
        builder, op->getLoc(), type, operands[0], indices,
        gather.getGatherDims(), gather.getUnique());
    llvm::erase_if(split, [](const SplitCoordinate &coordinate) {
      return coordinate.isBatch;
    });
    results.push_back(split.empty() ? found
                                    : whereInside(builder, op->getLoc(), found,
                                                  operands[1], split));
    return success();
  }

private:
  static SmallVector<SplitCoordinate>
  splitCoordinates(tensor::GatherOp op, OpBuilder &builder, Value table,
                   const PartitionContext &context) {
    SmallVector<SplitCoordinate> split;
    Sharding sharding = context.operand(0);
    Location loc = op.getLoc();
    for (auto [number, dim] : llvm::enumerate(op.getGatherDims())) {
      if (sharding.dims[dim].empty())
        continue;
      split.push_back(coordinateOf(builder, loc, number, op.getSourceType(),
                                   dim, sharding.dims[dim], table, context));
      split.back().isBatch = batchDim(op, number) >= 0;
    }
    return split;
  }

  /// `indices` with the split coordinates as those in the block.
  static Value inBlock(OpBuilder &builder, Location loc, Value indices,
                       ArrayRef<SplitCoordinate> split) {
    auto type = cast<RankedTensorType>(indices.getType());
    Type element = type.getElementType();
    int64_t last = type.getRank() - 1;
    Value empty = tensor::EmptyOp::create(
        builder, loc, tensor::getMixedSizes(builder, loc, indices), element);
    AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
    SmallVector<utils::IteratorType> loops(type.getRank(),
                                           utils::IteratorType::parallel);
    auto body = [&](OpBuilder &inner, Location at, ValueRange arguments) {
      Value result = arguments[0];
      for (const SplitCoordinate &coordinate : split) {
        Value index = localIndex(inner, at, arguments[0], coordinate).nearest;
        if (!element.isIndex())
          index = arith::IndexCastOp::create(inner, at, element, index);
        if (type.getDimSize(last) != 1) {
          Value number = linalg::IndexOp::create(inner, at, last);
          Value wanted =
              arith::ConstantIndexOp::create(inner, at, coordinate.number);
          Value isThis = arith::CmpIOp::create(
              inner, at, arith::CmpIPredicate::eq, number, wanted);
          index = arith::SelectOp::create(inner, at, isThis, index, result);
        }
        result = index;
      }
      linalg::YieldOp::create(inner, at, result);
    };
    return linalg::GenericOp::create(builder, loc, empty.getType(), indices,
                                     empty, ArrayRef{identity, identity}, loops,
                                     body)
        .getResult(0);
  }

  /// `found` where the block has the element that `indices` ask for, else neutral.
  static Value whereInside(OpBuilder &builder, Location loc, Value found,
                           Value indices, ArrayRef<SplitCoordinate> split) {
    auto type = cast<RankedTensorType>(found.getType());
    int64_t batchRank = cast<RankedTensorType>(indices.getType()).getRank() - 1;
    SmallVector<Value> inputs{found};
    SmallVector<AffineMap> maps{builder.getMultiDimIdentityMap(type.getRank())};
    for (const SplitCoordinate &coordinate : split) {
      SmallVector<AffineExpr> exprs;
      for (int64_t dim = 0; dim < batchRank; ++dim)
        exprs.push_back(builder.getAffineDimExpr(dim));
      exprs.push_back(builder.getAffineConstantExpr(coordinate.number));
      inputs.push_back(indices);
      maps.push_back(
          AffineMap::get(type.getRank(), 0, exprs, builder.getContext()));
    }
    maps.push_back(maps.front());
    Value empty = tensor::EmptyOp::create(
        builder, loc, tensor::getMixedSizes(builder, loc, found),
        type.getElementType());
    SmallVector<utils::IteratorType> loops(type.getRank(),
                                           utils::IteratorType::parallel);
    TypedAttr neutral =
        neutralElement(ReductionKind::Sum, type.getElementType());
    auto body = [&](OpBuilder &inner, Location at, ValueRange arguments) {
      Value isInside;
      for (auto [coordinate, index] :
           llvm::zip(split, arguments.drop_front())) {
        Value here = localIndex(inner, at, index, coordinate).isInside;
        isInside =
            isInside ? arith::AndIOp::create(inner, at, isInside, here) : here;
      }
      Value otherwise = arith::ConstantOp::create(inner, at, neutral);
      Value element =
          arith::SelectOp::create(inner, at, isInside, arguments[0], otherwise);
      linalg::YieldOp::create(inner, at, element);
    };
    return linalg::GenericOp::create(builder, loc, empty.getType(), inputs,
                                     empty, maps, loops, body)
        .getResult(0);
  }
};

/// Each device makes all updates of the elements of its block, one after another; along
/// batches those of its block of the updates.
struct ScatterModel : public DescribedModel<ScatterModel, tensor::ScatterOp> {
  void describe(tensor::ScatterOp op, MapBuilder &maps) const {
    RankedTensorType dest = op.getDestType();
    describeGather(
        dest, op.getIndicesType(), op.getSourceType(), op.getScatterDims(),
        maps, {&maps.operand(1), &maps.result(0)}, nullptr, maps.operand(0));
    for (auto [number, dim] : llvm::enumerate(op.getScatterDims())) {
      if (dest.isDynamicDim(dim) || dest.getDimSize(dim) <= 1)
        continue;
      AffineExpr loop = maps.loop(dest.getDimSize(dim));
      maps.operand(1)[dim] = maps.result(0)[dim] = loop;
      if (int64_t batch = batchDim(op, number); batch >= 0)
        maps.operand(0)[batch] = maps.operand(2)[batch] = loop;
    }
  }

  SmallVector<int64_t> getFactsOfOperands(Operation *op) const {
    auto scatter = cast<tensor::ScatterOp>(op);
    return batchDims(scatter, scatter.getScatterDims());
  }

  LogicalResult partition(Operation *op, OpBuilder &builder,
                          ArrayRef<Value> operands, PartitionContext &context,
                          SmallVectorImpl<Value> &results) const {
    auto scatter = cast<tensor::ScatterOp>(op);
    Sharding sharding = context.operand(1);
    if (llvm::none_of(scatter.getScatterDims(),
                      [&](int64_t dim) { return !sharding.dims[dim].empty(); }))
      return partitionByCloning(op, builder, operands, context, results);
    Location loc = op->getLoc();
    Value source = operands[0], dest = operands[1], indices = operands[2];
    SmallVector<SplitCoordinate> coordinates;
    for (auto [number, dim] : llvm::enumerate(scatter.getScatterDims())) {
      coordinates.push_back(coordinateOf(builder, loc, number,
                                         scatter.getDestType(), dim,
                                         sharding.dims[dim], dest, context));
      coordinates.back().isBatch =
          !sharding.dims[dim].empty() && batchDim(scatter, number) >= 0;
    }
    int64_t batchRank = scatter.getIndicesType().getRank() - 1;
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    SmallVector<Value> begins(batchRank, zero), steps(batchRank, one), ends;
    for (int64_t dim = 0; dim < batchRank; ++dim)
      ends.push_back(extentOf(builder, loc, indices, dim));
    scf::LoopNest nest = scf::buildLoopNest(
        builder, loc, begins, ends, steps, dest,
        [&](OpBuilder &inner, Location at, ValueRange batch,
            ValueRange carried) -> scf::ValueVector {
          return {updated(inner, at, scatter, carried[0], source, indices,
                          batch, coordinates)};
        });
    results.push_back(nest.results.front());
    return success();
  }

private:
  /// The block `dest` with the update at `batch`, if it is one of the block.
  static Value updated(OpBuilder &builder, Location loc, tensor::ScatterOp op,
                       Value dest, Value source, Value indices,
                       ValueRange batch,
                       ArrayRef<SplitCoordinate> coordinates) {
    auto type = cast<RankedTensorType>(source.getType());
    auto sliceType = RankedTensorType::get(
        type.getShape().drop_front(batch.size()), type.getElementType());
    auto one = builder.getIndexAttr(1), zero = builder.getIndexAttr(0);
    SmallVector<OpFoldResult> from(batch.begin(), batch.end());
    from.resize(type.getRank(), zero);
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(builder, loc, source);
    std::fill_n(sizes.begin(), batch.size(), one);
    Value slice = tensor::ExtractSliceOp::create(
        builder, loc, sliceType, source, from, sizes,
        SmallVector<OpFoldResult>(type.getRank(), one));
    sizes = tensor::getMixedSizes(builder, loc, dest);
    SmallVector<OpFoldResult> to(sizes.size(), zero), ones(sizes.size(), one);
    Value isInside;
    for (const SplitCoordinate &coordinate : coordinates) {
      int64_t dim = op.getScatterDims()[coordinate.number];
      sizes[dim] = one;
      if (coordinate.isBatch) {
        // The batch has its place in the block; updates in padding write padding.
        to[dim] = batch[batchDim(op, coordinate.number)];
        continue;
      }
      SmallVector<Value> place(batch);
      place.push_back(
          arith::ConstantIndexOp::create(builder, loc, coordinate.number));
      Value index = tensor::ExtractOp::create(builder, loc, indices, place);
      LocalIndex local = localIndex(builder, loc, index, coordinate);
      to[dim] = local.nearest;
      isInside = isInside ? arith::AndIOp::create(builder, loc, isInside,
                                                  local.isInside)
                          : local.isInside;
    }
    if (!isInside)
      return tensor::InsertSliceOp::create(builder, loc, slice, dest, to, sizes,
                                           ones);
    Value before = tensor::ExtractSliceOp::create(builder, loc, sliceType, dest,
                                                  to, sizes, ones);
    Value after =
        arith::SelectOp::create(builder, loc, isInside, slice, before);
    return tensor::InsertSliceOp::create(builder, loc, after, dest, to, sizes,
                                         ones);
  }
};

} // namespace

void attachGatherModels(MLIRContext *context) {
  context->loadDialect<scf::SCFDialect>();
  tensor::GatherOp::attachInterface<GatherModel>(*context);
  tensor::ScatterOp::attachInterface<ScatterModel>(*context);
}

} // namespace shard
