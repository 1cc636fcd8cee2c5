//===- MinCut.h - The cheapest of two choices per node ----------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each node is on the side of the source or on that of the sink. A directed edge costs
// its price where it leads from the source's side to the sink's. The cheapest sides are
// found as the maximum flow (Dinic's algorithm).
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_TRANSFORMS_OPTIMIZE_MINCUT_H
#define SHARD_LIB_TRANSFORMS_OPTIMIZE_MINCUT_H

#include <cstdint>
#include <vector>

namespace shard {

class MinCut {
public:
  static constexpr int source = 0, sink = 1;
  /// The price of an edge that must not be cut.
  static constexpr int64_t infinite = int64_t(1) << 60;

  MinCut() : first(2, -1) {}

  int addNode() {
    first.push_back(-1);
    return int(first.size()) - 1;
  }
  void addEdge(int from, int to, int64_t price);

  /// Solves; returns the cost. Edges must not be added afterwards.
  int64_t solve();
  /// Whether `node` is on the source's side in the solution.
  bool isWithSource(int node) const { return level[node] >= 0; }

private:
  bool findLevels();
  int64_t push(int node, int64_t most);

  struct Edge {
    int to, next;
    int64_t left;
  };
  /// Edge i ^ 1 is edge i backwards.
  std::vector<Edge> edges;
  std::vector<int> first, level, at;
};

} // namespace shard

#endif // SHARD_LIB_TRANSFORMS_OPTIMIZE_MINCUT_H
