//===- TosaOps.cpp - Ops of tosa in a random program ----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parts.h"

#include <algorithm>

using namespace shard::fuzz;

/// A tosa op on `operands`.
static std::string tosa(const std::string &op, const std::vector<Val> &operands,
                        const std::string &result,
                        const std::string &attributes = "") {
  std::vector<std::string> names, types;
  for (const Val &operand : operands) {
    names.push_back(operand.name);
    types.push_back(operand.type());
  }
  return "tosa." + op + " " + join(names) + attributes + " : (" + join(types) +
         ") -> " + result;
}

/// A "tosa.const" of one element, such as a zero point; not added to the scope.
static std::string tosaOne(ProgramBuilder &program, const std::string &type,
                           const std::string &value) {
  std::string name = program.fresh();
  program.line(name + " = \"tosa.const\"() {values = dense<" + value +
               "> : tensor<1x" + type + ">} : () -> tensor<1x" + type + ">");
  return name;
}

static bool isTosa(const Val &value) {
  return value.tensor && !value.shape.empty() &&
         (value.elem == Elem::F32 || value.elem == Elem::I32 ||
          value.elem == Elem::I1);
}

static bool tosaElementwise(ProgramBuilder &program) {
  std::optional<Val> a =
      program.pick([](const Val &v) { return isTosa(v) && v.bound <= 64; });
  if (!a)
    return false;
  std::string type = a->type();
  auto result = [&](const std::string &text, double bound) {
    program.define(text, a->elem, a->shape, bound);
    return true;
  };
  // Extents of 1 are repeated.
  Shape other = a->shape;
  if (program.rng.chance(40))
    other[program.rng.between(0, int64_t(other.size()) - 1)] = 1;
  if (a->elem == Elem::I1) {
    static const std::vector<std::string> ops = {"logical_and", "logical_or",
                                                 "logical_xor"};
    if (program.rng.chance(25))
      return result(tosa("logical_not", {*a}, type), 1);
    return result(
        tosa(program.rng.oneOf(ops), {*a, program.need(Elem::I1, other)}, type),
        1);
  }
  int64_t choice = program.rng.between(0, 9);
  if (choice == 0) {
    static const std::vector<std::string> ops = {"equal", "greater",
                                                 "greater_equal"};
    program.define(tosa(program.rng.oneOf(ops),
                        {*a, program.need(a->elem, other)},
                        tensorType(Elem::I1, a->shape)),
                   Elem::I1, a->shape, 1);
    return true;
  }
  if (choice == 1) {
    Val condition = program.need(Elem::I1, a->shape),
        b = program.need(a->elem, a->shape);
    return result(tosa("select", {condition, *a, b}, type),
                  std::max(a->bound, b.bound));
  }
  Val b = program.clamped(program.need(a->elem, other), 64);
  if (choice == 2) {
    std::string shift = tosaOne(program, "i8", "0");
    return result("tosa.mul " + a->name + ", " + b.name + ", " + shift +
                      " : (" + type + ", " + b.type() + ", tensor<1xi8>) -> " +
                      type,
                  a->bound * b.bound);
  }
  if (choice == 3) {
    std::string elem = name(a->elem);
    std::string zero =
        tosaOne(program, elem, a->elem == Elem::F32 ? "0.0" : "0");
    return result("tosa.negate " + a->name + ", " + zero + ", " + zero +
                      " : (" + type + ", tensor<1x" + elem + ">, tensor<1x" +
                      elem + ">) -> " + type,
                  a->bound);
  }
  if (choice <= 5) {
    static const std::vector<std::string> ops = {"add", "sub", "maximum",
                                                 "minimum"};
    return result(tosa(program.rng.oneOf(ops), {*a, b}, type),
                  a->bound + b.bound);
  }
  if (a->elem == Elem::F32) {
    if (choice == 6) {
      program.define(tosa("cast", {*a}, tensorType(Elem::I32, a->shape)),
                     Elem::I32, a->shape, 0);
      return true;
    }
    if (choice == 7)
      return result(tosa("clamp", {*a}, type,
                         " {min_val = -2.0 : f32, max_val = 2.0 : f32}"),
                    2);
    if (choice == 8) {
      static const std::vector<std::string> ops = {"abs", "ceil", "floor",
                                                   "identity"};
      return result(tosa(program.rng.oneOf(ops), {*a}, type), a->bound);
    }
    static const std::vector<std::string> ops = {
        "cos",   "erf",     "exp", "log", "reciprocal",
        "rsqrt", "sigmoid", "sin", "tanh"};
    Val x = offZero(program, *a);
    std::string inexact = program.fresh();
    if (program.rng.chance(15))
      program.line(
          inexact + " = " +
          tosa("pow", {x, offZero(program, program.need(Elem::F32, a->shape))},
               type));
    else
      program.line(inexact + " = " + tosa(program.rng.oneOf(ops), {x}, type));
    compared(program, inexact, a->elem, a->shape);
    return true;
  }
  if (choice == 6) {
    static const std::vector<std::string> ops = {"bitwise_not", "clz", "abs"};
    return result(tosa(program.rng.oneOf(ops), {*a}, type), 0);
  }
  if (choice <= 8) {
    static const std::vector<std::string> ops = {"bitwise_and", "bitwise_or",
                                                 "bitwise_xor"};
    return result(tosa(program.rng.oneOf(ops), {*a, b}, type), 0);
  }
  // Amounts of bits below the width.
  static const std::vector<std::string> ops = {"logical_left_shift",
                                               "logical_right_shift"};
  Val amount = program.splat(Elem::I32, a->shape, program.rng.between(0, 7));
  if (program.rng.chance(30))
    return result(
        tosa("arithmetic_right_shift", {*a, amount}, type, " {round = false}"),
        0);
  return result(tosa(program.rng.oneOf(ops), {*a, amount}, type), 0);
}

