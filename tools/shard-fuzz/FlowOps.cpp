//===- FlowOps.cpp - Blocks and branches in a random program -------------===//
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

std::string Generator::label() { return "^b" + std::to_string(counter++); }

/// "(%a, %b : type, type)" behind the name of a block.
static std::string passed(const std::vector<Val> &values) {
  return values.empty()
             ? ""
             : "(" + nameList(values) + " : " + typeList(values) + ")";
}

/// "^block(%a: type):", with a fresh argument for each of `like`.
static std::string opened(const std::string &block,
                          const std::vector<Val> &arguments) {
  std::vector<std::string> texts;
  for (const Val &argument : arguments)
    texts.push_back(argument.name + ": " + argument.type());
  return block + (texts.empty() ? "" : "(" + join(texts) + ")") + ":";
}

/// One or two values of the scope, mostly those behind its first `before`.
std::vector<Val> Generator::someValues(size_t before) {
  std::vector<Val> values;
  for (int64_t i = rng.between(1, 2); i > 0; --i) {
    if (scope.size() > before && rng.chance(80))
      values.push_back(scope[rng.between(before, scope.size() - 1)]);
    else if (std::optional<Val> value = pickTensor())
      values.push_back(*value);
  }
  if (values.empty())
    values.push_back(needScalar(Elem::I32));
  return values;
}

/// A value for each of `results`, of its type; bounds grow to cover both.
std::vector<Val> Generator::alternatives(std::vector<Val> &results) {
  std::vector<Val> others;
  for (Val &result : results) {
    Val other = result.tensor ? needLike(result) : needScalar(result.elem);
    result.bound = std::max(result.bound, other.bound);
    others.push_back(other);
  }
  return others;
}

/// Some ops, and a yield of some of what they make.
std::vector<Val> Generator::opsAndYield() {
  size_t before = scope.size(), argumentsBefore = arguments.size();
  ops(rng.between(1, 3));
  std::vector<Val> values =
      someValues(before + arguments.size() - argumentsBefore);
  line("scf.yield " + nameList(values) + " : " + typeList(values));
  return values;
}

bool Generator::scfExecuteRegion() {
  if (depth >= 2)
    return false;
  std::vector<Val> results;
  std::string text = region([&] {
    manyBlocks = true;
    results = opsAndYield();
  });
  std::string name = fresh();
  line(multiple(name, results.size()) + " = scf.execute_region -> (" +
       typeList(results) + ") {");
  out += text;
  line("}");
  addResults(name, results);
  return true;
}

bool Generator::scfIndexSwitch() {
  if (depth >= 2)
    return false;
  Val selector = needScalar(Elem::Index);
  if (rng.chance(70)) {
    Val three = scalarConstant(Elem::Index, 3);
    selector = defineScalar("arith.remui " + selector.name + ", " + three.name +
                                " : index",
                            Elem::Index, 2);
  }
  std::vector<Val> results;
  std::string text = region([&] { results = opsAndYield(); });
  std::string cases;
  for (int64_t number = 0, end = rng.between(0, 2); number < end; ++number) {
    cases += std::string(indent, ' ') + "case " + std::to_string(number) +
             " {\n" + region([&] {
               ops(rng.between(0, 2));
               std::vector<Val> others = alternatives(results);
               line("scf.yield " + nameList(others) + " : " + typeList(others));
             }) +
             std::string(indent, ' ') + "}\n";
  }
  std::string name = fresh(), types;
  for (const Val &result : results)
    types += (types.empty() ? "" : ", ") + result.type();
  line(multiple(name, results.size()) + " = scf.index_switch " + selector.name +
       " -> " + types);
  out += cases;
  line("default {");
  out += text;
  line("}");
  addResults(name, results);
  return true;
}

/// Two ways, and where they meet.
bool Generator::branches() {
  if (!manyBlocks || depth >= 2)
    return false;
  Val condition = needScalar(Elem::I1);
  std::string left = label(), right = label(), meet = label();
  std::vector<Val> results;
  std::string leftText = region([&] {
    size_t before = scope.size(), argumentsBefore = arguments.size();
    ops(rng.between(1, 3));
    results = someValues(before + arguments.size() - argumentsBefore);
    line("cf.br " + meet + passed(results));
  });
  // Straight to where they meet, or through a block with an argument.
  bool direct = rng.chance(40);
  std::vector<Val> given, inside;
  if (!direct && rng.chance(50))
    if (std::optional<Val> value = pickTensor()) {
      given.push_back(*value);
      inside.push_back(*value);
      inside.back().name = fresh();
    }
  std::vector<Val> others;
  std::string rightText;
  if (direct) {
    others = alternatives(results);
  } else {
    rightText = region([&] {
      for (const Val &value : inside)
        add(value);
      ops(rng.between(0, 2));
      others = alternatives(results);
      line("cf.br " + meet + passed(others));
    });
  }
  line("cf.cond_br " + condition.name + ", " + left + ", " +
       (direct ? meet + passed(others) : right + passed(given)));
  line(opened(left, {}));
  out += leftText;
  if (!direct) {
    line(opened(right, inside));
    out += rightText;
  }
  for (Val &result : results)
    result.name = fresh();
  line(opened(meet, results));
  for (const Val &result : results)
    add(result);
  return true;
}

/// A loop of blocks that runs at most three times.
bool Generator::branchLoop() {
  if (!manyBlocks || depth >= 2)
    return false;
  std::vector<Val> inits, carried;
  std::tie(inits, carried) = carriedValues();
  if (inits.empty())
    return false;
  Val zero = scalarConstant(Elem::Index, 0),
      one = scalarConstant(Elem::Index, 1),
      limit = scalarConstant(Elem::Index, rng.between(0, 3));
  Val count{fresh(), Elem::Index, false, {}, 12};
  inits.insert(inits.begin(), zero);
  std::string head = label(), body = label(), exit = label();
  std::string text = region([&] {
    add(count);
    for (const Val &value : carried)
      add(value);
    ops(rng.between(1, 3));
    std::vector<Val> next = nextValues(carried);
    Val up =
        defineScalar("arith.addi " + count.name + ", " + one.name + " : index",
                     Elem::Index, 12);
    next.insert(next.begin(), up);
    line("cf.br " + head + passed(next));
  });
  std::vector<Val> all = carried;
  all.insert(all.begin(), count);
  line("cf.br " + head + passed(inits));
  line(opened(head, all));
  std::string condition = fresh();
  line(condition + " = arith.cmpi ult, " + count.name + ", " + limit.name +
       " : index");
  std::vector<Val> results;
  if (rng.chance(50))
    results = carried;
  line("cf.cond_br " + condition + ", " + body + ", " + exit + passed(results));
  line(opened(body, {}));
  out += text;
  for (Val &result : results)
    result.name = fresh();
  line(opened(exit, results));
  // Those of the head are visible here too.
  for (const Val &value : results.empty() ? carried : results)
    add(value);
  return true;
}
