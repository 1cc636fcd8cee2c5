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

JoinedPlaces singlePlaces(ArrayRef<int64_t> numbers) {
  JoinedPlaces places;
  for (int64_t number : numbers)
    places.push_back({number, 1, 1});
  return places;
}

std::optional<JoinedPlaces> joinedPlaces(ArrayRef<int64_t> numbers) {
  if (numbers.size() < 3)
    return std::nullopt;
  JoinedPlaces places;
  int64_t longest = 0, all = numbers.size();
  for (ArrayRef<int64_t> rest = numbers; !rest.empty();
       rest = rest.drop_front(places.back().size)) {
    if (places.size() == kMostParts)
      return std::nullopt;
    places.push_back(evenPart(rest));
    longest = std::max(longest, places.back().size);
  }
  return longest * 2 >= all ? std::optional(places) : std::nullopt;
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
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<Value> values;
  for (const PlacePart &part : places)
    values.push_back(part.first == 0 && part.step == 1 &&
                             part.size == type.getDimSize(dim)
                         ? tensor
                         : slice(tensor, dim, part, loc, rewriter));
  return values.size() == 1
             ? values.front()
             : tensor::ConcatOp::create(rewriter, loc, dim, values).getResult();
}

} // namespace shard