/// Rows of indices into a dimension of `extent`: "[0, 2], [1, 0]".
static std::string randomRows(Random &rng, int64_t rows, int64_t count,
                              int64_t extent) {
  std::vector<std::string> text;
  for (int64_t row = 0; row < rows; ++row) {
    Shape places;
    for (int64_t i = 0; i < count; ++i)
      places.push_back(rng.between(0, extent - 1));
    text.push_back("[" + list(places) + "]");
  }
  return join(text);
}

/// As randomRows, without an index that occurs twice in a row.
static std::string distinctRows(Random &rng, int64_t rows, int64_t count,
                                int64_t extent) {
  std::vector<std::string> text;
  for (int64_t row = 0; row < rows; ++row) {
    Shape places;
    for (int64_t i = 0; i < extent; ++i)
      places.push_back(i);
    rng.shuffle(places);
    places.resize(count);
    text.push_back("[" + list(places) + "]");
  }
  return join(text);
}

static bool tosaMove(ProgramBuilder &program) {
  std::optional<Val> a = program.pick(
      [](const Val &v) { return isTosa(v) && v.elem != Elem::I1; });
  if (!a)
    return false;
  int64_t rank = a->shape.size(), dim = program.rng.between(0, rank - 1);
  std::string axis = " {axis = " + std::to_string(dim) + " : i32}";
  Shape shape = a->shape;
  switch (program.rng.between(0, 4)) {
  case 0:
    program.define(tosa("reverse", {*a}, a->type(), axis), a->elem, shape,
                   a->bound);
    return true;
  case 1: {
    if (a->elem != Elem::F32 || rank < 2 || shape[dim] == 0)
      return false;
    int64_t extent = shape[dim];
    shape.erase(shape.begin() + dim);
    program.define(tosa("argmax", {*a}, tensorType(Elem::I32, shape), axis),
                   Elem::I32, shape, double(extent));
    return true;
  }
  case 2: {
    if (a->elem != Elem::I32)
      return false;
    Val divisor = program.splat(Elem::I32, shape, program.rng.between(1, 5));
    program.define(tosa("intdiv", {*a, divisor}, a->type()), a->elem, shape,
                   a->bound);
    return true;
  }
  case 3: {
    // Every second element is one of the source.
    Shape small = {program.randomExtent(), program.rng.between(1, 4),
                   program.rng.between(1, 4), program.randomExtent()};
    Val image = program.need(Elem::F32, small);
    shape = {small[0], 2 * small[1] - 1, 2 * small[2] - 1, small[3]};
    std::string scale = program.fresh(), zero = program.fresh();
    program.line(scale + " = tosa.const_shape {values = dense<[2, 1, 2, 1]> : "
                         "tensor<4xindex>} : () -> !tosa.shape<4>");
    program.line(zero +
                 " = tosa.const_shape {values = dense<0> : tensor<2xindex>} : "
                 "() -> !tosa.shape<2>");
    program.define("tosa.resize " + image.name + ", " + scale + ", " + zero +
                       ", " + zero + " {mode = NEAREST_NEIGHBOR} : (" +
                       image.type() +
                       ", !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> " +
                       tensorType(Elem::F32, shape),
                   Elem::F32, shape, image.bound);
    return true;
  }
  default: {
    if (rank != 3 || shape[0] == 0 || shape[1] == 0)
      return false;
    int64_t count = program.rng.between(1, shape[1]);
    Val updates = program.need(a->elem, {shape[0], count, shape[2]});
    std::string indices = program.fresh();
    std::string type = tensorType(Elem::I32, {shape[0], count});
    program.line(indices + " = arith.constant dense<[" +
                 distinctRows(program.rng, shape[0], count, shape[1]) +
                 "]> : " + type);
    program.define("tosa.scatter " + a->name + ", " + indices + ", " +
                       updates.name + " : (" + a->type() + ", " + type + ", " +
                       updates.type() + ") -> " + a->type(),
                   a->elem, shape, std::max(a->bound, updates.bound));
    return true;
  }
  }
}

