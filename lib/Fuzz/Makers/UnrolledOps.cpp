//===- UnrolledOps.cpp - Loops beside their iterations --------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that carries two tensors, and its iterations written out one behind the other. The
// program asserts that both give the same. One device shares the lowering of loops with the
// grid, so that a comparison of the two does not see what is wrong on both.
//
//===----------------------------------------------------------------------===//

#include "Parts.h"

#include "shard/Fuzz/Makers.h"

#include <array>

using namespace shard::fuzz;

namespace {

/// One op of an iteration, on values by their number: those that are carried, then those
/// that the ops before have made. Most overwrite `b` where they may.
struct Step {
  enum Kind { Add, AddInto, Insert, InsertSlice };
  Kind kind;
  size_t a, b;
  int64_t place, number;
};

struct Recipe {
  std::vector<Step> steps;
  /// What is handed on; one value twice in half of the loops.
  std::array<size_t, 2> yielded;
};

} // namespace

static Recipe randomRecipe(Random &rng, int64_t least, const Shape &shape) {
  Recipe recipe;
  size_t values = 2;
  for (int64_t i = rng.between(least, 3); i > 0; --i) {
    recipe.steps.push_back({Step::Kind(rng.between(0, Step::InsertSlice)),
                            size_t(rng.between(0, values - 1)),
                            size_t(rng.between(0, values - 1)),
                            rng.between(0, shape[0] - 1), rng.between(1, 9)});
    ++values;
  }
  for (size_t &yielded : recipe.yielded)
    yielded = rng.between(0, values - 1);
  if (rng.chance(50))
    recipe.yielded[1] = recipe.yielded[0] = values - 1;
  return recipe;
}

/// Writes one op, which gives a tensor of the type of its operands.
static Val writeStep(ProgramBuilder &program, const Step &step, const Val &a,
                     const Val &b) {
  std::string type = a.type();
  std::string text;
  if (step.kind == Step::Add)
    text = "arith.addi " + a.name + ", " + b.name + " : " + type;
  if (step.kind == Step::AddInto)
    text = "linalg.map { arith.addi } " + insOuts({a, b}, b);
  if (step.kind == Step::Insert) {
    Val place = program.scalarConstant(Elem::Index, step.place);
    Val number = program.scalarConstant(a.elem, step.number);
    Val old = program.defineScalar("tensor.extract " + a.name + "[" +
                                       place.name + "] : " + type,
                                   a.elem, 0);
    Val sum = program.defineScalar("arith.addi " + old.name + ", " +
                                       number.name + " : " + name(a.elem),
                                   a.elem, 0);
    text = "tensor.insert " + sum.name + " into " + b.name + "[" + place.name +
           "] : " + type;
  }
  if (step.kind == Step::InsertSlice) {
    // From any place, to the front.
    int64_t size = a.shape[0] - step.place;
    std::string part = " [" + std::to_string(size) + "] [1] : ",
                partType = tensorType(a.elem, {size});
    Val slice = program.define("tensor.extract_slice " + a.name + "[" +
                                   std::to_string(step.place) + "]" + part +
                                   type + " to " + partType,
                               a.elem, {size}, 0);
    text = "tensor.insert_slice " + slice.name + " into " + b.name + "[0]" +
           part + partType + " into " + type;
  }
  return program.define(text, a.elem, a.shape, 0);
}

/// Writes an iteration that takes `carried`; returns what it hands on.
static std::vector<Val> writeIteration(ProgramBuilder &program,
                                       const Recipe &recipe,
                                       std::vector<Val> carried) {
  for (const Step &step : recipe.steps)
    carried.push_back(
        writeStep(program, step, carried[step.a], carried[step.b]));
  return {carried[recipe.yielded[0]], carried[recipe.yielded[1]]};
}

void shard::fuzz::assertEqual(ProgramBuilder &program, const Val &a,
                              const Val &b) {
  Val differ =
      program.define("arith.xori " + a.name + ", " + b.name + " : " + a.type(),
                     a.elem, a.shape, 0);
  Val init = program.filled(a.elem, {}, 0);
  Val any = program.define("linalg.reduce { arith.ori } " +
                               insOuts({differ}, init) + " dimensions = [0]",
                           a.elem, {}, 0);
  Val bits = program.defineScalar(
      "tensor.extract " + any.name + "[] : " + any.type(), a.elem, 0);
  Val zero = program.scalarConstant(a.elem, 0);
  Val equal = program.defineScalar("arith.cmpi eq, " + bits.name + ", " +
                                       zero.name + " : " + name(a.elem),
                                   Elem::I1, 0);
  program.line("cf.assert " + equal.name + ", \"" + unrolledMessage + "\"");
}

