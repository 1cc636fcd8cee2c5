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

#include "Generator.h"

#include <utility>

using namespace shard::fuzz;

/// A hint for `value`: `partialText`, and the axes of `rest` in some dimensions.
std::string Generator::partialHint(const Val &value, Shape rest,
                                   const std::string &partialText) {
  std::vector<std::vector<std::string>> dims(value.shape.size());
  rng.shuffle(rest);
  for (int64_t axis : rest)
    if (!dims.empty() && rng.chance(70))
      dims[rng.between(0, int64_t(dims.size()) - 1)].push_back(axisText(axis));
  bool open = rng.chance(20);
  std::vector<std::string> lists;
  for (std::vector<std::string> &dim : dims) {
    if (open)
      dim.push_back("?");
    lists.push_back("[" + join(dim) + "]");
  }
  return "<@grid, [" + join(lists) + "]" + partialText + ">";
}

/// A value that is split or whole becomes partial, and is combined again.
void Generator::partialChain(Elem elem, const std::string &kind) {
  Shape axes, partialAxes, rest;
  for (size_t axis = 0; axis < grid.size(); ++axis)
    axes.push_back(axis);
  for (int64_t axis : axes)
    (rng.chance(60) ? partialAxes : rest).push_back(axis);
  if (partialAxes.empty())
    std::swap(partialAxes, rest);
  Val value = argument(elem, randomShape(rng.between(1, 2)), true);
  if (rng.chance(80))
    givenHints[value.name] = partialHint(value, axes, "");
  auto sharding = [&](const Shape &from, const std::string &partial) {
    std::vector<Shape> dims(value.shape.size());
    for (int64_t axis : from)
      if (rng.chance(40))
        dims[rng.between(0, int64_t(dims.size()) - 1)].push_back(axis);
    std::vector<std::string> lists;
    for (const Shape &dim : dims)
      lists.push_back("[" + list(dim) + "]");
    std::string name = fresh();
    line(name + " = shard.sharding @grid split_axes = [" + join(lists) + "]" +
         partial + " : !shard.sharding");
    Val result = value;
    result.name = fresh();
    line(result.name + " = shard.shard " + value.name + " to " + name +
         " annotate_for_users : " + value.type());
    value = add(result);
  };
  sharding(rest, " partial = " + kind + " [" + list(partialAxes) + "]");
  if (rng.chance(40))
    sharding(axes, "");
}

