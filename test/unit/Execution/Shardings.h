//===- Shardings.h - All shardings of a tensor ------------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_TEST_UNIT_EXECUTION_SHARDINGS_H
#define SHARD_TEST_UNIT_EXECUTION_SHARDINGS_H

#include "shard/Geometry/Sharding.h"

#include <algorithm>
#include <vector>

namespace shard::test {

/// All shardings of a tensor of `rank` on a grid of `axes` axes: every way to
/// deal some of the axes, in some order, to the dimensions.
inline void enumerate(int64_t rank, std::vector<GridAxis> unused,
                      Sharding &current, std::vector<Sharding> &all) {
  if (std::find(all.begin(), all.end(), current) != all.end())
    return;
  all.push_back(current);
  for (size_t i = 0; i < unused.size(); ++i) {
    std::vector<GridAxis> rest = unused;
    rest.erase(rest.begin() + static_cast<int64_t>(i));
    for (int64_t dim = 0; dim < rank; ++dim) {
      current.dims[dim].push_back(unused[i]);
      enumerate(rank, rest, current, all);
      current.dims[dim].pop_back();
    }
  }
}

inline std::vector<Sharding> allShardings(int64_t rank, int64_t axes) {
  std::vector<GridAxis> unused;
  for (int64_t axis = 0; axis < axes; ++axis)
    unused.push_back(static_cast<GridAxis>(axis));
  Sharding current = Sharding::replicated(rank);
  std::vector<Sharding> all;
  enumerate(rank, unused, current, all);
  return all;
}

} // namespace shard::test

#endif // SHARD_TEST_UNIT_EXECUTION_SHARDINGS_H
