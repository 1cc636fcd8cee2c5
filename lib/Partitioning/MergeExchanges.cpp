//===- MergeExchanges.cpp - One exchange of halos for several windows -----===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two ops that read windows of one tensor each make an exchange of their own. One
// exchange of the wider halos serves both, and sends no more where the halos lie in
// the same dimension: one low and one high, or one in the other. Halos in different
// dimensions stay apart, because together they have corners too.
//
//===----------------------------------------------------------------------===//

#include "shard/Partitioning/Windows.h"

#include "shard/Partitioning/Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace shard {

namespace {

/// What an extent counts as that is not known.
constexpr double kNominalExtent = 1024;

/// An exchange as emitWindow makes it: a block that is inserted between halos.
struct Exchange {
  UpdateHaloOp op;
  tensor::InsertSliceOp insert;
  RankedTensorType type;
  /// The op that made the tensor around the block; null if its elements are
  /// unspecified.
  Operation *fill;
  SmallVector<int64_t> low, high;

  explicit Exchange(UpdateHaloOp made)
      : op(made),
        insert(made.getDestination().getDefiningOp<tensor::InsertSliceOp>()),
        type(cast<RankedTensorType>(made.getResult().getType())),
        fill(insert.getDest().getDefiningOp()) {
    if (isa<tensor::EmptyOp>(fill))
      fill = nullptr;
    ArrayRef<int64_t> widths = op.getStaticHaloSizes();
    for (GridAxesAttr axes : op.getSplitAxes().getAxes()) {
      bool isSplit = !axes.empty();
      low.push_back(isSplit ? widths[0] : 0);
      high.push_back(isSplit ? widths[1] : 0);
      widths = widths.drop_front(isSplit ? 2 : 0);
    }
    low.resize(type.getRank());
    high.resize(type.getRank());
  }

  /// The number of elements of halos of these widths, which is what is sent.
  double sent(ArrayRef<int64_t> low, ArrayRef<int64_t> high) {
    double block = 1, widened = 1;
    for (auto [dim, extent] :
         llvm::enumerate(insert.getSourceType().getShape())) {
      double size =
          ShapedType::isDynamic(extent) ? kNominalExtent : double(extent);
      block *= size;
      widened *= size + double(low[dim] + high[dim]);
    }
    return widened - block;
  }

