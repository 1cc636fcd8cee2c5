//===- EmitWindows.cpp - Cuts windows out of blocks -----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WindowBuilder.h"

#include "shard/IR/ShardOps.h"
#include "shard/IR/ShardingUtils.h"
#include "shard/IR/TensorSlices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace shard {

namespace {

/// Cuts the window of one source.
class WindowCutter : WindowBuilder {
public:
  WindowCutter(OpBuilder &builder, Location loc, const HaloExchange &exchange,
               const Emission &emission, bool isComputed)
      : WindowBuilder(builder, loc, exchange.rest, emission),
        exchange(exchange), isComputed(isComputed) {
    assert(exchange.isKnown && "a window that isExpressible allows");
  }

  FailureOr<Value> communicate(Value local,
                               llvm::DenseSet<Operation *> &exchanges) {
    if (exchange.gathered != source.sharding) {
      mlir::emitRemark(loc)
          << "a window of " << source.type << " under "
          << toString(source.sharding)
          << " reaches too far beyond the blocks of the neighbours: the tensor "
             "is gathered to "
          << toString(exchange.gathered);
      FailureOr<Value> gathered =
          emitReshard(builder, loc, local, source.type, source.sharding,
                      exchange.gathered, emission);
      if (failed(gathered))
        return failure();
      local = *gathered;
    }
    bool hasUnknown = false;
    for (auto [dim, window] : llvm::enumerate(source.dims))
      hasUnknown |=
          window.slidesOverUnknown() && !exchange.gathered.dims[dim].empty();
    if (hasUnknown || !exchange.widened.halos.empty()) {
      local = exchangeHalos(local);
      exchanges.insert(local.getDefiningOp());
    }
    return local;
  }

  /// The window, cut out of the block with its halos. `piece` as for emitWindow.
  Value cut(Value widened, WindowPiece *piece) {
    bool fitsAll = true, fitsAny = false;
    for (int64_t dim = 0; dim < source.type.getRank(); ++dim) {
      Cut &place = cuts.emplace_back();
      place.from = place.to = builder.getIndexAttr(0);
      if (source.dims[dim].slidesOverUnknown()) {
        fitsAll = false;
        cutUnknown(dim);
        result.push_back(ShapedType::kDynamic);
        extents.push_back(unknown(dim).span);
        continue;
      }
      place.size = tensor::getMixedSize(builder, loc, widened, dim);
      result.push_back(source.type.getDimSize(dim));
      if (!exchange.needs[dim]) {
        result.back() =
            cast<RankedTensorType>(widened.getType()).getDimSize(dim);
        extents.push_back(place.size);
        continue;
      }
      result.back() = spanOf(dim);
      extents.push_back(builder.getIndexAttr(result.back()));
      if (!fits(dim)) {
        fitsAll = false;
        cutValid(dim);
        continue;
      }
      fitsAny = true;
      place.from = startInBlock(dim);
      place.size = extents.back();
    }
    if (fitsAll)
      return slice(widened);
    Value around =
        filledTensor(builder, loc, source.type.clone(result),
                     fillsOutside() ? source.fill : OpFoldResult(), extents);
    bool isOutside = llvm::any_of(
        cuts, [](const Cut &cut) { return isConstantIntValue(cut.size, 0); });
    if (isOutside)
      return around;
    Value part = slice(widened);
    // Shifts fill blocks only in parts, and what fits may have padding of the block.
    if (piece && !fitsAny && exchange.shifted.empty() &&
        !(source.fill && fillsOutside())) {
      piece->value = part;
      for (const Cut &cut : cuts) {
        piece->to.push_back(cut.to);
        piece->sizes.push_back(cut.size);
      }
    }
    return insert(part, around, cuts);
  }

private:
  /// The piece of a dimension that is cut out, and its place in the window.
  struct Cut {
    OpFoldResult from, size, to;
  };

  bool fillsOutside() const {
    return llvm::any_of(source.dims, [](const DimWindow &window) {
      return window.reachesOutside();
    });
  }

  /// Whether the halos of the dimension hold the fill outside of the tensor, where
  /// the block is filled before its neighbours' elements arrive.
  bool bordersAreFilled(unsigned dim) const {
    const AxisList &axes = exchange.gathered.dims[dim];
    int64_t extent = source.type.getDimSize(dim);
    return !isComputed && !exchange.widened.halos.empty() && !axes.empty() &&
           source.dims[dim].valid == shard::Block{0, extent} &&
           extent % parts(axes) == 0;
  }

