//===- Search.cpp - The cheapest sequence of steps ------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Resharding/Search.h"

#include "SearchSpace.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <queue>

namespace shard {

/// Up to so many axes the exact search alone finds the plan.
static constexpr int kFewAxes = 4;
/// Its budget, in budgets of the problem.
static constexpr int64_t kBudgetsForFewAxes = 8;
/// With more axes each greedy search may use this fraction of the budget; it ends
/// without a plan if that is not enough.
static constexpr int64_t kPartsOfBudget = 8;
namespace detail {

namespace {
constexpr double infinity = std::numeric_limits<double>::infinity();

struct Node {
  /// The canonical form of the state, by which the node is found, and the state
  /// itself.
  State key, state;
  double cost = infinity;
  double bound = 0, guess = 0;
  int32_t steps = 0;
  int32_t parent = -1;
  Move move;
  bool closed = false;
};

/// The nodes, found by the canonical forms of their states: open addressing over
/// indices.
class NodeTable {
public:
  NodeTable() : slots(1024, -1) { nodes.reserve(400); }

  /// The index of the node of `key`, new if `inserted`.
  int32_t find(const State &key, bool &inserted) {
    if ((nodes.size() + 1) * 2 > slots.size())
      grow();
    size_t slot = slotOf(key);
    inserted = slots[slot] < 0;
    if (inserted) {
      slots[slot] = static_cast<int32_t>(nodes.size());
      nodes.emplace_back();
      nodes.back().key = key;
    }
    return slots[slot];
  }

  /// A copy of a node that is found in its place; the old one remains as the
  /// parent of others.
  int32_t supersede(int32_t index) {
    slots[slotOf(nodes[index].key)] = static_cast<int32_t>(nodes.size());
    nodes[index].closed = true;
    Node copy = nodes[index];
    nodes.push_back(copy);
    return static_cast<int32_t>(nodes.size()) - 1;
  }

  Node &operator[](int32_t index) { return nodes[index]; }
  void clear() {
    nodes.clear();
    std::fill(slots.begin(), slots.end(), -1);
  }

private:
  /// The slot of the node of `key`, or the free one where it would be.
  size_t slotOf(const State &key) const {
    size_t slot = key.hash() & (slots.size() - 1);
    while (slots[slot] >= 0 && !(nodes[slots[slot]].key == key))
      slot = (slot + 1) & (slots.size() - 1);
    return slot;
  }

  void grow() {
    slots.assign(slots.size() * 2, -1);
    // Of nodes with one key the last one is found.
    for (size_t i = 0; i < nodes.size(); ++i)
      slots[slotOf(nodes[i].key)] = static_cast<int32_t>(i);
  }

  std::vector<Node> nodes;
  std::vector<int32_t> slots;
};

/// What is left to expand, cheapest first; of equals the one with fewer steps,
/// then the older one: the order does not depend on anything else.
struct OpenEntry {
  double estimate;
  int32_t steps;
  int32_t node;
  double cost;
  bool operator<(const OpenEntry &other) const {
    if (estimate != other.estimate)
      return estimate > other.estimate;
    if (steps != other.steps)
      return steps > other.steps;
    return node > other.node;
  }
};

struct Path {
  double cost = infinity;
  int32_t steps = 0;
  std::vector<Move> moves;
  bool isFound = false;
  bool found() const { return isFound; }
};

/// What a search looks for: the cheapest path (no guess), or soon a good one by
/// adding so many times the work left.
struct Aim {
  double guess = 0;
  bool anyPath = false;
  /// Look only at moves that look useful.
  bool narrow = false;
};

class AStar {
public:
  explicit AStar(const SearchSpace &space) : space(space) {}

