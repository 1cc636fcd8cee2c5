//===- ControlOps.cpp - Regions and calls in a random program ------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Generator.h"

#include <algorithm>
#include <tuple>

using namespace shard::fuzz;

std::string Generator::region(const std::function<void()> &body) {
  std::string outer;
  std::swap(out, outer);
  size_t values = scope.size(), argumentsBefore = arguments.size();
  bool manyBlocksOutside = manyBlocks;
  manyBlocks = false;
  indent += 2;
  ++depth;
  body();
  --depth;
  manyBlocks = manyBlocksOutside;
  indent -= 2;
  scope.resize(values + arguments.size() - argumentsBefore);
  std::swap(out, outer);
  return outer;
}

std::string shard::fuzz::typeList(const std::vector<Val> &values) {
  std::vector<std::string> types;
  for (const Val &value : values)
    types.push_back(value.type());
  return join(types);
}

std::string shard::fuzz::nameList(const std::vector<Val> &values) {
  std::vector<std::string> names;
  for (const Val &value : values)
    names.push_back(value.name);
  return join(names);
}

/// Adds the results of a region op, named `name`, of the types of `like`.
void Generator::addResults(const std::string &name, std::vector<Val> like) {
  for (size_t i = 0; i < like.size(); ++i) {
    like[i].name = like.size() > 1 ? name + "#" + std::to_string(i) : name;
    add(like[i]);
  }
}

std::string shard::fuzz::multiple(const std::string &name, size_t count) {
  return count > 1 ? name + ":" + std::to_string(count) : name;
}

bool Generator::scfIf() {
  if (depth >= 2)
    return false;
  Val condition = needScalar(Elem::I1);
  std::vector<Val> results;
  std::string thenText = region([&] {
    size_t before = scope.size(), argumentsBefore = arguments.size();
    ops(rng.between(1, 3));
    before += arguments.size() - argumentsBefore;
    int64_t count = rng.between(1, 2);
    for (int64_t i = 0; i < count; ++i) {
      // Mostly what the branch has made.
      if (scope.size() > before && rng.chance(80))
        results.push_back(scope[rng.between(before, scope.size() - 1)]);
      else if (std::optional<Val> value = pickTensor())
        results.push_back(*value);
    }
    if (results.empty())
      results.push_back(needScalar(Elem::I32));
    line("scf.yield " + nameList(results) + " : " + typeList(results));
  });
  std::vector<Val> others;
  std::string elseText = region([&] {
    ops(rng.between(0, 2));
    for (Val &result : results) {
      Val other = result.tensor ? needLike(result) : needScalar(result.elem);
      result.bound = std::max(result.bound, other.bound);
      others.push_back(other);
    }
    line("scf.yield " + nameList(others) + " : " + typeList(others));
  });
  std::string name = fresh();
  line(multiple(name, results.size()) + " = scf.if " + condition.name +
       " -> (" + typeList(results) + ") {");
  out += thenText;
  line("} else {");
  out += elseText;
  line("}");
  addResults(name, results);
  return true;
}

/// Loop-carried values: initial values of loops, small enough, and what stands for
/// them inside.
std::pair<std::vector<Val>, std::vector<Val>> Generator::carriedValues() {
  std::vector<Val> inits, carried;
  for (int64_t i = rng.between(1, 2); i > 0; --i) {
    std::optional<Val> init =
        rng.chance(85) ? pickAny([](const Val &v) { return v.tensor; })
                       : std::optional<Val>(needScalar(Elem::I32));
    if (!init)
      continue;
    Val small = clamped(*init, 8);
    inits.push_back(small);
    small.name = fresh();
    small.bound = 8;
    carried.push_back(small);
  }
  return {inits, carried};
}

/// Values of the types of `carried` for the end of a loop's body.
std::vector<Val> Generator::nextValues(const std::vector<Val> &carried) {
  std::vector<Val> next;
  for (const Val &value : carried) {
    std::optional<Val> found = pickAny([&](const Val &v) {
      return v.type() == value.type() && v.shape == value.shape &&
             v.name != value.name;
    });
    next.push_back(clamped(found ? *found : value, 8));
  }
  return next;
}

