//===- Emitter.cpp - From plan steps to ops -------------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Partitioning/Emitter.h"

#include "RaggedSteps.h"
#include "WindowSteps.h"

#include "shard/IR/ShardingUtils.h"
#include "shard/IR/TensorSlices.h"
#include "shard/Partitioning/PartitionContext.h"
#include "shard/Partitioning/ShardingOption.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace shard {

TypedAttr neutralElement(ReductionKind kind, Type type) {
  if (auto floatType = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = floatType.getFloatSemantics();
    switch (kind) {
    case ReductionKind::Sum:
      return FloatAttr::get(type, APFloat::getZero(semantics, true));
    case ReductionKind::Product:
      return FloatAttr::get(type, APFloat::getOne(semantics));
    case ReductionKind::Max:
    case ReductionKind::Min: {
      bool negative = kind == ReductionKind::Max;
      if (!APFloat::semanticsHasInf(semantics))
        return FloatAttr::get(type, APFloat::getLargest(semantics, negative));
      return FloatAttr::get(type, APFloat::getInf(semantics, negative));
    }
    default:
      return {};
    }
  }
  if (!type.isIntOrIndex())
    return {};
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  switch (kind) {
  case ReductionKind::Sum:
  case ReductionKind::BitwiseOr:
  case ReductionKind::BitwiseXor:
  case ReductionKind::UMax:
    return IntegerAttr::get(type, APInt::getZero(width));
  case ReductionKind::Product:
    return IntegerAttr::get(type, APInt(width, 1));
  case ReductionKind::BitwiseAnd:
  case ReductionKind::UMin:
    return IntegerAttr::get(type, APInt::getAllOnes(width));
  case ReductionKind::Max:
    return IntegerAttr::get(type, APInt::getSignedMinValue(width));
  case ReductionKind::Min:
    return IntegerAttr::get(type, APInt::getSignedMaxValue(width));
  case ReductionKind::Average:
  case ReductionKind::Generic:
    return {};
  }
  return {};
}

Value filledTensor(OpBuilder &builder, Location loc, RankedTensorType type,
                   OpFoldResult element, ArrayRef<OpFoldResult> sizes) {
  SmallVector<Value> dynamic;
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (type.isDynamicDim(dim))
      dynamic.push_back(getValueOrCreateConstantIndexOp(builder, loc, size));
  if (!element)
    return tensor::EmptyOp::create(builder, loc, type, dynamic);
  auto scalar = dyn_cast<Value>(element);
  if (!scalar) {
    auto attribute = cast<TypedAttr>(cast<Attribute>(element));
    if (type.hasStaticShape())
      return arith::ConstantOp::create(builder, loc,
                                       DenseElementsAttr::get(type, attribute));
    scalar = arith::ConstantOp::create(builder, loc, attribute);
  }
  return tensor::SplatOp::create(builder, loc, scalar, type, dynamic);
}

Value filledTensor(OpBuilder &builder, Location loc, RankedTensorType type,
                   TypedAttr element, Value like) {
  SmallVector<OpFoldResult> sizes(type.getRank());
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes[dim] = tensor::DimOp::create(builder, loc, like, dim).getResult();
  return filledTensor(builder, loc, type, OpFoldResult(Attribute(element)),
                      sizes);
}

Value sizeOfGroup(OpBuilder &builder, Location loc, const Grid &grid,
                  FlatSymbolRefAttr gridSymbol, const AxisList &axes) {
  int64_t size = grid.groupSize(axes);
  if (size != kDynamic)
    return arith::ConstantIndexOp::create(builder, loc, size);
  auto sizes = GridShapeOp::create(builder, loc, gridSymbol.getValue(),
                                   ArrayRef<GridAxis>(axes));
  Value product = sizes.getResult().front();
  for (Value factor : sizes.getResult().drop_front())
    product = arith::MulIOp::create(builder, loc, product, factor);
  return product;
}

bool hasUnknownSizes(const Grid &grid) {
  return llvm::is_contained(grid.shape, kDynamic);
}

/// `shape` with dimensions dynamic that axes of unknown size split before or after a
/// reshard.
static std::vector<int64_t> withUnknowns(const Grid &grid,
                                         std::vector<int64_t> shape,
                                         const Sharding &from,
                                         const Sharding &to) {
  auto isUnknown = [&](GridAxis axis) { return grid.shape[axis] == kDynamic; };
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (llvm::any_of(from.dims[dim], isUnknown) ||
        llvm::any_of(to.dims[dim], isUnknown))
      shape[dim] = kDynamic;
  return shape;
}