  /// Best-first search for a path better than `path`, which it replaces. True if
  /// it came to an end; without a guess, `path` is then the cheapest.
  bool run(Aim aim, double memoryBound, int64_t budget, Path &path,
           int64_t &spent) {
    this->memoryBound = memoryBound;
    nodes.clear();
    generated = 0;
    std::priority_queue<OpenEntry> open;
    bool inserted;
    int32_t start = nodes.find(space.canonical(space.source()), inserted);
    nodes[start].state = space.source();
    nodes[start].cost = 0;
    space.layOut(space.source(), layout);
    nodes[start].bound = space.bound(layout);
    open.push({nodes[start].bound, 0, start, 0});
    while (!open.empty()) {
      OpenEntry top = open.top();
      open.pop();
      {
        Node &node = nodes[top.node];
        if (node.closed || top.cost != node.cost)
          continue;
        if (!better(node.cost + node.bound, node.steps, path))
          continue;
        if (node.state == space.target()) {
          path = pathTo(top.node);
          return true;
        }
        node.closed = true;
      }
      int64_t before = generated;
      expand(top.node, aim, path, open);
      spent += generated - before;
      if (generated > budget)
        return false;
    }
    return true;
  }

private:
  static bool better(double cost, int32_t steps, const Path &path) {
    return cost < path.cost || (cost == path.cost && steps < path.steps);
  }

  void expand(int32_t index, Aim aim, const Path &path,
              std::priority_queue<OpenEntry> &open) {
    State state = nodes[index].state;
    double cost = nodes[index].cost;
    const Move last = nodes[index].move;
    bool isSource = nodes[index].parent < 0;
    space.layOut(state, layout);
    moves.clear();
    space.moves(state, layout, isSource ? nullptr : &last, memoryBound,
                path.cost - cost, aim.narrow, moves);
    // Moves that were not worth listing take time too.
    generated += 20 + static_cast<int64_t>(moves.size());
    for (Move &move : moves) {
      int32_t steps = nodes[index].steps + 1;
      if (space.joins(last, layout, move)) {
        --steps;
        move.count = static_cast<int8_t>(move.count + last.count);
      }
      double childCost = cost + move.cost;
      if (!better(childCost, steps, path))
        continue;
      bool inserted;
      int32_t child = nodes.find(space.canonical(move.to), inserted);
      if (inserted) {
        Node &node = nodes[child];
        node.state = move.to;
        space.layOut(move.to, childLayout);
        node.bound = space.bound(childLayout);
        if (aim.guess > 0)
          node.guess =
              aim.guess * space.workLeft(childLayout, node.bound, aim.anyPath);
      } else if (childCost > nodes[child].cost ||
                 (childCost == nodes[child].cost &&
                  steps >= nodes[child].steps)) {
        continue;
      }
      if (!better(childCost + nodes[child].bound, steps, path))
        continue;
      if (!(nodes[child].state == move.to)) {
        child = nodes.supersede(child);
        nodes[child].state = move.to;
      }
      Node &node = nodes[child];
      node.cost = childCost;
      node.steps = steps;
      node.parent = index;
      node.move = move;
      node.closed = false;
      int32_t least = steps + (move.to == space.target() ? 0 : 1);
      open.push({childCost + node.bound + node.guess, least, child, childCost});
    }
  }

  Path pathTo(int32_t index) {
    Path path;
    path.isFound = true;
    path.cost = nodes[index].cost;
    path.steps = nodes[index].steps;
    for (; nodes[index].parent >= 0; index = nodes[index].parent)
      path.moves.push_back(nodes[index].move);
    std::reverse(path.moves.begin(), path.moves.end());
    return path;
  }

