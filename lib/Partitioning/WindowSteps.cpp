//===- WindowSteps.cpp - Steps about halos and offsets --------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WindowSteps.h"

#include "shard/IR/ShardOps.h"
#include "shard/Partitioning/PartitionContext.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
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
    HaloWidths from(before), to(step.result);
    SmallVector<OpFoldResult> oldLow = indices(from.low),
                              newLow = indices(to.low),
                              extents = extentsOf(result, local);
    // Dimensions that are dynamic have no halos.
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (!result.isDynamicDim(dim))
        extents[dim] = builder.getIndexAttr(result.getDimSize(dim) -
                                            to.low[dim] - to.high[dim]);
    Value block = slice(local, oldLow, extents);
    Value around = insert(block, empty(result, local), newLow, extents);
    SmallVector<GridAxesAttr> splitAxes;
    for (const AxisList &axes : step.result.dims)
      splitAxes.push_back(builder.getDenseI16ArrayAttr(axes));
    while (splitAxes.size() > 1 && splitAxes.back().empty())
      splitAxes.pop_back();
    return UpdateHaloOp::create(
               builder, loc, result, around, emission.gridSymbol,
               GridAxesArrayAttr::get(builder.getContext(), splitAxes),
               ValueRange(), builder.getDenseI64ArrayAttr(step.result.halos))
        .getResult();
  }

  Value sliceHalo(Value local) {
    // [begin, begin + width) of the dimension, begin maybe below 0; what lies
    // inside the whole goes to its place in the window.
    HaloWidths halo(step.result);
    int64_t dim = step.dim, extent = type.getDimSize(dim);
    int64_t width = result.getDimSize(dim);
    DynamicBlock block = blockOf(builder, loc, emission.grid,
                                 emission.gridSymbol, extent, step.axes);
    Value begin =
        binary<arith::SubIOp>(value(block.offset), constant(halo.low[dim]));
    Value first = clamp(begin, extent);
    Value last = clamp(binary<arith::AddIOp>(begin, constant(width)), extent);
    Value size = binary<arith::SubIOp>(last, first);
    Value place = binary<arith::SubIOp>(first, begin);
    SmallVector<OpFoldResult> from = zeros(), to = zeros(),
                              extents = sizesOf(local);
    from[dim] = first;
    to[dim] = place;
    extents[dim] = size;
    return insert(slice(local, from, extents), empty(result, local), to,
                  extents);
  }

  Value trimHalo(Value local) {
    HaloWidths from(before), to(step.result);
    SmallVector<int64_t> offsets;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      offsets.push_back(from.low[dim] - to.low[dim]);
    return slice(local, indices(offsets), extentsOf(result, local));
  }

  Value gatherOffsets(Value local) {
    // Blocks padded to the largest, gathered, valid parts put side by side.
    int64_t parts = step.bounds.size() - 1, largest = 1;
    for (int64_t part = 0; part < parts; ++part)
      largest = std::max(largest, step.bounds[part + 1] - step.bounds[part]);
    SmallVector<int64_t> shape(result.getShape());
    shape[step.dim] = largest;
    SmallVector<OpFoldResult> extents = sizesOf(local);
    Value padded =
        insert(local, empty(type.clone(shape), local), zeros(), extents);
    shape[step.dim] = largest * parts;
    Value gathered = AllGatherOp::create(
        builder, loc, type.clone(shape), padded, emission.gridSymbol.getValue(),
        ArrayRef<GridAxis>(step.axes), step.dim);
    Value whole = empty(result, local);
    for (int64_t part = 0; part < parts; ++part) {
      int64_t size = step.bounds[part + 1] - step.bounds[part];
      if (size == 0)
        continue;
      SmallVector<OpFoldResult> from = zeros(), to = zeros(),
                                piece = extentsOf(result, local);
      from[step.dim] = builder.getIndexAttr(part * largest);
      to[step.dim] = builder.getIndexAttr(step.bounds[part]);
      piece[step.dim] = builder.getIndexAttr(size);
      whole = insert(slice(gathered, from, piece), whole, to, piece);
    }
    return whole;
  }

  Value sliceOffsets(Value local) {
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
  Value clamp(Value index, int64_t extent) {
    return binary<arith::MinSIOp>(binary<arith::MaxSIOp>(index, constant(0)),
                                  constant(extent));
  }
  SmallVector<OpFoldResult> indices(ArrayRef<int64_t> numbers) {
    return getAsIndexOpFoldResult(builder.getContext(), numbers);
  }
  SmallVector<OpFoldResult> zeros() {
    return SmallVector<OpFoldResult>(type.getRank(), builder.getIndexAttr(0));
  }
  SmallVector<OpFoldResult> ones() {
    return SmallVector<OpFoldResult>(type.getRank(), builder.getIndexAttr(1));
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
  SmallVector<OpFoldResult> extentsOf(RankedTensorType shape, Value like) {
    SmallVector<OpFoldResult> extents = sizesOf(like);
    for (auto [dim, extent] : llvm::enumerate(shape.getShape()))
      if (!ShapedType::isDynamic(extent))
        extents[dim] = builder.getIndexAttr(extent);
    return extents;
  }
  Value slice(Value tensor, ArrayRef<OpFoldResult> offsets,
              ArrayRef<OpFoldResult> extents) {
    return tensor::ExtractSliceOp::create(builder, loc, tensor, offsets,
                                          extents, ones());
  }
  Value insert(Value piece, Value whole, ArrayRef<OpFoldResult> offsets,
               ArrayRef<OpFoldResult> extents) {
    return tensor::InsertSliceOp::create(builder, loc, piece, whole, offsets,
                                         extents, ones());
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
    auto tableType = RankedTensorType::get({int64_t(step.bounds.size())},
                                           builder.getIndexType());
    Value table = arith::ConstantOp::create(
        builder, loc,
        DenseIntElementsAttr::get(tableType, ArrayRef<int64_t>(step.bounds)));
    return tensor::ExtractOp::create(
        builder, loc, table,
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
