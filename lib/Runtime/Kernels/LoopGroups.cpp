//===- LoopGroups.cpp - The loops of a contraction in groups --------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopGroups.h"

#include <cstdlib>
#include <utility>

using namespace shard;

namespace {

using Loops = std::vector<ContractionLoop>;

/// Orders `loops` from the largest to the smallest step; equal ones stay.
template <typename StepFn>
void sortByStep(Loops &loops, StepFn step) {
  for (size_t i = 1; i < loops.size(); ++i)
    for (size_t j = i; j > 0 && step(loops[j]) > step(loops[j - 1]); --j)
      std::swap(loops[j], loops[j - 1]);
}

/// Merges a loop and the one inside it where a step of the outer one goes on where the
/// inner one ends, in all operands.
void mergeLoops(Loops &loops) {
  size_t kept = 0;
  for (size_t i = 1; i < loops.size(); ++i) {
    const ContractionLoop inner = loops[i];
    ContractionLoop &outer = loops[kept];
    if (outer.strideA == inner.extent * inner.strideA &&
        outer.strideB == inner.extent * inner.strideB &&
        outer.strideC == inner.extent * inner.strideC)
      outer = {outer.extent * inner.extent, inner.strideA, inner.strideB,
               inner.strideC};
    else
      loops[++kept] = inner;
  }
  if (!loops.empty())
    loops.resize(kept + 1);
}

int64_t numPoints(const Loops &loops) {
  int64_t product = 1;
  for (const ContractionLoop &loop : loops)
    product *= loop.extent;
  return product;
}

int64_t innerStep(const Loops &loops) {
  return loops.empty() ? 0 : loops.back().strideC;
}

} // namespace

bool shard::groupLoops(const ContractionLoop *loops, int64_t numLoops,
                       LoopGroups &groups) {
  for (int64_t i = 0; i < numLoops; ++i) {
    const ContractionLoop &loop = loops[i];
    if (loop.extent == 1)
      continue;
    if (!loop.strideC)
      groups.depth.push_back(loop);
    else if (loop.strideA && loop.strideB)
      groups.batch.push_back(loop);
    else if (loop.strideB)
      groups.columns.push_back(loop);
    else
      groups.rows.push_back(loop);
  }
  auto stepOfC = [](const ContractionLoop &loop) {
    return std::abs(loop.strideC);
  };
  sortByStep(groups.rows, stepOfC);
  sortByStep(groups.columns, stepOfC);
  sortByStep(groups.depth, [](const ContractionLoop &loop) {
    return std::abs(loop.strideA) + std::abs(loop.strideB);
  });
  for (Loops *group : {&groups.rows, &groups.columns, &groups.depth})
    mergeLoops(*group);
  bool exchange = innerStep(groups.columns) != 1 &&
                  (innerStep(groups.rows) == 1 ||
                   numPoints(groups.rows) > numPoints(groups.columns));
  if (!exchange)
    return false;
  std::swap(groups.rows, groups.columns);
  for (Loops *group :
       {&groups.batch, &groups.rows, &groups.columns, &groups.depth})
    for (ContractionLoop &loop : *group)
      std::swap(loop.strideA, loop.strideB);
  return true;
}

std::optional<PlainProduct> shard::plainProduct(const LoopGroups &groups) {
  auto only = [](const Loops &loops) {
    return loops.empty() ? ContractionLoop{1, 0, 0, 0} : loops.front();
  };
  if (groups.rows.size() > 1 || groups.columns.size() > 1 ||
      groups.depth.size() > 1)
    return std::nullopt;
  ContractionLoop row = only(groups.rows), column = only(groups.columns),
                  depth = only(groups.depth);
  return PlainProduct{row.extent,    column.extent, depth.extent,
                      row.strideA,   depth.strideA, column.strideB,
                      depth.strideB, row.strideC,   column.strideC};
}

void shard::flattenLoops(const Loops &loops,
                         int64_t ContractionLoop::*strideFirst,
                         int64_t ContractionLoop::*strideSecond,
                         std::vector<int64_t> &first,
                         std::vector<int64_t> &second) {
  first.assign(1, 0);
  second.assign(1, 0);
  for (const ContractionLoop &loop : loops) {
    std::vector<int64_t> nextFirst, nextSecond;
    nextFirst.reserve(first.size() * loop.extent);
    nextSecond.reserve(first.size() * loop.extent);
    for (size_t i = 0; i < first.size(); ++i)
      for (int64_t x = 0; x < loop.extent; ++x) {
        nextFirst.push_back(first[i] + x * loop.*strideFirst);
        nextSecond.push_back(second[i] + x * loop.*strideSecond);
      }
    first = std::move(nextFirst);
    second = std::move(nextSecond);
  }
}