void Generator::partialProgram() {
  partials = true;
  manyBlocks = rng.chance(30);
  argumentHintPercent = rng.chance(50) ? 0 : 60;
  hintPercent = rng.chance(70) ? 0 : 20;
  static const std::vector<Elem> elems = {Elem::F32, Elem::F32, Elem::F32,
                                          Elem::I32, Elem::I32, Elem::I64,
                                          Elem::I16, Elem::I8};
  Elem elem = rng.oneOf(elems);
  Shape axes, partialAxes, rest;
  for (size_t axis = 0; axis < grid.size(); ++axis)
    axes.push_back(axis);
  rng.shuffle(axes);
  // An axis of one device shows nothing.
  for (size_t i = 1; i < axes.size() && grid[axes[0]] == 1; ++i)
    std::swap(axes[0], axes[i]);
  bool comePartial = rng.chance(70);
  for (int64_t axis : axes)
    (comePartial && (partialAxes.empty() || rng.chance(30)) ? partialAxes
                                                            : rest)
        .push_back(axis);
  static const std::vector<std::string> floats = {"sum", "sum", "sum", "max",
                                                  "min"};
  static const std::vector<std::string> integers = {
      "sum",     "sum",         "sum",        "sum",        "sum", "sum",
      "sum",     "max",         "max",        "min",        "min", "umax",
      "product", "bitwise_and", "bitwise_or", "bitwise_xor"};
  std::string kind = rng.oneOf(isFloat(elem) ? floats : integers), text;
  if (rng.chance(20)) {
    std::string outer;
    std::swap(out, outer);
    partialChain(elem, kind);
    Val result = scope.back();
    line("return " + result.name + " : " + result.type());
    std::swap(out, outer);
    out += header({"main", arguments, {result}}, false) + outer + "}\n";
    return;
  }
  if (!partialAxes.empty()) {
    std::vector<std::string> names;
    for (int64_t axis : partialAxes)
      names.push_back(axisText(axis));
    text = ", partial = " + kind + " [" + join(names) + "]";
  }
  Shape shape = randomShape(rng.between(1, 3));
  for (int64_t &extent : shape)
    if (extent == 1 && rng.chance(80))
      extent = rng.between(2, 5);
  std::string shared;
  for (int64_t i = rng.between(comePartial ? 2 : 1, 3); i > 0; --i) {
    Val value = argument(elem, shape, true);
    if (shared.empty() || rng.chance(20))
      shared = partialHint(value, rest, text);
    if (rng.chance(80))
      givenHints[value.name] = shared;
    else if (rng.chance(50))
      givenHints[value.name] = partialHint(value, rest, "");
  }

  std::string outer;
  std::swap(out, outer);
  static const std::vector<Maker> plain = {&Generator::elementwise,
                                           &Generator::elementwise,
                                           &Generator::elementwise,
                                           &Generator::elementwise,
                                           &Generator::exactMath,
                                           &Generator::integerMath,
                                           &Generator::pad,
                                           &Generator::pad,
                                           &Generator::concat,
                                           &Generator::collapse,
                                           &Generator::expand,
                                           &Generator::extractSlice,
                                           &Generator::insertSlice,
                                           &Generator::linalgTranspose,
                                           &Generator::linalgMap,
                                           &Generator::linalgNamedElementwise,
                                           &Generator::linalgUnary,
                                           &Generator::linalgBroadcast,
                                           &Generator::genericElementwise,
                                           &Generator::genericElementwise,
                                           &Generator::compareSelect,
                                           &Generator::cast,
                                           &Generator::scfIf,
                                           &Generator::branches,
                                           &Generator::matmul,
                                           &Generator::vectorProduct};
  static const std::vector<Maker> reducing = {
      &Generator::genericReduction, &Generator::genericReduction,
      &Generator::linalgReduce, &Generator::extractSlice, &Generator::matmul};
  auto some = [&](const std::vector<Maker> &makers, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      for (int64_t tries = 0; tries < 10; ++tries)
        if ((this->*rng.oneOf(makers))())
          break;
      if (rng.chance(hintPercent))
        randomHint();
    }
  };
  budget = 4;
  // What combines or changes the arguments themselves: a result, whatever the
  // other ops do.
  std::vector<Val> results;
  const std::vector<Val> alike = arguments;
  if (comePartial && rng.chance(25) && pad())
    results.push_back(scope.back());
  if (comePartial && rng.chance(60)) {
    const Val a = rng.oneOf(alike);
    const Val b =
        rng.chance(45) ? argument(elem, shape, true) : rng.oneOf(alike);
    static const std::vector<std::string> two = {"add", "add", "sub", "mul",
                                                 "mul"};
    static const std::vector<std::string> floatOps = {"arith.negf", "math.absf",
                                                      "math.floor"};
    std::string suffix = isFloat(elem) ? "f " : "i ", right;
    double bound = a.bound * b.bound + a.bound + b.bound;
    if (rng.chance(70))
      right = "arith." + rng.oneOf(two) + suffix + a.name + ", " + b.name;
    else if (isFloat(elem))
      right = rng.oneOf(floatOps) + " " + a.name;
    else
      right = "arith.maxsi " + a.name + ", " + b.name;
    results.push_back(define(right + " : " + a.type(), elem, shape, bound));
  }
  if (!comePartial)
    some(reducing, rng.between(1, 2));
  some(plain, rng.between(comePartial ? 1 : 0, 3));
  if (rng.chance(50))
    some(reducing, 1);
  bool given = !results.empty() && rng.chance(70);
  if (!given)
    results.clear();
  for (size_t i = scope.size(); i > 0 && results.size() < 2 + given; --i)
    if (scope[i - 1].tensor &&
        (results.size() == size_t(given) || rng.chance(30)))
      results.push_back(scope[i - 1]);
  line("return " + nameList(results) + " : " + typeList(results));
  std::swap(out, outer);
  out += header({"main", arguments, results}, false) + outer + "}\n";
}
