//===- Search.cpp - The cheapest sequence of steps ------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Resharding/Search.h"

#include "SearchNodes.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <queue>
#include <tuple>

namespace shard {

/// Up to so many axes the exact search alone finds the plan.
static constexpr int kFewAxes = 4;
/// Its budget, in budgets of the problem.
static constexpr int64_t kBudgetsForFewAxes = 8;

/// The part of the budget that the exact search gets where there are more axes than
/// mostAxesWithAllMoves.
static constexpr int64_t kPartsWithManyAxes = 4;
/// With more axes beam searches look for a good plan first: the weight of the guess at
/// the work left, how many states of each number of steps are expanded, and which moves
/// are looked at. The first leads straight to the target, so that the others leave out
/// what costs more.
struct Beam {
  double guess;
  size_t width;
  detail::MoveChoice moves;
};
static constexpr Beam kBeams[] = {{4, 10, detail::MoveChoice::Narrow},
                                  {0.1, 15, detail::MoveChoice::Usual},
                                  {0.4, 10, detail::MoveChoice::Usual}};
/// A beam of all moves ends by itself, for each level has more steps.
static constexpr int kMostLevels = 24;
namespace detail {

namespace {
constexpr double infinity = std::numeric_limits<double>::infinity();

/// What is left to expand, cheapest first; of equals the one with fewer steps,
/// then the older one: the order does not depend on anything else.
struct OpenEntry {
  double estimate;
  int32_t steps;
  int32_t node;
  double cost;
  bool operator<(const OpenEntry &other) const {
    return std::tie(other.estimate, other.steps, other.node) <
           std::tie(estimate, steps, node);
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
  MoveChoice moves = MoveChoice::Usual;
};

class AStar {
public:
  explicit AStar(const SearchSpace &space) : space(space) {}

  /// Best-first search for a path better than `path`, which it replaces. True if
  /// it came to an end; without a guess, `path` is then the cheapest.
  bool run(Aim aim, double memoryBound, int64_t budget, Path &path,
           int64_t &spent) {
    int32_t start = begin(memoryBound);
    std::priority_queue<OpenEntry> open;
    open.push({nodes[start].bound, 0, start, 0});
    while (!open.empty()) {
      OpenEntry top = open.top();
      open.pop();
      {
        Node &node = nodes[top.node];
        if (node.closed || top.cost != node.cost)
          continue;
        if (!better(node.cost + node.bound, leastSteps(node), path))
          continue;
        if (node.state == space.target()) {
          path = pathTo(top.node);
          return true;
        }
        node.closed = true;
      }
      int64_t before = generated;
      expand(top.node, aim, path, [&](int32_t child) {
        const Node &node = nodes[child];
        open.push({node.cost + node.bound + node.guess, leastSteps(node), child,
                   node.cost});
      });
      spent += generated - before;
      // Along guesses the first plan is as good as the next ones.
      if (aim.guess > 0 && path.found())
        return true;
      if (generated > budget)
        return false;
    }
    return true;
  }

  /// Beam search: of the states that some number of moves leads to, expands the `width`
  /// most promising ones. Finds a better path than `path` or leaves it.
  void runBeam(Beam beam, double memoryBound, Path &path, int64_t &spent) {
    std::vector<int32_t> level{begin(memoryBound)}, next;
    auto isPromising = [&](int32_t index) {
      const Node &node = nodes[index];
      return !node.closed &&
             better(node.cost + node.bound, leastSteps(node), path);
    };
    for (int depth = 0; !level.empty() && depth < kMostLevels; ++depth) {
      next.clear();
      for (int32_t index : level) {
        if (!isPromising(index))
          continue;
        nodes[index].closed = true;
        expand(index, {beam.guess, false, beam.moves}, path,
               [&](int32_t child) { next.push_back(child); });
      }
      std::sort(next.begin(), next.end());
      next.erase(std::unique(next.begin(), next.end()), next.end());
      next.erase(std::remove_if(next.begin(), next.end(),
                                [&](int32_t i) { return !isPromising(i); }),
                 next.end());
      keepBest(next, beam.width);
      level.swap(next);
    }
    spent += generated;
  }

private:
  /// Forgets the search before; the node of the source.
  int32_t begin(double bound) {
    memoryBound = bound;
    nodes.clear();
    generated = 0;
    int32_t start = nodes.insert(space.canonical(space.source()));
    nodes[start].state = space.source();
    nodes[start].cost = 0;
    space.layOut(space.source(), layout);
    nodes[start].bound = space.bound(layout);
    return start;
  }

