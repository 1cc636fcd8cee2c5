//===- PlanArrays.cpp - Small arrays, cut and pasted ----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanArrays.h"

#include <algorithm>
#include <limits>

namespace shard::fuzz {

Array::Array(std::vector<int64_t> shape) : shape(std::move(shape)) {
  int64_t size = 1;
  for (int64_t extent : this->shape)
    size *= extent;
  cells.resize(size);
}

Cell &Array::at(const std::vector<int64_t> &index) {
  return cells[linearize(index, shape)];
}
const Cell &Array::at(const std::vector<int64_t> &index) const {
  return cells[linearize(index, shape)];
}

Array filled(const Index &shape, double value) {
  Array result(shape);
  for (Cell &cell : result.cells)
    cell = {value, false};
  return result;
}

void forEachIndex(const Index &shape,
                  const std::function<void(Index &)> &body) {
  for (int64_t extent : shape)
    if (extent == 0)
      return;
  Index index(shape.size());
  while (true) {
    body(index);
    size_t dim = shape.size();
    while (dim-- > 0) {
      if (++index[dim] < shape[dim])
        break;
      index[dim] = 0;
    }
    if (dim == size_t(-1))
      return;
  }
}

namespace {
/// An array as (before, dim, behind): what a slice along `dim` sees of it.
struct Slabs {
  int64_t outer = 1, inner = 1;
  Slabs(const Index &shape, int64_t dim) {
    for (int64_t i = 0; i < static_cast<int64_t>(shape.size()); ++i)
      (i < dim ? outer : inner) *= i == dim ? 1 : shape[i];
  }
};

/// Copies [from, from + count) of `dim` of `source` to [to, ...) of `target`, as
/// far as both have it.
void copySlab(const Array &source, int64_t from, Array &target, int64_t to,
              int64_t count, int64_t dim) {
  int64_t skip = std::max<int64_t>({0, -from, -to});
  from += skip, to += skip, count -= skip;
  count = std::min({count, source.shape[dim] - from, target.shape[dim] - to});
  if (count <= 0)
    return;
  Slabs slabs(source.shape, dim);
  for (int64_t outer = 0; outer < slabs.outer; ++outer)
    std::copy_n(
        source.cells.begin() + (outer * source.shape[dim] + from) * slabs.inner,
        count * slabs.inner,
        target.cells.begin() + (outer * target.shape[dim] + to) * slabs.inner);
}

} // namespace

/// [begin, begin + size) of `dim`; what lies outside is poison.
Array cut(const Array &array, int64_t dim, int64_t begin, int64_t size) {
  Index shape = array.shape;
  shape[dim] = size;
  Array result(shape);
  copySlab(array, begin, result, 0, size, dim);
  return result;
}

/// Copies `part` into `whole` at `offset` of `dim`, as far as it fits.
void paste(Array &whole, const Array &part, int64_t dim, int64_t offset) {
  copySlab(part, 0, whole, offset, part.shape[dim], dim);
}

static double combine(ReductionKind kind, double a, double b) {
  switch (kind) {
  case ReductionKind::Sum:
  case ReductionKind::Average:
    return a + b;
  case ReductionKind::Product:
    return a * b;
  case ReductionKind::Max:
  case ReductionKind::UMax:
    return std::max(a, b);
  case ReductionKind::Min:
  case ReductionKind::UMin:
    return std::min(a, b);
  case ReductionKind::BitwiseAnd:
    return static_cast<double>(static_cast<int64_t>(a) &
                               static_cast<int64_t>(b));
  case ReductionKind::BitwiseOr:
    return static_cast<double>(static_cast<int64_t>(a) |
                               static_cast<int64_t>(b));
  case ReductionKind::BitwiseXor:
    return static_cast<double>(static_cast<int64_t>(a) ^
                               static_cast<int64_t>(b));
  case ReductionKind::Generic:
    // Some associative and commutative operation without a neutral element.
    return a + b + 1;
  }
  return 0;
}

double neutral(ReductionKind kind) {
  switch (kind) {
  case ReductionKind::Product:
    return 1;
  case ReductionKind::Max:
    return -std::numeric_limits<double>::infinity();
  case ReductionKind::Min:
  case ReductionKind::UMin:
    return std::numeric_limits<double>::infinity();
  case ReductionKind::BitwiseAnd:
    return 1023;
  default:
    return 0;
  }
}

bool keepsValueWhenMadePartial(ReductionKind kind) {
  return kind == ReductionKind::Max || kind == ReductionKind::Min ||
         kind == ReductionKind::UMax || kind == ReductionKind::UMin ||
         kind == ReductionKind::BitwiseAnd ||
         kind == ReductionKind::BitwiseOr || kind == ReductionKind::Average;
}

Array reduce(ReductionKind kind, const std::vector<const Array *> &arrays) {
  Array result = *arrays[0];
  for (size_t i = 1; i < arrays.size(); ++i)
    for (size_t j = 0; j < result.cells.size(); ++j) {
      const Cell &other = arrays[i]->cells[j];
      result.cells[j].value = combine(kind, result.cells[j].value, other.value);
      result.cells[j].poison |= other.poison;
    }
  if (kind == ReductionKind::Average)
    for (Cell &cell : result.cells)
      cell.value /= static_cast<double>(arrays.size());
  return result;
}

} // namespace shard::fuzz
