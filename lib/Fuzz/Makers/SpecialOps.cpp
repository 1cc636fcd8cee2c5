//===- SpecialOps.cpp - Ops on NaN and infinities in a random program -----===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Maxima and minima that NaN survives or not, comparisons, and reductions of these kinds.
// No order of combining elements changes what they give. Sums are left out: a partial sum
// of an infinity is NaN where the whole sum is not.
//
//===----------------------------------------------------------------------===//

#include "Parts.h"

using namespace shard::fuzz;

static std::optional<Val> pickSpecial(ProgramBuilder &program,
                                      size_t leastRank) {
  return program.pick([&](const Val &v) {
    return v.tensor && v.elem == Elem::F32 && v.shape.size() >= leastRank;
  });
}

static std::string extremum(Random &rng) {
  static const std::vector<std::string> ops = {
      "arith.maximumf", "arith.minimumf", "arith.maxnumf", "arith.minnumf"};
  return rng.oneOf(ops);
}

/// A tensor of one element, finite or not; not added to the scope.
static Val specialFill(ProgramBuilder &program, const Shape &shape) {
  static const std::vector<std::string> literals = {
      "0xFF800000", "0x7F800000", "0x7FC00000", "0.0", "-100.0", "100.0"};
  Val scalar{program.fresh(), Elem::F32, false, {}};
  program.line(scalar.name + " = arith.constant " +
               program.rng.oneOf(literals) + " : f32");
  Val target = program.empty(Elem::F32, shape), result = target;
  result.name = program.fresh();
  program.line(result.name + " = linalg.fill " + insOutsTo({scalar}, target));
  return result;
}

static bool extremumOfTwo(ProgramBuilder &program) {
  std::optional<Val> a = pickSpecial(program, 1);
  if (!a)
    return false;
  Val b = program.rng.chance(20) ? specialFill(program, a->shape)
                                 : program.need(a->elem, a->shape);
  if (program.rng.chance(60)) {
    program.define(extremum(program.rng) + " " + a->name + ", " + b.name +
                       " : " + a->type(),
                   a->elem, a->shape, a->bound);
    return true;
  }
  Val target = program.empty(a->elem, a->shape);
  program.define(std::string("linalg.") +
                     (program.rng.chance(50) ? "max " : "min ") +
                     insOutsTo({*a, b}, target),
                 a->elem, a->shape, a->bound);
  return true;
}

static bool extremumOfMany(ProgramBuilder &program) {
  std::optional<Val> a = pickSpecial(program, 1);
  if (!a)
    return false;
  Shape dims, shape;
  size_t last = a->shape.size() - 1;
  for (size_t dim = 0; dim <= last; ++dim)
    if (program.rng.chance(50) || (dim == last && dims.empty()))
      dims.push_back(dim);
    else
      shape.push_back(a->shape[dim]);
  Val init = program.rng.chance(70) ? specialFill(program, shape)
                                    : program.need(a->elem, shape);
  program.define("linalg.reduce { " + extremum(program.rng) + " } " +
                     insOuts({*a}, init) + " dimensions = [" + list(dims) + "]",
                 a->elem, shape, a->bound);
  return true;
}

/// Windows over the second of three dimensions.
static bool extremumOfWindow(ProgramBuilder &program) {
  int64_t window = program.rng.between(1, 3);
  Shape shape = {program.rng.between(1, 4), program.rng.between(2, 12),
                 program.rng.between(1, 3)};
  Val input =
      program.need(Elem::F32, {shape[0], shape[1] + window - 1, shape[2]});
  Val kernel = program.empty(Elem::F32, {window});
  program.define(std::string("linalg.pooling_nwc_") +
                     (program.rng.chance(50) ? "max " : "min ") +
                     "{dilations = dense<1> : tensor<1xi64>, strides = "
                     "dense<1> : tensor<1xi64>} " +
                     insOutsTo({input, kernel}, specialFill(program, shape)),
                 Elem::F32, shape, input.bound);
  return true;
}

static bool comparedAndChosen(ProgramBuilder &program) {
  std::optional<Val> a = pickSpecial(program, 1);
  if (!a)
    return false;
  static const std::vector<std::string> predicates = {"olt", "uge", "oeq",
                                                      "une", "uno", "ord"};
  Val b = program.need(a->elem, a->shape);
  Val condition =
      program.define("arith.cmpf " + program.rng.oneOf(predicates) + ", " +
                         a->name + ", " + b.name + " : " + a->type(),
                     Elem::I1, a->shape, 1);
  program.define("arith.select " + condition.name + ", " + a->name + ", " +
                     b.name + " : " + condition.type() + ", " + a->type(),
                 a->elem, a->shape, a->bound);
  return true;
}

/// An op of tosa that says whether NaN survives.
static bool tosaExtremum(ProgramBuilder &program) {
  std::optional<Val> a = pickSpecial(program, 1);
  if (!a)
    return false;
  std::string mode = std::string("nan_mode = ") +
                     (program.rng.chance(50) ? "IGNORE" : "PROPAGATE");
  std::string largest = program.rng.chance(50) ? "max" : "min";
  int64_t dim = program.rng.between(0, int64_t(a->shape.size()) - 1);
  std::string along = " {axis = " + std::to_string(dim) + " : i32, " + mode;
  Shape shape = a->shape;
  switch (program.rng.between(0, 4)) {
  case 0: {
    Val b = program.need(a->elem, shape);
    program.define("tosa." + largest + "imum " + a->name + ", " + b.name +
                       " {" + mode + "} : (" + a->type() + ", " + b.type() +
                       ") -> " + a->type(),
                   a->elem, shape, a->bound);
    return true;
  }
  case 1:
    program.define("tosa.clamp " + a->name +
                       " {min_val = -2.0 : f32, max_val = 2.0 : f32, " + mode +
                       "} : (" + a->type() + ") -> " + a->type(),
                   a->elem, shape, 2);
    return true;
  case 2: {
    if (shape.size() < 2)
      return false;
    shape.erase(shape.begin() + dim);
    program.define("tosa.argmax " + a->name + along + "} : (" + a->type() +
                       ") -> " + tensorType(Elem::I32, shape),
                   Elem::I32, shape, 30);
    return true;
  }
  default:
    shape[dim] = 1;
    program.define("tosa.reduce_" + largest + " " + a->name + along + "} : (" +
                       a->type() + ") -> " + tensorType(a->elem, shape),
                   a->elem, shape, a->bound);
    return true;
  }
}

void shard::fuzz::registerSpecialMakers(MakerRegistry &makers) {
  makers.add(MakerGroup::Specials, extremumOfTwo, 2);
  makers.add(MakerGroup::Specials, extremumOfMany, 4);
  makers.add(MakerGroup::Specials, extremumOfWindow);
  makers.add(MakerGroup::Specials, comparedAndChosen);
  makers.add(MakerGroup::Specials, tosaExtremum, 4);
  makers.add(MakerGroup::Specials, linalgTranspose);
  makers.add(MakerGroup::Specials, extractSlice);
  makers.add(MakerGroup::Specials, pad);
  makers.add(MakerGroup::Specials, collapse);
}
