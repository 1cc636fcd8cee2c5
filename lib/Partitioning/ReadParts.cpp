//===- ReadParts.cpp - What slices read of a tensor -----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Partitioning/ReadParts.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace shard {

int64_t ReadPart::numElements() const {
  int64_t number = 0;
  for (const Interval &run : runs)
    number += run.size();
  for (auto [dim, interval] : llvm::enumerate(hull))
    number *= int64_t(dim) == joined ? 1 : interval.size();
  return number;
}

int64_t ReadPart::placeOf(int64_t dim, int64_t place) const {
  if (dim != joined)
    return place - hull[dim].begin;
  int64_t before = 0;
  for (const Interval &run : runs) {
    if (place < run.end)
      return before + place - run.begin;
    before += run.size();
  }
  return before;
}

/// The union of `intervals` as few intervals as possible.
static SmallVector<Interval> unite(SmallVector<Interval> intervals) {
  llvm::sort(intervals, [](const Interval &a, const Interval &b) {
    return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
  });
  SmallVector<Interval> runs;
  for (const Interval &each : intervals) {
    if (!runs.empty() && each.begin <= runs.back().end)
      runs.back().end = std::max(runs.back().end, each.end);
    else
      runs.push_back(each);
  }
  return runs;
}

/// Whether `slice` reads elements one behind the other, at least one, at a known place.
static bool isAtKnownPlace(tensor::ExtractSliceOp slice) {
  return !ShapedType::isDynamicShape(slice.getStaticOffsets()) &&
         !ShapedType::isDynamicShape(slice.getStaticSizes()) &&
         !llvm::is_contained(slice.getStaticSizes(), 0) &&
         llvm::all_of(slice.getStaticStrides(),
                      [](int64_t stride) { return stride == 1; });
}

std::optional<ReadPart> readPartOf(Value value,
                                   const llvm::SmallBitVector &whole) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<SmallVector<Interval>> read(type.getRank());
  for (Operation *user : value.getUsers()) {
    auto slice = dyn_cast<tensor::ExtractSliceOp>(user);
    if (!slice || !isAtKnownPlace(slice))
      return std::nullopt;
    for (auto [dim, begin, size] :
         llvm::enumerate(slice.getStaticOffsets(), slice.getStaticSizes()))
      read[dim].push_back({begin, begin + size});
  }
  ReadPart part;
  for (auto [dim, intervals] : llvm::enumerate(read)) {
    intervals = whole[dim] ? SmallVector<Interval>{{0, type.getDimSize(dim)}}
                           : unite(intervals);
    part.hull.push_back({intervals.front().begin, intervals.back().end});
  }
  if (read.empty())
    return std::nullopt;
  // Pieces are joined in the dimension where that leaves out the most.
  part.runs = {part.hull.front()};
  for (auto [dim, runs] : llvm::enumerate(read)) {
    ReadPart other{part.hull, int64_t(dim), runs};
    if (other.numElements() < part.numElements())
      part = other;
  }
  return part;
}

Value takePart(OpBuilder &builder, Location loc, Value tensor,
               const ReadPart &part, const llvm::SmallBitVector &whole) {
  auto type = cast<RankedTensorType>(tensor.getType());
  int64_t rank = type.getRank();
  SmallVector<int64_t> offsets(rank, 0), sizes(type.getShape()), ones(rank, 1);
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!whole[dim]) {
      offsets[dim] = part.hull[dim].begin;
      sizes[dim] = part.hull[dim].size();
    }
  auto slice = [&](Interval run) -> Value {
    SmallVector<int64_t> from = offsets, extents = sizes;
    if (!whole[part.joined]) {
      from[part.joined] = run.begin;
      extents[part.joined] = run.size();
    }
    return tensor::ExtractSliceOp::create(builder, loc, type.clone(extents),
                                          tensor, ValueRange(), ValueRange(),
                                          ValueRange(), from, extents, ones);
  };
  if (part.runs.size() == 1)
    return slice(part.runs.front());
  sizes[part.joined] = 0;
  for (const Interval &run : part.runs)
    sizes[part.joined] += run.size();
  Value joined =
      tensor::EmptyOp::create(builder, loc, sizes, type.getElementType());
  SmallVector<int64_t> at(rank, 0);
  for (const Interval &run : part.runs) {
    Value piece = slice(run);
    joined = tensor::InsertSliceOp::create(
        builder, loc, piece, joined, ValueRange(), ValueRange(), ValueRange(),
        at, cast<RankedTensorType>(piece.getType()).getShape(), ones);
    at[part.joined] += run.size();
  }
  return joined;
}

void readTaken(Value value, const ReadPart &part, Value taken) {
  for (Operation *user : llvm::make_early_inc_range(value.getUsers())) {
    auto slice = cast<tensor::ExtractSliceOp>(user);
    SmallVector<int64_t> offsets;
    for (auto [dim, begin] : llvm::enumerate(slice.getStaticOffsets()))
      offsets.push_back(part.placeOf(dim, begin));
    slice.getSourceMutable().assign(taken);
    slice.setStaticOffsets(offsets);
  }
}

} // namespace shard