  const SearchSpace &space;
  double memoryBound = 0;
  int64_t generated = 0;
  NodeTable nodes;
  Layout layout, childLayout;
  std::vector<Move> moves;
};
} // namespace

} // namespace detail

using namespace detail;

namespace {
/// A plan for a partial target that does without free changes to partial on the
/// way: axes that stay partial are left alone, those that become partial are
/// replicated first. Such a target guides the search better than a partial one.
SearchResult planViaReplicated(const SearchProblem &problem) {
  SearchProblem detour = problem;
  Step last;
  last.kind = Step::Kind::MakePartial;
  last.reduction = problem.to.reduction;
  bool sameKind = problem.from.reduction == problem.to.reduction;
  detour.to.partial.clear();
  for (GridAxis axis : problem.to.partial) {
    AxisList &partial = detour.from.partial;
    auto found = std::find(partial.begin(), partial.end(), axis);
    if (sameKind && found != partial.end()) {
      partial.erase(found);
      detour.fixedAxes.push_back(axis);
    } else {
      last.axes.push_back(axis);
    }
  }
  if (!last.axes.empty() && problem.to.reduction == ReductionKind::Generic)
    return {};
  detour.budget /= 2;
  SearchResult result = searchPlan(detour);
  if (result.found && !last.axes.empty())
    result.steps.push_back(last);
  return result;
}
} // namespace

/// A path of equal cost is better than the known one: its steps are simpler.
static Path pathToBeat(double knownCost) {
  Path path;
  path.cost = knownCost;
  path.steps = std::numeric_limits<int32_t>::max();
  return path;
}

static std::vector<Step> stepsOf(const SearchSpace &space, const Path &path) {
  std::vector<Step> steps;
  State state = space.source();
  for (const Move &move : path.moves) {
    steps.push_back(space.step(state, move));
    state = move.to;
  }
  return steps;
}

double boundPlanCost(const SearchProblem &problem) {
  SearchSpace space(problem);
  if (!space.fits())
    return 0;
  Layout source;
  space.layOut(space.source(), source);
  return space.bound(source);
}

SearchResult searchPlan(const SearchProblem &problem) {
  SearchResult result;
  SearchSpace space(problem);
  if (!space.fits())
    return result;
  Layout source, target;
  space.layOut(space.source(), source);
  space.layOut(space.target(), target);
  double whole = static_cast<double>(problem.elementBytes);
  for (int64_t extent : problem.extents)
    whole *= static_cast<double>(extent);
  double bound = 2 * std::max(source.bytes, target.bytes);
  bool known = problem.knownCost < infinity;
  Path path = pathToBeat(problem.knownCost);
  // First greedy searches for good plans, each within a fraction of the budget. Then
  // the exact search, which finds a better plan or proves that there is none. If a
  // greedy search finds no plan within the bound, there is none (the search ended), or
  // the budget does not suffice to find it.
  AStar search(space);
  auto run = [&](Aim aim, int64_t budget) {
    return search.run(aim, bound, budget, path, result.generated);
  };
  // With few axes the exact search ends within a few budgets; with more, greedy
  // searches come first and the exact one gets what is left.
  bool small = space.axes() <= kFewAxes, proven = true;
  int64_t budget = small ? kBudgetsForFewAxes * problem.budget : problem.budget;
  bool restricted = space.restrictToEven();
  SearchResult detour;
  if (!small && !problem.to.partial.empty())
    detour = planViaReplicated(problem);
  if (detour.found && detour.memoryBound <= bound && detour.cost <= path.cost) {
    path.isFound = true;
    path.cost = detour.cost;
    path.steps = static_cast<int32_t>(detour.steps.size());
    result.generated = detour.generated;
  }
  auto look = [&] {
    for (double guess : {1.0, 0.3, 0.1, 0.03})
      run({guess, false, true}, budget / kPartsOfBudget);
  };
  if (!small)
    look();
  // Nothing forces a known plan to be beaten.
  if (known && !path.found())
    space.allowUneven();
  while (!path.found() && !known) {
    bool ended = run({1, true}, budget / (small ? 1 : 4));
    if (path.found() && !small)
      look();
    if (path.found() || (!restricted && bound > 4 * whole))
      break;
    if (restricted) {
      restricted = false;
      space.allowUneven();
      continue;
    }
    // A search that came to its end needs a little more memory; one that used up
    // its budget needs a much larger space to be lucky in.
    bound *= ended ? 2 : 8;
    proven = proven && ended;
  }
  if (path.found() || known)
    result.optimal =
        run({0}, budget / (small ? 1 : 2)) && proven && space.complete();
  result.memoryBound = bound;
  result.lowerBoundBytes = space.boundBytes(source);
  result.found = path.found();
  result.cost = path.cost;
  assert((!result.found || result.cost >= space.bound(source) * (1 - 1e-9)) &&
         "no plan costs less than the lower bound");
  if (path.found() && path.moves.empty() && detour.found)
    result.steps = std::move(detour.steps);
  else
    result.steps = stepsOf(space, path);
  return result;
}

} // namespace shard
