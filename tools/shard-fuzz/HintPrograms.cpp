//===- HintPrograms.cpp - Programs of hints that meet ---------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program where several hints are about one value and agree: each dimension of
// each is the whole list of axes, or an open beginning of it. The axes are
// sub-axes now and then. And a program where one function is called with
// arguments of different shardings.
//
//===----------------------------------------------------------------------===//

#include "Generator.h"

#include <algorithm>

using namespace shard::fuzz;

/// Lists of axes for `rank` dimensions, in all of them each axis at most once.
std::vector<std::vector<std::string>> Generator::axisLists(int64_t rank) {
  struct Part {
    int64_t axis;
    std::string suffix;
  };
  std::vector<Part> parts;
  for (int64_t axis = 0; axis < int64_t(grid.size()); ++axis) {
    if (grid[axis] == 4 && rng.chance(50)) {
      parts.push_back({axis, ":(1)2"});
      parts.push_back({axis, ":(2)2"});
    } else {
      parts.push_back({axis, ""});
    }
  }
  rng.shuffle(parts);
  std::vector<std::vector<Part>> dims(rank);
  for (const Part &part : parts)
    if (rng.chance(85))
      dims[rng.between(0, rank - 1)].push_back(part);
  std::vector<std::vector<std::string>> lists(rank);
  for (int64_t dim = 0; dim < rank; ++dim)
    for (size_t i = 0; i < dims[dim].size(); ++i) {
      Part part = dims[dim][i];
      // Two parts of one axis side by side are that axis.
      if (part.suffix == ":(1)2" && i + 1 < dims[dim].size() &&
          dims[dim][i + 1].axis == part.axis) {
        part.suffix.clear();
        ++i;
      }
      lists[dim].push_back(axisText(part.axis) + part.suffix);
    }
  return lists;
}

/// The lists, or open beginnings of some of them.
std::string
Generator::agreeingHint(const std::vector<std::vector<std::string>> &lists,
                        bool whole) {
  std::vector<std::string> dims;
  for (std::vector<std::string> list : lists) {
    if (!whole && rng.chance(60)) {
      list.resize(rng.between(0, int64_t(list.size())));
      list.push_back("?");
    }
    dims.push_back("[" + join(list) + "]");
  }
  return "<@grid, [" + join(dims) + "]>";
}

void Generator::hintProgram() {
  // No random hints, which would not agree.
  argumentHintPercent = hintPercent = 0;
  Elem elem = rng.chance(60) ? Elem::F32 : Elem::I32;
  Shape shape = randomShape(rng.between(1, 3));
  std::vector<std::vector<std::string>> lists = axisLists(shape.size());
  std::string outer;
  std::swap(out, outer);
  std::vector<Val> values;
  for (int64_t i = rng.between(1, 3); i > 0; --i) {
    Val value = argument(elem, shape, true);
    if (rng.chance(80))
      givenHints[value.name] = agreeingHint(lists, rng.chance(50));
    if (rng.chance(30)) {
      Val result = value;
      result.name = fresh();
      line(result.name + " = shard.constraint " + value.name + " to " +
           agreeingHint(lists, false) + " : " + value.type());
      value = add(result);
    }
    values.push_back(value);
  }
  for (size_t i = 1; i < values.size(); ++i)
    if (rng.chance(60))
      line("shard.group " + values[i - 1].name + ", " + values[i].name +
           " id = " + std::to_string(groups++) + " : " + values[i].type() +
           ", " + values[i].type());
  ops(budget = rng.between(1, 3));
  std::vector<Val> results = {scope.back()};
  for (size_t i = scope.size(); i > 0 && !results.back().tensor; --i)
    results.back() = scope[i - 1];
  if (results.back().shape == shape && rng.chance(70))
    givenHints[results.back().name] = agreeingHint(lists, rng.chance(50));
  line("return " + nameList(results) + " : " + typeList(results));
  std::swap(out, outer);
  out += header({"main", arguments, results}, false) + outer + "}\n";
}

void Generator::callProgram() {
  hintPercent = 0;
  argumentHintPercent = 0;
  function("helper", true, rng.between(1, 3));
  const Function callee = functions.back();
  scope.clear();
  arguments.clear();
  std::string outer;
  std::swap(out, outer);
  std::vector<Val> results;
  for (int64_t i = rng.between(2, 3); i > 0; --i) {
    std::vector<Val> operands;
    for (const Val &parameter : callee.arguments) {
      Val value = argument(parameter.elem, parameter.shape, parameter.tensor);
      if (value.tensor && !value.shape.empty() && rng.chance(80))
        givenHints[value.name] =
            agreeingHint(axisLists(value.shape.size()), true);
      operands.push_back(value);
    }
    std::string name = fresh();
    line(multiple(name, callee.results.size()) + " = func.call @" +
         callee.name + "(" + nameList(operands) + ") : (" + typeList(operands) +
         ") -> (" + typeList(callee.results) + ")");
    size_t before = scope.size();
    addResults(name, callee.results);
    for (size_t r = before; r < scope.size(); ++r)
      if (scope[r].tensor)
        results.push_back(scope[r]);
  }
  line("return " + nameList(results) + " : " + typeList(results));
  std::swap(out, outer);
  out += header({"main", arguments, results}, false) + outer + "}\n";
}
