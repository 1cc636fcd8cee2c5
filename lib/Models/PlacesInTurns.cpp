//===- PlacesInTurns.cpp - Look-ups that slices take turns in --------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlacesInTurns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace shard {

/// Bounds of the ops that are made for a dimension.
static constexpr size_t kMostTurns = 8;
static constexpr size_t kMostOffsets = 3;
static constexpr size_t kMostEnds = 4;
/// Slices lie no further apart than so many times the stride: their halos are small.
static constexpr int64_t kSpread = 2;
/// So many times at either end may be exceptions, and so much further than the others.
static constexpr int64_t kBorder = 2;
static constexpr int64_t kReach = 4;
/// Fewer times show no rule.
static constexpr int64_t kLeastTimes = 6;

static std::optional<PlaceTurn> findTurn(ArrayRef<int64_t> read,
                                         int64_t stride) {
  PlaceTurn turn;
  auto times = static_cast<int64_t>(read.size());
  auto offsetAt = [&](int64_t k) { return read[k] - stride * k; };
  // What is read in the middle tells the offsets.
  for (int64_t k = kBorder; k < times - kBorder; ++k)
    if (!llvm::is_contained(turn.offsets, offsetAt(k))) {
      if (turn.offsets.size() == kMostOffsets)
        return std::nullopt;
      turn.offsets.push_back(offsetAt(k));
    }
  auto [least, most] =
      std::minmax_element(turn.offsets.begin(), turn.offsets.end());
  if (*most - *least > kSpread * stride)
    return std::nullopt;
  for (int64_t k = 0; k < times; ++k) {
    const int64_t *known = llvm::find(turn.offsets, offsetAt(k));
    if (known == turn.offsets.end()) {
      if (offsetAt(k) < *least - kReach * stride ||
          offsetAt(k) > *most + kReach * stride ||
          turn.ends.size() == kMostEnds)
        return std::nullopt;
      turn.ends.push_back({k, read[k]});
      known = turn.offsets.begin();
    }
    turn.which.push_back(known - turn.offsets.begin());
  }
  return turn;
}

/// Whether the places are all of the dimension.
static bool isWhole(const PlacesInTurns &places) {
  return places.turns.size() == 1 && places.stride == 1 &&
         places.turns[0].offsets.size() == 1 && places.turns[0].ends.empty();
}

std::optional<PlacesInTurns> placesInTurns(ArrayRef<int64_t> numbers,
                                           int64_t extent) {
  if (extent == 0)
    return std::nullopt;
  for (size_t count = 1; count <= kMostTurns; ++count) {
    auto times = static_cast<int64_t>(numbers.size() / count);
    // Blocks of the times are blocks of the dimension.
    if (numbers.size() % count != 0 || times < kLeastTimes ||
        extent % times != 0)
      continue;
    PlacesInTurns found{extent / times, times, {}};
    for (size_t first = 0; first < count; ++first) {
      SmallVector<int64_t> own;
      for (size_t at = first; at < numbers.size(); at += count)
        own.push_back(numbers[at]);
      std::optional<PlaceTurn> turn = findTurn(own, found.stride);
      if (!turn)
        break;
      found.turns.push_back(std::move(*turn));
    }
    if (found.turns.size() == count)
      return isWhole(found) ? std::nullopt : std::optional(found);
  }
  return std::nullopt;
}

static RankedTensorType withExtent(RankedTensorType type, int64_t dim,
                                   int64_t extent) {
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = extent;
  return type.clone(shape);
}

/// `others` as offsets, sizes or strides of a slice, but `number` for dimension `dim`.
static SmallVector<OpFoldResult> sliceAlong(OpBuilder &builder,
                                            ArrayRef<int64_t> others,
                                            int64_t dim, int64_t number) {
  SmallVector<OpFoldResult> numbers =
      getAsIndexOpFoldResult(builder.getContext(), others);
  numbers[dim] = builder.getIndexAttr(number);
  return numbers;
}

/// Writes what is read at the ends over what the slice has there.
static Value replaceEnds(Value taken, Value tensor, int64_t dim,
                         const PlaceTurn &turn, Location loc,
                         RewriterBase &rewriter) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> zeros(type.getRank(), 0), ones(type.getRank(), 1);
  auto unit = sliceAlong(rewriter, ones, dim, 1);
  auto sizes = sliceAlong(rewriter, type.getShape(), dim, 1);
  for (auto [time, place] : turn.ends) {
    Value end = tensor::ExtractSliceOp::create(
        rewriter, loc, tensor, sliceAlong(rewriter, zeros, dim, place), sizes,
        unit);
    taken = tensor::InsertSliceOp::create(
        rewriter, loc, end, taken, sliceAlong(rewriter, zeros, dim, time),
        sizes, unit);
  }
  return taken;
}

