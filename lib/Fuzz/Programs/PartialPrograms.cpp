//===- PartialPrograms.cpp - Programs of partial values -------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program about partial values: arguments of one shape that come partial along
// the same axes, or split where the ops reduce; few ops, of those that some partial
// values pass and others must not; then reductions and slices, which make it
// cheaper to keep a value partial for longer.
//
//===----------------------------------------------------------------------===//

#include "Parts.h"

#include <utility>

using namespace shard::fuzz;

/// A hint for `value`: `partialText`, and the axes of `rest` in some dimensions.
static std::string partialHint(ProgramBuilder &program, const Val &value,
                               Shape rest, const std::string &partialText) {
  std::vector<std::vector<std::string>> dims(value.shape.size());
  program.rng.shuffle(rest);
  for (int64_t axis : rest)
    if (!dims.empty() && program.rng.chance(70))
      dims[program.rng.between(0, int64_t(dims.size()) - 1)].push_back(
          program.axisText(axis));
  bool open = program.rng.chance(20);
  std::vector<std::string> lists;
  for (std::vector<std::string> &dim : dims) {
    if (open)
      dim.push_back("?");
    lists.push_back("[" + join(dim) + "]");
  }
  return "<@grid, [" + join(lists) + "]" + partialText + ">";
}

/// A value that is split or whole becomes partial, and is combined again.
static void partialChain(ProgramBuilder &program, Elem elem,
                         const std::string &kind) {
  Shape axes, partialAxes, rest;
  for (size_t axis = 0; axis < program.grid.size(); ++axis)
    axes.push_back(axis);
  for (int64_t axis : axes)
    (program.rng.chance(60) ? partialAxes : rest).push_back(axis);
  if (partialAxes.empty())
    std::swap(partialAxes, rest);
  Val value = program.argument(
      elem, program.randomShape(program.rng.between(1, 2)), true);
  if (program.rng.chance(80))
    program.givenHints[value.name] = partialHint(program, value, axes, "");
  auto sharding = [&](const Shape &from, const std::string &partial) {
    std::vector<Shape> dims(value.shape.size());
    for (int64_t axis : from)
      if (program.rng.chance(40))
        dims[program.rng.between(0, int64_t(dims.size()) - 1)].push_back(axis);
    std::vector<std::string> lists;
    for (const Shape &dim : dims)
      lists.push_back("[" + list(dim) + "]");
    std::string name = program.fresh();
    program.line(name + " = shard.sharding @grid split_axes = [" + join(lists) +
                 "]" + partial + " : !shard.sharding");
    Val result = value;
    result.name = program.fresh();
    program.line(result.name + " = shard.shard " + value.name + " to " + name +
                 " annotate_for_users : " + value.type());
    value = program.add(result);
  };
  sharding(rest, " partial = " + kind + " [" + list(partialAxes) + "]");
  if (program.rng.chance(40))
    sharding(axes, "");
}

