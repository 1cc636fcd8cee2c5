//===- ManualOps.cpp - Manual computations in a random program -----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The body of a manual computation holds what any program holds, on local shapes,
// and collectives over the manual axes. A result that the op takes for a replica
// is reduced over those axes first: only then it is one.
//
//===----------------------------------------------------------------------===//

#include "Generator.h"

#include <algorithm>

using namespace shard::fuzz;

/// Some of `axes`, at least one, in any order.
static std::vector<int64_t> someOf(Random &rng, std::vector<int64_t> axes) {
  rng.shuffle(axes);
  axes.resize(rng.between(1, axes.size()));
  return axes;
}

std::string Generator::axisText(int64_t axis) {
  return names && rng.chance(70) ? "\"x" + std::to_string(axis) + "\""
                                 : std::to_string(axis);
}

int64_t Generator::devices(const std::vector<int64_t> &axes) {
  int64_t count = 1;
  for (int64_t axis : axes)
    count *= grid[axis];
  return count;
}

/// The sharding of an operand or result with the manual axes `dims` in its
/// dimensions, and others behind them, now and then.
std::string
Generator::manualSharding(const std::vector<std::vector<int64_t>> &dims,
                          const std::vector<int64_t> &replicated,
                          const std::vector<int64_t> &partial) {
  std::vector<std::vector<std::string>> texts(dims.size());
  for (size_t dim = 0; dim < dims.size(); ++dim)
    for (int64_t axis : dims[dim])
      texts[dim].push_back(axisText(axis));
  auto isManual = [&](int64_t axis) {
    return std::find(manualAxes.begin(), manualAxes.end(), axis) !=
           manualAxes.end();
  };
  for (int64_t axis = 0; axis < int64_t(grid.size()); ++axis)
    if (!isManual(axis) && !dims.empty() && rng.chance(20))
      texts[rng.between(0, int64_t(dims.size()) - 1)].push_back(axisText(axis));
  bool open = rng.chance(60);
  std::vector<std::string> lists;
  for (std::vector<std::string> &text : texts) {
    if (open && rng.chance(70))
      text.push_back("?");
    lists.push_back("[" + join(text) + "]");
  }
  auto named = [&](const std::vector<int64_t> &axes) {
    std::vector<std::string> text;
    for (int64_t axis : axes)
      text.push_back(axisText(axis));
    return "[" + join(text) + "]";
  };
  std::string result = "<@grid, [" + join(lists) + "]";
  if (!partial.empty())
    result += ", partial = sum " + named(partial);
  if (!replicated.empty())
    result += ", replicated = " + named(replicated);
  return result + ">";
}

/// `axes` reduced or gathered away: the same on all their devices.
Val Generator::reducedOver(const Val &value, const std::vector<int64_t> &axes) {
  bool maySum = value.elem != Elem::I1 &&
                value.bound * devices(axes) <= boundLimit && rng.chance(60);
  Val result = value;
  result.name = fresh();
  if (maySum)
    result.bound *= devices(axes);
  line(result.name + " = shard.all_reduce " + value.name +
       " on @grid grid_axes = [" + list(axes) + "]" +
       (maySum ? "" : " reduction = max") + " : " + value.type() + " -> " +
       result.type());
  return add(result);
}

/// One collective over some of the manual axes.
bool Generator::manualCollective() {
  std::optional<Val> value = pickTensor(1);
  if (!value || numElements(value->shape) > 500)
    return false;
  std::vector<int64_t> axes = someOf(rng, manualAxes);
  int64_t count = devices(axes), last = int64_t(value->shape.size()) - 1;
  int64_t dim = rng.between(0, last), other = rng.between(0, last);
  std::string on = value->name + " on @grid grid_axes = [" + list(axes) + "]";
  Shape shape = value->shape;
  auto made = [&](const std::string &op, const std::string &rest) {
    define("shard." + op + " " + on + rest + " : " + value->type() + " -> " +
               tensorType(value->elem, shape),
           value->elem, shape, value->bound);
    return true;
  };
  switch (rng.between(0, 8)) {
  case 0:
  case 1:
    reducedOver(*value, axes);
    return true;
  case 2:
    shape[dim] *= count;
    return made("all_gather", " gather_axis = " + std::to_string(dim));
  case 3:
    if (shape[dim] % count != 0)
      return false;
    shape[dim] /= count;
    return made("all_slice", " slice_axis = " + std::to_string(dim));
  case 4:
    if (shape[dim] % count != 0)
      return false;
    shape[dim] /= count;
    shape[other] *= count;
    return made("all_to_all", " split_axis = " + std::to_string(dim) +
                                  " concat_axis = " + std::to_string(other));
  case 5:
    if (shape[dim] % count != 0 || value->elem == Elem::I1)
      return false;
    shape[dim] /= count;
    return made("reduce_scatter",
                " reduction = " + std::string(rng.chance(50) ? "max" : "min") +
                    " scatter_axis = " + std::to_string(dim));
  case 6: {
    Shape to = axes;
    rng.shuffle(to);
    define("shard.permute " + value->name + " on @grid from_axes = [" +
               list(axes) + "] to_axes = [" + list(to) + "] : " + value->type(),
           value->elem, shape, value->bound);
    return true;
  }
  case 7:
    return made("shift", " shift_axis = " + std::to_string(axes.back()) +
                             " offset = " + std::to_string(rng.between(1, 3)) +
                             " rotate");
  default: {
    Shape root;
    for (int64_t axis : axes)
      root.push_back(rng.between(0, grid[axis] - 1));
    define("shard.broadcast " + on + " root = [" + list(root) + "] : (" +
               value->type() + ") -> " + value->type(),
           value->elem, shape, value->bound);
    return true;
  }
  }
}

