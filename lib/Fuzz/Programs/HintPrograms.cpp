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

#include "Parts.h"

#include <algorithm>

using namespace shard::fuzz;

/// Lists of axes for `rank` dimensions, in all of them each axis at most once.
static std::vector<std::vector<std::string>> axisLists(ProgramBuilder &program,
                                                       int64_t rank) {
  struct Part {
    int64_t axis;
    std::string suffix;
  };
  std::vector<Part> parts;
  for (int64_t axis = 0; axis < int64_t(program.grid.size()); ++axis) {
    if (program.grid[axis] == 4 && program.rng.chance(50)) {
      parts.push_back({axis, ":(1)2"});
      parts.push_back({axis, ":(2)2"});
    } else {
      parts.push_back({axis, ""});
    }
  }
  program.rng.shuffle(parts);
  std::vector<std::vector<Part>> dims(rank);
  for (const Part &part : parts)
    if (program.rng.chance(85))
      dims[program.rng.between(0, rank - 1)].push_back(part);
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
      lists[dim].push_back(program.axisText(part.axis) + part.suffix);
    }
  return lists;
}

/// The lists, or open beginnings of some of them.
static std::string
agreeingHint(ProgramBuilder &program,
             const std::vector<std::vector<std::string>> &lists, bool whole) {
  std::vector<std::string> dims;
  for (std::vector<std::string> list : lists) {
    if (!whole && program.rng.chance(60)) {
      list.resize(program.rng.between(0, int64_t(list.size())));
      list.push_back("?");
    }
    dims.push_back("[" + join(list) + "]");
  }
  return "<@grid, [" + join(dims) + "]>";
}

void shard::fuzz::hintProgram(ProgramBuilder &program) {
  // No random hints, which would not agree.
  program.argumentHintPercent = program.hintPercent = 0;
  Elem elem = program.rng.chance(60) ? Elem::F32 : Elem::I32;
  Shape shape = program.randomShape(program.rng.between(1, 3));
  std::vector<std::vector<std::string>> lists =
      axisLists(program, shape.size());
  std::string outer;
  std::swap(program.out, outer);
  std::vector<Val> values;
  for (int64_t i = program.rng.between(1, 3); i > 0; --i) {
    Val value = program.argument(elem, shape, true);
    if (program.rng.chance(80))
      program.givenHints[value.name] =
          agreeingHint(program, lists, program.rng.chance(50));
    if (program.rng.chance(30)) {
      Val result = value;
      result.name = program.fresh();
      program.line(result.name + " = shard.constraint " + value.name + " to " +
                   agreeingHint(program, lists, false) + " : " + value.type());
      value = program.add(result);
    }
    values.push_back(value);
  }
  for (size_t i = 1; i < values.size(); ++i)
    if (program.rng.chance(60))
      program.line("shard.group " + values[i - 1].name + ", " + values[i].name +
                   " id = " + std::to_string(program.groups++) + " : " +
                   values[i].type() + ", " + values[i].type());
  writeOps(program, program.budget = program.rng.between(1, 3));
  std::vector<Val> results = {program.scope.back()};
  for (size_t i = program.scope.size(); i > 0 && !results.back().tensor; --i)
    results.back() = program.scope[i - 1];
  if (results.back().shape == shape && program.rng.chance(70))
    program.givenHints[results.back().name] =
        agreeingHint(program, lists, program.rng.chance(50));
  program.line("return " + nameList(results) + " : " + typeList(results));
  std::swap(program.out, outer);
  program.out +=
      functionHeader(program, {"main", program.arguments, results}, false) +
      outer + "}\n";
}

