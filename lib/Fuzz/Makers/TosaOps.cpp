//===- TosaOps.cpp - Ops of tosa in a random program ----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parts.h"
#include "SharedOps.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

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

std::string shard::fuzz::tosaOne(ProgramBuilder &program,
                                 const std::string &type,
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

namespace {
/// Writes an op on `a`. Its second operand, if it has one, is of the shape `other`:
/// that of `a`, in which one extent may be 1, which the op repeats.
using ShapeMaker = bool (*)(ProgramBuilder &program, const Val &a,
                            const Shape &other);
/// Writes an op on `a` and, if it takes two operands, on `b`.
using PairMaker = bool (*)(ProgramBuilder &program, const Val &a, const Val &b);
/// Writes an op on `a`, along the dimension `dim` if it is about one dimension.
using DimMaker = bool (*)(ProgramBuilder &program, const Val &a, int64_t dim);
using Names = std::vector<std::string>;
} // namespace

/// The makers, each as often as its weight says.
template <typename Maker>
static std::vector<Maker>
weighted(std::initializer_list<std::pair<Maker, int64_t>> makers) {
  std::vector<Maker> result;
  for (auto [maker, weight] : makers)
    result.insert(result.end(), weight, maker);
  return result;
}

/// Adds the result of `op`, which has the type of `a`, to the scope.
static bool defineLike(ProgramBuilder &program, const Val &a,
                       const std::string &op, double bound) {
  program.define(op, a.elem, a.shape, bound);
  return true;
}

/// As a ShapeMaker. A maker of ops of one operand leaves the second one in scope, for
/// the ops behind it.
template <PairMaker maker>
static bool withSecond(ProgramBuilder &program, const Val &a,
                       const Shape &other) {
  return maker(program, a, program.clamped(program.need(a.elem, other), 64));
}

static bool tosaLogical(ProgramBuilder &program, const Val &a,
                        const Shape &other) {
  static const Names ops = {"logical_and", "logical_or", "logical_xor"};
  if (program.rng.chance(25))
    return defineLike(program, a, tosa("logical_not", {a}, a.type()), 1);
  const std::string &op = program.rng.oneOf(ops);
  Val b = program.need(Elem::I1, other);
  return defineLike(program, a, tosa(op, {a, b}, a.type()), 1);
}

static bool tosaCompare(ProgramBuilder &program, const Val &a,
                        const Shape &other) {
  static const Names ops = {"equal", "greater", "greater_equal"};
  const std::string &op = program.rng.oneOf(ops);
  Val b = program.need(a.elem, other);
  program.define(tosa(op, {a, b}, tensorType(Elem::I1, a.shape)), Elem::I1,
                 a.shape, 1);
  return true;
}

static bool tosaSelect(ProgramBuilder &program, const Val &a, const Shape &) {
  Val condition = program.need(Elem::I1, a.shape);
  Val b = program.need(a.elem, a.shape);
  return defineLike(program, a, tosa("select", {condition, a, b}, a.type()),
                    std::max(a.bound, b.bound));
}

static bool tosaMul(ProgramBuilder &program, const Val &a, const Val &b) {
  std::string shift = tosaOne(program, "i8", "0");
  return defineLike(program, a,
                    "tosa.mul " + a.name + ", " + b.name + ", " + shift +
                        " : (" + a.type() + ", " + b.type() +
                        ", tensor<1xi8>) -> " + a.type(),
                    a.bound * b.bound);
}

static bool tosaNegate(ProgramBuilder &program, const Val &a, const Val &) {
  std::string elem = name(a.elem);
  std::string zero = tosaOne(program, elem, a.elem == Elem::F32 ? "0.0" : "0");
  return defineLike(program, a,
                    "tosa.negate " + a.name + ", " + zero + ", " + zero +
                        " : (" + a.type() + ", tensor<1x" + elem +
                        ">, tensor<1x" + elem + ">) -> " + a.type(),
                    a.bound);
}

static bool tosaArithmetic(ProgramBuilder &program, const Val &a,
                           const Val &b) {
  static const Names ops = {"add", "sub", "maximum", "minimum"};
  return defineLike(program, a, tosa(program.rng.oneOf(ops), {a, b}, a.type()),
                    a.bound + b.bound);
}

static bool tosaCast(ProgramBuilder &program, const Val &a, const Val &) {
  program.define(tosa("cast", {a}, tensorType(Elem::I32, a.shape)), Elem::I32,
                 a.shape, 0);
  return true;
}

static bool tosaClamp(ProgramBuilder &program, const Val &a, const Val &) {
  return defineLike(program, a,
                    tosa("clamp", {a}, a.type(),
                         " {min_val = -2.0 : f32, max_val = 2.0 : f32}"),
                    2);
}

/// A float op of one operand with exact results.
static bool tosaExact(ProgramBuilder &program, const Val &a, const Val &) {
  static const Names ops = {"abs", "ceil", "floor", "identity"};
  return defineLike(program, a, tosa(program.rng.oneOf(ops), {a}, a.type()),
                    a.bound);
}

/// A float op with inexact results, which are compared with a number at once.
static bool tosaInexact(ProgramBuilder &program, const Val &a, const Val &) {
  static const Names ops = {"cos",   "erf",     "exp", "log", "reciprocal",
                            "rsqrt", "sigmoid", "sin", "tanh"};
  Val x = offZero(program, a);
  std::string inexact = program.fresh();
  std::string op;
  if (program.rng.chance(15)) {
    Val exponent = offZero(program, program.need(Elem::F32, a.shape));
    op = tosa("pow", {x, exponent}, a.type());
  } else {
    op = tosa(program.rng.oneOf(ops), {x}, a.type());
  }
  program.line(inexact + " = " + op);
  compared(program, inexact, a.elem, a.shape);
  return true;
}

/// An integer op of one operand.
static bool tosaBits(ProgramBuilder &program, const Val &a, const Val &) {
  static const Names ops = {"bitwise_not", "clz", "abs"};
  return defineLike(program, a, tosa(program.rng.oneOf(ops), {a}, a.type()), 0);
}

static bool tosaBitwise(ProgramBuilder &program, const Val &a, const Val &b) {
  static const Names ops = {"bitwise_and", "bitwise_or", "bitwise_xor"};
  return defineLike(program, a, tosa(program.rng.oneOf(ops), {a, b}, a.type()),
                    0);
}

static bool tosaShift(ProgramBuilder &program, const Val &a, const Val &) {
  static const Names ops = {"logical_left_shift", "logical_right_shift"};
  // Below the number of bits of an element.
  Val amount = program.splat(Elem::I32, a.shape, program.rng.between(0, 7));
  std::string op = program.rng.chance(30)
                       ? tosa("arithmetic_right_shift", {a, amount}, a.type(),
                              " {round = false}")
                       : tosa(program.rng.oneOf(ops), {a, amount}, a.type());
  return defineLike(program, a, op, 0);
}

/// The makers for numbers of type `elem`.
static const std::vector<ShapeMaker> &elementwiseMakers(Elem elem) {
  static const std::vector<ShapeMaker> floats =
      weighted<ShapeMaker>({{tosaCompare, 1},
                            {tosaSelect, 1},
                            {withSecond<tosaMul>, 1},
                            {withSecond<tosaNegate>, 1},
                            {withSecond<tosaArithmetic>, 2},
                            {withSecond<tosaCast>, 1},
                            {withSecond<tosaClamp>, 1},
                            {withSecond<tosaExact>, 1},
                            {withSecond<tosaInexact>, 3}});
  static const std::vector<ShapeMaker> integers =
      weighted<ShapeMaker>({{tosaCompare, 1},
                            {tosaSelect, 1},
                            {withSecond<tosaMul>, 1},
                            {withSecond<tosaNegate>, 1},
                            {withSecond<tosaArithmetic>, 2},
                            {withSecond<tosaBits>, 2},
                            {withSecond<tosaBitwise>, 2},
                            {withSecond<tosaShift>, 1}});
  return isFloat(elem) ? floats : integers;
}

static bool tosaElementwise(ProgramBuilder &program) {
  std::optional<Val> a =
      program.pick([](const Val &v) { return isTosa(v) && v.bound <= 64; });
  if (!a)
    return false;
  Shape other = a->shape;
  if (program.rng.chance(40))
    other[program.rng.between(0, int64_t(other.size()) - 1)] = 1;
  if (a->elem == Elem::I1)
    return tosaLogical(program, *a, other);
  return program.rng.oneOf(elementwiseMakers(a->elem))(program, *a, other);
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

/// The attribute of ops along a dimension.
static std::string axisAttr(int64_t dim) {
  return " {axis = " + std::to_string(dim) + " : i32}";
}

std::string shard::fuzz::tosaShape(ProgramBuilder &program,
                                   const std::string &numbers, int64_t count) {
  std::string name = program.fresh(), size = std::to_string(count);
  program.line(name + " = tosa.const_shape {values = dense<" + numbers +
               "> : tensor<" + size + "xindex>} : () -> !tosa.shape<" + size +
               ">");
  return name;
}

static bool tosaReverse(ProgramBuilder &program, const Val &a, int64_t dim) {
  return defineLike(program, a, tosa("reverse", {a}, a.type(), axisAttr(dim)),
                    a.bound);
}

static bool tosaArgmax(ProgramBuilder &program, const Val &a, int64_t dim) {
  Shape shape = a.shape;
  if (a.elem != Elem::F32 || shape.size() < 2 || shape[dim] == 0)
    return false;
  int64_t extent = shape[dim];
  shape.erase(shape.begin() + dim);
  program.define(
      tosa("argmax", {a}, tensorType(Elem::I32, shape), axisAttr(dim)),
      Elem::I32, shape, double(extent));
  return true;
}

static bool tosaIntdiv(ProgramBuilder &program, const Val &a, int64_t) {
  if (a.elem != Elem::I32)
    return false;
  Val divisor = program.splat(Elem::I32, a.shape, program.rng.between(1, 5));
  return defineLike(program, a, tosa("intdiv", {a, divisor}, a.type()),
                    a.bound);
}

static bool tosaResize(ProgramBuilder &program, const Val &, int64_t) {
  // Every second element of the result is one of the image.
  Shape small = {program.randomExtent(), program.rng.between(1, 4),
                 program.rng.between(1, 4), program.randomExtent()};
  Val image = program.need(Elem::F32, small);
  Shape shape = {small[0], 2 * small[1] - 1, 2 * small[2] - 1, small[3]};
  std::string scale = tosaShape(program, "[2, 1, 2, 1]", 4);
  std::string zero = tosaShape(program, "0", 2);
  program.define("tosa.resize " + image.name + ", " + scale + ", " + zero +
                     ", " + zero + " {mode = NEAREST_NEIGHBOR} : (" +
                     image.type() +
                     ", !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> " +
                     tensorType(Elem::F32, shape),
                 Elem::F32, shape, image.bound);
  return true;
}

static bool tosaScatter(ProgramBuilder &program, const Val &a, int64_t) {
  if (a.shape.size() != 3 || a.shape[0] == 0 || a.shape[1] == 0)
    return false;
  int64_t count = program.rng.between(1, a.shape[1]);
  Val updates = program.need(a.elem, {a.shape[0], count, a.shape[2]});
  std::string indices = program.fresh();
  std::string type = tensorType(Elem::I32, {a.shape[0], count});
  program.line(indices + " = arith.constant dense<[" +
               distinctRows(program.rng, a.shape[0], count, a.shape[1]) +
               "]> : " + type);
  return defineLike(program, a,
                    "tosa.scatter " + a.name + ", " + indices + ", " +
                        updates.name + " : (" + a.type() + ", " + type + ", " +
                        updates.type() + ") -> " + a.type(),
                    std::max(a.bound, updates.bound));
}

static bool tosaReduce(ProgramBuilder &program, const Val &a, int64_t dim) {
  Val operand = a;
  Shape shape = a.shape;
  shape[dim] = 1;
  std::string op = "reduce_sum";
  double bound = a.bound * double(a.shape[dim]);
  if (a.elem == Elem::I1) {
    op = program.rng.chance(50) ? "reduce_all" : "reduce_any";
  } else if (program.rng.chance(50)) {
    op = program.rng.chance(50) ? "reduce_max" : "reduce_min";
    bound = a.bound;
  } else if (program.rng.chance(40)) {
    // A product of elements of -1, 0 and 1.
    op = "reduce_product";
    if (a.elem != Elem::F32)
      return false;
    operand = program.clamped(a, 1);
    bound = 1;
  }
  program.define(tosa(op, {operand}, tensorType(a.elem, shape), axisAttr(dim)),
                 a.elem, shape, bound);
  return true;
}

static bool tosaConcat(ProgramBuilder &program, const Val &a, int64_t dim) {
  Shape other = a.shape, shape = a.shape;
  other[dim] = program.rng.between(1, 5);
  shape[dim] += other[dim];
  Val b = program.need(a.elem, other);
  program.define(
      tosa("concat", {a, b}, tensorType(a.elem, shape), axisAttr(dim)), a.elem,
      shape, std::max(a.bound, b.bound));
  return true;
}

static bool tosaTranspose(ProgramBuilder &program, const Val &a, int64_t) {
  Shape permutation, shape;
  for (size_t i = 0; i < a.shape.size(); ++i)
    permutation.push_back(i);
  program.rng.shuffle(permutation);
  for (int64_t i : permutation)
    shape.push_back(a.shape[i]);
  program.define(tosa("transpose", {a}, tensorType(a.elem, shape),
                      " {perms = array<i32: " + list(permutation) + ">}"),
                 a.elem, shape, a.bound);
  return true;
}

static bool tosaReshape(ProgramBuilder &program, const Val &a, int64_t) {
  Shape shape = a.shape;
  program.rng.shuffle(shape);
  if (shape.size() > 1) {
    shape[1] *= shape[0];
    shape.erase(shape.begin());
  }
  std::string extents =
      tosaShape(program, "[" + list(shape) + "]", shape.size());
  program.define("tosa.reshape " + a.name + ", " + extents + " : (" + a.type() +
                     ", !tosa.shape<" + std::to_string(shape.size()) +
                     ">) -> " + tensorType(a.elem, shape),
                 a.elem, shape, a.bound);
  return true;
}

static bool tosaGather(ProgramBuilder &program, const Val &a, int64_t) {
  if (a.shape.size() != 3 || a.shape[1] == 0 || a.elem == Elem::I1)
    return false;
  Shape shape = a.shape;
  shape[1] = program.randomExtent();
  std::string indices = program.fresh();
  std::string type = tensorType(Elem::I32, {shape[0], shape[1]});
  program.line(indices + " = arith.constant dense<[" +
               randomRows(program.rng, shape[0], shape[1], a.shape[1]) +
               "]> : " + type);
  program.define("tosa.gather " + a.name + ", " + indices + " : (" + a.type() +
                     ", " + type + ") -> " + tensorType(a.elem, shape),
                 a.elem, shape, a.bound);
  return true;
}

static bool tosaMatmul(ProgramBuilder &program, const Val &a, int64_t) {
  if (a.elem != Elem::F32 || a.shape.size() != 3)
    return false;
  int64_t n = program.randomExtent();
  Shape shape = {a.shape[0], a.shape[1], n};
  Val b =
      program.clamped(program.need(a.elem, {a.shape[0], a.shape[2], n}), 64);
  std::string zero = tosaOne(program, "f32", "0.0");
  program.define("tosa.matmul " + a.name + ", " + b.name + ", " + zero + ", " +
                     zero + " : (" + a.type() + ", " + b.type() +
                     ", tensor<1xf32>, tensor<1xf32>) -> " +
                     tensorType(a.elem, shape),
                 a.elem, shape, a.bound * b.bound * double(a.shape[2]));
  return true;
}

/// One of `makers` on a tensor that passes `filter`, along a random dimension.
static bool makeAlong(ProgramBuilder &program,
                      const std::vector<DimMaker> &makers,
                      const std::function<bool(const Val &)> &filter) {
  std::optional<Val> a = program.pick(filter);
  if (!a)
    return false;
  int64_t dim = program.rng.between(0, int64_t(a->shape.size()) - 1);
  return program.rng.oneOf(makers)(program, *a, dim);
}

/// Ops that take magnitudes of any size.
static bool tosaMove(ProgramBuilder &program) {
  static const std::vector<DimMaker> makers =
      weighted<DimMaker>({{tosaReverse, 1},
                          {tosaArgmax, 1},
                          {tosaIntdiv, 1},
                          {tosaResize, 1},
                          {tosaScatter, 1},
                          {tosaVariable, 1}});
  return makeAlong(program, makers, [](const Val &v) {
    return isTosa(v) && v.elem != Elem::I1;
  });
}

/// Ops some of which add or multiply elements: `a` has small ones.
static bool tosaStructured(ProgramBuilder &program) {
  static const std::vector<DimMaker> makers =
      weighted<DimMaker>({{tosaReduce, 1},
                          {tosaConcat, 1},
                          {tosaTranspose, 1},
                          {tosaReshape, 1},
                          {tosaGather, 1},
                          {tosaMatmul, 1}});
  return makeAlong(program, makers,
                   [](const Val &v) { return isTosa(v) && v.bound <= 64; });
}

void shard::fuzz::registerTosaMakers(MakerRegistry &makers) {
  makers.add(MakerGroup::Ops, tosaElementwise, 2);
  makers.add(MakerGroup::Ops, tosaMove);
  makers.add(MakerGroup::Ops, tosaStructured);
  makers.add(MakerGroup::Tosa, tosaElementwise);
  makers.add(MakerGroup::Tosa, tosaMove);
  makers.add(MakerGroup::Tosa, tosaStructured, 2);
}
