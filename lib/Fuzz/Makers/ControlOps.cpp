//===- ControlOps.cpp - Regions and calls in a random program ------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parts.h"

#include "llvm/Support/SaveAndRestore.h"

#include <algorithm>
#include <tuple>

using namespace shard::fuzz;

std::string ProgramBuilder::region(const std::function<void()> &body) {
  std::string outer;
  std::swap(out, outer);
  size_t values = scope.size(), argumentsBefore = arguments.size();
  llvm::SaveAndRestore blocks(manyBlocks, false);
  llvm::SaveAndRestore indented(indent, indent + 2);
  llvm::SaveAndRestore deeper(depth, depth + 1);
  body();
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
void shard::fuzz::addResults(ProgramBuilder &program, const std::string &name,
                             std::vector<Val> like) {
  for (size_t i = 0; i < like.size(); ++i) {
    like[i].name = like.size() > 1 ? name + "#" + std::to_string(i) : name;
    program.add(like[i]);
  }
}

std::string shard::fuzz::multiple(const std::string &name, size_t count) {
  return count > 1 ? name + ":" + std::to_string(count) : name;
}

bool shard::fuzz::scfIf(ProgramBuilder &program) {
  if (program.depth >= 2)
    return false;
  Val condition = program.needScalar(Elem::I1);
  std::vector<Val> results;
  std::string thenText = program.region([&] {
    size_t before = program.scope.size(),
           argumentsBefore = program.arguments.size();
    writeOps(program, program.rng.between(1, 3));
    before += program.arguments.size() - argumentsBefore;
    int64_t count = program.rng.between(1, 2);
    for (int64_t i = 0; i < count; ++i) {
      // Mostly what the branch has made.
      if (program.scope.size() > before && program.rng.chance(80))
        results.push_back(
            program
                .scope[program.rng.between(before, program.scope.size() - 1)]);
      else if (std::optional<Val> value = program.pickTensor())
        results.push_back(*value);
    }
    if (results.empty())
      results.push_back(program.needScalar(Elem::I32));
    program.line("scf.yield " + nameList(results) + " : " + typeList(results));
  });
  std::vector<Val> others;
  std::string elseText = program.region([&] {
    writeOps(program, program.rng.between(0, 2));
    for (Val &result : results) {
      Val other = result.tensor ? program.needLike(result)
                                : program.needScalar(result.elem);
      result.bound = std::max(result.bound, other.bound);
      others.push_back(other);
    }
    program.line("scf.yield " + nameList(others) + " : " + typeList(others));
  });
  std::string name = program.fresh();
  program.line(multiple(name, results.size()) + " = scf.if " + condition.name +
               " -> (" + typeList(results) + ") {");
  program.out += thenText;
  program.line("} else {");
  program.out += elseText;
  program.line("}");
  addResults(program, name, results);
  return true;
}

/// Loop-carried values: initial values of loops, small enough, and what stands for
/// them inside.
std::pair<std::vector<Val>, std::vector<Val>>
shard::fuzz::carriedValues(ProgramBuilder &program) {
  std::vector<Val> inits, carried;
  for (int64_t i = program.rng.between(1, 2); i > 0; --i) {
    std::optional<Val> init =
        program.rng.chance(85)
            ? program.pickAny([](const Val &v) { return v.tensor; })
            : std::optional<Val>(program.needScalar(Elem::I32));
    if (!init)
      continue;
    // Carried values of one type may be yielded as one.
    if (!inits.empty() && program.rng.chance(30))
      init = program.needLike(inits.front());
    Val small = program.clamped(*init, 8);
    inits.push_back(small);
    small.name = program.fresh();
    small.bound = 8;
    carried.push_back(small);
  }
  return {inits, carried};
}

/// Values of the types of `carried` for the end of a loop's body.
std::vector<Val> shard::fuzz::nextValues(ProgramBuilder &program,
                                         const std::vector<Val> &carried) {
  std::vector<Val> next;
  for (const Val &value : carried) {
    std::optional<Val> found = program.pickAny([&](const Val &v) {
      return v.type() == value.type() && v.shape == value.shape &&
             v.name != value.name;
    });
    // One value for two results in a part of the loops.
    auto same = std::find_if(next.begin(), next.end(), [&](const Val &v) {
      return v.type() == value.type() && v.shape == value.shape;
    });
    if (same != next.end() && program.rng.chance(40))
      next.push_back(Val(*same));
    else
      next.push_back(program.clamped(found ? *found : value, 8));
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

static bool scfFor(ProgramBuilder &program) {
  if (program.depth >= 2)
    return false;
  // Not bound by their structure: lambdas capture them.
  std::vector<Val> inits, carried;
  std::tie(inits, carried) = carriedValues(program);
  if (inits.empty())
    return false;
  Val low = program.scalarConstant(Elem::Index, program.rng.between(0, 1));
  Val step = program.scalarConstant(Elem::Index, program.rng.between(1, 2));
  Val high = program.scalarConstant(Elem::Index, program.rng.between(0, 4));
  if (program.rng.chance(30)) {
    Val any = program.needScalar(Elem::Index);
    Val four = program.scalarConstant(Elem::Index, 4);
    high = program.defineScalar("arith.remui " + any.name + ", " + four.name +
                                    " : index",
                                Elem::Index, 4);
  }
  std::string induction = program.fresh();
  std::string text = program.region([&] {
    program.add({induction, Elem::Index, false, {}, 12});
    for (const Val &value : carried)
      program.add(value);
    writeOps(program, program.rng.between(1, 4));
    std::vector<Val> next = nextValues(program, carried);
    program.line("scf.yield " + nameList(next) + " : " + typeList(next));
  });
  std::string name = program.fresh();
  program.line(multiple(name, carried.size()) + " = scf.for " + induction +
               " = " + low.name + " to " + high.name + " step " + step.name +
               " iter_args(" + assignments(carried, inits) + ") -> (" +
               typeList(carried) + ") {");
  program.out += text;
  program.line("}");
  addResults(program, name, carried);
  return true;
}

static bool scfWhile(ProgramBuilder &program) {
  if (program.depth >= 2)
    return false;
  std::vector<Val> inits, carried;
  std::tie(inits, carried) = carriedValues(program);
  if (inits.empty())
    return false;
  Val zero = program.scalarConstant(Elem::Index, 0),
      one = program.scalarConstant(Elem::Index, 1);
  Val limit = program.scalarConstant(Elem::Index, program.rng.between(0, 3));
  Val count{program.fresh(), Elem::Index, false, {}, 12};
  inits.insert(inits.begin(), zero);
  carried.insert(carried.begin(), count);
  std::vector<std::string> blockArguments;
  std::string before = program.region([&] {
    for (const Val &value : carried)
      program.add(value);
    if (program.rng.chance(30))
      writeOps(program, 1);
    std::string condition = program.fresh();
    program.line(condition + " = arith.cmpi ult, " + count.name + ", " +
                 limit.name + " : index");
    program.line("scf.condition(" + condition + ") " + nameList(carried) +
                 " : " + typeList(carried));
  });
  std::vector<Val> inside = carried;
  for (Val &value : inside) {
    value.name = program.fresh();
    blockArguments.push_back(value.name + ": " + value.type());
  }
  std::string after = program.region([&] {
    for (size_t i = 1; i < inside.size(); ++i)
      program.add(inside[i]);
    writeOps(program, program.rng.between(1, 3));
    std::vector<Val> next =
        nextValues(program, {inside.begin() + 1, inside.end()});
    Val up = program.defineScalar("arith.addi " + inside[0].name + ", " +
                                      one.name + " : index",
                                  Elem::Index, 12);
    next.insert(next.begin(), up);
    program.line("scf.yield " + nameList(next) + " : " + typeList(next));
  });
  std::string name = program.fresh();
  program.line(multiple(name, carried.size()) + " = scf.while (" +
               assignments(carried, inits) + ") : (" + typeList(carried) +
               ") -> (" + typeList(carried) + ") {");
  program.out += before;
  program.line("} do {");
  program.line("^bb0(" + join(blockArguments) + "):");
  program.out += after;
  program.line("}");
  addResults(program, name, carried);
  return true;
}

bool shard::fuzz::call(ProgramBuilder &program) {
  // A callee may have hints that name manual axes.
  if (program.functions.empty() || !program.manualAxes.empty())
    return false;
  const Function callee = program.rng.oneOf(program.functions);
  std::vector<Val> operands;
  for (const Val &argument : callee.arguments)
    operands.push_back(program.clamped(argument.tensor
                                           ? program.needLike(argument)
                                           : program.needScalar(argument.elem),
                                       inputBound));
  std::string name = program.fresh();
  program.line(multiple(name, callee.results.size()) + " = func.call @" +
               callee.name + "(" + nameList(operands) + ") : (" +
               typeList(operands) + ") -> (" + typeList(callee.results) + ")");
  addResults(program, name, callee.results);
  return true;
}

void shard::fuzz::registerScfMakers(MakerRegistry &makers) {
  makers.add(MakerGroup::Control, scfIf, 2);
  makers.add(MakerGroup::Control, scfFor, 2);
  makers.add(MakerGroup::Control, scfForall);
  makers.add(MakerGroup::Control, scfWhile);
  makers.add(MakerGroup::Control, scfExecuteRegion);
  makers.add(MakerGroup::Control, scfIndexSwitch);
  makers.add(MakerGroup::Loops, scfForall, 3);
  makers.add(MakerGroup::Loops, scfFor);
  makers.add(MakerGroup::RealControl, scfIf);
  makers.add(MakerGroup::RealControl, scfFor);
  makers.add(MakerGroup::RealControl, scfWhile);
}

void shard::fuzz::registerCallMakers(MakerRegistry &makers) {
  makers.add(MakerGroup::Control, call, 3);
  makers.add(MakerGroup::RealControl, call, 2);
}