void shard::fuzz::partialProgram(ProgramBuilder &program) {
  program.partials = true;
  program.manyBlocks = program.rng.chance(30);
  program.argumentHintPercent = program.rng.chance(50) ? 0 : 60;
  program.hintPercent = program.rng.chance(70) ? 0 : 20;
  static const std::vector<Elem> elems = {Elem::F32, Elem::F32, Elem::F32,
                                          Elem::I32, Elem::I32, Elem::I64,
                                          Elem::I16, Elem::I8};
  Elem elem = program.rng.oneOf(elems);
  Shape axes, partialAxes, rest;
  for (size_t axis = 0; axis < program.grid.size(); ++axis)
    axes.push_back(axis);
  program.rng.shuffle(axes);
  // An axis of one device shows nothing.
  for (size_t i = 1; i < axes.size() && program.grid[axes[0]] == 1; ++i)
    std::swap(axes[0], axes[i]);
  bool comePartial = program.rng.chance(70);
  for (int64_t axis : axes)
    (comePartial && (partialAxes.empty() || program.rng.chance(30))
         ? partialAxes
         : rest)
        .push_back(axis);
  static const std::vector<std::string> floats = {"sum", "sum", "sum", "max",
                                                  "min"};
  static const std::vector<std::string> integers = {
      "sum",     "sum",         "sum",        "sum",        "sum", "sum",
      "sum",     "max",         "max",        "min",        "min", "umax",
      "product", "bitwise_and", "bitwise_or", "bitwise_xor"};
  std::string kind = program.rng.oneOf(isFloat(elem) ? floats : integers), text;
  if (program.rng.chance(20)) {
    std::string outer;
    std::swap(program.out, outer);
    partialChain(program, elem, kind);
    Val result = program.scope.back();
    program.line("return " + result.name + " : " + result.type());
    std::swap(program.out, outer);
    program.out +=
        functionHeader(program, {"main", program.arguments, {result}}, false) +
        outer + "}\n";
    return;
  }
  if (!partialAxes.empty()) {
    std::vector<std::string> names;
    for (int64_t axis : partialAxes)
      names.push_back(program.axisText(axis));
    text = ", partial = " + kind + " [" + join(names) + "]";
  }
  Shape shape = program.randomShape(program.rng.between(1, 3));
  for (int64_t &extent : shape)
    if (extent == 1 && program.rng.chance(80))
      extent = program.rng.between(2, 5);
  std::string shared;
  for (int64_t i = program.rng.between(comePartial ? 2 : 1, 3); i > 0; --i) {
    Val value = program.argument(elem, shape, true);
    if (shared.empty() || program.rng.chance(20))
      shared = partialHint(program, value, rest, text);
    if (program.rng.chance(80))
      program.givenHints[value.name] = shared;
    else if (program.rng.chance(50))
      program.givenHints[value.name] = partialHint(program, value, rest, "");
  }

  std::string outer;
  std::swap(program.out, outer);
  static const std::vector<Maker> plain = {elementwise,
                                           elementwise,
                                           elementwise,
                                           elementwise,
                                           exactMath,
                                           integerMath,
                                           pad,
                                           pad,
                                           concat,
                                           collapse,
                                           expand,
                                           extractSlice,
                                           insertSlice,
                                           linalgTranspose,
                                           linalgMap,
                                           linalgNamedElementwise,
                                           linalgUnary,
                                           linalgBroadcast,
                                           genericElementwise,
                                           genericElementwise,
                                           compareSelect,
                                           cast,
                                           scfIf,
                                           branches,
                                           matmul,
                                           vectorProduct};
  static const std::vector<Maker> reducing = {
      genericReduction, genericReduction, linalgReduce, extractSlice, matmul};
  auto some = [&](const std::vector<Maker> &makers, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      for (int64_t tries = 0; tries < 10; ++tries)
        if (program.rng.oneOf(makers)(program))
          break;
      if (program.rng.chance(program.hintPercent))
        program.randomHint();
    }
  };
  program.budget = 4;
  // What combines or changes the arguments themselves: a result, whatever the
  // other ops do.
  std::vector<Val> results;
  const std::vector<Val> alike = program.arguments;
  if (comePartial && program.rng.chance(25) && pad(program))
    results.push_back(program.scope.back());
  if (comePartial && program.rng.chance(60)) {
    const Val a = program.rng.oneOf(alike);
    const Val b = program.rng.chance(45) ? program.argument(elem, shape, true)
                                         : program.rng.oneOf(alike);
    static const std::vector<std::string> two = {"add", "add", "sub", "mul",
                                                 "mul"};
    static const std::vector<std::string> floatOps = {"arith.negf", "math.absf",
                                                      "math.floor"};
    std::string suffix = isFloat(elem) ? "f " : "i ", right;
    double bound = a.bound * b.bound + a.bound + b.bound;
    if (program.rng.chance(70))
      right =
          "arith." + program.rng.oneOf(two) + suffix + a.name + ", " + b.name;
    else if (isFloat(elem))
      right = program.rng.oneOf(floatOps) + " " + a.name;
    else
      right = "arith.maxsi " + a.name + ", " + b.name;
    results.push_back(
        program.define(right + " : " + a.type(), elem, shape, bound));
  }
  if (!comePartial)
    some(reducing, program.rng.between(1, 2));
  some(plain, program.rng.between(comePartial ? 1 : 0, 3));
  if (program.rng.chance(50))
    some(reducing, 1);
  bool given = !results.empty() && program.rng.chance(70);
  if (!given)
    results.clear();
  for (size_t i = program.scope.size(); i > 0 && results.size() < 2 + given;
       --i)
    if (program.scope[i - 1].tensor &&
        (results.size() == size_t(given) || program.rng.chance(30)))
      results.push_back(program.scope[i - 1]);
  program.line("return " + nameList(results) + " : " + typeList(results));
  std::swap(program.out, outer);
  program.out +=
      functionHeader(program, {"main", program.arguments, results}, false) +
      outer + "}\n";
}
