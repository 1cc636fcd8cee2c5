//===- ArrayModel.h - Plans executed on plain arrays ------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the steps of a plan mean, as code: every device is an array, a step is
// pieces copied between arrays. Works from Plan.h alone, not from the planner.
// Padding is poison: an element computed from it is poison, and poison in the
// valid part of the outcome is an error.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_TEST_RESHARDING_ARRAYMODEL_H
#define SHARD_TEST_RESHARDING_ARRAYMODEL_H

#include "shard/Resharding/Plan.h"

#include <string>

namespace shard {
namespace test {

struct Cell {
  double value = 0;
  bool poison = true;
};

/// A dense array, last dimension fastest.
struct Array {
  std::vector<int64_t> shape;
  std::vector<Cell> cells;

  explicit Array(std::vector<int64_t> shape = {});
  Cell &at(const std::vector<int64_t> &index);
  const Cell &at(const std::vector<int64_t> &index) const;
};

/// Executes `plan` on random data (`shape` static) and compares the outcome
/// with what the target sharding says. An empty string, or what is wrong.
std::string checkPlan(const Plan &plan, const Grid &grid,
                      const std::vector<int64_t> &shape, const Sharding &from,
                      const Sharding &to, unsigned seed = 1);

} // namespace test
} // namespace shard

#endif // SHARD_TEST_RESHARDING_ARRAYMODEL_H
