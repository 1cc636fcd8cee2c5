//===- CommutingOps.cpp - Ops that some reductions pass -------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops of one partial operand, other operands being the same on all devices: conversions,
// roundings, shifts, operations on bits, and arithmetic with constants. Each commutes with
// some kinds of reduction and not with others: a conversion of signed integers to floats with
// signed maxima and not with unsigned ones. They stand alone or in the body of a
// linalg.generic. Results may be any number, so that no other op gets them.
//
//===----------------------------------------------------------------------===//

#include "SharedOps.h"

#include <algorithm>

using namespace shard::fuzz;

static int64_t bitsOf(Elem elem) {
  switch (elem) {
  case Elem::I1:
    return 1;
  case Elem::I8:
    return 8;
  case Elem::I16:
  case Elem::F16:
  case Elem::BF16:
    return 16;
  case Elem::I32:
  case Elem::F32:
    return 32;
  case Elem::I64:
  case Elem::F64:
  case Elem::Index:
    return 64;
  }
  return 0;
}

/// `%r = RIGHT`, outside of the scope.
static Val apart(ProgramBuilder &program, const std::string &right, Val result,
                 Elem elem) {
  result.name = program.fresh();
  result.elem = elem;
  program.line(result.name + " = " + right);
  return result;
}

static Val conversion(ProgramBuilder &program, const Val &a) {
  static const std::vector<Elem> integers = {Elem::I8, Elem::I16, Elem::I32,
                                             Elem::I64};
  Random &rng = program.rng;
  auto to = [&](const std::string &op, Elem elem) {
    Val type = a;
    type.elem = elem;
    return apart(program,
                 "arith." + op + " " + a.name + " : " + a.type() + " to " +
                     type.type(),
                 a, elem);
  };
  if (a.elem == Elem::F32)
    return rng.chance(40)
               ? to("extf", Elem::F64)
               : to("truncf", rng.chance(50) ? Elem::F16 : Elem::BF16);
  if (isFloat(a.elem))
    return to(a.elem == Elem::F64 ? "truncf" : "extf", Elem::F32);
  Elem other = rng.oneOf(integers);
  if (other == a.elem || rng.chance(40))
    return to(rng.chance(60) ? "sitofp" : "uitofp",
              rng.chance(70) ? Elem::F32 : Elem::F64);
  if (bitsOf(other) < bitsOf(a.elem))
    return to("trunci", other);
  return to(rng.chance(50) ? "extsi" : "extui", other);
}

/// An op on `a` and on a constant, or on two of which a condition takes one.
static Val withConstant(ProgramBuilder &program, const Val &a) {
  static const std::vector<std::string> floats = {
      "addf",     "subf",     "mulf",    "divf",
      "maximumf", "minimumf", "maxnumf", "minnumf"};
  static const std::vector<std::string> integers = {
      "addi", "subi",  "muli",  "andi",  "ori",
      "xori", "maxsi", "minsi", "maxui", "minui"};
  static const std::vector<std::string> shifts = {"shli", "shrui", "shrsi"};
  Random &rng = program.rng;
  auto constant = [&](int64_t number) {
    return apart(program,
                 "arith.constant " +
                     (a.tensor
                          ? "dense<" + program.literal(a.elem, number) + ">"
                          : program.literal(a.elem, number)) +
                     " : " + a.type(),
                 a, a.elem);
  };
  if (rng.chance(20)) {
    Val condition = program.argument(Elem::I1, a.shape, a.tensor);
    Val other = constant(rng.between(-3, 3));
    return apart(program,
                 "arith.select " + condition.name + ", " +
                     (rng.chance(50) ? a.name + ", " + other.name
                                     : other.name + ", " + a.name) +
                     " : " + condition.type() + ", " + a.type(),
                 a, a.elem);
  }
  std::string left = a.name, right, op;
  if (!isFloat(a.elem) && rng.chance(40)) {
    op = rng.oneOf(shifts);
    right = constant(rng.between(0, bitsOf(a.elem) - 1)).name;
  } else if (isFloat(a.elem)) {
    op = rng.oneOf(floats);
    // Halves and quarters are exact.
    int64_t number = op == "divf" ? rng.oneOf(std::vector<int64_t>{2, -2, 4})
                                  : rng.between(-3, 3);
    right = constant(number).name;
  } else {
    op = rng.oneOf(integers);
    right = constant(rng.between(-9, 9)).name;
    if (op == "subi" && rng.chance(50))
      std::swap(left, right);
  }
  return apart(program,
               "arith." + op + " " + left + ", " + right + " : " + a.type(), a,
               a.elem);
}