  /// Sorts the nodes `list` by their estimates, of equals the older one first, and drops
  /// all but `count`.
  void keepBest(std::vector<int32_t> &list, size_t count) {
    auto before = [&](int32_t a, int32_t b) {
      const Node &x = nodes[a], &y = nodes[b];
      double ofX = x.cost + x.bound + x.guess, ofY = y.cost + y.bound + y.guess;
      return ofX != ofY ? ofX < ofY : a < b;
    };
    size_t kept = std::min(count, list.size());
    std::partial_sort(list.begin(), list.begin() + static_cast<ptrdiff_t>(kept),
                      list.end(), before);
    list.resize(kept);
  }

  /// How many steps a path over `move` has at least, with which it has `steps`. A slice may
  /// be one step with the next one.
  int32_t leastSteps(int32_t steps, const Move &move) const {
    bool ends = move.to == space.target() || move.kind == Step::Kind::AllSlice;
    return steps + (ends ? 0 : 1);
  }
  int32_t leastSteps(const Node &node) const {
    return node.parent < 0 ? 0 : leastSteps(node.steps, node.move);
  }

  static bool better(double cost, int32_t steps, const Path &path) {
    return cost < path.cost || (cost == path.cost && steps < path.steps);
  }

  /// Looks at all moves out of a node; `add` takes each node to which one is better than
  /// what was known.
  template <typename Add>
  void expand(int32_t index, Aim aim, Path &path, Add add) {
    State state = nodes[index].state;
    double cost = nodes[index].cost;
    const Move last = nodes[index].move;
    bool isSource = nodes[index].parent < 0;
    space.layOut(state, layout);
    moves.clear();
    int64_t leftOut =
        space.moves(state, layout, isSource ? nullptr : &last, memoryBound,
                    cost, path.cost, aim.moves, moves);
    // Moves that were not worth listing take time too.
    generated += 20 + static_cast<int64_t>(moves.size()) + leftOut;
    for (Move &move : moves) {
      int32_t steps = nodes[index].steps + 1;
      if (space.joins(last, layout, move)) {
        --steps;
        move.count = static_cast<int8_t>(move.count + last.count);
      }
      double childCost = cost + move.cost;
      int32_t least = leastSteps(steps, move);
      if (!better(childCost, least, path))
        continue;
      State key = space.canonical(move.to);
      int32_t child = nodes.find(key);
      if (child < 0) {
        if (move.bound < 0 || aim.guess > 0)
          space.layOutChild(layout, move, childLayout);
        double childBound =
            move.bound < 0 ? space.bound(childLayout) : move.bound;
        // Most moves end here, so they are not worth a node.
        if (!better(childCost + childBound, least, path))
          continue;
        child = nodes.insert(key);
        Node &node = nodes[child];
        node.state = move.to;
        node.bound = childBound;
        if (aim.guess > 0)
          node.guess =
              aim.guess * space.workLeft(childLayout, node.bound, aim.anyPath);
      } else if (childCost > nodes[child].cost ||
                 (childCost == nodes[child].cost &&
                  steps >= nodes[child].steps) ||
                 !better(childCost + nodes[child].bound, least, path)) {
        continue;
      }
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
      // A plan that is known leaves out more than one that waits to be found.
      if (move.to == space.target()) {
        path = pathTo(child);
        continue;
      }
      add(child);
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
  // First beam searches for good plans. Then the exact search, which finds a better plan
  // or, if the list of moves is complete, proves that there is none. If no plan is found
  // within the bound, a greedy search tells whether there is none (it ended) or the
  // budget does not suffice to find it.
  AStar search(space);
  auto run = [&](Aim aim, int64_t budget) {
    return search.run(aim, bound, budget, path, result.generated);
  };
  // With few axes the exact search ends within a few budgets; with more, beam
  // searches come first.
  bool small = space.axes() <= kFewAxes, proven = true;
  int64_t budget = small ? kBudgetsForFewAxes * problem.budget : problem.budget;
  bool restricted = space.restrictToEven();
  auto look = [&] {
    for (Beam beam : kBeams)
      search.runBeam(beam, bound, path, result.generated);
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
  if (space.hasEveryOrder())
    space.allowUneven();
  else
    budget /= kPartsWithManyAxes;
  // Without all moves the search proves nothing, and after the beams it finds nothing.
  if ((small || space.complete()) && (path.found() || known))
    result.optimal =
        run({0, false, MoveChoice::All}, budget) && proven && space.complete();
  result.memoryBound = bound;
  result.lowerBoundBytes = space.boundBytes(source);
  result.found = path.found();
  result.cost = path.cost;
  assert((!result.found || result.cost >= space.bound(source) * (1 - 1e-9)) &&
         "no plan costs less than the lower bound");
  result.steps = stepsOf(space, path);
  return result;
}

} // namespace shard
