//===- MathOps.cpp - The rarer ops of arith and math ----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is not exact does not stay in scope: it is compared with a constant, and
// the i1 stays. An elementwise op rounds the same on every device as long as its
// operands are the same, which they are as long as they are exact. Operands are
// moved off zero, whose sign depends on the order of summands.
//
//===----------------------------------------------------------------------===//

#include "Parts.h"

#include <algorithm>

using namespace shard::fuzz;

Val shard::fuzz::offZero(ProgramBuilder &program, const Val &value) {
  std::string half = program.fresh(), sum = program.fresh();
  program.line(half + " = arith.constant dense<0.5> : " + value.type());
  program.line(sum + " = arith.addf " + value.name + ", " + half + " : " +
               value.type());
  Val result = value;
  result.name = sum;
  if (program.rng.chance(50))
    return result;
  // Into the domain of functions such as acos, most of the time.
  std::string scale = program.fresh(), product = program.fresh();
  program.line(scale + " = arith.constant dense<0.125> : " + value.type());
  program.line(product + " = arith.mulf " + sum + ", " + scale + " : " +
               value.type());
  result.name = product;
  return result;
}

Val shard::fuzz::compared(ProgramBuilder &program, const std::string &name,
                          Elem elem, const Shape &shape) {
  static const std::vector<std::string> predicates = {"olt", "ogt", "ult",
                                                      "uno"};
  static const std::vector<std::string> limits = {"0.3", "0.9", "-0.4", "1.7"};
  std::string limit = program.fresh(), type = tensorType(elem, shape);
  program.line(limit + " = arith.constant dense<" + program.rng.oneOf(limits) +
               "> : " + type);
  return program.define("arith.cmpf " + program.rng.oneOf(predicates) + ", " +
                            name + ", " + limit + " : " + type,
                        Elem::I1, shape, 1);
}

static bool inexactMath(ProgramBuilder &program) {
  std::optional<Val> a = program.pick([](const Val &v) {
    return v.tensor && isFloat(v.elem) && v.bound <= 4096;
  });
  if (!a)
    return false;
  Val x = offZero(program, *a);
  std::string type = " : " + x.type(), result = program.fresh();
  int64_t choice = program.rng.between(0, 99);
  if (choice < 60) {
    static const std::vector<std::string> ops = {
        "acos", "acosh", "asin",  "asinh", "atan",      "atanh", "cbrt",
        "cos",  "cosh",  "erf",   "erfc",  "exp",       "exp2",  "expm1",
        "log",  "log10", "log1p", "log2",  "sin",       "sinh",  "sqrt",
        "tan",  "tanh",  "rsqrt", "round", "roundeven", "trunc"};
    program.line(result + " = math." + program.rng.oneOf(ops) + " " + x.name +
                 type);
  } else if (choice < 70) {
    static const std::vector<std::string> ops = {"isfinite", "isinf", "isnan",
                                                 "isnormal"};
    std::string log = program.fresh();
    program.line(log + " = math.log " + x.name + type);
    program.define("math." + program.rng.oneOf(ops) + " " + log + type,
                   Elem::I1, x.shape, 1);
    return true;
  } else if (choice < 75) {
    program.line(result + ":2 = math.sincos " + x.name + type);
    compared(program, result + "#0", x.elem, x.shape);
    compared(program, result + "#1", x.elem, x.shape);
    return true;
  } else if (choice < 80) {
    Val power = program.need(Elem::I32, x.shape);
    program.line(result + " = math.fpowi " + x.name + ", " + power.name + type +
                 ", " + power.type());
  } else {
    Val y =
        offZero(program, program.clamped(program.need(x.elem, x.shape), 4096));
    static const std::vector<std::string> ops = {
        "math.atan2", "math.copysign", "math.powf", "arith.divf", "arith.remf"};
    program.line(result + " = " + program.rng.oneOf(ops) + " " + x.name + ", " +
                 y.name + type);
  }
  compared(program, result, x.elem, x.shape);
  return true;
}

bool shard::fuzz::exactMath(ProgramBuilder &program) {
  std::optional<Val> a = program.pickTensor();
  if (!a || a->bound > 64 || !isFloat(a->elem))
    return false;
  Val b = program.clamped(program.need(a->elem, a->shape), 64);
  std::string type = " : " + a->type();
  switch (program.rng.between(0, 5)) {
  case 0: {
    Val c = program.need(a->elem, a->shape);
    program.define("math.fma " + a->name + ", " + b.name + ", " + c.name + type,
                   a->elem, a->shape, a->bound * b.bound + c.bound);
    return true;
  }
  case 1: {
    Val low = program.splat(a->elem, a->shape, -2),
        high = program.splat(a->elem, a->shape, 2);
    program.define("math.clampf " + a->name + " to [" + low.name + ", " +
                       high.name + "]" + type,
                   a->elem, a->shape, 2);
    return true;
  }
  case 2: {
    static const std::vector<std::string> ops = {"round", "roundeven", "trunc"};
    program.define("math." + program.rng.oneOf(ops) + " " + a->name + type,
                   a->elem, a->shape, a->bound);
    return true;
  }
  case 3: {
    Val absolute = *a;
    absolute.name = program.fresh();
    program.line(absolute.name + " = math.absf " + a->name + type);
    program.define("arith.fptoui " + absolute.name + type + " to " +
                       tensorType(Elem::I32, a->shape),
                   Elem::I32, a->shape, 0);
    return true;
  }
  default:
    program.define(std::string("arith.") +
                       (program.rng.chance(50) ? "maxnumf " : "minnumf ") +
                       a->name + ", " + b.name + type,
                   a->elem, a->shape, std::max(a->bound, b.bound));
    return true;
  }
}

