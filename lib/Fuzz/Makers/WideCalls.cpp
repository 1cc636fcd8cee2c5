//===- WideCalls.cpp - Calls with very many tensors -----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A private function of so many arguments and results that they are passed in memory, and a call
// of it. Some results are asserted to be what the caller computes from the operands: one device
// passes them in the same way as the grid.
//
//===----------------------------------------------------------------------===//

#include "Parts.h"

using namespace shard::fuzz;

namespace {

/// A result of the function: an argument as it is, or the sum of two of one type.
struct Result {
  size_t a, b;
  bool isSum;
};

} // namespace

/// Numbers that a tensor of this rank is in LLVM: two pointers, an offset, extents and strides.
static int64_t numbersOf(const Val &value) {
  return 3 + 2 * int64_t(value.shape.size());
}

/// `a` and `b` added; their types are equal.
static Val sumOf(ProgramBuilder &program, const Val &a, const Val &b) {
  std::string op = isFloat(a.elem)      ? "arith.addf "
                   : a.elem == Elem::I1 ? "arith.xori "
                                        : "arith.addi ";
  return program.define(op + a.name + ", " + b.name + " : " + a.type(), a.elem,
                        a.shape, a.bound + b.bound);
}

/// Values of a few types, no two alike of one type, which have `least` numbers or more.
static std::vector<Val> manyOperands(ProgramBuilder &program, int64_t least) {
  Random &rng = program.rng;
  // Results of this type can be compared.
  std::vector<Val> types = {program.need(Elem::I32, {program.randomExtent()})};
  for (int64_t i = rng.between(1, 2); i > 0; --i)
    types.push_back(
        program.clamped(program.need(program.randomElem(),
                                     program.randomShape(rng.between(0, 2))),
                        inputBound));
  std::vector<Val> operands;
  for (int64_t numbers = 0; numbers < least;) {
    const Val &like = rng.oneOf(types);
    Val offset =
        program.splat(like.elem, like.shape, int64_t(operands.size()) - 8);
    operands.push_back(
        program.clamped(sumOf(program, like, offset), inputBound));
    numbers += numbersOf(like);
  }
  return operands;
}

static std::vector<Result> manyResults(ProgramBuilder &program,
                                       const std::vector<Val> &operands,
                                       int64_t least) {
  Random &rng = program.rng;
  std::vector<Result> results;
  for (int64_t numbers = 0; numbers < least;) {
    size_t a = rng.between(0, int64_t(operands.size()) - 1),
           b = rng.between(0, int64_t(operands.size()) - 1);
    results.push_back({a, b, operands[a].type() == operands[b].type()});
    numbers += numbersOf(operands[a]);
  }
  return results;
}

/// Writes a private function of arguments like `operands`.
static Function wideFunction(ProgramBuilder &program,
                             const std::vector<Val> &operands,
                             const std::vector<Result> &results) {
  Function function{"wide" + program.fresh().substr(1), operands, {}};
  for (size_t i = 0; i < operands.size(); ++i)
    function.arguments[i].name = "%a" + std::to_string(i);
  std::string text = program.region([&] {
    program.indent = 2;
    for (const Result &result : results)
      function.results.push_back(
          result.isSum ? sumOf(program, function.arguments[result.a],
                               function.arguments[result.b])
                       : function.arguments[result.a]);
    program.line("return " + nameList(function.results) + " : " +
                 typeList(function.results));
  });
  // Hints of the function around are those of values with these names.
  std::map<std::string, std::string> outerHints;
  std::swap(program.givenHints, outerHints);
  program.otherFunctions +=
      "\n" + functionHeader(program, function, true) + text + "}\n";
  std::swap(program.givenHints, outerHints);
  return function;
}

static bool wideCall(ProgramBuilder &program) {
  // Many values take their time; assertions as in UnrolledOps.cpp.
  if (program.depth >= 1 || !program.manualAxes.empty() ||
      !program.rng.chance(50))
    return false;
  int64_t ofArguments = program.rng.between(10, 120);
  std::vector<Val> operands = manyOperands(program, ofArguments);
  std::vector<Result> results =
      manyResults(program, operands, 130 - ofArguments);
  Function callee = wideFunction(program, operands, results);
  std::string name = program.fresh();
  program.line(multiple(name, results.size()) + " = func.call @" + callee.name +
               "(" + nameList(operands) + ") : (" + typeList(operands) +
               ") -> (" + typeList(callee.results) + ")");
  size_t first = program.scope.size();
  addResults(program, name, callee.results);
  std::vector<Val> called(program.scope.begin() + first, program.scope.end());
  for (int64_t i = program.rng.between(0, 2); i > 0; --i) {
    size_t index = program.rng.between(0, int64_t(results.size()) - 1);
    const Result &result = results[index];
    const Val &a = operands[result.a], &b = operands[result.b];
    if (a.elem == Elem::I32 && a.shape.size() == 1)
      assertEqual(program, called[index],
                  result.isSum ? sumOf(program, a, b) : a);
  }
  return true;
}

void shard::fuzz::registerWideCallMakers(MakerRegistry &makers) {
  makers.add(MakerGroup::Control, wideCall);
}
