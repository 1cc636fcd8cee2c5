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

#include "shard/IR/TensorSlices.h"
#include "shard/Partitioning/Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

#include <numeric>

using namespace mlir;

namespace shard {

namespace {

/// What an extent counts as that is not known.
constexpr double kNominalExtent = 1024;

/// The index that `width` is cast from, as emitWindow builds it.
Value indexOf(Value width) {
  return width.getDefiningOp<arith::IndexCastOp>().getIn();
}

/// An exchange as emitWindow makes it: a block that is inserted between halos.
struct Exchange {
  UpdateHaloOp op;
  tensor::InsertSliceOp insert;
  RankedTensorType type;
  /// The op that made the tensor around the block; null if its elements are
  /// unspecified.
  Operation *fill;
  /// The widths of halos; 0 where they are not known.
  SmallVector<int64_t> low, high;
  /// Those of dimensions of unknown extents; null elsewhere.
  SmallVector<Value> unknownLow, unknownHigh;

  explicit Exchange(UpdateHaloOp made)
      : op(made),
        insert(made.getDestination().getDefiningOp<tensor::InsertSliceOp>()),
        type(cast<RankedTensorType>(made.getResult().getType())),
        fill(insert.getDest().getDefiningOp()) {
    if (isa<tensor::EmptyOp>(fill))
      fill = nullptr;
    ArrayRef<int64_t> widths = op.getStaticHaloSizes();
    auto unknown = op.getHaloSizes().begin();
    auto read = [&](SmallVectorImpl<int64_t> &known,
                    SmallVectorImpl<Value> &others) {
      bool isKnown = ShapedType::isStatic(widths.front());
      known.push_back(isKnown ? widths.front() : 0);
      others.push_back(isKnown ? Value() : indexOf(*unknown++));
      widths = widths.drop_front();
    };
    for (auto [dim, axes] : llvm::enumerate(op.getSplitAxes().getAxes())) {
      if (axes.empty())
        continue;
      resize(dim);
      read(low, unknownLow);
      read(high, unknownHigh);
    }
    resize(type.getRank());
  }

