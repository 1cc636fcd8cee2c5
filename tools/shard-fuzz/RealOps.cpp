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

#include "Generator.h"

#include <algorithm>
#include <cmath>

using namespace shard::fuzz;

void Generator::chooseSort() {
  if (options.kind == Kind::Reshard)
    return;
  real = rng.chance(8);
  dynamic = rng.chance(real ? 25 : 8);
  if (real)
    realElem = rng.chance(75)   ? Elem::F32
               : rng.chance(50) ? Elem::BF16
                                : Elem::F16;
}

/// A float constant of the type of `like`, a splat where that is a tensor.
std::string Generator::realConstant(const Val &like, const std::string &text) {
  std::string name = fresh();
  line(name + " = arith.constant " +
       (like.tensor ? "dense<" + text + ">" : text) + " : " + like.type());
  return name;
}

/// "name = op a, b", not added to the scope.
Val Generator::realOp(const std::string &op, const Val &a, const std::string &b,
                      double bound) {
  Val result = a;
  result.name = fresh();
  result.bound = bound;
  line(result.name + " = " + op + " " + a.name + (b.empty() ? "" : ", " + b) +
       " : " + a.type());
  return result;
}

/// `value` times a power of two, such that its bound is at most `limit`.
Val Generator::scaled(const Val &value, double limit) {
  if (value.bound <= limit)
    return value;
  double factor = std::exp2(-std::ceil(std::log2(value.bound / limit)));
  char text[32];
  std::snprintf(text, sizeof text, "%.17e", factor);
  return realOp("arith.mulf", value, realConstant(value, text),
                value.bound * factor);
}

std::optional<Val> Generator::pickReal(int64_t minRank) {
  return pick([&](const Val &v) {
    return v.tensor && v.elem == realElem && int64_t(v.shape.size()) >= minRank;
  });
}

/// value^2 + number.
Val Generator::positive(const Val &value, const std::string &number) {
  Val square =
      realOp("arith.mulf", value, value.name, value.bound * value.bound);
  return realOp("arith.addf", square, realConstant(square, number),
                square.bound + 1);
}

bool Generator::smoothMath() {
  std::optional<Val> a = pickReal();
  if (!a)
    return false;
  Val x = scaled(*a, 2);
  switch (rng.between(0, 5)) {
  case 0: {
    // Of what is above zero.
    static const std::vector<std::string> ops = {"sqrt", "rsqrt", "log",
                                                 "log2", "cbrt",  "log1p"};
    add(realOp("math." + rng.oneOf(ops), positive(x, "0.5"), "", 4));
    return true;
  }
  case 1: {
    Val y = positive(scaled(need(x.elem, x.shape), 2), "1.0");
    add(realOp("arith.divf", x, y.name, 2));
    return true;
  }
  case 2: {
    // 1 / (1 + exp(-x))
    Val power =
        realOp("math.exp", realOp("arith.negf", x, "", x.bound), "", 7.5);
    std::string one = realConstant(x, "1.0");
    Val below = realOp("arith.addf", power, one, 8.5);
    Val top = x;
    top.name = one;
    add(realOp("arith.divf", top, below.name, 1));
    return true;
  }
  case 3: {
    Val y = scaled(need(x.elem, x.shape), 2);
    if (rng.chance(50))
      add(realOp("math.powf", positive(x, "0.5"), y.name, 32));
    else
      add(realOp("math.atan2", x, positive(y, "0.5").name, 2));
    return true;
  }
  case 4: {
    static const std::vector<std::string> ops = {"exp", "tanh", "negf",
                                                 "abs", "erf",  "square"};
    Val target = empty(x.elem, x.shape);
    define("linalg." + rng.oneOf(ops) + " ins(" + x.name + " : " + x.type() +
               ") outs(" + target.name + " : " + target.type() + ") -> " +
               target.type(),
           x.elem, x.shape, 7.5);
    return true;
  }
  default: {
    static const std::vector<std::string> ops = {
        "atan", "asinh", "cos", "erf",  "erfc", "exp",
        "exp2", "expm1", "sin", "sinh", "tanh", "exp"};
    add(realOp("math." + rng.oneOf(ops), x, "", 7.5));
    return true;
  }
  }
}

/// The reduction of `value` along `dim`.
Val Generator::reducedAlong(const Val &value, int64_t dim, bool sum) {
  Shape shape = value.shape;
  shape.erase(shape.begin() + dim);
  double bound = sum ? value.bound * double(value.shape[dim]) : value.bound;
  Val init = filled(value.elem, shape, sum ? 0 : -1000);
  Val result = define(std::string("linalg.reduce { ") +
                          (sum ? "arith.addf" : "arith.maximumf") + " } ins(" +
                          value.name + " : " + value.type() + ") outs(" +
                          init.name + " : " + init.type() + ") dimensions = [" +
                          std::to_string(dim) + "]",
                      value.elem, shape, bound);
  return result;
}

