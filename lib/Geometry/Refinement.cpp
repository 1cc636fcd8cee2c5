//===- Refinement.cpp - Two grids over the same devices -------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Geometry/Refinement.h"

#include <algorithm>
#include <functional>

namespace shard {

namespace {
/// The axes [begin, end) of a grid.
struct Run {
  const Grid &grid;
  size_t begin, end;
};

/// Cuts two runs of equal product into common factors; false if they clash.
bool factorize(const Run &first, const Run &second,
               std::vector<int64_t> &factors) {
  size_t i = first.begin, j = second.begin;
  int64_t a = 1, b = 1;
  while (true) {
    while (a == 1 && i < first.end)
      a = first.grid.shape[i++];
    while (b == 1 && j < second.end)
      b = second.grid.shape[j++];
    if (a == 1 && b == 1)
      return true;
    int64_t factor = std::min(a, b);
    if (a % factor != 0 || b % factor != 0)
      return false;
    factors.push_back(factor);
    a /= factor;
    b /= factor;
  }
}

/// Gives each axis of the run its share of the atoms numbered from `next`.
void assign(const Run &run, const std::vector<int64_t> &factors, GridAxis next,
            AtomsOfAxes &atoms) {
  size_t factor = 0;
  for (size_t i = run.begin; i < run.end; ++i) {
    AxisList list;
    for (int64_t left = run.grid.shape[i]; left > 1; left /= factors[factor++])
      list.push_back(static_cast<GridAxis>(next + factor));
    atoms[i] = list;
  }
}
} // namespace

std::optional<Refinement> refine(const Grid &first, const Grid &second) {
  if (first.numDevices() != second.numDevices())
    return std::nullopt;
  Refinement result;
  result.first.resize(first.shape.size());
  result.second.resize(second.shape.size());
  size_t i = 0, j = 0;
  while (i < first.shape.size() || j < second.shape.size()) {
    // The shortest runs of equal product.
    Run a{first, i, i}, b{second, j, j};
    int64_t productA = 1, productB = 1;
    do {
      if (b.end == second.shape.size() ||
          (productA <= productB && a.end < first.shape.size()))
        productA *= first.shape[a.end++];
      else
        productB *= second.shape[b.end++];
    } while (productA != productB);
    i = a.end;
    j = b.end;
    GridAxis next = static_cast<GridAxis>(result.grid.shape.size());
    std::vector<int64_t> factors;
    if (factorize(a, b, factors)) {
      assign(a, factors, next, result.first);
      assign(b, factors, next, result.second);
    } else {
      factors = {productA};
      for (const auto &[run, atoms] :
           {std::pair{&a, &result.first}, std::pair{&b, &result.second}})
        for (size_t axis = run->begin; axis < run->end; ++axis)
          if (run->grid.shape[axis] == 1)
            (*atoms)[axis] = AxisList();
    }
    result.grid.shape.insert(result.grid.shape.end(), factors.begin(),
                             factors.end());
  }
  return result;
}

std::optional<Sharding> refine(const Sharding &sharding, const Grid &grid,
                               const std::vector<int64_t> &shape,
                               const AtomsOfAxes &atoms, const Grid &refined) {
  Sharding result;
  result.reduction = sharding.reduction;
  for (size_t dim = 0; dim < sharding.dims.size(); ++dim) {
    AxisList list;
    int64_t local = shape[dim];
    for (GridAxis axis : sharding.dims[dim]) {
      if (!atoms[axis] || (local != kDynamic &&
                           !cutsAtOnce(local, refined.sizes(*atoms[axis]))))
        return std::nullopt;
      list.insert(list.end(), atoms[axis]->begin(), atoms[axis]->end());
      local = localExtent(local, grid.shape[axis]);
    }
    result.dims.push_back(list);
  }
  for (GridAxis axis : sharding.partial) {
    if (!atoms[axis])
      return std::nullopt;
    result.partial.insert(result.partial.end(), atoms[axis]->begin(),
                          atoms[axis]->end());
  }
  std::sort(result.partial.begin(), result.partial.end());
  return result;
}

std::optional<std::vector<AxisList>> axesWithin(const Grid &coarse,
                                                const Grid &fine) {
  std::vector<AxisList> runs(coarse.shape.size());
  size_t next = 0;
  auto take = [&](AxisList &run) { run.push_back(GridAxis(next++)); };
  for (size_t axis = 0; axis < runs.size(); ++axis) {
    int64_t size = coarse.shape[axis], product = 1;
    if (size == 1 && next < fine.shape.size() && fine.shape[next] == 1)
      take(runs[axis]);
    while (next < fine.shape.size() && product < size) {
      product *= fine.shape[next];
      take(runs[axis]);
    }
    if (product != size)
      return std::nullopt;
  }
  while (!runs.empty() && next < fine.shape.size() && fine.shape[next] == 1)
    take(runs.back());
  if (next != fine.shape.size())
    return std::nullopt;
  return runs;
}

namespace {
/// The coordinate on an axis is n % end / begin of the number n of a device.
struct Span {
  int64_t begin, end;
};

/// Those of the axes of `grid`, from the innermost one on.
std::vector<Span> spansOf(const Grid &grid) {
  std::vector<Span> spans(grid.shape.size());
  int64_t begin = 1;
  for (size_t axis = spans.size(); axis-- > 0; begin = spans[axis].end)
    spans[axis] = {begin, begin * grid.shape[axis]};
  return spans;
}
} // namespace

AxisList axesBehind(const Grid &other, const Grid &grid, const AxisList &axes) {
  std::vector<Span> spans = spansOf(grid), others = spansOf(other);
  AxisList result;
  for (size_t i = 0; i < others.size(); ++i)
    // A span depends on no axis above a multiple of its end, and on none below a divisor of
    // its beginning.
    if (other.shape[i] > 1 &&
        std::any_of(axes.begin(), axes.end(), [&](GridAxis axis) {
          const Span &span = spans[axis];
          return span.begin != span.end && others[i].begin % span.end != 0 &&
                 span.begin % others[i].end != 0;
        }))
      result.push_back(GridAxis(i));
  return result;
}

AxisList axesToldBy(const Grid &other, const Grid &grid, const AxisList &axes) {
  std::vector<Span> spans = spansOf(grid), others = spansOf(other);
  AxisList innermostFirst = axes, result;
  std::sort(innermostFirst.begin(), innermostFirst.end(), std::greater<>());
  for (size_t i = 0; i < others.size(); ++i) {
    if (other.shape[i] == 1)
      continue;
    // Each axis goes on from where the one before it ends; n % known / begin is told.
    int64_t begin = others[i].begin, known = begin;
    for (GridAxis axis : innermostFirst) {
      const Span &span = spans[axis];
      if (known % span.begin == 0 && span.end % known == 0)
        known = span.end;
    }
    if (known % others[i].end == 0)
      result.push_back(GridAxis(i));
  }
  return result;
}

} // namespace shard
