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

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
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
    if (!exchange.widened.halos.empty()) {
      local = exchangeHalos(local);
      exchanges.insert(local.getDefiningOp());
    }
    return local;
  }

  /// The window, cut out of the block with its halos.
  Value cut(Value widened) {
    bool fitsAll = true;
    for (int64_t dim = 0; dim < source.type.getRank(); ++dim) {
      Cut &place = cuts.emplace_back();
      place.size = tensor::getMixedSize(builder, loc, widened, dim);
      place.from = place.to = builder.getIndexAttr(0);
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
    return isOutside ? around : insert(slice(widened), around, cuts);
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
    SmallVector<int64_t> halos;
    SmallVector<GridAxesAttr> splitAxes;
    bool fills = false;
    for (auto [dim, need] : llvm::enumerate(exchange.needs)) {
      // Devices with other parts of a ragged dimension have blocks of another shape, and
      // nothing for this one.
      const AxisList none;
      bool isRagged = grid.unevenDynamic && type.isDynamicDim(dim);
      const AxisList &axes = isRagged ? none : exchange.gathered.dims[dim];
      splitAxes.push_back(builder.getDenseI16ArrayAttr(axes));
      int64_t low = need && !axes.empty() ? need->low : 0;
      int64_t high = need && !axes.empty() ? need->high : 0;
      places.push_back(
          {builder.getIndexAttr(0), sizes[dim], builder.getIndexAttr(low)});
      if (axes.empty())
        continue;
      halos.append({low, high});
      if (low || high) {
        shape[dim] += low + high;
        whole[dim] = builder.getIndexAttr(shape[dim]);
      }
      fills |= need && source.dims[dim].reachesOutside() && fits(dim);
    }
    while (splitAxes.size() > 1 && splitAxes.back().empty())
      splitAxes.pop_back();
    RankedTensorType widened = type.clone(shape);
    Value around =
        insert(local,
               filledTensor(builder, loc, widened,
                            fills ? source.fill : OpFoldResult(), whole),
               places);
    auto exchanged = UpdateHaloOp::create(
        builder, loc, widened, around, emission.gridSymbol,
        GridAxesArrayAttr::get(builder.getContext(), splitAxes), ValueRange(),
        builder.getDenseI64ArrayAttr(halos));
    setWindows(exchanged, readsOf(exchange, grid));
    return exchanged.getResult();
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
      isWhole &= !exchange.needs[dim] ||
                 isConstantIntValue(cut.size, type.getDimSize(dim));
    if (isWhole)
      return tensor;
    SmallVector<OpFoldResult> from, extents;
    for (const Cut &cut : cuts) {
      from.push_back(cut.from);
      extents.push_back(cut.size);
    }
    return tensor::ExtractSliceOp::create(builder, loc, tensor, from, extents,
                                          ones());
  }

  Value insert(Value piece, Value around, ArrayRef<Cut> places) {
    SmallVector<OpFoldResult> to, extents;
    for (const Cut &place : places) {
      to.push_back(place.to);
      extents.push_back(place.size);
    }
    return tensor::InsertSliceOp::create(builder, loc, piece, around, to,
                                         extents, ones());
  }

  const HaloExchange &exchange;
  /// Whether the device has computed what halos would hold.
  bool isComputed;
  SmallVector<Cut> cuts;
  /// The shape of the window.
  SmallVector<int64_t> result;
  SmallVector<OpFoldResult> extents;
};

} // namespace

FailureOr<Value> emitWindow(OpBuilder &builder, Location loc, Value local,
                            const WindowSource &source,
                            const HaloExchange &exchange,
                            const Emission &emission, Operation *exchangeAt,
                            llvm::DenseSet<Operation *> &exchanges,
                            Value computed) {
  WindowCutter cutter(builder, loc, exchange, emission, bool(computed));
  if (computed)
    return cutter.cut(computed);
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
  return cutter.cut(*widened);
}

} // namespace shard