/// `op` of `value` and of `row`, which lacks dimension `dim`.
Val Generator::withRow(const std::string &op, const Val &value, const Val &row,
                       int64_t dim, double bound) {
  std::vector<std::string> all, some, iterators;
  for (size_t i = 0; i < value.shape.size(); ++i) {
    all.push_back("d" + std::to_string(i));
    if (int64_t(i) != dim)
      some.push_back(all.back());
    iterators.push_back("\"parallel\"");
  }
  Val target = empty(value.elem, value.shape);
  std::string name = fresh(), a = fresh(), b = fresh(), c = fresh(),
              r = fresh(), type = fuzz::name(value.elem),
              loops = "affine_map<(" + join(all) + ") -> (";
  line(name + " = linalg.generic {indexing_maps = [" + loops + join(all) +
       ")>, " + loops + join(some) + ")>, " + loops + join(all) +
       ")>], iterator_types = [" + join(iterators) + "]} ins(" +
       nameList({value, row}) + " : " + typeList({value, row}) + ") outs(" +
       target.name + " : " + target.type() + ") {");
  line("^bb0(" + a + ": " + type + ", " + b + ": " + type + ", " + c + ": " +
       type + "):");
  line("  " + r + " = " + op + " " + a + ", " + b + " : " + type);
  line("  linalg.yield " + r + " : " + type);
  line("} -> " + target.type());
  return add({name, value.elem, true, value.shape, bound});
}

/// Along one dimension: softmax, as one op or as its steps, or what has mean 0 and
/// about variance 1.
bool Generator::normalized() {
  std::optional<Val> a = pickReal(1);
  if (!a)
    return false;
  Val x = scaled(*a, 4);
  int64_t dim = rng.between(0, int64_t(x.shape.size()) - 1);
  int64_t choice = rng.between(0, 2);
  if (choice == 0) {
    Val target = empty(x.elem, x.shape);
    define("linalg.softmax dimension(" + std::to_string(dim) + ") ins(" +
               x.name + " : " + x.type() + ") outs(" + target.name + " : " +
               target.type() + ") -> " + target.type(),
           x.elem, x.shape, 1);
    return true;
  }
  if (choice == 1) {
    Val most = reducedAlong(x, dim, false);
    Val below = withRow("arith.subf", x, most, dim, 8);
    Val power = add(realOp("math.exp", below, "", 1));
    Val sum = reducedAlong(power, dim, true);
    withRow("arith.divf", power, sum, dim, 1);
    return true;
  }
  Val share = x;
  share.shape.erase(share.shape.begin() + dim);
  char text[32];
  std::snprintf(text, sizeof text, "%.17e", 1.0 / double(x.shape[dim]));
  std::string count = realConstant(share, text);
  Val mean = realOp("arith.mulf", reducedAlong(x, dim, true), count, x.bound);
  Val off = withRow("arith.subf", x, mean, dim, 2 * x.bound);
  Val square = add(realOp("arith.mulf", off, off.name, off.bound * off.bound));
  Val variance = realOp("arith.mulf", reducedAlong(square, dim, true), count,
                        square.bound);
  Val above = realOp("arith.addf", variance, realConstant(variance, "0.25"),
                     variance.bound + 1);
  Val factor = add(realOp("math.rsqrt", above, "", 2));
  withRow("arith.mulf", off, factor, dim, 2 * off.bound);
  return true;
}

void Generator::oneRealOp() {
  if (dynamic && rng.chance(60) && oneDynamicOp())
    return;
  static const std::vector<Maker> safe = {&Generator::smoothMath,
                                          &Generator::smoothMath,
                                          &Generator::smoothMath,
                                          &Generator::normalized,
                                          &Generator::normalized,
                                          &Generator::elementwise,
                                          &Generator::elementwise,
                                          &Generator::linalgNamedElementwise,
                                          &Generator::linalgMap,
                                          &Generator::linalgReduce,
                                          &Generator::linalgTranspose,
                                          &Generator::linalgBroadcast,
                                          &Generator::matmul,
                                          &Generator::matmul,
                                          &Generator::matmul,
                                          &Generator::vectorProduct,
                                          &Generator::collapse,
                                          &Generator::expand,
                                          &Generator::extractSlice,
                                          &Generator::insertSlice,
                                          &Generator::pad,
                                          &Generator::concat};
  static const std::vector<Maker> wide = {
      &Generator::genericElementwise, &Generator::genericElementwise,
      &Generator::genericReduction,   &Generator::genericReduction,
      &Generator::genericWindow,      &Generator::tiledMatmul,
      &Generator::convolution,        &Generator::pooling,
      &Generator::rareWindow,         &Generator::tensorReshape};
  static const std::vector<Maker> control = {
      &Generator::scfIf,    &Generator::scfFor,     &Generator::scfWhile,
      &Generator::branches, &Generator::branchLoop, &Generator::call,
      &Generator::call};
  int64_t controlPercent = options.kind == Kind::Control ? 25
                           : options.kind == Kind::Full  ? 8
                                                         : 0;
  for (int64_t tries = 0; tries < 20; ++tries) {
    const std::vector<Maker> &makers = rng.chance(controlPercent) ? control
                                       : realElem == Elem::F32 && rng.chance(35)
                                           ? wide
                                           : safe;
    if ((this->*rng.oneOf(makers))())
      return;
  }
}
