//===- CollectiveChains.cpp - Collectives that meet -----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The body of a manual computation that is a chain of collectives. Each link is, more
// often than not, one that a rewrite may join with the link before: over the same axes,
// some of them, more of them or the same in another order.
//
//===----------------------------------------------------------------------===//

#include "Parts.h"
#include "SharedOps.h"

#include <algorithm>

using namespace shard::fuzz;

namespace {
/// A link of a chain, which the next one is made to fit.
struct ChainLink {
  std::string op, kind;
  Shape axes, to, root;
  /// The axes of each dimension before and after a redistribution.
  std::vector<Shape> splitFrom, splitTo;
  int64_t dim = 0, other = 0;
};
} // namespace

/// No local tensor of a chain has more elements.
static constexpr int64_t mostElements = 800;

static std::string number(int64_t value) { return std::to_string(value); }

/// Axes for a link behind one over `axes`.
static Shape relatedAxes(Random &rng, const Shape &axes, const Shape &all) {
  Shape result = axes, others;
  for (int64_t axis : all)
    if (std::find(axes.begin(), axes.end(), axis) == axes.end())
      others.push_back(axis);
  int64_t number = rng.between(0, 99);
  if (number < 20) {
    result.resize(rng.between(1, int64_t(axes.size())));
  } else if (number < 30) {
    result.erase(result.begin(),
                 result.begin() + rng.between(0, int64_t(axes.size()) - 1));
  } else if (number < 45) {
    rng.shuffle(result);
  } else if (number < 65 && !others.empty()) {
    result = others;
    rng.shuffle(result);
    result.resize(rng.between(1, int64_t(result.size())));
  } else if (number < 80) {
    result.insert(rng.chance(70) ? result.end() : result.begin(),
                  others.begin(), others.end());
  }
  return result;
}

/// The op behind `last`: one that may be joined with it, or any.
static std::string nextOp(Random &rng, const std::string &last) {
  static const std::vector<std::string> all = {
      "all_gather",     "all_gather", "all_slice",  "all_slice",   "all_reduce",
      "reduce_scatter", "permute",    "all_to_all", "shift",       "broadcast",
      "gather",         "reduce",     "scatter",    "redistribute"};
  static const std::vector<std::pair<std::string, std::vector<std::string>>>
      behind = {
          {"all_gather",
           {"all_slice", "all_slice", "all_slice", "all_reduce",
            "reduce_scatter", "permute", "broadcast", "scatter", "shift"}},
          {"all_slice", {"all_gather"}},
          {"all_reduce",
           {"all_slice", "all_slice", "all_slice", "all_slice", "all_reduce",
            "all_reduce", "all_reduce", "reduce_scatter", "broadcast"}},
          {"reduce_scatter", {"all_gather", "all_gather", "all_reduce"}},
          {"all_to_all", {"all_to_all"}},
          {"permute", {"permute"}},
          {"redistribute", {"redistribute", "all_gather", "all_slice"}},
          {"shift", {"shift"}},
          {"broadcast", {"all_slice", "permute", "all_reduce", "scatter"}},
          {"scatter", {"all_gather", "all_slice"}}};
  // Only the root has what a rooted collective makes.
  if (last == "gather")
    return rng.chance(70) ? "scatter" : "broadcast";
  if (last == "reduce")
    return "broadcast";
  for (const auto &[op, next] : behind)
    if (op == last && rng.chance(70))
      return rng.oneOf(next);
  return rng.oneOf(all);
}

/// Whether sums and averages of `value` over `count` devices are exact. The bound of a float
/// counts the smallest parts that it has: halves behind an average over two devices.
static bool isExactSum(const Val &value, const std::string &kind,
                       int64_t count) {
  bool isHalved = kind != "average" || (count & (count - 1)) == 0;
  return !isFloat(value.elem) ||
         (value.bound * double(count) <= boundLimit && isHalved);
}

/// How `value` may be reduced by `count` devices so that the result is exact.
static std::string reduction(Random &rng, const Val &value, int64_t count) {
  std::vector<std::string> kinds = {"max", "min"};
  if (!isFloat(value.elem)) {
    for (const char *kind : {"product", "bitwise_and", "bitwise_or",
                             "bitwise_xor", "umax", "umin"})
      kinds.push_back(kind);
  }
  if (isExactSum(value, "sum", count))
    kinds.insert(kinds.end(), 4, "sum");
  // Those of integers round, so that two of them differ from one.
  if (isExactSum(value, "average", count))
    kinds.insert(kinds.end(), isFloat(value.elem) ? 1 : 3, "average");
  if (rng.chance(8))
    return combinedBy(rng, value);
  return rng.oneOf(kinds);
}

/// Whether only the root holds the result of the op.
static bool isRootedResult(const std::string &op) {
  return op == "gather" || op == "reduce";
}