static Val rounding(ProgramBuilder &program, const Val &a) {
  static const std::vector<std::string> ops = {
      "math.floor", "math.ceil", "math.round", "math.roundeven",
      "math.trunc", "math.absf", "arith.negf"};
  return apart(program,
               program.rng.oneOf(ops) + " " + a.name + " : " + a.type(), a,
               a.elem);
}

/// `a` in a smaller type, if there is one: reductions of that send less.
static Val narrowed(ProgramBuilder &program, const Val &a) {
  static const std::vector<Elem> integers = {Elem::I8, Elem::I16, Elem::I32};
  if (isFloat(a.elem))
    return bitsOf(a.elem) > 16 ? conversion(program, a) : a;
  std::vector<Elem> smaller;
  for (Elem elem : integers)
    if (bitsOf(elem) < bitsOf(a.elem))
      smaller.push_back(elem);
  if (smaller.empty())
    return a;
  Val type = a;
  type.elem = program.rng.oneOf(smaller);
  return apart(program,
               "arith.trunci " + a.name + " : " + a.type() + " to " +
                   type.type(),
               a, type.elem);
}

/// One or two ops on `a`, one behind the other.
static Val chain(ProgramBuilder &program, const Val &a) {
  Val value = a;
  for (int64_t left = program.rng.between(1, 2); left > 0; --left) {
    if (program.rng.chance(50))
      value = conversion(program, value);
    else if (isFloat(value.elem) && program.rng.chance(50))
      value = rounding(program, value);
    else
      value = withConstant(program, value);
  }
  return value;
}

/// The same on each element of `a`, in the body of a linalg.generic that may reverse the
/// order of the dimensions.
static Val inBody(ProgramBuilder &program, const Val &a) {
  Val element{program.fresh(), a.elem, /*tensor=*/false, {}, a.bound}, last;
  std::string body = program.region([&] {
    last = chain(program, element);
    if (program.rng.chance(50))
      last = narrowed(program, last);
    program.line("linalg.yield " + last.name + " : " + last.type());
  });
  Val result = a;
  result.elem = last.elem;
  std::vector<std::string> loops, kinds;
  for (size_t i = 0; i < a.shape.size(); ++i) {
    loops.push_back("i" + std::to_string(i));
    kinds.emplace_back("\"parallel\"");
  }
  std::vector<std::string> places = loops;
  if (program.rng.chance(30)) {
    std::reverse(places.begin(), places.end());
    std::reverse(result.shape.begin(), result.shape.end());
  }
  std::string map = "affine_map<(" + join(loops) + ") -> (";
  Val target = program.empty(result.elem, result.shape);
  result.name = program.fresh();
  program.line(result.name + " = linalg.generic {indexing_maps = [" + map +
               join(loops) + ")>, " + map + join(places) +
               ")>], iterator_types = [" + join(kinds) + "]} " +
               insOuts({a}, target) + " {");
  program.line("^bb0(" + element.name + ": " + element.type() + ", " +
               program.fresh() + ": " + last.type() + "):");
  program.out += body;
  program.line("} -> " + target.type());
  return result;
}

Val shard::fuzz::commutingOps(ProgramBuilder &program, const Val &a) {
  if (a.dynamic.empty() && program.rng.chance(50))
    return inBody(program, a);
  return chain(program, a);
}
