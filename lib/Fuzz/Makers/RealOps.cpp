//===- RealOps.cpp - Programs on real numbers -----------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program on real numbers is continuous: no result jumps where an operand
// moves a little. Nothing compares, rounds to integers or divides by what may be
// zero. Its functions have the attribute `real`, by which Precise.h knows them.
//
//===----------------------------------------------------------------------===//

#include "Parts.h"

#include <algorithm>
#include <cmath>

using namespace shard::fuzz;

void ProgramBuilder::chooseSort() {
  if (options.kind == Kind::Reshard)
    return;
  real = rng.chance(8);
  dynamic = rng.chance(real ? 25 : 8);
  // Of their own, so that the other programs do not depend on it.
  Random own(seed ^ 0x756e6576656e6479ull);
  unevenDynamic = own.chance(50);
  if (real)
    realElem = rng.chance(75)   ? Elem::F32
               : rng.chance(50) ? Elem::BF16
                                : Elem::F16;
}

/// A float constant of the type of `like`, a splat where that is a tensor.
static std::string realConstant(ProgramBuilder &program, const Val &like,
                                const std::string &text) {
  std::string name = program.fresh();
  program.line(name + " = arith.constant " +
               (like.tensor ? "dense<" + text + ">" : text) + " : " +
               like.type());
  return name;
}

/// "name = op a, b", not added to the scope.
static Val realOp(ProgramBuilder &program, const std::string &op, const Val &a,
                  const std::string &b, double bound) {
  Val result = a;
  result.name = program.fresh();
  result.bound = bound;
  program.line(result.name + " = " + op + " " + a.name +
               (b.empty() ? "" : ", " + b) + " : " + a.type());
  return result;
}

/// `value` times a power of two, such that its bound is at most `limit`.
static Val scaled(ProgramBuilder &program, const Val &value, double limit) {
  if (value.bound <= limit)
    return value;
  double factor = std::exp2(-std::ceil(std::log2(value.bound / limit)));
  char text[32];
  std::snprintf(text, sizeof text, "%.17e", factor);
  return realOp(program, "arith.mulf", value,
                realConstant(program, value, text), value.bound * factor);
}

static std::optional<Val> pickReal(ProgramBuilder &program,
                                   int64_t minRank = 0) {
  return program.pick([&](const Val &v) {
    return v.tensor && v.elem == program.realElem &&
           int64_t(v.shape.size()) >= minRank;
  });
}

/// value^2 + number.
static Val positive(ProgramBuilder &program, const Val &value,
                    const std::string &number) {
  Val square = realOp(program, "arith.mulf", value, value.name,
                      value.bound * value.bound);
  return realOp(program, "arith.addf", square,
                realConstant(program, square, number), square.bound + 1);
}

static bool smoothMath(ProgramBuilder &program) {
  std::optional<Val> a = pickReal(program);
  if (!a)
    return false;
  Val x = scaled(program, *a, 2);
  switch (program.rng.between(0, 5)) {
  case 0: {
    // Of what is above zero.
    static const std::vector<std::string> ops = {"sqrt", "rsqrt", "log",
                                                 "log2", "cbrt",  "log1p"};
    program.add(realOp(program, "math." + program.rng.oneOf(ops),
                       positive(program, x, "0.5"), "", 4));
    return true;
  }
  case 1: {
    Val y = positive(program, scaled(program, program.need(x.elem, x.shape), 2),
                     "1.0");
    program.add(realOp(program, "arith.divf", x, y.name, 2));
    return true;
  }
  case 2: {
    // 1 / (1 + exp(-x))
    Val power = realOp(program, "math.exp",
                       realOp(program, "arith.negf", x, "", x.bound), "", 7.5);
    std::string one = realConstant(program, x, "1.0");
    Val below = realOp(program, "arith.addf", power, one, 8.5);
    Val top = x;
    top.name = one;
    program.add(realOp(program, "arith.divf", top, below.name, 1));
    return true;
  }
  case 3: {
    Val y = scaled(program, program.need(x.elem, x.shape), 2);
    if (program.rng.chance(50))
      program.add(realOp(program, "math.powf", positive(program, x, "0.5"),
                         y.name, 32));
    else
      program.add(realOp(program, "math.atan2", x,
                         positive(program, y, "0.5").name, 2));
    return true;
  }
  case 4: {
    static const std::vector<std::string> ops = {"exp", "tanh", "negf",
                                                 "abs", "erf",  "square"};
    Val target = program.empty(x.elem, x.shape);
    program.define("linalg." + program.rng.oneOf(ops) + " ins(" + x.name +
                       " : " + x.type() + ") outs(" + target.name + " : " +
                       target.type() + ") -> " + target.type(),
                   x.elem, x.shape, 7.5);
    return true;
  }
  default: {
    static const std::vector<std::string> ops = {
        "atan", "asinh", "cos", "erf",  "erfc", "exp",
        "exp2", "expm1", "sin", "sinh", "tanh", "exp"};
    program.add(realOp(program, "math." + program.rng.oneOf(ops), x, "", 7.5));
    return true;
  }
  }
}