/// The op, the axes, the dimensions and the root of the link behind `last`.
static ChainLink chooseLink(ProgramBuilder &program, const Val &value,
                            const ChainLink &last) {
  Random &rng = program.rng;
  int64_t dims = value.shape.size();
  ChainLink link;
  link.op = nextOp(rng, last.op);
  if (last.axes.empty()) {
    link.axes = program.manualAxes;
    rng.shuffle(link.axes);
    link.axes.resize(rng.between(1, int64_t(link.axes.size())));
  } else {
    link.axes = isRootedResult(last.op)
                    ? last.axes
                    : relatedAxes(rng, last.axes, program.manualAxes);
  }
  bool again = !last.op.empty() && rng.chance(85);
  link.dim = again ? last.dim : rng.between(0, dims - 1);
  link.other = again ? last.other : rng.between(0, dims - 1);
  if (link.op == "all_to_all" && last.op == link.op && rng.chance(80)) {
    link.dim = last.other;
    link.other = last.dim;
  }
  return link;
}

/// Chooses how the link reduces, if it does; false where the result of a sum or an average
/// would not be exact. A later link may reduce in the same way.
static bool chooseReduction(ProgramBuilder &program, const ChainLink &last,
                            int64_t count, ChainLink &link, Val &value) {
  link.kind = last.kind;
  if (link.op != "all_reduce" && link.op != "reduce_scatter" &&
      link.op != "reduce")
    return true;
  // Elements are converted before they are combined.
  bool widens = program.rng.chance(12);
  if (widens)
    value.elem = wider(value.elem);
  if (last.kind.empty() || widens || !program.rng.chance(75))
    link.kind = reduction(program.rng, value, count);
  if (link.kind != "sum" && link.kind != "average")
    return true;
  if (!isExactSum(value, link.kind, count))
    return false;
  value.bound *= double(count);
  return true;
}

static void chooseRoot(ProgramBuilder &program, const ChainLink &last,
                       ChainLink &link) {
  for (int64_t axis : link.axes)
    link.root.push_back(program.rng.between(0, program.grid[axis] - 1));
  if (isRootedResult(last.op))
    link.root = last.root;
}

/// The axes from which and to which a permute moves blocks.
static void choosePermutation(ProgramBuilder &program, const ChainLink &last,
                              ChainLink &link) {
  Random &rng = program.rng;
  if (last.op == "permute") {
    link.axes = last.to;
    link.to = rng.chance(40) ? last.axes : last.to;
    if (rng.chance(40))
      rng.shuffle(link.to);
    if (rng.chance(15))
      rng.shuffle(link.axes);
    return;
  }
  link.to = link.axes;
  rng.shuffle(link.to);
  // From one axis to another of its size.
  for (int64_t axis : program.manualAxes)
    if (axis != link.axes.front() &&
        program.grid[axis] == program.grid[link.axes[0]] && rng.chance(40)) {
      link.axes.resize(1);
      link.to = {axis};
    }
}

/// "[[0], [2, 1]]"
static std::string listOfLists(const std::vector<Shape> &lists) {
  std::vector<std::string> texts;
  for (const Shape &axes : lists)
    texts.push_back("[" + list(axes) + "]");
  return "[" + join(texts) + "]";
}

/// Attributes of a redistribution from blocks that all axes of the link split, or from
/// those that a redistribution before makes, so that devices with one block have the same.
/// Nothing where the axes chosen do not cut the result evenly.
static std::optional<std::string>
redistributionAttributes(ProgramBuilder &program, const ChainLink &last,
                         ChainLink &link, Shape &shape) {
  Random &rng = program.rng;
  size_t dims = shape.size();
  bool follows = last.op == link.op && rng.chance(70);
  if (follows) {
    link.axes = last.axes;
    link.splitFrom = last.splitTo;
  } else {
    link.splitFrom.assign(dims, {});
    for (int64_t axis : link.axes)
      link.splitFrom[rng.between(0, int64_t(dims) - 1)].push_back(axis);
  }
  Shape extents = shape;
  for (size_t dim = 0; dim < dims; ++dim)
    extents[dim] *= program.devices(link.splitFrom[dim]);
  link.splitTo.assign(dims, {});
  Shape order = link.axes;
  rng.shuffle(order);
  // Other axes do not lead back.
  bool back = last.op == link.op && rng.chance(30) && follows;
  if (back)
    link.splitTo = last.splitFrom;
  shape = extents;
  for (int64_t axis : order)
    if (!back && rng.chance(75))
      link.splitTo[rng.between(0, int64_t(dims) - 1)].push_back(axis);
  // The group is that of the axes that split something.
  Shape group;
  for (int64_t axis : link.axes)
    for (const auto *split : {&link.splitFrom, &link.splitTo})
      for (const Shape &axes : *split)
        if (std::find(axes.begin(), axes.end(), axis) != axes.end() &&
            std::find(group.begin(), group.end(), axis) == group.end())
          group.push_back(axis);
  for (size_t dim = 0; dim < dims; ++dim) {
    int64_t parts = program.devices(link.splitTo[dim]);
    if (extents[dim] % parts != 0)
      return std::nullopt;
    shape[dim] /= parts;
  }
  return " grid_axes = [" + list(group) +
         "] from = " + listOfLists(link.splitFrom) +
         " to = " + listOfLists(link.splitTo) + " extents = [" + list(extents) +
         "]";
}

