//===- EvaluatedPlaces.cpp - Indices computed for each iteration ----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EvaluatedPlaces.h"

#include "PlaceEvaluator.h"

using namespace mlir;

namespace shard {

/// Whether the numbers are those of `expr`, a function of one loop, for all iterations.
static bool isFunction(ArrayRef<int64_t> numbers,
                       llvm::function_ref<int64_t(int64_t)> of) {
  return llvm::all_of(llvm::enumerate(numbers), [&](const auto &entry) {
    return entry.value() == of(entry.index());
  });
}

std::optional<LoopPlace> evaluatedPlace(Value index, linalg::GenericOp op) {
  std::optional<PlaceTable> table = placeTable(index, op);
  // Two iterations tell nothing yet.
  if (!table || table->numbers.size() < 3)
    return std::nullopt;
  ArrayRef<int64_t> numbers = table->numbers;
  int64_t extent = numbers.size();
  AffineExpr loop = getAffineDimExpr(table->loop, op.getContext());
  int64_t first = numbers.front(), step = numbers[1] - first;
  auto [least, most] = std::minmax(first, numbers.back());
  // Rows in order that a tensor lists, as positions of tokens, are a look-up: the table is not
  // split like what is looked up.
  if (step != 0 && !table->readsTensors &&
      isFunction(numbers, [&](int64_t i) { return first + step * i; }))
    return LoopPlace{loop * step + first, least, most};
  int64_t divisor =
      llvm::find_if(numbers, [&](int64_t number) { return number != first; }) -
      numbers.begin();
  if (divisor > 1 && extent % divisor == 0 &&
      isFunction(numbers, [&](int64_t i) { return i / divisor; }))
    return LoopPlace{loop.floorDiv(divisor), least, most};
  return std::nullopt;
}

} // namespace shard
