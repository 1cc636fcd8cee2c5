//===- PlanOracle.cpp - The cheapest plan by brute force ------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Fuzz/PlanOracle.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <set>

namespace shard {
namespace fuzz {

namespace {
/// All ordered choices of one or more of `axes`.
void forEachOrderedChoice(const AxisList &axes,
                          const std::function<void(const AxisList &)> &body) {
  AxisList chosen;
  std::vector<bool> used(axes.size());
  std::function<void()> extend = [&] {
    if (!chosen.empty())
      body(chosen);
    for (size_t i = 0; i < axes.size(); ++i) {
      if (used[i])
        continue;
      used[i] = true;
      chosen.push_back(axes[i]);
      extend();
      chosen.pop_back();
      used[i] = false;
    }
  };
  extend();
}

/// All non-empty subsets of `axes`.
void forEachSubset(const AxisList &axes,
                   const std::function<void(const AxisList &)> &body) {
  for (size_t set = 1; set < size_t(1) << axes.size(); ++set) {
    AxisList chosen;
    for (size_t i = 0; i < axes.size(); ++i)
      if (set >> i & 1)
        chosen.push_back(axes[i]);
    body(chosen);
  }
}

AxisList without(const AxisList &axes, const AxisList &removed) {
  AxisList result;
  for (GridAxis axis : axes)
    if (std::find(removed.begin(), removed.end(), axis) == removed.end())
      result.push_back(axis);
  return result;
}

AxisList sortedUnion(AxisList a, const AxisList &b) {
  a.insert(a.end(), b.begin(), b.end());
  std::sort(a.begin(), a.end());
  return a;
}

bool cheaper(double costA, int stepsA, double costB, int stepsB) {
  double margin = 1e-9 * std::max(1.0, std::abs(costB));
  if (costA < costB - margin)
    return true;
  return costA < costB + margin && stepsA < stepsB;
}
} // namespace

PlanOracle::PlanOracle(Grid grid, std::vector<int64_t> shape,
                       int64_t elementBytes, bool withPartial,
                       LinkCostModel costs)
    : grid(std::move(grid)), shape(std::move(shape)),
      elementBytes(elementBytes), costs(std::move(costs)) {
  enumerate(withPartial);
  edges.resize(states.size());
  connect();
  connectPermutes();
}

void PlanOracle::enumerate(bool withPartial) {
  states = {Sharding::replicated(static_cast<int64_t>(shape.size()))};
  for (GridAxis axis = 0; axis < grid.rank(); ++axis) {
    std::vector<Sharding> next = states;
    for (const Sharding &base : states) {
      for (size_t dim = 0; dim < shape.size(); ++dim)
        for (size_t at = 0; at <= base.dims[dim].size(); ++at) {
          Sharding more = base;
          more.dims[dim].insert(
              more.dims[dim].begin() + static_cast<ptrdiff_t>(at), axis);
          next.push_back(more);
        }
      if (withPartial) {
        Sharding more = base;
        more.partial.push_back(axis);
        next.push_back(more);
      }
    }
    states = std::move(next);
  }
  for (size_t i = 0; i < states.size(); ++i) {
    index[{states[i].dims, states[i].partial}] = i;
    double size = static_cast<double>(elementBytes);
    for (int64_t extent : localShape(grid, shape, states[i]))
      size *= static_cast<double>(extent);
    bytes.push_back(size);
  }
}

size_t PlanOracle::indexOf(const Sharding &sharding) const {
  auto found = index.find({sharding.dims, sharding.partial});
  return found == index.end() ? SIZE_MAX : found->second;
}

size_t PlanOracle::numEdges() const {
  size_t count = 0;
  for (const std::vector<Edge> &list : edges)
    count += list.size();
  return count;
}

PlanOracle::BlockTable PlanOracle::blocks(int64_t extent,
                                          const AxisList &axes) const {
  BlockTable table;
  std::vector<int64_t> sizes = grid.sizes(axes);
  for (int64_t i = 0; i < grid.groupSize(axes); ++i) {
    Block block = blockAt(extent, sizes, delinearize(i, sizes));
    table.push_back(block.size ? block : Block{0, 0});
  }
  return table;
}

/// Whether cutting every block of `before` into pieces of equal width gives the
/// blocks of `before` with `axes` appended.
bool PlanOracle::appends(int64_t extent, const AxisList &before,
                         const AxisList &axes) const {
  AxisList all = before;
  all.insert(all.end(), axes.begin(), axes.end());
  BlockTable parents = blocks(extent, before), children = blocks(extent, all);
  int64_t k = grid.groupSize(axes);
  int64_t local = localExtent(extent, grid.groupSize(before));
  int64_t width = (local + k - 1) / k;
  for (size_t i = 0; i < children.size(); ++i) {
    const Block &parent = parents[i / k];
    int64_t position = static_cast<int64_t>(i) % k;
    int64_t begin = std::min(position * width, parent.size);
    int64_t size = std::min(begin + width, parent.size) - begin;
    if (children[i].size != size ||
        (size > 0 && children[i].offset != parent.offset + begin))
      return false;
  }
  return true;
}

double PlanOracle::costOf(const AxisList &axes, double sent) const {
  // The model has no kinds of steps.
  return sent > 0 ? costs.cost(Collective::AllGather, axes, sent) : 0;
}

void PlanOracle::edge(size_t from, const Sharding &to, const AxisList &axes,
                      double sent) {
  size_t target = indexOf(to);
  if (target != SIZE_MAX)
    edges[from].push_back({target, costOf(axes, sent), {}});
}

void PlanOracle::partialEdge(size_t from, const Sharding &to,
                             const AxisList &madePartial) {
  size_t target = indexOf(to);
  if (target != SIZE_MAX)
    edges[from].push_back({target, 0, madePartial});
}

void PlanOracle::connect() {
  for (size_t s = 0; s < states.size(); ++s) {
    const Sharding &state = states[s];
    double local = bytes[s];
    AxisList used = state.partial;
    for (const AxisList &axes : state.dims)
      used.insert(used.end(), axes.begin(), axes.end());
    AxisList all;
    for (GridAxis axis = 0; axis < grid.rank(); ++axis)
      all.push_back(axis);
    AxisList free = without(all, used);
    std::vector<int64_t> extents = localShape(grid, shape, state);
    auto paddedTo = [&](size_t dim, int64_t k) {
      return local / static_cast<double>(extents[dim]) *
             static_cast<double>((extents[dim] + k - 1) / k * k);
    };

    for (size_t dim = 0; dim < shape.size(); ++dim) {
      forEachOrderedChoice(free, [&](const AxisList &axes) {
        if (!appends(shape[dim], state.dims[dim], axes))
          return;
        Sharding to = state;
        to.dims[dim].insert(to.dims[dim].end(), axes.begin(), axes.end());
        edge(s, to, axes, 0);
      });
      for (size_t kept = 0; kept < state.dims[dim].size(); ++kept) {
        auto middle = state.dims[dim].begin() + static_cast<ptrdiff_t>(kept);
        AxisList before(state.dims[dim].begin(), middle);
        AxisList axes(middle, state.dims[dim].end());
        if (!appends(shape[dim], before, axes))
          continue;
        double k = static_cast<double>(grid.groupSize(axes));
        Sharding without = state;
        without.dims[dim] = before;
        edge(s, without, axes, (k - 1) * local);
        Sharding partial = without;
        partial.partial = sortedUnion(partial.partial, axes);
        partialEdge(s, partial, axes);
        for (size_t other = 0; other < shape.size(); ++other) {
          if (other == dim || !appends(shape[other], state.dims[other], axes))
            continue;
          Sharding to = without;
          to.dims[other].insert(to.dims[other].end(), axes.begin(), axes.end());
          edge(s, to, axes,
               (k - 1) / k * paddedTo(other, static_cast<int64_t>(k)));
        }
      }
      forEachOrderedChoice(state.partial, [&](const AxisList &axes) {
        if (!appends(shape[dim], state.dims[dim], axes))
          return;
        double k = static_cast<double>(grid.groupSize(axes));
        Sharding to = state;
        to.partial = without(state.partial, axes);
        to.dims[dim].insert(to.dims[dim].end(), axes.begin(), axes.end());
        edge(s, to, axes, (k - 1) / k * paddedTo(dim, static_cast<int64_t>(k)));
      });
    }
    forEachSubset(state.partial, [&](const AxisList &axes) {
      double k = static_cast<double>(grid.groupSize(axes));
      Sharding to = state;
      to.partial = without(state.partial, axes);
      edge(s, to, axes, 2 * (k - 1) / k * local);
    });
    forEachSubset(free, [&](const AxisList &axes) {
      Sharding to = state;
      to.partial = sortedUnion(state.partial, axes);
      partialEdge(s, to, axes);
    });
  }
}

/// Along which axes the blocks of sharding `a` go from device to device where they become
/// those of `b`: block i of a dimension is at other coordinates of them, or at all of them.
AxisList PlanOracle::moved(size_t a, size_t b) const {
  constexpr int64_t all = -1;
  auto coordinates = [&](const AxisList &axes, int64_t block) {
    std::vector<int64_t> result(grid.shape.size(), all);
    for (size_t at = axes.size(); at-- > 0;) {
      auto axis = static_cast<size_t>(axes[at]);
      result[axis] = block % grid.shape[axis];
      block /= grid.shape[axis];
    }
    return result;
  };
  std::set<GridAxis> axes;
  auto compare = [&](const AxisList &before, const AxisList &behind) {
    for (int64_t block = 0; block < grid.groupSize(before); ++block) {
      std::vector<int64_t> from = coordinates(before, block),
                           to = coordinates(behind, block);
      for (GridAxis axis = 0; axis < grid.rank(); ++axis)
        if (from[static_cast<size_t>(axis)] != to[static_cast<size_t>(axis)])
          axes.insert(axis);
    }
  };
  for (size_t dim = 0; dim < shape.size(); ++dim)
    compare(states[a].dims[dim], states[b].dims[dim]);
  for (GridAxis axis = 0; axis < grid.rank(); ++axis) {
    auto isPartial = [&](size_t state) {
      const AxisList &partial = states[state].partial;
      return std::find(partial.begin(), partial.end(), axis) != partial.end();
    };
    if (isPartial(a) != isPartial(b))
      axes.insert(axis);
  }
  return AxisList(axes.begin(), axes.end());
}

/// Shardings with the same sequences of blocks and the same number of summands
/// are one permute apart.
void PlanOracle::connectPermutes() {
  using Numbers = std::vector<int64_t>;
  std::map<Numbers, std::vector<size_t>> classes;
  for (size_t s = 0; s < states.size(); ++s) {
    Numbers key = {grid.groupSize(states[s].partial)};
    for (size_t dim = 0; dim < shape.size(); ++dim) {
      BlockTable table = blocks(shape[dim], states[s].dims[dim]);
      key.push_back(static_cast<int64_t>(table.size()));
      for (const Block &block : table) {
        key.push_back(block.offset);
        key.push_back(block.size);
      }
    }
    classes[key].push_back(s);
  }
  for (const auto &entry : classes)
    for (size_t a : entry.second)
      for (size_t b : entry.second)
        if (a != b)
          edges[a].push_back({b, costOf(moved(a, b), bytes[a]), {}});
}

const std::vector<PlanOracle::Label> &
PlanOracle::labels(size_t from, double memoryBound,
                   const AxisList &targetPartial) {
  auto [entry, isNew] = cache.try_emplace({from, memoryBound, targetPartial});
  std::vector<Label> &best = entry->second;
  if (!isNew)
    return best;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  best.assign(states.size(), {infinity, 0});
  best[from] = {0, 0};
  using Entry = std::tuple<double, int, size_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
  open.push({0, 0, from});
  while (!open.empty()) {
    auto [cost, steps, s] = open.top();
    open.pop();
    if (cost != best[s].cost || steps != best[s].steps)
      continue;
    for (const Edge &edge : edges[s]) {
      if (bytes[s] + bytes[edge.to] > memoryBound)
        continue;
      if (!without(edge.madePartial, targetPartial).empty())
        continue;
      Label &label = best[edge.to];
      if (label.cost != infinity &&
          !cheaper(cost + edge.cost, steps + 1, label.cost, label.steps))
        continue;
      label = {cost + edge.cost, steps + 1};
      open.push({label.cost, label.steps, edge.to});
    }
  }
  return best;
}

PlanOracle::Answer PlanOracle::cheapest(size_t from, size_t to) {
  Answer answer;
  answer.memoryBound = 2 * std::max(bytes[from], bytes[to]);
  for (int attempt = 0; attempt < 64; ++attempt) {
    const Label &label =
        labels(from, answer.memoryBound, states[to].partial)[to];
    if (label.cost != std::numeric_limits<double>::infinity()) {
      answer.cost = label.cost;
      answer.steps = label.steps;
      return answer;
    }
    answer.memoryBound *= 2;
  }
  return answer;
}

double PlanOracle::neededAtOnce(size_t from, size_t to) const {
  const Sharding &source = states[from], &target = states[to];
  if (source.partial != target.partial)
    return std::numeric_limits<double>::infinity();
  double most = 0;
  for (int64_t device = 0; device < grid.numDevices(); ++device) {
    std::vector<Block> has = localBlocks(grid, shape, source, device);
    std::vector<Block> wants = localBlocks(grid, shape, target, device);
    double both = static_cast<double>(elementBytes), wanted = both;
    for (size_t dim = 0; dim < shape.size(); ++dim) {
      int64_t begin = std::max(has[dim].offset, wants[dim].offset);
      int64_t end = std::min(has[dim].offset + has[dim].size,
                             wants[dim].offset + wants[dim].size);
      both *= static_cast<double>(std::max<int64_t>(0, end - begin));
      wanted *= static_cast<double>(wants[dim].size);
    }
    most = std::max(most, wanted - both);
  }
  return most;
}

bool PlanOracle::isPlainAndEven(size_t state) const {
  const Sharding &sharding = states[state];
  bool isEven = true;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    isEven &= dividesEvenly(shape[dim], grid.sizes(sharding.dims[dim]));
  return isEven && sharding.partial.empty();
}

double PlanOracle::costAtOnce(double sent) const {
  double least = std::numeric_limits<double>::infinity();
  for (GridAxis axis = 0; axis < grid.rank(); ++axis)
    least = std::min(least, costOf({axis}, sent));
  return least;
}

std::string comparePlan(const Plan &plan, PlanOracle &oracle, size_t from,
                        size_t to) {
  PlanOracle::Answer best = oracle.cheapest(from, to);
  constexpr double kRounding = 1e-3;
  if (!plan.optimal)
    return "is not proven to be the cheapest";
  if (static_cast<double>(plan.peakBytes) > best.memoryBound)
    return "needs more than " + std::to_string(best.memoryBound) + " bytes";
  double bound = oracle.costModel().leastCostPerByte() *
                 static_cast<double>(plan.lowerBoundBytes);
  if (bound > plan.cost + kRounding)
    return "costs less than its lower bound";
  if (oracle.isPlainAndEven(from) && oracle.isPlainAndEven(to) &&
      static_cast<double>(plan.lowerBoundBytes) < oracle.neededAtOnce(from, to))
    return "has a lower bound of " + std::to_string(plan.lowerBoundBytes) +
           " bytes, but a device lacks " +
           std::to_string(oracle.neededAtOnce(from, to));
  bool redistributes =
      std::any_of(plan.steps.begin(), plan.steps.end(), [](const Step &step) {
        return step.kind == Step::Kind::Redistribute;
      });
  double needed = oracle.costAtOnce(oracle.neededAtOnce(from, to));
  double firstBound =
      2 * std::max(oracle.localBytes(from), oracle.localBytes(to));
  if (redistributes) {
    if (plan.steps.size() > 1)
      return "has other steps beside a redistribution";
    if (best.memoryBound == firstBound && plan.cost >= best.cost)
      return "redistributes, but other steps cost only " +
             std::to_string(best.cost);
    if (plan.cost < needed - kRounding)
      return "redistributes fewer bytes than a device lacks";
    return {};
  }
  if (std::abs(plan.cost - best.cost) > kRounding)
    return "costs " + std::to_string(plan.cost) + " instead of " +
           std::to_string(best.cost);
  // Where bandwidths differ, costs that are equal are not always rounded alike.
  bool isExact = oracle.costModel().leastCostPerByte() == 1;
  if (isExact && static_cast<int>(plan.steps.size()) != best.steps)
    return "has " + std::to_string(plan.steps.size()) + " instead of " +
           std::to_string(best.steps) + " steps";
  return {};
}

} // namespace fuzz
} // namespace shard
