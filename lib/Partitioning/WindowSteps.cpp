//===- WindowSteps.cpp - Steps about halos and offsets --------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WindowSteps.h"

#include "shard/IR/ShardOps.h"
#include "shard/IR/ShardingUtils.h"
#include "shard/IR/TensorSlices.h"
#include "shard/Partitioning/PartitionContext.h"
#include "shard/Partitioning/Windows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace shard {

namespace {

/// The low and high halo width of each dimension.
struct HaloWidths {
  SmallVector<int64_t> low, high;

  explicit HaloWidths(const Sharding &sharding)
      : low(sharding.dims.size()), high(sharding.dims.size()) {
    size_t next = 0;
    for (auto [dim, axes] : llvm::enumerate(sharding.dims)) {
      if (axes.empty() || sharding.halos.empty())
        continue;
      low[dim] = sharding.halos[next++];
      high[dim] = sharding.halos[next++];
    }
  }
};

class WindowEmitter {
public:
  WindowEmitter(OpBuilder &builder, Location loc, RankedTensorType type,
                const Step &step, const Sharding &before,
                const Emission &emission)
      : builder(builder), loc(loc), type(type), step(step), before(before),
        emission(emission),
        result(type.clone(ArrayRef<int64_t>(step.localShape))) {}

  Value updateHalo(Value local) {
    // The block without its old halos, in the middle of the new ones.
    checkHalos();
    HaloWidths from(before), to(step.result);
    SmallVector<OpFoldResult> newLow = indices(to.low), extents, around;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      extents.push_back(blockExtent(local, from, dim));
      around.push_back(widened(extents[dim], to, dim));
    }
    Value block = slice(local, indices(from.low), extents);
    Value widest = insert(block, emptyOf(around), newLow, extents);
    SmallVector<GridAxesAttr> splitAxes;
    for (const AxisList &axes : step.result.dims)
      splitAxes.push_back(builder.getDenseI16ArrayAttr(axes));
    while (splitAxes.size() > 1 && splitAxes.back().empty())
      splitAxes.pop_back();
    return buildUpdateHalo(
               builder, loc, widest, emission.gridSymbol,
               GridAxesArrayAttr::get(builder.getContext(), splitAxes),
               indices(step.result.halos))
        .getResult();
  }

  Value sliceHalo(Value local) {
    // [begin, begin + width) of the dimension, begin maybe below 0; what lies
    // inside the whole goes to its place in the window.
    checkHalos();
    HaloWidths halo(step.result);
    int64_t dim = step.dim;
    // The dimension is not split yet.
    Value extent = value(tensor::getMixedSize(builder, loc, local, dim));
    Value low = value(index(halo.low[dim]));
    Value width = value(widened(largestBlock(extent), halo, dim));
    DynamicBlock block =
        type.isDynamicDim(dim)
            ? blockOfWhole(builder, loc, emission.grid, emission.gridSymbol,
                           extent, step.axes)
            : blockOf(builder, loc, emission.grid, emission.gridSymbol,
                      type.getDimSize(dim), step.axes);
    Value begin = binary<arith::SubIOp>(value(block.offset), low);
    Value first = clamp(begin, extent);
    Value last = clamp(binary<arith::AddIOp>(begin, width), extent);
    Value size = binary<arith::SubIOp>(last, first);
    Value place = binary<arith::SubIOp>(first, begin);
    SmallVector<OpFoldResult> from = zeros(), to = zeros(),
                              extents = sizesOf(local), window = extents;
    from[dim] = first;
    to[dim] = place;
    extents[dim] = size;
    window[dim] = result.isDynamicDim(dim)
                      ? OpFoldResult(width)
                      : builder.getIndexAttr(result.getDimSize(dim));
    return insert(slice(local, from, extents), emptyOf(window), to, extents);
  }

