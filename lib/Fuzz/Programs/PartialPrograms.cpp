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
#include "SharedOps.h"

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

namespace {
/// What the arguments of a program have in common.
struct PartialArguments {
  Elem elem;
  Shape shape;
  /// How partial values are reduced.
  std::string kind;
  /// Whether the arguments are partial, and along which axes; `rest` are the others.
  bool comePartial;
  /// Whether it matters most which ops the kind of reduction commutes with.
  bool commutes;
  Shape partialAxes, rest;
};
} // namespace

/// All but the shape.
static PartialArguments chooseArguments(ProgramBuilder &program) {
  static const std::vector<Elem> elems = {Elem::F32, Elem::F32, Elem::F32,
                                          Elem::I32, Elem::I32, Elem::I64,
                                          Elem::I16, Elem::I8};
  static const std::vector<std::string> floats = {"sum", "sum", "sum",    "sum",
                                                  "sum", "sum", "max",    "max",
                                                  "min", "min", "average"};
  static const std::vector<std::string> integers = {
      "sum",     "sum",         "sum",        "sum",         "sum",    "sum",
      "sum",     "max",         "max",        "min",         "min",    "umax",
      "product", "bitwise_and", "bitwise_or", "bitwise_xor", "average"};
  static const std::vector<std::string> orders = {
      "max", "min", "umax", "umin", "bitwise_and", "bitwise_or", "bitwise_xor"};
  PartialArguments result;
  result.elem = program.rng.oneOf(elems);
  Shape axes;
  for (size_t axis = 0; axis < program.grid.size(); ++axis)
    axes.push_back(axis);
  program.rng.shuffle(axes);
  // An axis of one device shows nothing.
  for (size_t i = 1; i < axes.size() && program.grid[axes[0]] == 1; ++i)
    std::swap(axes[0], axes[i]);
  result.comePartial = program.rng.chance(70);
  for (int64_t axis : axes) {
    bool partial = result.comePartial &&
                   (result.partialAxes.empty() || program.rng.chance(30));
    (partial ? result.partialAxes : result.rest).push_back(axis);
  }
  result.kind = program.rng.oneOf(isFloat(result.elem) ? floats : integers);
  // All devices have the mean, the sum of which is exact if they are few.
  if (result.kind == "average" && isFloat(result.elem) &&
      program.devices(axes) > 4)
    result.kind = "max";
  result.commutes = result.comePartial && program.rng.chance(35);
  // Sums have programs enough.
  if (result.commutes && !isFloat(result.elem))
    result.kind = program.rng.oneOf(orders);
  return result;
}

/// What the hint of a partial value says beside its dimensions.
static std::string partialText(ProgramBuilder &program,
                               const PartialArguments &arguments) {
  std::vector<std::string> names;
  for (int64_t axis : arguments.partialAxes)
    names.push_back(program.axisText(axis));
  return ", partial = " + arguments.kind + " [" + join(names) + "]";
}

/// Chooses a shape and writes arguments, most of which have the same hint.
static void writeArguments(ProgramBuilder &program,
                           PartialArguments &arguments) {
  std::string partial;
  if (arguments.comePartial)
    partial = partialText(program, arguments);
  arguments.shape = program.randomShape(program.rng.between(1, 3));
  for (int64_t &extent : arguments.shape)
    if (extent == 1 && program.rng.chance(80))
      extent = program.rng.between(2, 5);
  std::string shared;
  for (int64_t i = program.rng.between(arguments.comePartial ? 2 : 1, 3); i > 0;
       --i) {
    Val value = program.argument(arguments.elem, arguments.shape, true);
    if (shared.empty() || program.rng.chance(20))
      shared = partialHint(program, value, arguments.rest, partial);
    if (program.rng.chance(80))
      program.givenHints[value.name] = shared;
    else if (program.rng.chance(50))
      program.givenHints[value.name] =
          partialHint(program, value, arguments.rest, "");
  }
}

/// Writes `count` ops, each by one of `makers`.
static void writeSome(ProgramBuilder &program, const std::vector<Maker> &makers,
                      int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t tries = 0; tries < 10; ++tries)
      if (program.rng.oneOf(makers)(program))
        break;
    if (program.rng.chance(program.hintPercent))
      program.randomHint();
  }
}