  void erase() {
    Operation *around = insert.getDest().getDefiningOp();
    op.erase();
    insert.erase();
    if (around->use_empty())
      around->erase();
  }
};

/// The element that `op` makes a tensor of.
OpFoldResult elementOf(Operation *op) {
  Attribute constant;
  if (auto splat = dyn_cast<tensor::SplatOp>(op))
    return splat.getInput();
  if (matchPattern(op, m_Constant(&constant)))
    if (auto splat = dyn_cast<SplatElementsAttr>(constant))
      return splat.getSplatValue<Attribute>();
  return {};
}

/// The element for the halos of both; false if there is none, or none that is known
/// in front of both.
bool commonFill(const Exchange &a, const Exchange &b, OpFoldResult &fill) {
  OpFoldResult left, right;
  if (a.fill && !(left = elementOf(a.fill)))
    return false;
  if (b.fill && !(right = elementOf(b.fill)))
    return false;
  fill = left ? left : right;
  return left == right ||
         (isa_and_present<Attribute>(fill) && (!left || !right));
}

/// The part of `merged` that `part` had; `low` are the halos of `merged`.
Value partOf(OpBuilder &builder, Value merged, const Exchange &part,
             ArrayRef<int64_t> low) {
  if (part.type == merged.getType())
    return merged;
  SmallVector<OpFoldResult> from,
      sizes = tensor::getMixedSizes(builder, merged.getLoc(), merged);
  for (auto [dim, extent] : llvm::enumerate(part.type.getShape())) {
    from.push_back(builder.getIndexAttr(low[dim] - part.low[dim]));
    if (!ShapedType::isDynamic(extent))
      sizes[dim] = builder.getIndexAttr(extent);
  }
  SmallVector<OpFoldResult> ones(sizes.size(), builder.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(builder, merged.getLoc(), merged, from,
                                        sizes, ones);
}

/// The windows of `op`, or, if it has none, those by which all of its halos are read,
/// where iterations are one for each element, as `like` shows.
HaloWindows windowsLike(const Exchange &exchange, const HaloWindows &like) {
  HaloWindows windows = getWindows(exchange.op);
  if (!windows.empty())
    return windows;
  for (auto [dim, read] : llvm::enumerate(like)) {
    windows.push_back(read);
    if (!read)
      continue;
    if (read->window.stride != 1 || read->valid.offset != 0 ||
        read->valid.size != read->iterations)
      return {};
    windows.back()->window.offset = -exchange.low[dim];
    windows.back()->window.reach = 1 + exchange.low[dim] + exchange.high[dim];
  }
  return windows;
}

/// The windows that hold those of both exchanges; nothing where these are no windows.
std::optional<HaloWindows> commonWindows(const Exchange &a, const Exchange &b) {
  HaloWindows left = windowsLike(a, getWindows(b.op)),
              right = windowsLike(b, getWindows(a.op));
  if (left.size() != right.size())
    return std::nullopt;
  for (auto [common, other] : llvm::zip_equal(left, right)) {
    if (common == other)
      continue;
    if (!common || !other || common->iterations != other->iterations ||
        common->window.stride != other->window.stride)
      return std::nullopt;
    auto widen = [](int64_t &begin, int64_t &size, int64_t otherBegin,
                    int64_t otherSize) {
      int64_t end = std::max(begin + size, otherBegin + otherSize);
      begin = std::min(begin, otherBegin);
      size = end - begin;
    };
    widen(common->window.offset, common->window.reach, other->window.offset,
          other->window.reach);
    widen(common->valid.offset, common->valid.size, other->valid.offset,
          other->valid.size);
  }
  return left;
}

/// Makes `a` an exchange that replaces both; false where that is not possible or
/// sends more.
bool merge(Exchange &a, Exchange &b) {
  OpFoldResult fill;
  if (a.op->getBlock() != b.op->getBlock() ||
      a.op.getSplitAxes() != b.op.getSplitAxes() ||
      a.op.getGrid() != b.op.getGrid() || !commonFill(a, b, fill))
    return false;
  std::optional<HaloWindows> windows = commonWindows(a, b);
  if (!windows)
    return false;
  SmallVector<int64_t> low, high, halos,
      shape(a.insert.getSourceType().getShape());
  for (auto [dim, extent] : llvm::enumerate(shape)) {
    low.push_back(std::max(a.low[dim], b.low[dim]));
    high.push_back(std::max(a.high[dim], b.high[dim]));
    if (low[dim] || high[dim])
      extent += low[dim] + high[dim];
  }
  if (a.sent(low, high) > a.sent(a.low, a.high) + b.sent(b.low, b.high))
    return false;
  for (auto [dim, axes] : llvm::enumerate(a.op.getSplitAxes().getAxes()))
    if (!axes.empty())
      halos.append({low[dim], high[dim]});
  Operation *first = a.op->isBeforeInBlock(b.op) ? a.op : b.op;
  OpBuilder builder(first);
  Location loc = builder.getFusedLoc({a.op.getLoc(), b.op.getLoc()});
  Value block = a.insert.getSource();
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, block);
  SmallVector<OpFoldResult> ones(sizes.size(), builder.getIndexAttr(1));
  RankedTensorType type = a.type.clone(shape);
  Value inserted = tensor::InsertSliceOp::create(
      builder, loc, block, filledTensor(builder, loc, type, fill, sizes),
      getAsIndexOpFoldResult(builder.getContext(), low), sizes, ones);
  auto merged = UpdateHaloOp::create(
      builder, loc, type, inserted, a.op.getGridAttr(), a.op.getSplitAxesAttr(),
      ValueRange(), builder.getDenseI64ArrayAttr(halos));
  setWindows(merged, *windows);
  for (Exchange *part : {&a, &b})
    part->op.getResult().replaceAllUsesWith(
        partOf(builder, merged.getResult(), *part, low));
  a.erase();
  b.erase();
  a = Exchange(merged);
  return true;
}

} // namespace

void mergeExchanges(ArrayRef<UpdateHaloOp> exchanges) {
  // By the block that is inserted: only those of one block can be merged.
  llvm::DenseMap<Value, SmallVector<Exchange, 2>> known;
  for (UpdateHaloOp op : exchanges) {
    auto insert = op.getDestination().getDefiningOp<tensor::InsertSliceOp>();
    if (!insert || !insert.getDest().getDefiningOp())
      continue;
    Exchange next(op);
    SmallVectorImpl<Exchange> &others = known[next.insert.getSource()];
    if (llvm::none_of(others,
                      [&](Exchange &other) { return merge(other, next); }))
      others.push_back(std::move(next));
  }
}

} // namespace shard
