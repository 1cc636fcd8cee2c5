//===- LayoutHints.cpp - Random halos and offsets ------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayoutHints.h"

#include "Parts.h"

#include <algorithm>

using namespace shard::fuzz;

/// The bounds of `parts` blocks of `extent` rows.
static std::vector<int64_t> randomBounds(Random &rng, int64_t extent,
                                         int64_t parts) {
  std::vector<int64_t> bounds = {0, extent};
  for (int64_t i = 1; i < parts; ++i)
    // Two bounds at one place: an empty block.
    bounds.push_back(rng.chance(20) ? rng.oneOf(bounds)
                                    : rng.between(0, extent));
  std::sort(bounds.begin(), bounds.end());
  return bounds;
}

/// `bounds` as text, some of those in the middle as numbers of the run between their
/// neighbours.
static void
addBounds(Random &rng, const std::vector<int64_t> &bounds,
          const std::function<std::string(int64_t, int64_t)> &runTime,
          std::vector<std::string> &numbers) {
  bool mayReplace = false;
  for (size_t i = 0; i < bounds.size(); ++i) {
    bool replaces =
        mayReplace && i + 1 < bounds.size() && runTime && rng.chance(70);
    // The neighbours of one stay numbers, so that bounds rise.
    mayReplace = !replaces;
    numbers.push_back(replaces ? runTime(bounds[i - 1], bounds[i + 1])
                               : std::to_string(bounds[i]));
  }
}

std::string shard::fuzz::randomLayout(
    Random &rng, const std::vector<int64_t> &shape,
    const std::vector<int64_t> &parts, bool halos, bool attribute,
    const std::function<std::string(int64_t, int64_t)> &runTime) {
  std::vector<std::string> numbers;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    if (parts[dim] == 0)
      continue;
    if (!halos) {
      addBounds(rng, randomBounds(rng, shape[dim], parts[dim]), runTime,
                numbers);
      continue;
    }
    int64_t widest = rng.chance(20) ? 5 : 2;
    for (int64_t i = 0; i < 2; ++i)
      numbers.push_back(runTime && rng.chance(50)
                            ? runTime(0, widest)
                            : std::to_string(rng.between(0, widest)));
  }
  if (numbers.empty())
    return {};
  static const char *const words[2][2] = {
      {"sharded_dims_offsets", "halo_sizes"}, {"offsets", "halo"}};
  return std::string(words[attribute][halos]) + " = [" + join(numbers) + "]";
}
