//===- SmallTables.h - Random loop tables -----------------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loop tables of up to three loops and small extents, shardings of their tensors and
// options for their loops, drawn at random: what holds for all tables is tested on many of
// them, not on the tables of ops that there are.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_TEST_UNIT_INTERFACES_SMALLTABLES_H
#define SHARD_TEST_UNIT_INTERFACES_SMALLTABLES_H

#include "shard/Interfaces/LoopTable.h"

#include <random>

namespace shard::test {

class Random {
public:
  explicit Random(unsigned seed) : engine(seed) {}

  size_t below(size_t n) { return engine() % n; }
  bool oneIn(size_t n) { return below(n) == 0; }
  template <typename T>
  const T &of(const std::vector<T> &list) {
    return list[below(list.size())];
  }

private:
  std::mt19937 engine;
};

/// What the tables of a test have beside parallel loops and dimensions with one loop each.
struct TableKinds {
  bool reductions = false, merged = false, windows = false, unknown = false;
};

/// A table of two operands and a result, without windows that are described: the tensors
/// of which some dimensions are windows are marked by windows of one element.
LoopTable randomTable(Random &random, const TableKinds &kinds);

/// The extents of `tensor`; 4 of dimensions without a loop.
std::vector<int64_t> shapeOf(const LoopTable &table, const TensorLoops &tensor);

/// Distributes some axes of a grid among `lists`, in random order.
void placeAxes(Random &random, size_t numAxes, std::vector<AxisList> &lists);

/// All ways to put some of `numAxes` axes on loops, in all orders.
std::vector<std::vector<AxisList>> allPlacements(size_t numAxes,
                                                 size_t numLoops);

/// An option that splits some loops; it may not be valid.
ShardingOption randomOption(Random &random, const LoopTable &table,
                            const Grid &grid);

/// Random bounds of as many blocks as `sharding` has of each split dimension.
std::vector<int64_t> randomBounds(Random &random, const Grid &grid,
                                  const std::vector<int64_t> &shape,
                                  const Sharding &sharding);

} // namespace shard::test

#endif // SHARD_TEST_UNIT_INTERFACES_SMALLTABLES_H