  /// Whether the windows of all devices are parts of the widened blocks. Outside of the
  /// tensor these may hold anything where nothing fills the windows.
  bool fits(unsigned dim) const {
    const HaloNeed &need = *exchange.needs[dim];
    return need.fullLow <= need.low && need.fullHigh <= need.high &&
           (!source.fill || !source.dims[dim].reachesOutside() ||
            bordersAreFilled(dim));
  }

  Value exchangeHalos(Value local) {
    auto type = cast<RankedTensorType>(local.getType());
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(builder, loc, local);
    SmallVector<OpFoldResult> whole = sizes;
    SmallVector<int64_t> shape(type.getShape());
    SmallVector<Cut> places;
    SmallVector<OpFoldResult> halos;
    SmallVector<GridAxesAttr> splitAxes;
    bool fills = false;
    for (auto [dim, need] : llvm::enumerate(exchange.needs)) {
      fills |= source.stepOf(dim) > 1;
      // Devices with other parts of a ragged dimension have blocks of another shape, and
      // nothing for this one.
      const AxisList none;
      bool slides = source.dims[dim].slidesOverUnknown();
      bool isRagged = grid.unevenDynamic && type.isDynamicDim(dim) && !slides;
      const AxisList &axes = isRagged ? none : exchange.gathered.dims[dim];
      splitAxes.push_back(builder.getDenseI16ArrayAttr(axes));
      if (slides && !axes.empty()) {
        const UnknownDim &made = unknown(dim);
        places.push_back(
            {builder.getIndexAttr(0), sizes[dim], getAsOpFoldResult(made.low)});
        halos.append(
            {getAsOpFoldResult(made.low), getAsOpFoldResult(made.high)});
        whole[dim] = made.room;
        continue;
      }
      int64_t low = need && !axes.empty() ? need->low : 0;
      int64_t high = need && !axes.empty() ? need->high : 0;
      places.push_back(
          {builder.getIndexAttr(0), sizes[dim], builder.getIndexAttr(low)});
      if (axes.empty())
        continue;
      halos.append({builder.getIndexAttr(low), builder.getIndexAttr(high)});
      if (low || high) {
        shape[dim] += low + high;
        whole[dim] = builder.getIndexAttr(shape[dim]);
      }
      fills |= need && source.dims[dim].reachesOutside() && fits(dim);
    }
    while (splitAxes.size() > 1 && splitAxes.back().empty())
      splitAxes.pop_back();
    RankedTensorType widened = type.clone(shape);
    OpFoldResult fill = source.fill ? source.fill : source.spreadFill;
    Value around = insert(local,
                          filledTensor(builder, loc, widened,
                                       fills ? fill : OpFoldResult(), whole),
                          places);
    UpdateHaloOp exchanged = buildUpdateHalo(
        builder, loc, around, emission.gridSymbol,
        GridAxesArrayAttr::get(builder.getContext(), splitAxes), halos);
    setWindows(exchanged, readsOf(exchange, grid));
    return exchanged.getResult();
  }

  /// A dimension of unknown extent over which a loop slides, as it is found when the
  /// program runs.
  struct UnknownDim {
    /// Of each device the width of the block, padded to the largest one, its halos, and
    /// all of them together.
    Value width, low, high, room;
    /// The window of this device: its first element, maybe outside of the tensor, and how
    /// many it has.
    Value start, span;
  };

  const UnknownDim &unknown(unsigned dim) {
    auto [at, isNew] = unknowns.try_emplace(dim);
    UnknownDim &made = at->second;
    if (!isNew)
      return made;
    const DimWindow &window = source.dims[dim];
    made.start = startOf(dim);
    made.span = spanOfIterations(builder, loc, window.window,
                                 value(iterationsOf(dim).size));
    made.width = source.wholes[dim];
    made.low = made.high = constant(0);
    if (!exchange.gathered.dims[dim].empty())
      findHalos(dim, made);
    made.room = binary<arith::AddIOp>(
        made.width, binary<arith::AddIOp>(made.low, made.high));
    return made;
  }

