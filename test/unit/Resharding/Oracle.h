//===- Oracle.h - The cheapest plan by brute force --------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dijkstra's algorithm over all shardings of a tensor and all steps of Plan.h,
// with nothing of the planner in it: whether a step is allowed is read off the
// blocks that it would produce, device by device.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_TEST_RESHARDING_ORACLE_H
#define SHARD_TEST_RESHARDING_ORACLE_H

#include "shard/Resharding/Plan.h"

#include <map>
#include <tuple>

namespace shard {
namespace test {

class Oracle {
public:
  /// All shardings of `shape` on `grid`, partial ones too if asked for (of one
  /// kind with a neutral element).
  Oracle(Grid grid, std::vector<int64_t> shape, int64_t elementBytes,
         bool withPartial);

  const std::vector<Sharding> &shardings() const { return states; }

  struct Answer {
    double cost = -1;
    int steps = 0;
    /// The memory bound in bytes, doubled until there was a plan.
    double memoryBound = 0;
  };
  /// The cheapest plan from sharding `from` to sharding `to` (indices); fewest
  /// steps among the cheapest.
  Answer cheapest(size_t from, size_t to);
  size_t indexOf(const Sharding &sharding) const;
  double localBytes(size_t state) const { return bytes[state]; }
  size_t numEdges() const;

private:
  struct Edge {
    size_t to;
    double cost;
    /// The axes that become partial. The planner makes axes partial only if
    /// the target asks for it (a split value turned into a sum of zero-padded
    /// blocks and back would change -0.0).
    AxisList madePartial;
  };
  struct Label {
    double cost;
    int steps;
  };
  using BlockTable = std::vector<Block>;

  void enumerate(bool withPartial);
  void connect();
  void connectPermutes();
  bool appends(int64_t extent, const AxisList &before,
               const AxisList &axes) const;
  BlockTable blocks(int64_t extent, const AxisList &axes) const;
  void edge(size_t from, const Sharding &to, double cost,
            const AxisList &madePartial = {});
  const std::vector<Label> &labels(size_t from, double memoryBound,
                                   const AxisList &targetPartial);

  Grid grid;
  std::vector<int64_t> shape;
  int64_t elementBytes;
  std::vector<Sharding> states;
  std::map<std::pair<std::vector<AxisList>, AxisList>, size_t> index;
  std::vector<double> bytes;
  std::vector<std::vector<Edge>> edges;
  std::map<std::tuple<size_t, double, AxisList>, std::vector<Label>> cache;
};

} // namespace test
} // namespace shard

#endif // SHARD_TEST_RESHARDING_ORACLE_H