/// A sharding that a reshard has to go by: axes of unknown size divide what they split, but not a
/// dimension that others split unevenly before or after it. It is whole in between.
static std::optional<Sharding> wayBetween(const Grid &grid,
                                          const std::vector<int64_t> &shape,
                                          const Sharding &from,
                                          const Sharding &to) {
  std::vector<int64_t> planned = withUnknowns(grid, shape, from, to);
  for (const Sharding *end : {&from, &to}) {
    Sharding way = *end;
    for (size_t dim = 0; dim < shape.size(); ++dim)
      if (shape[dim] != planned[dim] &&
          grid.groupSize(end->dims[dim]) != kDynamic &&
          !dividesEvenly(shape[dim], grid.sizes(end->dims[dim])))
        way.dims[dim].clear();
    if (way != *end)
      return way;
  }
  return std::nullopt;
}

/// `sharding` without the axes of unknown size.
static Sharding withoutUnknowns(const Grid &grid, Sharding sharding) {
  auto isUnknown = [&](GridAxis axis) { return grid.shape[axis] == kDynamic; };
  for (AxisList &axes : sharding.dims)
    llvm::erase_if(axes, isUnknown);
  llvm::erase_if(sharding.partial, isUnknown);
  return sharding;
}

/// Whether `plan` splits a dimension by axes of unknown size that neither end does: whether they
/// divide it is not known.
static bool splitsOthers(const Grid &grid, const std::vector<int64_t> &planned,
                         const Plan &plan) {
  return llvm::any_of(plan.steps, [&](const Step &step) {
    return llvm::any_of(llvm::enumerate(step.result.dims), [&](auto dim) {
      return planned[dim.index()] != kDynamic &&
             grid.groupSize(dim.value()) == kDynamic;
    });
  });
}

/// A sharding that a reshard has to go by where `plan` splits such a dimension.
static std::optional<Sharding> wayAround(const Grid &grid,
                                         const std::vector<int64_t> &shape,
                                         const Plan &plan, const Sharding &from,
                                         const Sharding &to) {
  if (!splitsOthers(grid, withUnknowns(grid, shape, from, to), plan))
    return std::nullopt;
  for (const Sharding *end : {&from, &to})
    if (Sharding way = withoutUnknowns(grid, *end); way != from && way != to)
      return way;
  return std::nullopt;
}

const Plan *planWithUnknowns(Planner &planner, const Grid &grid,
                             const std::vector<int64_t> &shape,
                             int64_t elementBytes, const Sharding &from,
                             const Sharding &to, std::string *error) {
  if (!hasUnknownSizes(grid))
    return planner.plan(grid, shape, elementBytes, from, to, error);
  if (from.hasHalosOrOffsets() || to.hasHalosOrOffsets()) {
    if (error)
      *error = "halos and offsets need the sizes of all axes of the grid; give "
               "them in its shape";
    return nullptr;
  }
  // Primes that no other size has as a factor: no plan takes two axes for equally
  // long.
  constexpr int64_t kPrimes[] = {11, 13, 17, 19, 23, 29, 31, 37};
  Grid nominal = grid;
  const int64_t *next = std::begin(kPrimes);
  for (int64_t &size : nominal.shape) {
    if (size != kDynamic)
      continue;
    while (next != std::end(kPrimes) &&
           llvm::any_of(grid.shape, [&](int64_t other) {
             return other != kDynamic && other % *next == 0;
           }))
      ++next;
    if (next == std::end(kPrimes)) {
      if (error)
        *error =
            "too many axes of the grid have no size; give them in its shape";
      return nullptr;
    }
    size = *next++;
  }
  std::vector<int64_t> planned = withUnknowns(grid, shape, from, to);
  const Plan *plan =
      planner.plan(nominal, planned, elementBytes, from, to, error);
  if (!plan || !splitsOthers(grid, planned, *plan))
    return plan;
  // No step takes an axis of one device.
  auto isUsed = [](GridAxis axis, const Sharding &sharding) {
    return sharding.isSplitBy(axis) ||
           llvm::is_contained(sharding.partial, axis);
  };
  for (auto [axis, size] : llvm::enumerate(nominal.shape))
    if (!isUsed(axis, from) && !isUsed(axis, to))
      size = 1;
  return planner.plan(nominal, planned, elementBytes, from, to, error);
}

namespace {

class StepEmitter {
public:
  /// `ragged` is null where blocks have one shape.
  StepEmitter(OpBuilder &builder, Location loc, RankedTensorType type,
              const Emission &emission, RaggedTensor *ragged)
      : builder(builder), loc(loc), type(type), emission(emission),
        grid(emission.gridSymbol.getValue()), ragged(ragged) {}