  /// The widths of the halos that windows of all devices lie in. The window of device p
  /// begins at p * steps + offset, its block at p * width. The difference grows from
  /// device to device, or shrinks, so that the widest low halo is that of device 1 or of
  /// the last one, and the widest high halo that of device 0 or of the last but one:
  /// nothing lies in front of the first block and behind the last one.
  void findHalos(unsigned dim, UnknownDim &made) {
    const DimWindow &window = source.dims[dim];
    int64_t devices = parts(window.axes);
    const Window &reads = window.window;
    made.width = widthOfBlocks(builder, loc, source.wholes[dim], devices);
    Value steps = binary<arith::MulIOp>(
        widthOfBlocks(builder, loc, window.counted, devices),
        constant(reads.stride));
    Value drift = difference(made.width, steps);
    Value most = binary<arith::MulIOp>(drift, constant(devices - 1));
    Value others = binary<arith::MulIOp>(made.width, constant(devices - 1));
    made.low = clamp(sum(binary<arith::MaxSIOp>(drift, most), -reads.offset), 0,
                     others);
    made.high =
        clamp(difference(constant(reads.offset + reads.reach - reads.stride),
                         binary<arith::MinSIOp>(drift, most)),
              0, others);
  }

  /// The elements of the tensor that the device reads, and their place in its window.
  void cutUnknown(unsigned dim) {
    const UnknownDim &made = unknown(dim);
    const AxisList &axes = exchange.gathered.dims[dim];
    Value begin = constant(0);
    if (!axes.empty())
      begin = difference(binary<arith::MulIOp>(positionAlong(axes), made.width),
                         made.low);
    Value whole = source.wholes[dim];
    // Nobody reads the elements between iterations, and they may be missing.
    Value first = binary<arith::MaxSIOp>(clamp(made.start, 0, whole), begin);
    Value last = clamp(binary<arith::AddIOp>(made.start, made.span), 0, whole);
    last =
        binary<arith::MinSIOp>(last, binary<arith::AddIOp>(begin, made.room));
    last = binary<arith::MaxSIOp>(last, first);
    // Where nothing is valid, the places may be any that there are.
    cuts[dim].from =
        getAsOpFoldResult(clamp(difference(first, begin), 0, made.room));
    cuts[dim].to =
        getAsOpFoldResult(clamp(difference(first, made.start), 0, made.span));
    cuts[dim].size = getAsOpFoldResult(difference(last, first));
  }

  /// Where the window begins in the widened block.
  OpFoldResult startInBlock(unsigned dim) {
    const HaloNeed &need = *exchange.needs[dim];
    bool isSplit = !exchange.gathered.dims[dim].empty();
    int64_t low = isSplit ? need.low : 0;
    if (need.start)
      return builder.getIndexAttr(*need.start + low);
    Value start = sum(difference(startOf(dim), beginOfBlock(dim)), low);
    // Devices without iterations take any elements.
    int64_t room = need.low + need.high + widthOf(dim) - spanOf(dim);
    return getAsOpFoldResult(clamp(start, 0, room));
  }

  /// The extent of the block without halos.
  int64_t widthOf(unsigned dim) const {
    return localExtent(source.type.getDimSize(dim),
                       parts(exchange.gathered.dims[dim]));
  }

  /// The valid elements that the device reads, and their place in its window.
  void cutValid(unsigned dim) {
    const DimWindow &window = source.dims[dim];
    const HaloNeed &need = *exchange.needs[dim];
    bool isSplit = !exchange.gathered.dims[dim].empty();
    int64_t low = isSplit ? need.low : 0, high = isSplit ? need.high : 0;
    Value start = startOf(dim);
    auto [front, end] = elementsOf(dim);
    int64_t from = window.valid.offset, to = from + window.valid.size;
    Value first = clamp(front, from, to), last = clamp(end, from, to);
    Value begin = sum(beginOfBlock(dim), -low);
    if (window.window.reach < window.window.step()) {
      // Nobody reads the elements between iterations, and they may be missing.
      int64_t whole = widthOf(dim) + low + high;
      first = binary<arith::MaxSIOp>(first, begin);
      last = binary<arith::MinSIOp>(last, sum(begin, whole));
    }
    last = binary<arith::MaxSIOp>(last, first);
    Value size = binary<arith::SubIOp>(last, first);
    Value inBlock = difference(first, begin);
    Value inWindow = binary<arith::SubIOp>(first, start);
    // Where nothing is valid, the places may be any that there are.
    cuts[dim].from =
        getAsOpFoldResult(clamp(inBlock, 0, widthOf(dim) + low + high - 1));
    cuts[dim].to = getAsOpFoldResult(clamp(inWindow, 0, spanOf(dim) - 1));
    cuts[dim].size = getAsOpFoldResult(size);
  }

