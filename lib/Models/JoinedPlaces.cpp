//===- JoinedPlaces.cpp - Look-ups at known places are joins --------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JoinedPlaces.h"

#include "shard/IR/ShardingUtils.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace shard {

static constexpr size_t kMostParts = 16;

/// The longest row of elements at equal distances that `numbers` begin with.
static PlacePart evenPart(ArrayRef<int64_t> numbers) {
  PlacePart part{numbers[0], 1, 1};
  if (numbers.size() < 2 || numbers[1] == numbers[0])
    return part;
  part.step = numbers[1] - numbers[0];
  while (part.size < int64_t(numbers.size()) &&
         numbers[part.size] == part.first + part.step * part.size)
    ++part.size;
  if (part.step < 0 && part.size <= kMostSingles)
    return {numbers[0], 1, 1};
  return part;
}

/// The longest row that `numbers` begin with of the elements of a dimension of which each stands
/// `repeats` times.
static PlacePart repeatedPart(ArrayRef<int64_t> numbers, int64_t repeats) {
  PlacePart longest{0, 1, 0};
  for (int64_t first = numbers[0] * repeats; first < (numbers[0] + 1) * repeats;
       ++first) {
    int64_t size = 1;
    while (size < int64_t(numbers.size()) &&
           numbers[size] == (first + size) / repeats)
      ++size;
    if (size > longest.size)
      longest = {first, 1, size};
  }
  return longest;
}

static std::optional<JoinedPlaces> joinedPlaces(ArrayRef<int64_t> numbers,
                                                int64_t repeats) {
  JoinedPlaces places{repeats, {}};
  int64_t longest = 0, all = numbers.size();
  for (ArrayRef<int64_t> rest = numbers; !rest.empty();
       rest = rest.drop_front(places.parts.back().size)) {
    if (places.parts.size() == kMostParts)
      return std::nullopt;
    places.parts.push_back(repeats == 1 ? evenPart(rest)
                                        : repeatedPart(rest, repeats));
    longest = std::max(longest, places.parts.back().size);
  }
  return longest * 2 >= all ? std::optional(places) : std::nullopt;
}

JoinedPlaces singlePlaces(ArrayRef<int64_t> numbers) {
  JoinedPlaces places{1, {}};
  for (int64_t number : numbers)
    places.parts.push_back({number, 1, 1});
  return places;
}

std::optional<JoinedPlaces> joinedPlaces(ArrayRef<int64_t> numbers) {
  if (numbers.size() < 3)
    return std::nullopt;
  if (std::optional<JoinedPlaces> places = joinedPlaces(numbers, 1))
    return places;
  // The element in the middle is as often there as all but those at the borders.
  int64_t middle = numbers[numbers.size() / 2];
  int64_t repeats = llvm::count(numbers, middle);
  return repeats > 1 ? joinedPlaces(numbers, repeats) : std::nullopt;
}

/// `tensor` with each element of dimension `dim` `repeats` times.
static Value repeat(Value tensor, int64_t dim, int64_t repeats, Location loc,
                    RewriterBase &rewriter) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] *= repeats;
  AffineMap whole = rewriter.getMultiDimIdentityMap(type.getRank());
  SmallVector<AffineExpr> read(whole.getResults());
  read[dim] = read[dim].floorDiv(repeats);
  Value empty =
      tensor::EmptyOp::create(rewriter, loc, shape, type.getElementType());
  return linalg::GenericOp::create(
             rewriter, loc, empty.getType(), tensor, empty,
             {AffineMap::get(type.getRank(), 0, read, rewriter.getContext()),
              whole},
             SmallVector<utils::IteratorType>(type.getRank(),
                                              utils::IteratorType::parallel),
             [](OpBuilder &builder, Location at, ValueRange arguments) {
               linalg::YieldOp::create(builder, at, arguments.front());
             })
      .getResult(0);
}

/// The elements of dimension `dim` of `tensor` that `part` names. A slice of a slice is one of
/// what that is a slice of.
static Value slice(Value tensor, int64_t dim, const PlacePart &part,
                   Location loc, RewriterBase &rewriter) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> offsets(type.getRank(), 0), strides(type.getRank(), 1),
      sizes(type.getShape());
  offsets[dim] = part.first;
  strides[dim] = part.step;
  sizes[dim] = part.size;
  auto outer = tensor.getDefiningOp<tensor::ExtractSliceOp>();
  if (outer && outer.getSourceType().getRank() == type.getRank() &&
      !hasHint(outer) && !outer.getSourceType().getEncoding() &&
      !ShapedType::isDynamicShape(outer.getStaticOffsets()) &&
      !ShapedType::isDynamicShape(outer.getStaticStrides())) {
    for (int64_t at = 0; at < type.getRank(); ++at) {
      offsets[at] =
          outer.getStaticOffset(at) + outer.getStaticStride(at) * offsets[at];
      strides[at] *= outer.getStaticStride(at);
    }
    tensor = outer.getSource();
  }
  auto numbers = [&](ArrayRef<int64_t> values) {
    return getAsIndexOpFoldResult(rewriter.getContext(), values);
  };
  return tensor::ExtractSliceOp::create(rewriter, loc, tensor, numbers(offsets),
                                        numbers(sizes), numbers(strides));
}

Value joinPlaces(Value tensor, int64_t dim, const JoinedPlaces &places,
                 Location loc, RewriterBase &rewriter) {
  if (places.repeats > 1)
    tensor = repeat(tensor, dim, places.repeats, loc, rewriter);
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<Value> values;
  for (const PlacePart &part : places.parts)
    values.push_back(part.first == 0 && part.step == 1 &&
                             part.size == type.getDimSize(dim)
                         ? tensor
                         : slice(tensor, dim, part, loc, rewriter));
  return values.size() == 1
             ? values.front()
             : tensor::ConcatOp::create(rewriter, loc, dim, values).getResult();
}

} // namespace shard