/// Ops and collectives on the local values `inside`; returns what the body
/// returns, and how the op's results are sharded and typed.
std::string Generator::manualBody(const std::vector<Val> &inside,
                                  std::vector<Val> &results,
                                  std::vector<std::string> &shardings) {
  std::string outer;
  std::swap(out, outer);
  std::vector<Val> outside = scope;
  size_t argumentsBefore = arguments.size();
  // Tensors from outside are captured, now and then.
  if (!rng.chance(40))
    scope.erase(std::remove_if(scope.begin(), scope.end(),
                               [](const Val &v) { return v.tensor; }),
                scope.end());
  scope.insert(scope.end(), inside.begin(), inside.end());
  bool manyBlocksOutside = manyBlocks;
  manyBlocks = false;
  indent += 2;
  ++depth;
  if (rng.chance(30)) {
    int64_t axis = rng.oneOf(manualAxes);
    defineScalar("shard.process_multi_index on @grid axes = [" +
                     std::to_string(axis) + "] : index",
                 Elem::Index, grid[axis] - 1);
  }
  for (int64_t i = rng.between(1, 4); i > 0; --i)
    if (!rng.chance(40) || !manualCollective())
      ops(1);
  std::vector<Val> returned;
  for (int64_t i = rng.between(1, 2); i > 0; --i) {
    std::optional<Val> value = pickTensor();
    if (!value)
      value = inside.front();
    std::vector<std::vector<int64_t>> dims(value->shape.size());
    std::vector<int64_t> replicated, partial;
    Shape shape = value->shape;
    for (int64_t axis : manualAxes) {
      if (!dims.empty() && numElements(shape) * grid[axis] <= 1000 &&
          rng.chance(70)) {
        int64_t dim = rng.between(0, int64_t(dims.size()) - 1);
        dims[dim].push_back(axis);
        shape[dim] *= grid[axis];
      } else if (partials && value->elem != Elem::I1 &&
                 value->bound * devices(manualAxes) <= boundLimit &&
                 rng.chance(40)) {
        partial.push_back(axis);
      } else {
        replicated.push_back(axis);
      }
    }
    Val local = *value;
    if (!replicated.empty())
      local = reducedOver(local, replicated);
    returned.push_back(local);
    shardings.push_back(manualSharding(dims, replicated, partial));
    local.shape = shape;
    local.bound *= devices(partial);
    results.push_back(local);
  }
  line("shard.return " + nameList(returned) + " : " + typeList(returned));
  --depth;
  indent -= 2;
  manyBlocks = manyBlocksOutside;
  scope = outside;
  scope.insert(scope.begin(), arguments.begin() + argumentsBefore,
               arguments.end());
  std::swap(out, outer);
  return outer;
}

bool Generator::manualComputation() {
  // The run on one device copies the body once per coordinate.
  if (depth >= 2 || !manualAxes.empty())
    return false;
  std::vector<int64_t> axes;
  for (size_t axis = 0; axis < grid.size(); ++axis)
    axes.push_back(axis);
  axes = someOf(rng, axes);
  if (devices(axes) > 8)
    return false;
  std::vector<Val> operands, inside;
  std::vector<std::vector<std::vector<int64_t>>> splits;
  for (int64_t i = rng.between(1, 2); i > 0; --i) {
    Shape shape = randomShape(rng.between(1, 3));
    shape[rng.between(0, int64_t(shape.size()) - 1)] =
        devices(axes) * rng.between(1, 2);
    std::optional<Val> value = pickTensor(1);
    Val operand = value && rng.chance(60) ? *value : need(randomElem(), shape);
    std::vector<std::vector<int64_t>> dims(operand.shape.size());
    Val local = operand;
    local.name = fresh();
    for (int64_t axis : axes) {
      std::vector<int64_t> fits;
      for (size_t dim = 0; dim < dims.size(); ++dim)
        if (local.shape[dim] % grid[axis] == 0)
          fits.push_back(dim);
      if (fits.empty() || rng.chance(20))
        continue;
      int64_t dim = rng.oneOf(fits);
      dims[dim].push_back(axis);
      local.shape[dim] /= grid[axis];
    }
    operands.push_back(operand);
    inside.push_back(local);
    splits.push_back(dims);
  }
  manualAxes = axes;
  std::vector<std::string> in, outShardings, arguments, axisTexts;
  for (size_t i = 0; i < operands.size(); ++i) {
    std::vector<int64_t> replicated = axes;
    for (const std::vector<int64_t> &dim : splits[i])
      for (int64_t axis : dim)
        replicated.erase(std::find(replicated.begin(), replicated.end(), axis));
    in.push_back(manualSharding(splits[i], replicated, {}));
    arguments.push_back(inside[i].name + ": " + inside[i].type());
  }
  std::vector<Val> results;
  std::string text = manualBody(inside, results, outShardings);
  for (int64_t axis : axes)
    axisTexts.push_back(axisText(axis));
  manualAxes.clear();
  std::string name = fresh();
  line(multiple(name, results.size()) + " = shard.manual_computation(" +
       nameList(operands) + ") on @grid");
  line("    in = [" + join(in) + "]");
  line("    out = [" + join(outShardings) + "] axes = [" + join(axisTexts) +
       "]");
  line("    (" + join(arguments) + ") {");
  out += text;
  std::string types = typeList(results);
  line("} : (" + typeList(operands) + ") -> " +
       (results.size() > 1 ? "(" + types + ")" : types));
  addResults(name, results);
  return true;
}
