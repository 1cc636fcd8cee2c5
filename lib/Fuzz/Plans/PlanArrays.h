//===- PlanArrays.h - Small arrays, cut and pasted ------------ -*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_FUZZ_PLANARRAYS_H
#define SHARD_LIB_FUZZ_PLANARRAYS_H

#include "shard/Geometry/Grid.h"
#include "shard/Geometry/ReductionKind.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace shard::fuzz {

using Index = std::vector<int64_t>;

struct Cell {
  double value = 0;
  bool poison = true;
};

/// A dense array, last dimension fastest.
struct Array {
  Index shape;
  std::vector<Cell> cells;

  explicit Array(Index shape = {});
  Cell &at(const Index &index);
  const Cell &at(const Index &index) const;
};

/// An array that has `value` everywhere.
Array filled(const Index &shape, double value);

void forEachIndex(const Index &shape, const std::function<void(Index &)> &body);

/// [begin, begin + size) of `dim`; what lies outside is poison.
Array cut(const Array &array, int64_t dim, int64_t begin, int64_t size);

/// Copies `part` into `whole` at `offset` of `dim`, as far as it fits.
void paste(Array &whole, const Array &part, int64_t dim, int64_t offset);

double neutral(ReductionKind kind);

/// Whether each device keeps its value where the value becomes partial.
bool keepsValueWhenMadePartial(ReductionKind kind);

Array reduce(ReductionKind kind, const std::vector<const Array *> &arrays);

} // namespace shard::fuzz

#endif // SHARD_LIB_FUZZ_PLANARRAYS_H