  /// The first element of the device's block, all blocks taken for equally long.
  Value beginOfBlock(unsigned dim) {
    const AxisList &axes = exchange.gathered.dims[dim];
    if (axes.empty())
      return constant(0);
    int64_t extent = source.type.getDimSize(dim);
    if (!ShapedType::isDynamic(extent) &&
        dividesEvenly(extent, grid.sizes(axes)))
      return value(sharedBlockOf(builder, loc, emission, extent, axes).offset);
    return binary<arith::MulIOp>(positionAlong(axes), constant(widthOf(dim)));
  }

  Value slice(Value tensor) {
    auto isZero = [](const Cut &cut) {
      return isConstantIntValue(cut.from, 0);
    };
    // A static size is all of a static extent if it is the same number.
    auto type = cast<RankedTensorType>(tensor.getType());
    bool isWhole = llvm::all_of(cuts, isZero);
    for (auto [dim, cut] : llvm::enumerate(cuts))
      isWhole &= !source.dims[dim].slidesOverUnknown() &&
                 (!exchange.needs[dim] ||
                  isConstantIntValue(cut.size, type.getDimSize(dim)));
    if (isWhole)
      return tensor;
    SmallVector<OpFoldResult> from, extents;
    for (const Cut &cut : cuts) {
      from.push_back(cut.from);
      extents.push_back(cut.size);
    }
    return sliceOf(builder, loc, tensor, from, extents);
  }

  Value insert(Value piece, Value around, ArrayRef<Cut> places) {
    SmallVector<OpFoldResult> to, extents;
    for (const Cut &place : places) {
      to.push_back(place.to);
      extents.push_back(place.size);
    }
    return insertionOf(builder, loc, piece, around, to, extents);
  }

  const HaloExchange &exchange;
  /// Whether the device has computed what halos would hold.
  bool isComputed;
  SmallVector<Cut> cuts;
  /// The shape of the window.
  SmallVector<int64_t> result;
  SmallVector<OpFoldResult> extents;
  llvm::SmallDenseMap<unsigned, UnknownDim, 2> unknowns;
};

} // namespace

UpdateHaloOp buildUpdateHalo(OpBuilder &builder, Location loc, Value around,
                             FlatSymbolRefAttr grid, GridAxesArrayAttr axes,
                             ArrayRef<OpFoldResult> halos) {
  SmallVector<int64_t> known;
  SmallVector<Value> unknown;
  dispatchIndexOpFoldResults(halos, unknown, known);
  for (Value &width : unknown)
    width =
        arith::IndexCastOp::create(builder, loc, builder.getI64Type(), width);
  return UpdateHaloOp::create(builder, loc, around.getType(), around, grid,
                              axes, unknown,
                              builder.getDenseI64ArrayAttr(known));
}

void requireInside(OpBuilder &builder, Location loc, const Window &window,
                   Value iterations, Value extent, const Twine &message) {
  auto constant = [&](int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value).getResult();
  };
  Value steps = window.stride == 1
                    ? iterations
                    : arith::MulIOp::create(builder, loc, iterations,
                                            constant(window.stride));
  Value left = builder.createOrFold<arith::SubIOp>(loc, extent, steps);
  int64_t least = window.offset + window.reach - window.stride;
  if (getConstantIntValue(left).value_or(least - 1) >= least)
    return;
  Value fits = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge,
                                     left, constant(least));
  cf::AssertOp::create(builder, loc, fits, message.str());
}

FailureOr<Value> emitWindow(OpBuilder &builder, Location loc, Value local,
                            const WindowSource &source,
                            const HaloExchange &exchange,
                            const Emission &emission, Operation *exchangeAt,
                            llvm::DenseSet<Operation *> &exchanges,
                            Value computed, WindowPiece *piece) {
  WindowCutter cutter(builder, loc, exchange, emission, bool(computed));
  if (computed)
    return cutter.cut(computed, piece);
  FailureOr<Value> widened = failure();
  {
    OpBuilder::InsertionGuard guard(builder);
    if (exchangeAt)
      builder.setInsertionPoint(exchangeAt);
    for (const ShiftedDim &shifted : exchange.shifted)
      local = emitShifts(builder, loc, local, source, shifted, emission);
    widened = cutter.communicate(local, exchanges);
  }
  if (failed(widened))
    return failure();
  return cutter.cut(*widened, piece);
}

} // namespace shard
