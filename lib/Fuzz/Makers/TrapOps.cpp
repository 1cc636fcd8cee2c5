//===- TrapOps.cpp - Integer divisions in a random program ----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Divisions by arguments, none of whose elements is 0 or -1 in programs with the attribute
// `traps`. What pads their blocks is: a division of padding ends the run.
//
//===----------------------------------------------------------------------===//

#include "Parts.h"

using namespace shard::fuzz;

static std::optional<Val> pickDividend(ProgramBuilder &program) {
  return program.pick([](const Val &v) {
    return v.tensor && !v.shape.empty() &&
           (v.elem == Elem::I8 || v.elem == Elem::I16 || v.elem == Elem::I32);
  });
}

static const std::vector<std::string> divisions = {
    "arith.divsi", "arith.divui",     "arith.remsi",
    "arith.remui", "arith.ceildivsi", "arith.floordivsi"};

/// An argument, which padding makes zero, or a constant that is not zero: no division by that one
/// traps.
static Val divisor(ProgramBuilder &program, const Val &a) {
  Random &rng = program.rng;
  if (numElements(a.shape) == 0 || rng.chance(50))
    return program.argument(a.elem, a.shape, true);
  std::string one =
      std::to_string(rng.between(1, 5) * (rng.chance(50) ? 1 : -1));
  return program.define("arith.constant dense<" + one + "> : " + a.type(),
                        a.elem, a.shape, 0);
}

static bool divided(ProgramBuilder &program) {
  std::optional<Val> a = pickDividend(program);
  if (!a)
    return false;
  Val b = divisor(program, *a);
  program.define(program.rng.oneOf(divisions) + " " + a->name + ", " + b.name +
                     " : " + a->type(),
                 a->elem, a->shape, 0);
  return true;
}

/// By an op of linalg or tosa.
static bool dividedByNamedOp(ProgramBuilder &program) {
  std::optional<Val> a = pickDividend(program);
  if (!a)
    return false;
  Val b = program.argument(a->elem, a->shape, true);
  if (a->elem == Elem::I32 && program.rng.chance(30)) {
    program.define("tosa.intdiv " + a->name + ", " + b.name + " : (" +
                       a->type() + ", " + b.type() + ") -> " + a->type(),
                   a->elem, a->shape, 0);
    return true;
  }
  Val target = program.empty(a->elem, a->shape);
  if (program.rng.chance(40)) {
    program.define("linalg.map { " + program.rng.oneOf(divisions) + " } " +
                       insOuts({*a, b}, target),
                   a->elem, a->shape, 0);
    return true;
  }
  program.define(std::string("linalg.div") +
                     (program.rng.chance(50) ? " " : "_unsigned ") +
                     insOutsTo({*a, b}, target),
                 a->elem, a->shape, 0);
  return true;
}

/// In the body of an op that may reduce over some dimensions, by an argument that has the
/// first or the last of them alone.
static bool dividedInBody(ProgramBuilder &program) {
  std::optional<Val> a = pickDividend(program);
  if (!a)
    return false;
  size_t rank = a->shape.size();
  size_t by = program.rng.chance(50) ? 0 : rank - 1;
  std::vector<std::string> loops, kept, kinds;
  Shape shape;
  for (size_t dim = 0; dim < rank; ++dim) {
    bool reduces = program.rng.chance(40);
    loops.push_back("d" + std::to_string(dim));
    kinds.push_back(reduces ? "\"reduction\"" : "\"parallel\"");
    if (reduces)
      continue;
    kept.push_back(loops.back());
    shape.push_back(a->shape[dim]);
  }
  Val b = program.argument(a->elem, {a->shape[by]}, true);
  Val init = program.filled(a->elem, shape, 0);
  std::string map = "affine_map<(" + join(loops) + ") -> (",
              type = name(a->elem), result = program.fresh(),
              x = program.fresh(), y = program.fresh(), sum = program.fresh(),
              quotient = program.fresh(), next = program.fresh();
  program.line(result + " = linalg.generic {indexing_maps = [" + map +
               join(loops) + ")>, " + map + loops[by] + ")>, " + map +
               join(kept) + ")>], iterator_types = [" + join(kinds) + "]} " +
               insOuts({*a, b}, init) + " {");
  program.line("^bb0(" + x + ": " + type + ", " + y + ": " + type + ", " + sum +
               ": " + type + "):");
  program.line("  " + quotient + " = " + program.rng.oneOf(divisions) + " " +
               x + ", " + y + " : " + type);
  program.line("  " + next + " = arith.addi " + sum + ", " + quotient + " : " +
               type);
  program.line("  linalg.yield " + next + " : " + type);
  program.line("} -> " + init.type());
  program.add({result, a->elem, true, shape, 0});
  return true;
}

/// An op whose body asserts what is true, which nothing knows, beside what it yields: its input, a
/// constant, or a number that it computes.
static bool asserted(ProgramBuilder &program) {
  std::optional<Val> a = pickDividend(program);
  if (!a)
    return false;
  Val input = program.argument(a->elem, a->shape, true);
  Val target = program.empty(a->elem, a->shape);
  std::string type = name(a->elem), result = program.fresh(),
              x = program.fresh(), old = program.fresh(),
              most = program.fresh(), low = program.fresh(),
              holds = program.fresh(), sum = program.fresh();
  program.line(result + " = linalg.map " + insOuts({input}, target) + " (" + x +
               ": " + type + ", " + old + ": " + type + ") {");
  program.line("  " + most + " = arith.constant 7 : " + type);
  program.line("  " + low + " = arith.andi " + x + ", " + most + " : " + type);
  program.line("  " + holds + " = arith.cmpi ule, " + low + ", " + most +
               " : " + type);
  program.line("  cf.assert " + holds + ", \"a body asserts\"");
  program.line("  " + sum + " = arith.addi " + most + ", " + most + " : " +
               type);
  program.line("  linalg.yield " +
               program.rng.oneOf(std::vector<std::string>{x, most, sum}) +
               " : " + type);
  program.line("}");
  program.add({result, a->elem, true, a->shape, 0});
  return true;
}

void shard::fuzz::registerTrapMakers(MakerRegistry &makers) {
  makers.add(MakerGroup::Traps, divided, 3);
  makers.add(MakerGroup::Traps, dividedByNamedOp, 3);
  makers.add(MakerGroup::Traps, dividedInBody, 3);
  makers.add(MakerGroup::Traps, asserted, 2);
  makers.add(MakerGroup::Traps, extractSlice);
  makers.add(MakerGroup::Traps, linalgTranspose);
  makers.add(MakerGroup::Traps, linalgReduce);
}