static std::string assignments(const std::vector<Val> &names,
                               const std::vector<Val> &values) {
  return names[0].name + " = " + values[0].name + ", " + names[1].name + " = " +
         values[1].name;
}

static std::vector<Val> renamed(ProgramBuilder &program,
                                std::vector<Val> values) {
  for (Val &value : values)
    value.name = program.fresh();
  return values;
}

/// A loop of `trips` iterations of `recipe`; returns its results.
static std::vector<Val> writeFor(ProgramBuilder &program, const Recipe &recipe,
                                 const std::vector<Val> &inits, int64_t trips) {
  std::vector<Val> carried = renamed(program, inits);
  Val low = program.scalarConstant(Elem::Index, 0),
      high = program.scalarConstant(Elem::Index, trips),
      step = program.scalarConstant(Elem::Index, 1);
  std::string induction = program.fresh(), name = program.fresh();
  std::string body = program.region([&] {
    std::vector<Val> next = writeIteration(program, recipe, carried);
    program.line("scf.yield " + nameList(next) + " : " + typeList(next));
  });
  program.line(multiple(name, 2) + " = scf.for " + induction + " = " +
               low.name + " to " + high.name + " step " + step.name +
               " iter_args(" + assignments(carried, inits) + ") -> (" +
               typeList(carried) + ") {");
  program.out += body;
  program.line("}");
  carried[0].name = name + "#0";
  carried[1].name = name + "#1";
  return carried;
}

/// A loop that runs `recipe` in its body, `trips` times, and `before` in its condition,
/// once more; returns its results.
static std::vector<Val> writeWhile(ProgramBuilder &program,
                                   const Recipe &before, const Recipe &recipe,
                                   const std::vector<Val> &inits,
                                   int64_t trips) {
  std::vector<Val> tested = renamed(program, inits),
                   carried = renamed(program, inits);
  std::string count = program.fresh(), inside = program.fresh(),
              name = program.fresh();
  Val zero = program.scalarConstant(Elem::Index, 0),
      one = program.scalarConstant(Elem::Index, 1),
      limit = program.scalarConstant(Elem::Index, trips);
  std::string types = "index, " + typeList(inits);
  std::string condition = program.region([&] {
    std::vector<Val> passed = writeIteration(program, before, tested);
    std::string more = program.fresh();
    program.line(more + " = arith.cmpi ult, " + count + ", " + limit.name +
                 " : index");
    program.line("scf.condition(" + more + ") " + count + ", " +
                 nameList(passed) + " : " + types);
  });
  std::string body = program.region([&] {
    std::vector<Val> next = writeIteration(program, recipe, carried);
    std::string up = program.fresh();
    program.line(up + " = arith.addi " + inside + ", " + one.name + " : index");
    program.line("scf.yield " + up + ", " + nameList(next) + " : " + types);
  });
  program.line(multiple(name, 3) + " = scf.while (" + count + " = " +
               zero.name + ", " + assignments(tested, inits) + ") : (" + types +
               ") -> (" + types + ") {");
  program.out += condition;
  program.line("} do {");
  program.line("^bb0(" + inside + ": index, " + carried[0].name + ": " +
               carried[0].type() + ", " + carried[1].name + ": " +
               carried[1].type() + "):");
  program.out += body;
  program.line("}");
  carried[0].name = name + "#1";
  carried[1].name = name + "#2";
  return carried;
}

/// A loop, its iterations, and assertions that they agree.
static bool unrolledLoop(ProgramBuilder &program) {
  // Collectives of a manual computation may not need to be reached by all devices.
  if (program.depth >= 1 || !program.manualAxes.empty())
    return false;
  Random &rng = program.rng;
  Shape shape = {rng.between(1, 6)};
  std::vector<Val> inits = {program.need(Elem::I32, shape),
                            program.need(Elem::I32, shape)};
  Recipe recipe = randomRecipe(rng, 1, shape);
  int64_t trips = rng.between(1, 4);
  std::vector<Val> looped, next = inits;
  if (rng.chance(60)) {
    looped = writeFor(program, recipe, inits, trips);
    for (int64_t i = 0; i < trips; ++i)
      next = writeIteration(program, recipe, next);
  } else {
    Recipe before = randomRecipe(rng, 0, shape);
    looped = writeWhile(program, before, recipe, inits, trips);
    next = writeIteration(program, before, next);
    for (int64_t i = 0; i < trips; ++i)
      next = writeIteration(program, before,
                            writeIteration(program, recipe, next));
  }
  for (size_t i = 0; i < 2; ++i) {
    program.add(looped[i]);
    assertEqual(program, looped[i], next[i]);
  }
  return true;
}

void shard::fuzz::registerUnrolledMakers(MakerRegistry &makers) {
  makers.add(MakerGroup::Control, unrolledLoop);
  makers.add(MakerGroup::Loops, unrolledLoop, 3);
}