  void resize(size_t rank) {
    for (SmallVectorImpl<int64_t> *list : {&low, &high})
      list->resize(rank);
    for (SmallVectorImpl<Value> *list : {&unknownLow, &unknownHigh})
      list->resize(rank);
  }
  bool isUnknown(unsigned dim) const {
    return unknownLow[dim] || unknownHigh[dim];
  }
  OpFoldResult lowOf(OpBuilder &builder, unsigned dim) const {
    return unknownLow[dim] ? OpFoldResult(unknownLow[dim])
                           : builder.getIndexAttr(low[dim]);
  }
  OpFoldResult highOf(OpBuilder &builder, unsigned dim) const {
    return unknownHigh[dim] ? OpFoldResult(unknownHigh[dim])
                            : builder.getIndexAttr(high[dim]);
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

/// Halos that serve two exchanges: in each dimension the wider ones.
struct CommonHalos {
  SmallVector<OpFoldResult> low, high;
  /// Of dimensions of unknown extents the elements between the halos; null elsewhere.
  SmallVector<Value> widths;
  /// Of the tensor with its halos.
  SmallVector<OpFoldResult> sizes;
};

/// What `OpTy` computes of `a` and `b`; `ofNumbers` does the same.
template <typename OpTy, typename OfNumbers>
OpFoldResult compute(OpBuilder &builder, Location loc, OpFoldResult a,
                     OpFoldResult b, OfNumbers ofNumbers) {
  std::optional<int64_t> one = getConstantIntValue(a),
                         other = getConstantIntValue(b);
  if (one && other)
    return builder.getIndexAttr(ofNumbers(*one, *other));
  return getAsOpFoldResult(builder.createOrFold<OpTy>(
      loc, getValueOrCreateConstantIndexOp(builder, loc, a),
      getValueOrCreateConstantIndexOp(builder, loc, b)));
}

OpFoldResult plus(OpBuilder &builder, Location loc, OpFoldResult a,
                  OpFoldResult b) {
  return compute<arith::AddIOp>(builder, loc, a, b, std::plus<int64_t>());
}

OpFoldResult minus(OpBuilder &builder, Location loc, OpFoldResult a,
                   OpFoldResult b) {
  return compute<arith::SubIOp>(builder, loc, a, b, std::minus<int64_t>());
}

/// Builds the halos of `a` and `b`, which are exchanges of one block, in front of both.
/// Nothing where that needs values that are built later.
std::optional<CommonHalos> commonHalos(IRRewriter &builder, Location loc,
                                       Exchange &a, Exchange &b,
                                       DominanceInfo &dominance) {
  Exchange &first = a.op->isBeforeInBlock(b.op) ? a : b;
  SmallVector<Value> needed;
  for (const Exchange *part : {&a, &b})
    for (Value width :
         llvm::concat<const Value>(part->unknownLow, part->unknownHigh))
      if (width)
        needed.push_back(width);
  if (failed(moveValueDefinitions(builder, needed, first.op, dominance)))
    return std::nullopt;
  builder.setInsertionPoint(first.op);
  auto wider = [&](OpFoldResult one, OpFoldResult other) -> OpFoldResult {
    std::optional<int64_t> left = getConstantIntValue(one),
                           right = getConstantIntValue(other);
    if (left && right)
      return *left > *right ? one : other;
    if (one == other)
      return one;
    return builder.createOrFold<arith::MaxSIOp>(
        loc, getValueOrCreateConstantIndexOp(builder, loc, one),
        getValueOrCreateConstantIndexOp(builder, loc, other));
  };
  CommonHalos common;
  common.sizes = tensor::getMixedSizes(builder, loc, a.insert.getSource());
  common.widths.resize(common.sizes.size());
  for (size_t dim = 0; dim < common.sizes.size(); ++dim) {
    OpFoldResult low = wider(a.lowOf(builder, dim), b.lowOf(builder, dim)),
                 high = wider(a.highOf(builder, dim), b.highOf(builder, dim));
    common.low.push_back(low);
    common.high.push_back(high);
    if (!first.isUnknown(dim))
      continue;
    OpFoldResult room =
        tensor::getMixedSize(builder, loc, first.insert.getDest(), dim);
    OpFoldResult width = minus(
        builder, loc, minus(builder, loc, room, first.lowOf(builder, dim)),
        first.highOf(builder, dim));
    common.widths[dim] = getValueOrCreateConstantIndexOp(builder, loc, width);
    common.sizes[dim] =
        plus(builder, loc, width, plus(builder, loc, low, high));
  }
  return common;
}

/// The part of `merged` that `part` had; `halos` are those of `merged`.
Value partOf(OpBuilder &builder, Value merged, const Exchange &part,
             const CommonHalos &halos) {
  Location loc = merged.getLoc();
  SmallVector<OpFoldResult> from,
      sizes = tensor::getMixedSizes(builder, loc, merged);
  bool isWhole = part.type == merged.getType();
  for (auto [dim, extent] : llvm::enumerate(part.type.getShape())) {
    OpFoldResult low = part.lowOf(builder, dim),
                 high = part.highOf(builder, dim);
    from.push_back(minus(builder, loc, halos.low[dim], low));
    if (part.isUnknown(dim)) {
      sizes[dim] =
          plus(builder, loc, halos.widths[dim], plus(builder, loc, low, high));
      isWhole &= halos.low[dim] == low && halos.high[dim] == high;
    } else if (!ShapedType::isDynamic(extent)) {
      sizes[dim] = builder.getIndexAttr(extent);
    }
  }
  if (isWhole)
    return merged;
  return sliceOf(builder, loc, merged, from, sizes);
}

/// Into how many blocks dimension `dim` of `exchange` is cut, and how long they are.
std::pair<int64_t, int64_t> blocksOf(Exchange &exchange, size_t dim) {
  auto grid = SymbolTable::lookupNearestSymbolFrom<GridOp>(
      exchange.op, exchange.op.getGridAttr());
  ArrayRef<GridAxesAttr> axes = exchange.op.getSplitAxes().getAxes();
  int64_t parts = 1;
  if (dim < axes.size())
    for (GridAxis axis : axes[dim].asArrayRef())
      parts *= grid.getShape()[axis];
  return {parts, exchange.insert.getSourceType().getDimSize(dim)};
}

/// The windows by which all of dimension `dim` of `exchange` and its halos is read, where the
/// blocks of the iterations of `like` begin where those of the elements do; `like` may leave
/// elements out that this exchange has, and so may its iterations. A device without iterations
/// would read nothing by these: then there are none.
std::optional<WindowReads> allReadLike(Exchange &exchange, size_t dim,
                                       const WindowReads &like) {
  auto [parts, block] = blocksOf(exchange, dim);
  if (like.window.stride != 1 || like.valid.offset != 0 || block <= 0 ||
      ceilDiv(like.iterations, parts) != block ||
      ceilDiv(like.iterations, block) != parts)
    return std::nullopt;
  WindowReads reads = like;
  reads.valid = {0, parts * block};
  reads.window.offset = -exchange.low[dim];
  reads.window.reach = 1 + exchange.low[dim] + exchange.high[dim];
  return reads;
}

/// Makes `common` read what `other` reads, too; false where that is no window.
bool widen(WindowReads &common, const WindowReads &other) {
  if (common.iterations != other.iterations ||
      common.window.stride != other.window.stride)
    return false;
  auto widenRange = [](int64_t &begin, int64_t &size, int64_t otherBegin,
                       int64_t otherSize) {
    int64_t end = std::max(begin + size, otherBegin + otherSize);
    begin = std::min(begin, otherBegin);
    size = end - begin;
  };
  widenRange(common.window.offset, common.window.reach, other.window.offset,
             other.window.reach);
  widenRange(common.valid.offset, common.valid.size, other.valid.offset,
             other.valid.size);
  common.step = std::gcd(common.step, other.step);
  return true;
}

/// The windows that hold those of both exchanges; nothing where these are no windows.
std::optional<HaloWindows> commonWindows(Exchange &a, Exchange &b) {
  HaloWindows left = getWindows(a.op), right = getWindows(b.op);
  if (left.empty() && right.empty())
    return left;
  left.resize(a.type.getRank());
  right.resize(a.type.getRank());
  for (size_t dim = 0; dim < left.size(); ++dim) {
    std::optional<WindowReads> &common = left[dim], &other = right[dim];
    if (common == other)
      continue;
    // Without halos the block is read, as it is without a window.
    if (a.low[dim] + a.high[dim] + b.low[dim] + b.high[dim] == 0) {
      common.reset();
      continue;
    }
    if (!common)
      common = allReadLike(a, dim, *other);
    else if (!other)
      other = allReadLike(b, dim, *common);
    if (!common || !other || !widen(*common, *other))
      return std::nullopt;
  }
  return left;
}

/// Makes `a` an exchange that replaces both; false where that is not possible or
/// sends more.
bool merge(Exchange &a, Exchange &b, DominanceInfo &dominance) {
  OpFoldResult fill;
  if (a.op->getBlock() != b.op->getBlock() ||
      a.op.getSplitAxes() != b.op.getSplitAxes() ||
      a.op.getGrid() != b.op.getGrid() || !commonFill(a, b, fill))
    return false;
  std::optional<HaloWindows> windows = commonWindows(a, b);
  if (!windows)
    return false;
  SmallVector<int64_t> low, high, shape(a.insert.getSourceType().getShape());
  for (auto [dim, extent] : llvm::enumerate(shape)) {
    if (a.isUnknown(dim) != b.isUnknown(dim))
      return false;
    low.push_back(std::max(a.low[dim], b.low[dim]));
    high.push_back(std::max(a.high[dim], b.high[dim]));
    if (low[dim] || high[dim])
      extent += low[dim] + high[dim];
  }
  if (a.sent(low, high) > a.sent(a.low, a.high) + b.sent(b.low, b.high))
    return false;
  IRRewriter builder(a.op->getContext());
  Location loc = builder.getFusedLoc({a.op.getLoc(), b.op.getLoc()});
  std::optional<CommonHalos> common =
      commonHalos(builder, loc, a, b, dominance);
  if (!common)
    return false;
  SmallVector<OpFoldResult> halos;
  for (auto [dim, axes] : llvm::enumerate(a.op.getSplitAxes().getAxes()))
    if (!axes.empty())
      halos.append({common->low[dim], common->high[dim]});
  Value block = a.insert.getSource();
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, block);
  RankedTensorType type = a.type.clone(shape);
  Value inserted =
      insertionOf(builder, loc, block,
                  filledTensor(builder, loc, type, fill, common->sizes),
                  common->low, sizes);
  UpdateHaloOp merged =
      buildUpdateHalo(builder, loc, inserted, a.op.getGridAttr(),
                      a.op.getSplitAxesAttr(), halos);
  setWindows(merged, *windows);
  for (Exchange *part : {&a, &b})
    part->op.getResult().replaceAllUsesWith(
        partOf(builder, merged.getResult(), *part, *common));
  a.erase();
  b.erase();
  a = Exchange(merged);
  return true;
}

/// Adds `next` to `others`, or merges one of them with it. What has become wider may hold
/// others then: halos of a corner hold those of both sides, which do not hold each other.
void addExchange(SmallVectorImpl<Exchange> &others, Exchange next,
                 DominanceInfo &dominance) {
  auto merged = llvm::find_if(
      others, [&](Exchange &other) { return merge(other, next, dominance); });
  if (merged == others.end()) {
    others.push_back(std::move(next));
    return;
  }
  size_t wide = merged - others.begin();
  for (size_t at = 0; at < others.size();) {
    if (at == wide || !merge(others[wide], others[at], dominance)) {
      ++at;
      continue;
    }
    others.erase(others.begin() + at);
    wide -= at < wide;
    at = 0;
  }
}

} // namespace

void mergeExchanges(ArrayRef<UpdateHaloOp> exchanges) {
  // By the block that is inserted: only those of one block can be merged.
  llvm::DenseMap<Value, SmallVector<Exchange, 2>> known;
  DominanceInfo dominance;
  for (UpdateHaloOp op : exchanges) {
    auto insert = op.getDestination().getDefiningOp<tensor::InsertSliceOp>();
    if (!insert || !insert.getDest().getDefiningOp())
      continue;
    Exchange next(op);
    addExchange(known[next.insert.getSource()], std::move(next), dominance);
  }
}

} // namespace shard