/// The elements `stride * k + offset`, zeros where the tensor has none.
static Value takeSlice(Value tensor, int64_t dim, const PlacesInTurns &places,
                       int64_t offset, Location loc, RewriterBase &rewriter) {
  auto type = cast<RankedTensorType>(tensor.getType());
  int64_t extent = type.getDimSize(dim);
  if (places.stride == 1 && offset == 0)
    return tensor;
  int64_t last = places.stride * (places.times - 1) + offset;
  int64_t before = std::max<int64_t>(0, -offset);
  int64_t behind = std::max<int64_t>(0, last - (extent - 1));
  SmallVector<int64_t> zeros(type.getRank(), 0), ones(type.getRank(), 1);
  Value padded = tensor;
  if (before + behind > 0) {
    Value zero = arith::ConstantOp::create(
        rewriter, loc, rewriter.getZeroAttr(type.getElementType()));
    padded = tensor::PadOp::create(
        rewriter, loc, withExtent(type, dim, before + extent + behind), tensor,
        sliceAlong(rewriter, zeros, dim, before),
        sliceAlong(rewriter, zeros, dim, behind), zero);
  }
  return tensor::ExtractSliceOp::create(
      rewriter, loc, padded, sliceAlong(rewriter, zeros, dim, before + offset),
      sliceAlong(rewriter, type.getShape(), dim, places.times),
      sliceAlong(rewriter, ones, dim, places.stride));
}

/// `other` where `isOther` of the place in dimension `dim`, else `taken`.
static Value choose(Value taken, Value other, int64_t dim,
                    ArrayRef<bool> isOther, Location loc,
                    RewriterBase &rewriter) {
  auto type = cast<RankedTensorType>(taken.getType());
  auto flags =
      RankedTensorType::get(type.getDimSize(dim), rewriter.getI1Type());
  Value mask = arith::ConstantOp::create(
      rewriter, loc, DenseElementsAttr::get(flags, isOther));
  Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                        type.getElementType());
  AffineMap all = rewriter.getMultiDimIdentityMap(type.getRank());
  AffineMap one =
      AffineMap::get(type.getRank(), 0, rewriter.getAffineDimExpr(dim));
  return linalg::GenericOp::create(
             rewriter, loc, TypeRange(type), ValueRange{mask, other, taken},
             ValueRange(empty), {one, all, all, all},
             SmallVector<utils::IteratorType>(type.getRank(),
                                              utils::IteratorType::parallel),
             [](OpBuilder &builder, Location loc, ValueRange elements) {
               Value chosen = arith::SelectOp::create(builder, loc, elements[0],
                                                      elements[1], elements[2]);
               linalg::YieldOp::create(builder, loc, chosen);
             })
      .getResult(0);
}

/// The elements of one turn.
static Value takeTurn(Value tensor, int64_t dim, const PlacesInTurns &places,
                      const PlaceTurn &turn, Location loc,
                      RewriterBase &rewriter) {
  auto slice = [&](int64_t offset) {
    return takeSlice(tensor, dim, places, offset, loc, rewriter);
  };
  Value taken = slice(turn.offsets.front());
  for (auto [number, offset] :
       llvm::enumerate(llvm::drop_begin(turn.offsets))) {
    SmallVector<bool> isOther;
    for (uint8_t which : turn.which)
      isOther.push_back(which == number + 1);
    taken = choose(taken, slice(offset), dim, isOther, loc, rewriter);
  }
  return replaceEnds(taken, tensor, dim, turn, loc, rewriter);
}

Value takeTurns(Value tensor, int64_t dim, const PlacesInTurns &places,
                Location loc, RewriterBase &rewriter) {
  SmallVector<Value> taken;
  for (const PlaceTurn &turn : places.turns)
    taken.push_back(takeTurn(tensor, dim, places, turn, loc, rewriter));
  if (taken.size() == 1)
    return taken.front();
  auto type = cast<RankedTensorType>(taken.front().getType());
  SmallVector<ReassociationIndices> groups;
  SmallVector<int64_t> apart;
  for (int64_t at = 0; at < type.getRank(); ++at) {
    groups.emplace_back();
    groups.back().push_back(apart.size());
    apart.push_back(type.getDimSize(at));
    if (at != dim)
      continue;
    groups.back().push_back(apart.size());
    apart.push_back(1);
  }
  for (Value &turn : taken)
    turn = tensor::ExpandShapeOp::create(rewriter, loc, type.clone(apart), turn,
                                         groups);
  Value joined = tensor::ConcatOp::create(rewriter, loc, dim + 1, taken);
  return tensor::CollapseShapeOp::create(
      rewriter, loc,
      withExtent(type, dim, places.times * static_cast<int64_t>(taken.size())),
      joined, groups);
}

} // namespace shard