/// The attributes of the link; `value` becomes its result. Nothing where the blocks
/// of `value` cannot be cut.
static std::optional<std::string> linkAttributes(ProgramBuilder &program,
                                                 const ChainLink &last,
                                                 int64_t count, ChainLink &link,
                                                 Val &value) {
  static const std::vector<std::string> cutting = {
      "all_slice", "scatter", "reduce_scatter", "all_to_all"};
  Shape &shape = value.shape;
  if (std::find(cutting.begin(), cutting.end(), link.op) != cutting.end()) {
    if (shape[link.dim] % count != 0)
      return std::nullopt;
    shape[link.dim] /= count;
  }
  std::string axes = " grid_axes = [" + list(link.axes) + "]";
  std::string at = " = " + number(link.dim);
  std::string root = " root = [" + list(link.root) + "]";
  if (link.op == "all_gather" || link.op == "gather") {
    shape[link.dim] *= count;
    return axes + " gather_axis" + at + (link.op == "gather" ? root : "");
  }
  if (link.op == "all_slice")
    return axes + " slice_axis" + at;
  if (link.op == "scatter")
    return axes + " scatter_axis" + at + root;
  if (link.op == "all_reduce" || link.op == "reduce")
    return axes + " reduction = " + link.kind +
           (link.op == "reduce" ? root : "");
  if (link.op == "reduce_scatter")
    return axes + " reduction = " + link.kind + " scatter_axis" + at;
  if (link.op == "all_to_all") {
    shape[link.other] *= count;
    return axes + " split_axis" + at + " concat_axis = " + number(link.other);
  }
  if (link.op == "permute") {
    choosePermutation(program, last, link);
    return " from_axes = [" + list(link.axes) + "] to_axes = [" +
           list(link.to) + "]";
  }
  if (link.op == "redistribute")
    return redistributionAttributes(program, last, link, shape);
  if (link.op == "shift")
    return axes + shiftAlong(program.rng, link.axes, 0);
  return axes + root;
}

/// Writes one link; false where it does not fit `value`.
static bool chainLink(ProgramBuilder &program, Val &value, ChainLink &last) {
  ChainLink link = chooseLink(program, value, last);
  int64_t count = program.devices(link.axes);
  Val result = value;
  result.name = program.fresh();
  if (!chooseReduction(program, last, count, link, result))
    return false;
  chooseRoot(program, last, link);
  std::optional<std::string> attributes =
      linkAttributes(program, last, count, link, result);
  if (!attributes || numElements(result.shape) > mostElements)
    return false;
  bool rooted =
      isRootedResult(link.op) || link.op == "scatter" || link.op == "broadcast";
  std::string from = rooted ? "(" + value.type() + ")" : value.type();
  program.line(result.name + " = shard." + link.op + " " + value.name +
               " on @grid" + *attributes + " : " + from +
               (link.op == "permute" ? "" : " -> " + result.type()));
  value = result;
  last = link;
  return true;
}

/// Writes the links. Returns what the body returns: the last value and, sometimes, one
/// before it.
std::vector<Val> shard::fuzz::collectiveChain(ProgramBuilder &program,
                                              Val value) {
  std::vector<Val> returned;
  ChainLink last;
  for (int64_t links = program.rng.between(3, 6), tries = 30;
       tries > 0 && (links > 0 || isRootedResult(last.op)); --tries) {
    if (!chainLink(program, value, last))
      continue;
    --links;
    if (isRootedResult(last.op))
      continue;
    if (program.rng.chance(15) && returned.empty())
      returned.push_back(value);
    if (program.rng.chance(12))
      value = passedAround(program, value, program.manualAxes);
    if (!program.rng.chance(12))
      continue;
    // Equal inputs stay equal through an elementwise op.
    Val changed = value;
    changed.name = program.fresh();
    program.line(changed.name + " = " +
                 (isFloat(value.elem)
                      ? "arith.negf " + value.name
                      : "arith.muli " + value.name + ", " + value.name) +
                 " : " + value.type());
    value = changed;
  }
  if (isRootedResult(last.op))
    return returned;
  returned.push_back(value);
  return returned;
}
