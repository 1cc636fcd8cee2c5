//===- MinCut.cpp - The cheapest of two choices per node ------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Optimize/MinCut.h"

#include <algorithm>

namespace shard {

void MinCut::addEdge(int from, int to, int64_t price) {
  if (price <= 0 || from == to)
    return;
  edges.push_back({to, first[from], price});
  first[from] = int(edges.size()) - 1;
  edges.push_back({from, first[to], 0});
  first[to] = int(edges.size()) - 1;
}

bool MinCut::findLevels() {
  level.assign(first.size(), -1);
  level[source] = 0;
  std::vector<int> queue{source};
  for (size_t i = 0; i < queue.size(); ++i)
    for (int e = first[queue[i]]; e >= 0; e = edges[e].next)
      if (edges[e].left > 0 && level[edges[e].to] < 0) {
        level[edges[e].to] = level[queue[i]] + 1;
        queue.push_back(edges[e].to);
      }
  return level[sink] >= 0;
}

// The depth of the recursion is at most the number of nodes.
int64_t MinCut::push(int node, int64_t most) {
  if (node == sink)
    return most;
  for (int &e = at[node]; e >= 0; e = edges[e].next) {
    int to = edges[e].to;
    if (edges[e].left <= 0 || level[to] != level[node] + 1)
      continue;
    int64_t pushed = push(to, std::min(most, edges[e].left));
    if (pushed > 0) {
      edges[e].left -= pushed;
      edges[e ^ 1].left += pushed;
      return pushed;
    }
  }
  return 0;
}

int64_t MinCut::solve() {
  int64_t cost = 0;
  while (findLevels()) {
    at = first;
    while (int64_t pushed = push(source, infinite)) {
      cost += pushed;
      // Sides that need an edge that must not be cut; callers make none.
      if (cost >= infinite)
        return cost;
    }
  }
  return cost;
}

} // namespace shard
