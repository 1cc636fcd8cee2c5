//===- Values.cpp - Values of a random program ----------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parts.h"

#include <algorithm>

using namespace shard::fuzz;

std::string shard::fuzz::name(Elem elem) {
  switch (elem) {
  case Elem::F32:
    return "f32";
  case Elem::F64:
    return "f64";
  case Elem::F16:
    return "f16";
  case Elem::BF16:
    return "bf16";
  case Elem::I8:
    return "i8";
  case Elem::I16:
    return "i16";
  case Elem::I32:
    return "i32";
  case Elem::I64:
    return "i64";
  case Elem::I1:
    return "i1";
  case Elem::Index:
    return "index";
  }
  return "";
}

Elem shard::fuzz::wider(Elem elem) {
  switch (elem) {
  case Elem::F16:
  case Elem::BF16:
    return Elem::F32;
  case Elem::F32:
    return Elem::F64;
  case Elem::I8:
  case Elem::I16:
    return Elem::I32;
  case Elem::I32:
    return Elem::I64;
  default:
    return elem;
  }
}

std::string shard::fuzz::tensorType(Elem elem, const Shape &shape,
                                    const std::vector<bool> &dynamic) {
  std::string text = "tensor<";
  for (size_t dim = 0; dim < shape.size(); ++dim)
    text +=
        (dim < dynamic.size() && dynamic[dim] ? "?"
                                              : std::to_string(shape[dim])) +
        "x";
  return text + name(elem) + ">";
}

int64_t shard::fuzz::numElements(const Shape &shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

std::string shard::fuzz::join(const std::vector<std::string> &parts,
                              const std::string &separator) {
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i)
    text += (i ? separator : "") + parts[i];
  return text;
}

std::string shard::fuzz::list(const Shape &numbers) {
  std::vector<std::string> parts;
  for (int64_t number : numbers)
    parts.push_back(std::to_string(number));
  return join(parts);
}

std::string ProgramBuilder::fresh() { return "%v" + std::to_string(counter++); }

void ProgramBuilder::line(const std::string &text) {
  out += std::string(indent, ' ') + text + "\n";
}

Val ProgramBuilder::add(Val value) {
  scope.push_back(value);
  return value;
}

Val ProgramBuilder::define(const std::string &right, Elem elem,
                           const Shape &shape, double bound) {
  Val value{fresh(), elem, true, shape, bound};
  line(value.name + " = " + right);
  return add(value);
}

Val ProgramBuilder::defineScalar(const std::string &right, Elem elem,
                                 double bound) {
  Val value{fresh(), elem, false, {}, bound};
  line(value.name + " = " + right);
  return add(value);
}

std::optional<Val>
ProgramBuilder::pick(const std::function<bool(const Val &)> &filter) {
  std::vector<size_t> fits;
  for (size_t i = 0; i < scope.size(); ++i)
    if ((seesDynamic || scope[i].dynamic.empty()) && filter(scope[i]))
      fits.push_back(i);
  if (fits.empty())
    return std::nullopt;
  // Late values twice as likely: programs get deep.
  size_t a = rng.oneOf(fits), b = rng.oneOf(fits);
  return scope[std::max(a, b)];
}

std::optional<Val> ProgramBuilder::pickTensor(int64_t minRank) {
  return pick([&](const Val &v) {
    return v.tensor && int64_t(v.shape.size()) >= minRank;
  });
}

Val ProgramBuilder::argument(Elem elem, const Shape &shape, bool tensor) {
  Val value{"%a" + std::to_string(arguments.size()), elem, tensor, shape};
  arguments.push_back(value);
  // In front of what regions have defined: visible after them too.
  scope.insert(scope.begin(), value);
  return value;
}

Val ProgramBuilder::need(Elem elem, const Shape &shape) {
  auto same = [&](const Val &v) {
    return v.tensor && v.elem == elem && v.shape == shape &&
           v.bound <= boundLimit / 64;
  };
  if (rng.chance(75))
    if (std::optional<Val> found = pick(same))
      return *found;
  if (arguments.size() < 6 && manualAxes.empty() && rng.chance(60))
    return argument(elem, shape, true);
  if (rng.chance(30))
    return filled(elem, shape, rng.between(-2, 2));
  return constant(elem, shape);
}