  /// The value after `step`, given the value before it; null with an error.
  Value emit(const Step &step, const Sharding &before, Value local) {
    // Blocks with explicit bounds have their own sizes.
    if (!ragged || step.kind == Step::Kind::EmbedPartial ||
        step.kind == Step::Kind::GatherOffsets ||
        step.kind == Step::Kind::SliceOffsets)
      return emitEven(step, before, local);
    Value result = emitEven(step, before, ragged->padded(step, before, local));
    return result ? ragged->valid(step, before, result) : Value();
  }

private:
  Value emitEven(const Step &step, const Sharding &before, Value local) {
    RankedTensorType result = type.clone(ArrayRef<int64_t>(step.localShape));
    ArrayRef<GridAxis> axes(step.axes);

    switch (step.kind) {
    case Step::Kind::AllGather:
      return AllGatherOp::create(builder, loc, result, local, grid, axes,
                                 step.dim);
    case Step::Kind::AllSlice:
      return AllSliceOp::create(builder, loc, result, local, grid, axes,
                                step.dim);
    case Step::Kind::AllToAll:
      return AllToAllOp::create(builder, loc, result, local, grid, axes,
                                step.dim, step.concatDim);
    case Step::Kind::AllReduce:
      return AllReduceOp::create(builder, loc, result, local, grid, axes,
                                 step.reduction)
          ->getResult(0);
    case Step::Kind::ReduceScatter:
      return ReduceScatterOp::create(builder, loc, result, local, grid, axes,
                                     step.reduction, step.dim)
          ->getResult(0);
    case Step::Kind::Permute:
      return PermuteOp::create(
          builder, loc, result, local, emission.gridSymbol,
          builder.getDenseI16ArrayAttr(axes),
          builder.getDenseI16ArrayAttr(ArrayRef<GridAxis>(step.toAxes)));
    case Step::Kind::Redistribute:
      return RedistributeOp::create(builder, loc, result, grid, axes, local,
                                    listsOf(step.fromDims),
                                    listsOf(step.toDims), step.extents);
    case Step::Kind::MakePartial:
      return makePartial(step, local);
    case Step::Kind::EmbedPartial:
      return embedPartial(step, before, local, result);
    default:
      return emitWindowStep(builder, loc, type, step, before, local, emission);
    }
  }

  GridAxesArrayAttr listsOf(ArrayRef<AxisList> dims) {
    SmallVector<GridAxesAttr> lists;
    for (const AxisList &axes : dims)
      lists.push_back(builder.getDenseI16ArrayAttr(ArrayRef<GridAxis>(axes)));
    return GridAxesArrayAttr::get(builder.getContext(), lists);
  }

  TypedAttr neutral(const Step &step) {
    TypedAttr element = neutralElement(step.reduction, type.getElementType());
    if (!element)
      emitError(loc) << "a value of element type " << type.getElementType()
                     << " cannot become partial under '"
                     << stringifyReductionKind(step.reduction)
                     << "', which has no neutral element";
    return element;
  }

  Value makePartial(const Step &step, Value local) {
    if (isIdempotent(step.reduction) ||
        step.reduction == ReductionKind::Average)
      return local;
    TypedAttr element = neutral(step);
    if (!element)
      return {};
    Value rest = filledTensor(
        builder, loc, cast<RankedTensorType>(local.getType()), element, local);
    Value first = isFirstOf(builder, loc, emission.gridSymbol, step.axes);
    return arith::SelectOp::create(builder, loc, first, local, rest);
  }

  /// A tensor of `result`, whose blocks under `step` have `extents`, full of
  /// `element`. Dynamic dimensions divide evenly.
  Value wholeOf(const Step &step, RankedTensorType result, TypedAttr element,
                ArrayRef<OpFoldResult> extents) {
    if (result.hasStaticShape())
      return filledTensor(builder, loc, result, element, {});
    SmallVector<Value> sizes;
    for (int64_t dim = 0; dim < result.getRank(); ++dim) {
      if (!result.isDynamicDim(dim))
        continue;
      Value size = cast<Value>(extents[dim]);
      if (dim == step.dim)
        size = builder.createOrFold<arith::MulIOp>(
            loc, size,
            sizeOfGroup(builder, loc, emission.grid, emission.gridSymbol,
                        step.axes));
      sizes.push_back(size);
    }
    Value scalar = arith::ConstantOp::create(builder, loc, element);
    return tensor::SplatOp::create(builder, loc, scalar, result, sizes);
  }