bool shard::fuzz::integerMath(ProgramBuilder &program) {
  std::optional<Val> a = program.pick([](const Val &v) {
    return v.tensor && (v.elem == Elem::I32 || v.elem == Elem::I64);
  });
  if (!a)
    return false;
  std::string type = " : " + a->type();
  // Small and not negative: as an amount of bits, a power, an index.
  auto masked = [&](const Val &value) {
    Val result = value;
    std::string mask = program.fresh();
    result.name = program.fresh();
    program.line(mask + " = arith.constant dense<7>" + type);
    program.line(result.name + " = arith.andi " + value.name + ", " + mask +
                 type);
    return result;
  };
  int64_t choice = program.rng.between(0, 9);
  if (choice == 0) {
    program.define("arith.uitofp " + masked(*a).name + type + " to " +
                       tensorType(Elem::F32, a->shape),
                   Elem::F32, a->shape, 7);
  } else if (choice == 1) {
    program.define("arith.index_castui " + masked(*a).name + type + " to " +
                       tensorType(Elem::Index, a->shape),
                   Elem::Index, a->shape, 0);
  } else if (choice == 2) {
    bool arith = program.rng.chance(50);
    std::string op = arith ? "arith.bitcast " : "tensor.bitcast ";
    Elem other = a->elem == Elem::I32 ? Elem::F32 : Elem::F64;
    std::string there = program.fresh(),
                otherType = tensorType(other, a->shape);
    Val small = masked(*a);
    program.line(there + " = " + op + small.name + type + " to " + otherType);
    program.define(op + there + " : " + otherType + " to " + a->type(), a->elem,
                   a->shape, 0);
  } else if (choice == 3) {
    program.define("math.cttz " + a->name + type, a->elem, a->shape, 0);
  } else if (choice == 4) {
    Val power = masked(program.need(a->elem, a->shape));
    program.define("math.ipowi " + a->name + ", " + power.name + type, a->elem,
                   a->shape, 0);
  } else if (choice == 5) {
    static const std::vector<std::string> ops = {"shli", "shrsi", "shrui"};
    // By any number too: what is moved out of the integer is gone.
    Val amount = program.need(a->elem, a->shape);
    if (program.rng.chance(60))
      amount = masked(amount);
    program.define("arith." + program.rng.oneOf(ops) + " " + a->name + ", " +
                       amount.name + type,
                   a->elem, a->shape, 0);
  } else if (choice == 6) {
    Val b = program.need(a->elem, a->shape);
    std::string result = program.fresh();
    static const std::vector<std::string> ops = {"addui", "mului", "mulsi"};
    std::string op = program.rng.oneOf(ops);
    program.line(result + ":2 = arith." + op + "_extended " + a->name + ", " +
                 b.name + type +
                 (op == "addui" ? ", " + tensorType(Elem::I1, a->shape) : ""));
    program.add({result + "#0", a->elem, true, a->shape, 0});
    program.add(
        {result + "#1", op == "addui" ? Elem::I1 : a->elem, true, a->shape, 1});
  } else {
    Val b = program.need(a->elem, a->shape);
    static const std::vector<std::string> ops = {
        "ceildivsi", "ceildivui", "floordivsi", "minui", "maxui", "subi"};
    program.define("arith." + program.rng.oneOf(ops) + " " + a->name + ", " +
                       b.name + type,
                   a->elem, a->shape, 0);
  }
  return true;
}

/// Floats, some of which an integer type does not hold, as integers.
static bool saturated(ProgramBuilder &program) {
  static const std::vector<Elem> integers = {Elem::I8, Elem::I16, Elem::I32};
  std::optional<Val> a = program.pick([](const Val &v) {
    return v.tensor && (v.elem == Elem::F32 || v.elem == Elem::F64) &&
           v.dynamic.empty();
  });
  if (!a)
    return false;
  Random &rng = program.rng;
  std::string scale = program.fresh(), scaled = program.fresh();
  std::string type = " : " + a->type();
  program.line(scale + " = arith.constant dense<" +
               (rng.chance(70) ? "50.0" : "1.0e9") + ">" + type);
  program.line(scaled + " = arith.mulf " + a->name + ", " + scale + type);
  Elem elem = rng.oneOf(integers);
  program.define(std::string("arith.") +
                     (rng.chance(60) ? "fptosi " : "fptoui ") + scaled + type +
                     " to " + tensorType(elem, a->shape),
                 elem, a->shape, 0);
  return true;
}

void shard::fuzz::registerMathMakers(MakerRegistry &makers) {
  makers.add(MakerGroup::Ops, saturated);
  makers.add(MakerGroup::Ops, inexactMath, 2);
  makers.add(MakerGroup::Ops, exactMath);
  makers.add(MakerGroup::Elements, integerMath);
  makers.add(MakerGroup::Ops, integerMath);
}