Val ProgramBuilder::needScalar(Elem elem) {
  auto same = [&](const Val &v) {
    return !v.tensor && v.elem == elem && v.bound <= boundLimit / 64;
  };
  if (rng.chance(60))
    if (std::optional<Val> found = pick(same))
      return *found;
  if (arguments.size() < 6 && rng.chance(50))
    return argument(elem, {}, false);
  return scalarConstant(elem, rng.between(-2, 2));
}

std::string ProgramBuilder::literal(Elem elem, int64_t number) {
  if (elem == Elem::I1)
    return number & 1 ? "true" : "false";
  return std::to_string(number) + (isFloat(elem) ? ".0" : "");
}

Val ProgramBuilder::scalarConstant(Elem elem, int64_t number) {
  return defineScalar("arith.constant " + literal(elem, number) +
                          (elem == Elem::I1 ? "" : " : " + name(elem)),
                      elem, std::abs(number));
}

Val ProgramBuilder::splat(Elem elem, const Shape &shape, int64_t number) {
  return define("arith.constant dense<" + literal(elem, number) +
                    "> : " + tensorType(elem, shape),
                elem, shape, std::abs(number));
}

Val ProgramBuilder::constant(Elem elem, const Shape &shape) {
  if (numElements(shape) > 96 || shape.empty() || rng.chance(30))
    return splat(elem, shape, rng.between(-2, 2));
  std::function<std::string(size_t)> nested = [&](size_t dim) {
    if (dim == shape.size())
      return literal(elem, rng.between(-inputBound, inputBound));
    std::vector<std::string> parts;
    for (int64_t i = 0; i < shape[dim]; ++i)
      parts.push_back(nested(dim + 1));
    return "[" + join(parts) + "]";
  };
  return define("arith.constant dense<" + nested(0) +
                    "> : " + tensorType(elem, shape),
                elem, shape, inputBound);
}

Val ProgramBuilder::empty(Elem elem, const Shape &shape) {
  // Not added to the scope: its elements are unspecified.
  Val value{fresh(), elem, true, shape};
  line(value.name + " = tensor.empty() : " + value.type());
  return value;
}

Val ProgramBuilder::filled(Elem elem, const Shape &shape, int64_t number) {
  Val scalar = scalarConstant(elem, elem == Elem::I1 ? number & 1 : number);
  Val target = empty(elem, shape);
  return define("linalg.fill ins(" + scalar.name + " : " + name(elem) +
                    ") outs(" + target.name + " : " + target.type() + ") -> " +
                    target.type(),
                elem, shape, std::abs(number));
}

Val ProgramBuilder::clamped(const Val &value, double limit) {
  if (!isFloat(value.elem) || value.bound <= limit)
    return value;
  int64_t number = static_cast<int64_t>(limit);
  auto bound = [&](int64_t sign) {
    if (!value.dynamic.empty())
      return filledLike(value, sign * number);
    return value.tensor ? splat(value.elem, value.shape, sign * number)
                        : scalarConstant(value.elem, sign * number);
  };
  Val low = bound(-1), high = bound(1);
  Val result = value;
  result.bound = limit;
  for (auto [op, other] : {std::pair("arith.maximumf ", low),
                           std::pair("arith.minimumf ", high)}) {
    std::string name = fresh();
    line(name + " = " + op + result.name + ", " + other.name + " : " +
         value.type());
    result.name = name;
  }
  return add(result);
}

Elem ProgramBuilder::randomElem() {
  if (real)
    return realElem;
  static const std::vector<Elem> elems = {
      Elem::F32, Elem::F32, Elem::F32, Elem::F32, Elem::F32,
      Elem::F32, Elem::F32, Elem::F64, Elem::I32, Elem::I32,
      Elem::I64, Elem::I1,  Elem::I8,  Elem::I16, Elem::Index};
  return rng.oneOf(elems);
}

int64_t ProgramBuilder::randomExtent() {
  static const std::vector<int64_t> extents = {1, 2, 2, 3, 4, 4, 4, 5,
                                               6, 7, 8, 8, 8, 9, 12};
  return rng.oneOf(extents);
}

Shape ProgramBuilder::randomShape(int64_t rank) {
  Shape shape;
  for (int64_t i = 0; i < rank; ++i)
    shape.push_back(randomExtent());
  while (numElements(shape) > 1000)
    shape[rng.between(0, rank - 1)] = rng.between(1, 3);
  return shape;
}