/// The reduction of `value` along `dim`.
static Val reducedAlong(ProgramBuilder &program, const Val &value, int64_t dim,
                        bool sum) {
  Shape shape = value.shape;
  shape.erase(shape.begin() + dim);
  double bound = sum ? value.bound * double(value.shape[dim]) : value.bound;
  Val init = program.filled(value.elem, shape, sum ? 0 : -1000);
  Val result = program.define(
      std::string("linalg.reduce { ") +
          (sum ? "arith.addf" : "arith.maximumf") + " } ins(" + value.name +
          " : " + value.type() + ") outs(" + init.name + " : " + init.type() +
          ") dimensions = [" + std::to_string(dim) + "]",
      value.elem, shape, bound);
  return result;
}

/// `op` of `value` and of `row`, which lacks dimension `dim`.
static Val withRow(ProgramBuilder &program, const std::string &op,
                   const Val &value, const Val &row, int64_t dim,
                   double bound) {
  std::vector<std::string> all, some, iterators;
  for (size_t i = 0; i < value.shape.size(); ++i) {
    all.push_back("d" + std::to_string(i));
    if (int64_t(i) != dim)
      some.push_back(all.back());
    iterators.push_back("\"parallel\"");
  }
  Val target = program.empty(value.elem, value.shape);
  std::string name = program.fresh(), a = program.fresh(), b = program.fresh(),
              c = program.fresh(), r = program.fresh(),
              type = shard::fuzz::name(value.elem),
              loops = "affine_map<(" + join(all) + ") -> (";
  program.line(name + " = linalg.generic {indexing_maps = [" + loops +
               join(all) + ")>, " + loops + join(some) + ")>, " + loops +
               join(all) + ")>], iterator_types = [" + join(iterators) +
               "]} ins(" + nameList({value, row}) + " : " +
               typeList({value, row}) + ") outs(" + target.name + " : " +
               target.type() + ") {");
  program.line("^bb0(" + a + ": " + type + ", " + b + ": " + type + ", " + c +
               ": " + type + "):");
  program.line("  " + r + " = " + op + " " + a + ", " + b + " : " + type);
  program.line("  linalg.yield " + r + " : " + type);
  program.line("} -> " + target.type());
  return program.add({name, value.elem, true, value.shape, bound});
}

/// Along one dimension: softmax, as one op or as its steps, or what has mean 0 and
/// about variance 1.
static bool normalized(ProgramBuilder &program) {
  std::optional<Val> a = pickReal(program, 1);
  if (!a)
    return false;
  Val x = scaled(program, *a, 4);
  int64_t dim = program.rng.between(0, int64_t(x.shape.size()) - 1);
  int64_t choice = program.rng.between(0, 2);
  if (choice == 0) {
    Val target = program.empty(x.elem, x.shape);
    program.define("linalg.softmax dimension(" + std::to_string(dim) +
                       ") ins(" + x.name + " : " + x.type() + ") outs(" +
                       target.name + " : " + target.type() + ") -> " +
                       target.type(),
                   x.elem, x.shape, 1);
    return true;
  }
  if (choice == 1) {
    Val most = reducedAlong(program, x, dim, false);
    Val below = withRow(program, "arith.subf", x, most, dim, 8);
    Val power = program.add(realOp(program, "math.exp", below, "", 1));
    Val sum = reducedAlong(program, power, dim, true);
    withRow(program, "arith.divf", power, sum, dim, 1);
    return true;
  }
  Val share = x;
  share.shape.erase(share.shape.begin() + dim);
  char text[32];
  std::snprintf(text, sizeof text, "%.17e", 1.0 / double(x.shape[dim]));
  std::string count = realConstant(program, share, text);
  Val mean = realOp(program, "arith.mulf", reducedAlong(program, x, dim, true),
                    count, x.bound);
  Val off = withRow(program, "arith.subf", x, mean, dim, 2 * x.bound);
  Val square = program.add(
      realOp(program, "arith.mulf", off, off.name, off.bound * off.bound));
  Val variance =
      realOp(program, "arith.mulf", reducedAlong(program, square, dim, true),
             count, square.bound);
  Val above =
      realOp(program, "arith.addf", variance,
             realConstant(program, variance, "0.25"), variance.bound + 1);
  Val factor = program.add(realOp(program, "math.rsqrt", above, "", 2));
  withRow(program, "arith.mulf", off, factor, dim, 2 * off.bound);
  return true;
}