/// "%a = %x, %b = %y".
static std::string assignments(const std::vector<Val> &names,
                               const std::vector<Val> &values) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < names.size(); ++i)
    texts.push_back(names[i].name + " = " + values[i].name);
  return join(texts);
}

bool Generator::scfFor() {
  if (depth >= 2)
    return false;
  // Not bound by their structure: lambdas capture them.
  std::vector<Val> inits, carried;
  std::tie(inits, carried) = carriedValues();
  if (inits.empty())
    return false;
  Val low = scalarConstant(Elem::Index, rng.between(0, 1));
  Val step = scalarConstant(Elem::Index, rng.between(1, 2));
  Val high = scalarConstant(Elem::Index, rng.between(0, 4));
  if (rng.chance(30)) {
    Val any = needScalar(Elem::Index);
    Val four = scalarConstant(Elem::Index, 4);
    high =
        defineScalar("arith.remui " + any.name + ", " + four.name + " : index",
                     Elem::Index, 4);
  }
  std::string induction = fresh();
  std::string text = region([&] {
    add({induction, Elem::Index, false, {}, 12});
    for (const Val &value : carried)
      add(value);
    ops(rng.between(1, 4));
    std::vector<Val> next = nextValues(carried);
    line("scf.yield " + nameList(next) + " : " + typeList(next));
  });
  std::string name = fresh();
  line(multiple(name, carried.size()) + " = scf.for " + induction + " = " +
       low.name + " to " + high.name + " step " + step.name + " iter_args(" +
       assignments(carried, inits) + ") -> (" + typeList(carried) + ") {");
  out += text;
  line("}");
  addResults(name, carried);
  return true;
}

bool Generator::scfWhile() {
  if (depth >= 2)
    return false;
  std::vector<Val> inits, carried;
  std::tie(inits, carried) = carriedValues();
  if (inits.empty())
    return false;
  Val zero = scalarConstant(Elem::Index, 0),
      one = scalarConstant(Elem::Index, 1);
  Val limit = scalarConstant(Elem::Index, rng.between(0, 3));
  Val count{fresh(), Elem::Index, false, {}, 12};
  inits.insert(inits.begin(), zero);
  carried.insert(carried.begin(), count);
  std::vector<std::string> blockArguments;
  std::string before = region([&] {
    for (const Val &value : carried)
      add(value);
    if (rng.chance(30))
      ops(1);
    std::string condition = fresh();
    line(condition + " = arith.cmpi ult, " + count.name + ", " + limit.name +
         " : index");
    line("scf.condition(" + condition + ") " + nameList(carried) + " : " +
         typeList(carried));
  });
  std::vector<Val> inside = carried;
  for (Val &value : inside) {
    value.name = fresh();
    blockArguments.push_back(value.name + ": " + value.type());
  }
  std::string after = region([&] {
    for (size_t i = 1; i < inside.size(); ++i)
      add(inside[i]);
    ops(rng.between(1, 3));
    std::vector<Val> next = nextValues({inside.begin() + 1, inside.end()});
    Val up = defineScalar("arith.addi " + inside[0].name + ", " + one.name +
                              " : index",
                          Elem::Index, 12);
    next.insert(next.begin(), up);
    line("scf.yield " + nameList(next) + " : " + typeList(next));
  });
  std::string name = fresh();
  line(multiple(name, carried.size()) + " = scf.while (" +
       assignments(carried, inits) + ") : (" + typeList(carried) + ") -> (" +
       typeList(carried) + ") {");
  out += before;
  line("} do {");
  line("^bb0(" + join(blockArguments) + "):");
  out += after;
  line("}");
  addResults(name, carried);
  return true;
}

bool Generator::call() {
  // A callee may have hints that name manual axes.
  if (functions.empty() || !manualAxes.empty())
    return false;
  const Function callee = rng.oneOf(functions);
  std::vector<Val> operands;
  for (const Val &argument : callee.arguments)
    operands.push_back(clamped(argument.tensor ? needLike(argument)
                                               : needScalar(argument.elem),
                               inputBound));
  std::string name = fresh();
  line(multiple(name, callee.results.size()) + " = func.call @" + callee.name +
       "(" + nameList(operands) + ") : (" + typeList(operands) + ") -> (" +
       typeList(callee.results) + ")");
  addResults(name, callee.results);
  return true;
}
