//===- FlowOps.cpp - Blocks and branches in a random program -------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parts.h"

#include <algorithm>
#include <tuple>

using namespace shard::fuzz;

std::string ProgramBuilder::label() { return "^b" + std::to_string(counter++); }

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
static std::vector<Val> someValues(ProgramBuilder &program, size_t before) {
  std::vector<Val> values;
  for (int64_t i = program.rng.between(1, 2); i > 0; --i) {
    if (program.scope.size() > before && program.rng.chance(80))
      values.push_back(
          program.scope[program.rng.between(before, program.scope.size() - 1)]);
    else if (std::optional<Val> value = program.pickTensor())
      values.push_back(*value);
  }
  if (values.empty())
    values.push_back(program.needScalar(Elem::I32));
  return values;
}

/// A value for each of `results`, of its type; bounds grow to cover both.
static std::vector<Val> alternatives(ProgramBuilder &program,
                                     std::vector<Val> &results) {
  std::vector<Val> others;
  for (Val &result : results) {
    Val other = result.tensor ? program.needLike(result)
                              : program.needScalar(result.elem);
    result.bound = std::max(result.bound, other.bound);
    others.push_back(other);
  }
  return others;
}

/// Some ops, and a yield of some of what they make.
static std::vector<Val> opsAndYield(ProgramBuilder &program) {
  size_t before = program.scope.size(),
         argumentsBefore = program.arguments.size();
  writeOps(program, program.rng.between(1, 3));
  std::vector<Val> values =
      someValues(program, before + program.arguments.size() - argumentsBefore);
  program.line("scf.yield " + nameList(values) + " : " + typeList(values));
  return values;
}

bool shard::fuzz::scfExecuteRegion(ProgramBuilder &program) {
  if (program.depth >= 2)
    return false;
  std::vector<Val> results;
  std::string text = program.region([&] {
    program.manyBlocks = true;
    results = opsAndYield(program);
  });
  std::string name = program.fresh();
  program.line(multiple(name, results.size()) + " = scf.execute_region -> (" +
               typeList(results) + ") {");
  program.out += text;
  program.line("}");
  addResults(program, name, results);
  return true;
}

bool shard::fuzz::scfIndexSwitch(ProgramBuilder &program) {
  if (program.depth >= 2)
    return false;
  Val selector = program.needScalar(Elem::Index);
  if (program.rng.chance(70)) {
    Val three = program.scalarConstant(Elem::Index, 3);
    selector = program.defineScalar("arith.remui " + selector.name + ", " +
                                        three.name + " : index",
                                    Elem::Index, 2);
  }
  std::vector<Val> results;
  std::string text = program.region([&] { results = opsAndYield(program); });
  std::string cases;
  for (int64_t number = 0, end = program.rng.between(0, 2); number < end;
       ++number) {
    cases += std::string(program.indent, ' ') + "case " +
             std::to_string(number) + " {\n" + program.region([&] {
               writeOps(program, program.rng.between(0, 2));
               std::vector<Val> others = alternatives(program, results);
               program.line("scf.yield " + nameList(others) + " : " +
                            typeList(others));
             }) +
             std::string(program.indent, ' ') + "}\n";
  }
  std::string name = program.fresh(), types;
  for (const Val &result : results)
    types += (types.empty() ? "" : ", ") + result.type();
  program.line(multiple(name, results.size()) + " = scf.index_switch " +
               selector.name + " -> " + types);
  program.out += cases;
  program.line("default {");
  program.out += text;
  program.line("}");
  addResults(program, name, results);
  return true;
}

/// Two ways, and where they meet.
bool shard::fuzz::branches(ProgramBuilder &program) {
  if (!program.manyBlocks || program.depth >= 2)
    return false;
  Val condition = program.needScalar(Elem::I1);
  std::string left = program.label(), right = program.label(),
              meet = program.label();
  std::vector<Val> results;
  std::string leftText = program.region([&] {
    size_t before = program.scope.size(),
           argumentsBefore = program.arguments.size();
    writeOps(program, program.rng.between(1, 3));
    results = someValues(program,
                         before + program.arguments.size() - argumentsBefore);
    program.line("cf.br " + meet + passed(results));
  });
  // Straight to where they meet, or through a block with an argument.
  bool direct = program.rng.chance(40);
  std::vector<Val> given, inside;
  if (!direct && program.rng.chance(50))
    if (std::optional<Val> value = program.pickTensor()) {
      given.push_back(*value);
      inside.push_back(*value);
      inside.back().name = program.fresh();
    }
  std::vector<Val> others;
  std::string rightText;
  if (direct) {
    others = alternatives(program, results);
  } else {
    rightText = program.region([&] {
      for (const Val &value : inside)
        program.add(value);
      writeOps(program, program.rng.between(0, 2));
      others = alternatives(program, results);
      program.line("cf.br " + meet + passed(others));
    });
  }
  program.line("cf.cond_br " + condition.name + ", " + left + ", " +
               (direct ? meet + passed(others) : right + passed(given)));
  program.line(opened(left, {}));
  program.out += leftText;
  if (!direct) {
    program.line(opened(right, inside));
    program.out += rightText;
  }
  for (Val &result : results)
    result.name = program.fresh();
  program.line(opened(meet, results));
  for (const Val &result : results)
    program.add(result);
  return true;
}

/// A loop of blocks that runs at most three times.
static bool branchLoop(ProgramBuilder &program) {
  if (!program.manyBlocks || program.depth >= 2)
    return false;
  std::vector<Val> inits, carried;
  std::tie(inits, carried) = carriedValues(program);
  if (inits.empty())
    return false;
  Val zero = program.scalarConstant(Elem::Index, 0),
      one = program.scalarConstant(Elem::Index, 1),
      limit = program.scalarConstant(Elem::Index, program.rng.between(0, 3));
  Val count{program.fresh(), Elem::Index, false, {}, 12};
  inits.insert(inits.begin(), zero);
  std::string head = program.label(), body = program.label(),
              exit = program.label();
  std::string text = program.region([&] {
    program.add(count);
    for (const Val &value : carried)
      program.add(value);
    writeOps(program, program.rng.between(1, 3));
    std::vector<Val> next = nextValues(program, carried);
    Val up = program.defineScalar("arith.addi " + count.name + ", " + one.name +
                                      " : index",
                                  Elem::Index, 12);
    next.insert(next.begin(), up);
    program.line("cf.br " + head + passed(next));
  });
  std::vector<Val> all = carried;
  all.insert(all.begin(), count);
  program.line("cf.br " + head + passed(inits));
  program.line(opened(head, all));
  std::string condition = program.fresh();
  program.line(condition + " = arith.cmpi ult, " + count.name + ", " +
               limit.name + " : index");
  std::vector<Val> results;
  if (program.rng.chance(50))
    results = carried;
  program.line("cf.cond_br " + condition + ", " + body + ", " + exit +
               passed(results));
  program.line(opened(body, {}));
  program.out += text;
  for (Val &result : results)
    result.name = program.fresh();
  program.line(opened(exit, results));
  // Those of the head are visible here too.
  for (const Val &value : results.empty() ? carried : results)
    program.add(value);
  return true;
}

void shard::fuzz::registerFlowMakers(MakerRegistry &makers) {
  makers.add(MakerGroup::Control, branches);
  makers.add(MakerGroup::Control, branchLoop);
  makers.add(MakerGroup::RealControl, branches);
  makers.add(MakerGroup::RealControl, branchLoop);
}