/// The sum of `a` and of what is at other places: `b` reversed along a dimension, or a tensor of
/// fewer dimensions. Blocks of one layout do not hold what an op needs then.
static Val sumOfOtherPlaces(ProgramBuilder &program, const Val &a, Val b) {
  int64_t rank = a.shape.size(), dim = program.rng.between(0, rank - 1);
  std::vector<std::string> loops, moved;
  for (int64_t i = 0; i < rank; ++i)
    loops.push_back("d" + std::to_string(i));
  if (program.rng.chance(60)) {
    moved = loops;
    moved[dim] =
        "-d" + std::to_string(dim) + " + " + std::to_string(a.shape[dim] - 1);
  } else {
    Shape shape = a.shape;
    moved = loops;
    shape.erase(shape.begin() + dim);
    moved.erase(moved.begin() + dim);
    b = program.rng.chance(50) ? program.filled(a.elem, shape, 2)
                               : program.argument(a.elem, shape, true);
  }
  std::string map = "affine_map<(" + join(loops) + ") -> (";
  std::string add = isFloat(a.elem) ? "arith.addf" : "arith.addi";
  std::string type = name(a.elem);
  Val init = program.empty(a.elem, a.shape);
  Val result = a;
  result.name = program.fresh();
  result.bound = a.bound + b.bound;
  program.line(result.name + " = linalg.generic {indexing_maps = [" + map +
               join(loops) + ")>, " + map + join(moved) + ")>, " + map +
               join(loops) + ")>], iterator_types = [" +
               join(std::vector<std::string>(rank, "\"parallel\"")) + "]} " +
               insOuts({a, b}, init) + " {");
  program.line("^bb0(%x: " + type + ", %y: " + type + ", %o: " + type + "):");
  program.line("  %s = " + add + " %x, %y : " + type);
  program.line("  linalg.yield %s : " + type);
  program.line("} -> " + init.type());
  return program.add(result);
}

void shard::fuzz::layoutProgram(ProgramBuilder &program) {
  program.layouts = program.takesArguments = true;
  program.argumentHintPercent = program.rng.chance(50) ? 60 : 0;
  program.hintPercent = 0;
  Elem elem = program.rng.chance(60) ? Elem::F32 : Elem::I32;
  std::string op = elem == Elem::F32 ? "arith.addf " : "arith.addi ";
  Shape shape = program.randomShape(program.rng.between(1, 2));
  std::string outer;
  std::swap(program.out, outer);
  std::vector<Val> values = {program.argument(elem, shape, true)};
  for (int64_t left = program.rng.between(3, 7); left > 0; --left) {
    // Mostly the last one, so that layouts are handed on.
    const Val a =
        program.rng.chance(70) ? values.back() : program.rng.oneOf(values);
    const Val b = program.rng.oneOf(values);
    int64_t what = program.rng.between(0, 9);
    if (what < 3)
      values.push_back(program.annotate(a, program.rng.chance(70)));
    else if (what == 3)
      values.push_back(sumOfOtherPlaces(program, a, b));
    else if (what < 7)
      values.push_back(
          program.define(op + a.name + ", " + b.name + " : " + a.type(), elem,
                         shape, a.bound + b.bound));
    else if (what == 7)
      values.push_back(program.argument(elem, shape, true));
    else if (a.name != b.name)
      program.line("shard.group " + a.name + ", " + b.name +
                   " id = " + std::to_string(program.groups++) + " : " +
                   a.type() + ", " + b.type());
  }
  std::vector<Val> results = {values.back()};
  program.line("return " + nameList(results) + " : " + typeList(results));
  std::swap(program.out, outer);
  program.out +=
      functionHeader(program, {"main", program.arguments, results}, false) +
      outer + "}\n";
}

void shard::fuzz::callProgram(ProgramBuilder &program) {
  program.hintPercent = 0;
  program.argumentHintPercent = 0;
  writeFunction(program, "helper", true, program.rng.between(1, 3));
  const Function callee = program.functions.back();
  program.scope.clear();
  program.arguments.clear();
  std::string outer;
  std::swap(program.out, outer);
  std::vector<Val> results;
  for (int64_t i = program.rng.between(2, 3); i > 0; --i) {
    std::vector<Val> operands;
    for (const Val &parameter : callee.arguments) {
      Val value =
          program.argument(parameter.elem, parameter.shape, parameter.tensor);
      if (value.tensor && !value.shape.empty() && program.rng.chance(80))
        program.givenHints[value.name] =
            agreeingHint(program, axisLists(program, value.shape.size()), true);
      operands.push_back(value);
    }
    std::string name = program.fresh();
    program.line(multiple(name, callee.results.size()) + " = func.call @" +
                 callee.name + "(" + nameList(operands) + ") : (" +
                 typeList(operands) + ") -> (" + typeList(callee.results) +
                 ")");
    size_t before = program.scope.size();
    addResults(program, name, callee.results);
    for (size_t r = before; r < program.scope.size(); ++r)
      if (program.scope[r].tensor)
        results.push_back(program.scope[r]);
  }
  program.line("return " + nameList(results) + " : " + typeList(results));
  std::swap(program.out, outer);
  program.out +=
      functionHeader(program, {"main", program.arguments, results}, false) +
      outer + "}\n";
}