/// An op on an argument, or on two: a value that other ops need not lead to.
static Val changedArgument(ProgramBuilder &program,
                           const PartialArguments &arguments,
                           const std::vector<Val> &alike) {
  static const std::vector<std::string> two = {"add", "add", "sub", "mul",
                                               "mul"};
  static const std::vector<std::string> floatOps = {"arith.negf", "math.absf",
                                                    "math.floor"};
  const Val a = program.rng.oneOf(alike);
  const Val b = program.rng.chance(45)
                    ? program.argument(arguments.elem, arguments.shape, true)
                    : program.rng.oneOf(alike);
  bool floats = isFloat(arguments.elem);
  std::string suffix = floats ? "f " : "i ", right;
  double bound = a.bound * b.bound + a.bound + b.bound;
  if (program.rng.chance(70))
    right = "arith." + program.rng.oneOf(two) + suffix + a.name + ", " + b.name;
  else if (floats)
    right = program.rng.oneOf(floatOps) + " " + a.name;
  else
    right = "arith.maxsi " + a.name + ", " + b.name;
  return program.define(right + " : " + a.type(), arguments.elem,
                        arguments.shape, bound);
}

/// Writes ops that partial values pass, ops that they do not, and reductions. Returns
/// those of the results that are made of arguments directly.
static std::vector<Val> writePartialOps(ProgramBuilder &program,
                                        const PartialArguments &arguments) {
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
  bool comePartial = arguments.comePartial;
  program.budget = 4;
  std::vector<Val> results;
  const std::vector<Val> alike = program.arguments;
  if (comePartial && program.rng.chance(25) && pad(program))
    results.push_back(program.scope.back());
  if (comePartial && program.rng.chance(60))
    results.push_back(changedArgument(program, arguments, alike));
  if (arguments.commutes || (comePartial && program.rng.chance(20))) {
    // What other ops use, too, is reduced for these.
    bool isOwn = program.rng.chance(60);
    Val value = isOwn ? program.argument(arguments.elem, arguments.shape, true)
                      : program.rng.oneOf(alike);
    if (isOwn)
      program.givenHints[value.name] = partialHint(
          program, value, arguments.rest, partialText(program, arguments));
    results.push_back(commutingOps(program, value));
  }
  if (!comePartial)
    writeSome(program, reducing, program.rng.between(1, 2));
  writeSome(program, plain, program.rng.between(comePartial ? 1 : 0, 3));
  if (program.rng.chance(50))
    writeSome(program, reducing, 1);
  const Val &last = program.scope.back();
  if (last.tensor && last.elem != Elem::I1 && last.elem != Elem::Index &&
      program.rng.chance(30))
    results.push_back(commutingOps(program, Val(last)));
  return results;
}

/// `given`, or none of them, and some of the last values in scope.
static std::vector<Val> chooseResults(ProgramBuilder &program,
                                      std::vector<Val> given) {
  std::vector<Val> results;
  if (!given.empty() && program.rng.chance(70))
    results = std::move(given);
  bool hasGiven = !results.empty();
  for (size_t i = program.scope.size(); i > 0 && results.size() < 2 + hasGiven;
       --i)
    if (program.scope[i - 1].tensor &&
        (results.size() == size_t(hasGiven) || program.rng.chance(30)))
      results.push_back(program.scope[i - 1]);
  return results;
}

void shard::fuzz::partialProgram(ProgramBuilder &program) {
  program.partials = true;
  program.manyBlocks = program.rng.chance(30);
  program.argumentHintPercent = program.rng.chance(50) ? 0 : 60;
  program.hintPercent = program.rng.chance(70) ? 0 : 20;
  PartialArguments arguments = chooseArguments(program);
  std::string outer;
  std::vector<Val> results;
  if (program.rng.chance(20)) {
    std::swap(program.out, outer);
    partialChain(program, arguments.elem, arguments.kind);
    results = {program.scope.back()};
  } else {
    writeArguments(program, arguments);
    std::swap(program.out, outer);
    results = chooseResults(program, writePartialOps(program, arguments));
  }
  program.line("return " + nameList(results) + " : " + typeList(results));
  std::swap(program.out, outer);
  program.out +=
      functionHeader(program, {"main", program.arguments, results}, false) +
      outer + "}\n";
}