static bool tosaStructured(ProgramBuilder &program) {
  std::optional<Val> a =
      program.pick([](const Val &v) { return isTosa(v) && v.bound <= 64; });
  if (!a)
    return false;
  int64_t rank = a->shape.size(), dim = program.rng.between(0, rank - 1);
  std::string axis = " {axis = " + std::to_string(dim) + " : i32}";
  switch (program.rng.between(0, 5)) {
  case 0: {
    Shape shape = a->shape;
    int64_t extent = shape[dim];
    shape[dim] = 1;
    std::string op = "reduce_sum";
    double bound = a->bound * double(extent);
    if (a->elem == Elem::I1) {
      op = program.rng.chance(50) ? "reduce_all" : "reduce_any";
    } else if (program.rng.chance(50)) {
      op = program.rng.chance(50) ? "reduce_max" : "reduce_min";
      bound = a->bound;
    } else if (program.rng.chance(40)) {
      // A product of elements of -1, 0 and 1.
      op = "reduce_product";
      if (a->elem != Elem::F32)
        return false;
      *a = program.clamped(*a, 1);
      bound = 1;
    }
    program.define(tosa(op, {*a}, tensorType(a->elem, shape), axis), a->elem,
                   shape, bound);
    return true;
  }
  case 1: {
    Shape other = a->shape, shape = a->shape;
    other[dim] = program.rng.between(1, 5);
    shape[dim] += other[dim];
    Val b = program.need(a->elem, other);
    program.define(tosa("concat", {*a, b}, tensorType(a->elem, shape), axis),
                   a->elem, shape, std::max(a->bound, b.bound));
    return true;
  }
  case 2: {
    Shape permutation, shape;
    for (int64_t i = 0; i < rank; ++i)
      permutation.push_back(i);
    program.rng.shuffle(permutation);
    for (int64_t i : permutation)
      shape.push_back(a->shape[i]);
    program.define(tosa("transpose", {*a}, tensorType(a->elem, shape),
                        " {perms = array<i32: " + list(permutation) + ">}"),
                   a->elem, shape, a->bound);
    return true;
  }
  case 3: {
    Shape shape = a->shape;
    program.rng.shuffle(shape);
    if (rank > 1) {
      shape[1] *= shape[0];
      shape.erase(shape.begin());
    }
    std::string extents = program.fresh(), count = std::to_string(shape.size());
    program.line(extents + " = tosa.const_shape {values = dense<[" +
                 list(shape) + "]> : tensor<" + count +
                 "xindex>} : () -> !tosa.shape<" + count + ">");
    program.define("tosa.reshape " + a->name + ", " + extents + " : (" +
                       a->type() + ", !tosa.shape<" + count + ">) -> " +
                       tensorType(a->elem, shape),
                   a->elem, shape, a->bound);
    return true;
  }
  case 4: {
    if (rank != 3 || a->shape[1] == 0 || a->elem == Elem::I1)
      return false;
    Shape shape = a->shape;
    shape[1] = program.randomExtent();
    std::string indices = program.fresh();
    std::string type = tensorType(Elem::I32, {shape[0], shape[1]});
    program.line(indices + " = arith.constant dense<[" +
                 randomRows(program.rng, shape[0], shape[1], a->shape[1]) +
                 "]> : " + type);
    program.define("tosa.gather " + a->name + ", " + indices + " : (" +
                       a->type() + ", " + type + ") -> " +
                       tensorType(a->elem, shape),
                   a->elem, shape, a->bound);
    return true;
  }
  default: {
    if (a->elem != Elem::F32 || rank != 3)
      return false;
    int64_t n = program.randomExtent();
    Shape shape = {a->shape[0], a->shape[1], n};
    Val b = program.clamped(
        program.need(a->elem, {a->shape[0], a->shape[2], n}), 64);
    std::string zero = tosaOne(program, "f32", "0.0");
    program.define("tosa.matmul " + a->name + ", " + b.name + ", " + zero +
                       ", " + zero + " : (" + a->type() + ", " + b.type() +
                       ", tensor<1xf32>, tensor<1xf32>) -> " +
                       tensorType(a->elem, shape),
                   a->elem, shape, a->bound * b.bound * double(a->shape[2]));
    return true;
  }
  }
}

void shard::fuzz::registerTosaMakers(MakerRegistry &makers) {
  makers.add(MakerGroup::Ops, tosaElementwise, 2);
  makers.add(MakerGroup::Ops, tosaMove);
  makers.add(MakerGroup::Ops, tosaStructured);
}