/// Rows of `value` + 0, 1, ..., n - 1, whose last element is the largest; the rows are
/// a new last dimension.
static Val rising(ProgramBuilder &program, const Val &value, int64_t n) {
  Shape shape = value.shape;
  shape.push_back(n);
  Val target = program.empty(value.elem, shape);
  std::vector<std::string> all, iterators;
  for (size_t i = 0; i < shape.size(); ++i) {
    all.push_back("d" + std::to_string(i));
    iterators.push_back("\"parallel\"");
  }
  std::vector<std::string> outer(all.begin(), std::prev(all.end()));
  std::string name = program.fresh(), element = program.fresh(),
              unused = program.fresh(), index = program.fresh(),
              number = program.fresh(), real = program.fresh(),
              sum = program.fresh(), type = shard::fuzz::name(value.elem),
              loops = "affine_map<(" + join(all) + ") -> (";
  program.line(name + " = linalg.generic {indexing_maps = [" + loops +
               join(outer) + ")>, " + loops + join(all) +
               ")>], iterator_types = [" + join(iterators) + "]} ins(" +
               nameList({value}) + " : " + typeList({value}) + ") outs(" +
               target.name + " : " + target.type() + ") {");
  program.line("^bb0(" + element + ": " + type + ", " + unused + ": " + type +
               "):");
  program.line("  " + index + " = linalg.index " +
               std::to_string(shape.size() - 1) + " : index");
  program.line("  " + number + " = arith.index_cast " + index +
               " : index to i32");
  program.line("  " + real + " = arith.sitofp " + number + " : i32 to " + type);
  program.line("  " + sum + " = arith.addf " + element + ", " + real + " : " +
               type);
  program.line("  linalg.yield " + sum + " : " + type);
  program.line("} -> " + target.type());
  return program.add({name, value.elem, true, shape, value.bound + double(n)});
}

/// Maxima and minima that skip NaN, and softmax, along rows of so many elements that
/// loops over them are vectorised and leave a remainder.
static bool longRows(ProgramBuilder &program) {
  std::optional<Val> a = program.pick([&](const Val &v) {
    return v.tensor && v.elem == program.realElem && v.dynamic.empty() &&
           v.shape.size() <= 3 && numElements(v.shape) <= 256;
  });
  if (!a)
    return false;
  Val rows =
      rising(program, scaled(program, *a, 2), program.rng.between(5, 17));
  int64_t dim = int64_t(rows.shape.size()) - 1;
  Val target = program.empty(rows.elem, rows.shape);
  if (program.rng.chance(30)) {
    program.define("linalg.softmax dimension(" + std::to_string(dim) +
                       ") ins(" + rows.name + " : " + rows.type() + ") outs(" +
                       target.name + " : " + target.type() + ") -> " +
                       target.type(),
                   rows.elem, rows.shape, 1);
    return true;
  }
  bool most = program.rng.chance(60);
  Val init = program.filled(a->elem, a->shape, most ? -1000 : 1000);
  program.define(
      std::string("linalg.reduce { arith.") + (most ? "maxnumf" : "minnumf") +
          " } ins(" + rows.name + " : " + rows.type() + ") outs(" + init.name +
          " : " + init.type() + ") dimensions = [" + std::to_string(dim) + "]",
      rows.elem, a->shape, rows.bound);
  return true;
}

void shard::fuzz::oneRealOp(ProgramBuilder &program) {
  if (program.dynamic && program.rng.chance(60) && oneDynamicOp(program))
    return;
  int64_t controlPercent = program.options.kind == Kind::Control ? 25
                           : program.options.kind == Kind::Full  ? 8
                                                                 : 0;
  for (int64_t tries = 0; tries < 20; ++tries) {
    MakerGroup group = program.rng.chance(controlPercent)
                           ? MakerGroup::RealControl
                       : program.realElem == Elem::F32 && program.rng.chance(35)
                           ? MakerGroup::RealWide
                           : MakerGroup::Real;
    if (makeOne(program, group, 1))
      return;
  }
}

void shard::fuzz::registerRealMakers(MakerRegistry &makers) {
  makers.add(MakerGroup::Real, smoothMath, 3);
  makers.add(MakerGroup::Real, normalized, 2);
  makers.add(MakerGroup::Real, longRows, 1);
}