  Value trimHalo(Value local) {
    HaloWidths from(before), to(step.result);
    SmallVector<OpFoldResult> offsets, extents;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      offsets.push_back(difference(from.low[dim], to.low[dim]));
      extents.push_back(widened(blockExtent(local, from, dim), to, dim));
    }
    return slice(local, offsets, extents);
  }

  Value gatherOffsets(Value local) {
    // Blocks padded to the largest, gathered, valid parts put side by side.
    int64_t parts = step.bounds.size() - 1;
    OpFoldResult largest = builder.getIndexAttr(1);
    for (int64_t part = 0; part < parts; ++part)
      largest = larger(largest, sizeOfPart(part));
    OpFoldResult all = product(largest, parts);
    SmallVector<OpFoldResult> extents = extentsOf(result, local),
                              room = extents, joint = extents;
    room[step.dim] = largest;
    joint[step.dim] = all;
    Value padded = insert(local, emptyOf(room), zeros(), sizesOf(local));
    Value gathered = AllGatherOp::create(
        builder, loc, typeOf(joint), padded, emission.gridSymbol.getValue(),
        ArrayRef<GridAxis>(step.axes), step.dim);
    extents[step.dim] = sizeOr(value(index(step.bounds.back())));
    Value whole = emptyOf(extents);
    for (int64_t part = 0; part < parts; ++part) {
      OpFoldResult size = sizeOfPart(part);
      // No op inserts, behind the last element, what is empty when the program runs.
      if (isZeroInteger(size) || step.bounds[part] == type.getDimSize(step.dim))
        continue;
      SmallVector<OpFoldResult> from = zeros(), to = zeros(), piece = extents;
      from[step.dim] = product(largest, part);
      to[step.dim] = index(step.bounds[part]);
      piece[step.dim] = size;
      whole = insert(slice(gathered, from, piece), whole, to, piece);
    }
    return whole;
  }

  Value sliceOffsets(Value local) {
    checkBounds(tensor::getMixedSize(builder, loc, local, step.dim));
    Value begin = bound(0), size = binary<arith::SubIOp>(bound(1), begin);
    SmallVector<OpFoldResult> from = zeros(), extents = sizesOf(local);
    from[step.dim] = begin;
    extents[step.dim] = sizeOr(size);
    return slice(local, from, extents);
  }

  Value padOffsets(Value local) {
    return insert(local, empty(result, local), zeros(), sizesOf(local));
  }

  Value trimOffsets(Value local) {
    SmallVector<OpFoldResult> extents = sizesOf(local);
    extents[step.dim] = sizeOr(binary<arith::SubIOp>(bound(1), bound(0)));
    return slice(local, zeros(), extents);
  }

