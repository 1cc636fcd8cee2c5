//===- PlanOracle.h - The cheapest plan by brute force ----------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dijkstra's algorithm over all shardings of a tensor and all steps of Plan.h,
// with nothing of the planner in it: whether a step is allowed is read off the
// blocks that it would produce, device by device. Redistributions, which lead from any
// sharding to any other, are none of its steps: comparePlan() judges them. Costs are
// those of a LinkCostModel.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_FUZZ_PLANORACLE_H
#define SHARD_FUZZ_PLANORACLE_H

#include "shard/Resharding/Plan.h"

#include <map>
#include <string>
#include <tuple>

namespace shard {
namespace fuzz {

class PlanOracle {
public:
  /// All shardings of `shape` on `grid`, partial ones too if asked for (of one
  /// kind with a neutral element).
  PlanOracle(Grid grid, std::vector<int64_t> shape, int64_t elementBytes,
             bool withPartial, LinkCostModel costs = {});

  const std::vector<Sharding> &shardings() const { return states; }
  const CostModel &costModel() const { return costs; }

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
  /// Of a step in which a device sends at most `sent` bytes, along the axis by which that
  /// costs least.
  double costAtOnce(double sent) const;
  double localBytes(size_t state) const { return bytes[state]; }
  size_t numEdges() const;
  /// What the neediest device has to receive from others where all is moved in one step,
  /// in bytes; infinity where partial axes change, which one step cannot.
  double neededAtOnce(size_t from, size_t to) const;
  /// Whether nothing is partial, and all dimensions are split evenly.
  bool isPlainAndEven(size_t state) const;

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
  void edge(size_t from, const Sharding &to, const AxisList &axes, double sent);
  void partialEdge(size_t from, const Sharding &to,
                   const AxisList &madePartial);
  double costOf(const AxisList &axes, double sent) const;
  AxisList moved(size_t a, size_t b) const;
  const std::vector<Label> &labels(size_t from, double memoryBound,
                                   const AxisList &targetPartial);

  Grid grid;
  std::vector<int64_t> shape;
  int64_t elementBytes;
  LinkCostModel costs;
  std::vector<Sharding> states;
  std::map<std::pair<std::vector<AxisList>, AxisList>, size_t> index;
  std::vector<double> bytes;
  std::vector<std::vector<Edge>> edges;
  std::map<std::tuple<size_t, double, AxisList>, std::vector<Label>> cache;
};

/// What is wrong with `plan`, the planner's from sharding `from` to sharding `to` (indices)
/// under the cost model of the oracle; empty if nothing is. It is the oracle's plan, in cost
/// and number of steps, or one redistribution that costs less, or that keeps a memory
/// bound which the oracle had to raise.
std::string comparePlan(const Plan &plan, PlanOracle &oracle, size_t from,
                        size_t to);

} // namespace fuzz
} // namespace shard

#endif // SHARD_FUZZ_PLANORACLE_H