  /// embedPartial where the blocks of dimension `step.dim` are ragged.
  Value embedRagged(const Step &step, const Sharding &before, Value local,
                    RankedTensorType result, TypedAttr element) {
    SmallVector<OpFoldResult> extents =
        tensor::getMixedSizes(builder, loc, local);
    SmallVector<OpFoldResult> whole = extents,
                              offsets(extents.size(), builder.getIndexAttr(0));
    DynamicBlock own = ragged->blockOf(step.dim, before.dims[step.dim]);
    DynamicBlock joint = ragged->blockOf(step.dim, step.result.dims[step.dim]);
    auto value = [&](OpFoldResult index) {
      return getValueOrCreateConstantIndexOp(builder, loc, index);
    };
    whole[step.dim] = joint.size;
    offsets[step.dim] = builder.createOrFold<arith::SubIOp>(
        loc, value(own.offset), value(joint.offset));
    Value around =
        filledTensor(builder, loc, result, OpFoldResult(element), whole);
    return insertionOf(builder, loc, local, around, offsets, extents);
  }

  Value embedPartial(const Step &step, const Sharding &before, Value local,
                     RankedTensorType result) {
    TypedAttr element = neutral(step);
    if (!element)
      return {};
    if (ragged && result.isDynamicDim(step.dim))
      return embedRagged(step, before, local, result, element);
    SmallVector<OpFoldResult> extents =
        tensor::getMixedSizes(builder, loc, local);
    Value localExtent;
    if (result.isDynamicDim(step.dim))
      localExtent = cast<Value>(extents[step.dim]);
    Value whole = wholeOf(step, result, element, extents);
    DynamicBlock block =
        blockOf(builder, loc, emission.grid, emission.gridSymbol,
                result.getDimSize(step.dim), step.axes, localExtent);
    SmallVector<OpFoldResult> zeros(result.getRank(), builder.getIndexAttr(0)),
        offsets = zeros;
    offsets[step.dim] = block.offset;
    extents[step.dim] = block.size;
    Value valid = sliceOf(builder, loc, local, zeros, extents);
    return insertionOf(builder, loc, valid, whole, offsets, extents);
  }

  OpBuilder &builder;
  Location loc;
  RankedTensorType type;
  const Emission &emission;
  StringRef grid;
  RaggedTensor *ragged;
};

} // namespace

FailureOr<Value> emitReshard(OpBuilder &builder, Location loc, Value local,
                             RankedTensorType type, const Sharding &from,
                             const Sharding &to, const Emission &emission) {
  if (from == to)
    return local;
  // Halos are as wide on all devices, ragged blocks are not.
  auto widensRagged = [&](const Sharding &sharding) {
    if (sharding.halos.empty() || !emission.grid.unevenDynamic)
      return false;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim) && !sharding.dims[dim].empty())
        return true;
    return false;
  };
  if (widensRagged(from) || widensRagged(to))
    return emitError(loc)
           << "resharding " << type << " from " << toString(from) << " to "
           << toString(to)
           << " needs dynamic dimensions that divide evenly: halos of blocks "
              "of different extents are not supported; leave uneven_dynamic "
              "out of the grid, or split another dimension";
  bool isUnknown = hasUnknownSizes(emission.grid);
  std::optional<Sharding> way;
  auto emitBy = [&]() -> FailureOr<Value> {
    FailureOr<Value> between =
        emitReshard(builder, loc, local, type, from, *way, emission);
    return failed(between)
               ? between
               : emitReshard(builder, loc, *between, type, *way, to, emission);
  };
  if (isUnknown)
    way = wayBetween(emission.grid, shapeOf(type), from, to);
  if (way)
    return emitBy();
  std::string error;
  const Plan *plan =
      planWithUnknowns(emission.planner, emission.grid, shapeOf(type),
                       elementBytes(type), from, to, &error);
  if (!plan)
    return emitError(loc) << "no plan reshards " << type << " from "
                          << toString(from) << " to " << toString(to) << ": "
                          << error;
  if (isUnknown)
    way = wayAround(emission.grid, shapeOf(type), *plan, from, to);
  if (way)
    return emitBy();
  // Collectives over axes of unknown size have dynamic types.
  RankedTensorType planned = type, result;
  if (isUnknown) {
    planned = type.clone(ArrayRef<int64_t>(
        withUnknowns(emission.grid, shapeOf(type), from, to)));
    result = localType(type, emission.grid, to);
    local = builder.createOrFold<tensor::CastOp>(
        loc, localType(planned, emission.grid, from), local);
  }
  std::optional<RaggedTensor> ragged;
  if (emission.grid.unevenDynamic && !type.hasStaticShape())
    ragged.emplace(builder, loc, emission, planned, local, from);
  StepEmitter emitter(builder, loc, planned, emission,
                      ragged ? &*ragged : nullptr);
  const Sharding *before = &from;
  for (const Step &step : plan->steps) {
    local = emitter.emit(step, *before, local);
    if (!local)
      return failure();
    before = &step.result;
  }
  if (result)
    local = builder.createOrFold<tensor::CastOp>(loc, result, local);
  if (ragged)
    ragged->rememberExtents(local, to);
  return local;
}

} // namespace shard