private:
  template <typename OpTy>
  Value binary(Value a, Value b) {
    return builder.createOrFold<OpTy>(loc, a, b);
  }
  Value constant(int64_t number) {
    return arith::ConstantIndexOp::create(builder, loc, number);
  }
  Value value(OpFoldResult index) {
    return getValueOrCreateConstantIndexOp(builder, loc, index);
  }
  /// `index` moved into [0, extent].
  Value clamp(Value index, Value extent) {
    return binary<arith::MinSIOp>(binary<arith::MaxSIOp>(index, constant(0)),
                                  extent);
  }
  /// The extent of the largest block of dimension `step.dim`, `whole` elements long.
  OpFoldResult largestBlock(Value whole) {
    int64_t extent = type.getDimSize(step.dim),
            parts = emission.grid.groupSize(step.axes);
    if (!ShapedType::isDynamic(extent))
      return builder.getIndexAttr(localExtent(extent, parts));
    return OpFoldResult(widthOfBlocks(builder, loc, whole, parts));
  }
  /// A width or a bound as an index; what stands for a number of the run as the local
  /// value of that.
  OpFoldResult index(int64_t number) {
    Value global = runTimeValue(number);
    if (!global)
      return builder.getIndexAttr(number);
    return builder.createOrFold<arith::IndexCastOp>(loc, builder.getIndexType(),
                                                    emission.localOf(global));
  }
  SmallVector<OpFoldResult> indices(ArrayRef<int64_t> numbers) {
    return llvm::map_to_vector(numbers,
                               [&](int64_t number) { return index(number); });
  }
  /// The number that an extent is in the type of a tensor; nothing for one that is
  /// dynamic there, whatever it folds to.
  static std::optional<int64_t> knownIn(OpFoldResult extent) {
    return isa<Attribute>(extent) ? getConstantIntValue(extent) : std::nullopt;
  }
  OpFoldResult difference(int64_t a, int64_t b) {
    if (!isRunTime(a) && !isRunTime(b))
      return builder.getIndexAttr(a - b);
    return OpFoldResult(
        binary<arith::SubIOp>(value(index(a)), value(index(b))));
  }
  /// The extent of the block of `local`, which has halos as `halos` says.
  OpFoldResult blockExtent(Value local, const HaloWidths &halos, int64_t dim) {
    int64_t low = halos.low[dim], high = halos.high[dim];
    OpFoldResult extent = tensor::getMixedSize(builder, loc, local, dim);
    std::optional<int64_t> known = knownIn(extent);
    if (known && !isRunTime(low) && !isRunTime(high))
      return builder.getIndexAttr(*known - low - high);
    // Where the halos alone are not known, the block is.
    if (!type.isDynamicDim(dim) && before.offsets.empty())
      return builder.getIndexAttr(localExtent(
          type.getDimSize(dim), emission.grid.groupSize(before.dims[dim])));
    Value both = binary<arith::AddIOp>(value(index(low)), value(index(high)));
    return OpFoldResult(binary<arith::SubIOp>(value(extent), both));
  }
  /// A block of `extent` with halos.
  OpFoldResult widened(OpFoldResult extent, const HaloWidths &halos,
                       int64_t dim) {
    int64_t low = halos.low[dim], high = halos.high[dim];
    std::optional<int64_t> known = knownIn(extent);
    if (known && !isRunTime(low) && !isRunTime(high))
      return builder.getIndexAttr(*known + low + high);
    Value both = binary<arith::AddIOp>(value(index(low)), value(index(high)));
    return OpFoldResult(binary<arith::AddIOp>(value(extent), both));
  }
  OpFoldResult sizeOfPart(int64_t part) {
    return difference(step.bounds[part + 1], step.bounds[part]);
  }
  OpFoldResult larger(OpFoldResult a, OpFoldResult b) {
    std::optional<int64_t> first = knownIn(a), second = knownIn(b);
    if (first && second)
      return builder.getIndexAttr(std::max(*first, *second));
    return OpFoldResult(binary<arith::MaxSIOp>(value(a), value(b)));
  }
  OpFoldResult product(OpFoldResult a, int64_t factor) {
    if (std::optional<int64_t> known = knownIn(a))
      return builder.getIndexAttr(*known * factor);
    return OpFoldResult(binary<arith::MulIOp>(value(a), constant(factor)));
  }
  void check(Value holds, const Twine &message) {
    cf::AssertOp::create(builder, loc, holds, message.str());
  }
  Value compare(arith::CmpIPredicate predicate, Value a, Value b) {
    return arith::CmpIOp::create(builder, loc, predicate, a, b);
  }
  /// Ends the program where a width is known only now, and makes no sense.
  void checkHalos() {
    HaloWidths halos(step.result);
    for (auto [dim, low] : llvm::enumerate(halos.low))
      for (int64_t width : {low, halos.high[dim]}) {
        if (!isRunTime(width))
          continue;
        // Below 0 it is a large number here.
        check(compare(arith::CmpIPredicate::ule, value(index(width)),
                      constant(kMaxHalo)),
              "a halo of dimension " + Twine(dim) +
                  " has a size that is negative or above " + Twine(kMaxHalo));
      }
  }
  /// The same for bounds of a dimension that has `extent` elements.
  void checkBounds(OpFoldResult extent) {
    Value holds =
        arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
    auto require = [&](arith::CmpIPredicate predicate, OpFoldResult a,
                       OpFoldResult b) {
      if (!getConstantIntValue(a) || !getConstantIntValue(b))
        holds = binary<arith::AndIOp>(holds,
                                      compare(predicate, value(a), value(b)));
    };
    SmallVector<OpFoldResult> bounds = indices(step.bounds);
    require(arith::CmpIPredicate::eq, bounds.front(), builder.getIndexAttr(0));
    for (auto [begin, end] : llvm::zip(bounds, ArrayRef(bounds).drop_front()))
      require(arith::CmpIPredicate::sle, begin, end);
    require(arith::CmpIPredicate::eq, bounds.back(), extent);
    if (matchPattern(holds, m_One()))
      return;
    std::string message = "the offsets of dimension " +
                          std::to_string(step.dim) +
                          " do not rise from 0 to its extent";
    if (!type.isDynamicDim(step.dim))
      message += " " + std::to_string(type.getDimSize(step.dim));
    check(holds, message);
  }
  SmallVector<OpFoldResult> zeros() {
    return SmallVector<OpFoldResult>(type.getRank(), builder.getIndexAttr(0));
  }
  SmallVector<OpFoldResult> sizesOf(Value tensor) {
    return tensor::getMixedSizes(builder, loc, tensor);
  }
  /// The extent of the split dimension of the result: static where all blocks
  /// are equal.
  OpFoldResult sizeOr(Value size) {
    int64_t extent = result.getDimSize(step.dim);
    return ShapedType::isDynamic(extent) ? OpFoldResult(size)
                                         : builder.getIndexAttr(extent);
  }
  /// Sizes that are dynamic are those of `like`, on each device its own.
  Value empty(RankedTensorType shape, Value like) {
    return tensor::EmptyOp::create(builder, loc, extentsOf(shape, like),
                                   shape.getElementType());
  }
  RankedTensorType typeOf(ArrayRef<OpFoldResult> extents) {
    SmallVector<int64_t> shape;
    for (OpFoldResult extent : extents)
      shape.push_back(knownIn(extent).value_or(ShapedType::kDynamic));
    return type.clone(shape);
  }
  Value emptyOf(ArrayRef<OpFoldResult> extents) {
    return tensor::EmptyOp::create(builder, loc, extents,
                                   type.getElementType());
  }
  SmallVector<OpFoldResult> extentsOf(RankedTensorType shape, Value like) {
    SmallVector<OpFoldResult> extents = sizesOf(like);
    for (auto [dim, extent] : llvm::enumerate(shape.getShape()))
      if (!ShapedType::isDynamic(extent))
        extents[dim] = builder.getIndexAttr(extent);
    return extents;
  }
  Value slice(Value tensor, ArrayRef<OpFoldResult> offsets,
              ArrayRef<OpFoldResult> extents) {
    return sliceOf(builder, loc, tensor, offsets, extents);
  }
  Value insert(Value piece, Value whole, ArrayRef<OpFoldResult> offsets,
               ArrayRef<OpFoldResult> extents) {
    return insertionOf(builder, loc, piece, whole, offsets, extents);
  }

  Value tableOfBounds() {
    auto tableType = RankedTensorType::get({int64_t(step.bounds.size())},
                                           builder.getIndexType());
    if (llvm::none_of(step.bounds, isRunTime))
      return arith::ConstantOp::create(
          builder, loc,
          DenseIntElementsAttr::get(tableType, ArrayRef<int64_t>(step.bounds)));
    SmallVector<Value> bounds;
    for (int64_t bound : step.bounds)
      bounds.push_back(value(index(bound)));
    return tensor::FromElementsOp::create(builder, loc, tableType, bounds);
  }

  /// The bound at this device's position in the group, or the one behind it.
  Value bound(int64_t behind) {
    auto coordinates = ProcessMultiIndexOp::create(
        builder, loc, emission.gridSymbol.getValue(),
        ArrayRef<GridAxis>(step.axes));
    Value position;
    for (auto [axis, coordinate] :
         llvm::zip_equal(step.axes, coordinates.getResult())) {
      if (!position) {
        position = coordinate;
        continue;
      }
      position =
          binary<arith::MulIOp>(position, constant(emission.grid.shape[axis]));
      position = binary<arith::AddIOp>(position, coordinate);
    }
    return tensor::ExtractOp::create(
        builder, loc, tableOfBounds(),
        ValueRange{binary<arith::AddIOp>(position, constant(behind))});
  }

  OpBuilder &builder;
  Location loc;
  RankedTensorType type;
  const Step &step;
  const Sharding &before;
  const Emission &emission;
  RankedTensorType result;
};

} // namespace

Value emitWindowStep(OpBuilder &builder, Location loc, RankedTensorType type,
                     const Step &step, const Sharding &before, Value local,
                     const Emission &emission) {
  WindowEmitter emitter(builder, loc, type, step, before, emission);
  switch (step.kind) {
  case Step::Kind::UpdateHalo:
    return emitter.updateHalo(local);
  case Step::Kind::SliceHalo:
    return emitter.sliceHalo(local);
  case Step::Kind::TrimHalo:
    return emitter.trimHalo(local);
  case Step::Kind::GatherOffsets:
    return emitter.gatherOffsets(local);
  case Step::Kind::SliceOffsets:
    return emitter.sliceOffsets(local);
  case Step::Kind::PadOffsets:
    return emitter.padOffsets(local);
  case Step::Kind::TrimOffsets:
    return emitter.trimOffsets(local);
  default:
    return {};
  }
}

} // namespace shard
