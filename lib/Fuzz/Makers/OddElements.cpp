//===- OddElements.cpp - Element types that the runtime does not have -----===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values of integers of 2 to 128 bits, small floats and complex numbers, which are made of
// values of usual types, resharded, reduced, and made usual again. Collectives move such
// elements as other ones: wider ones, several words, their bits, or two parts
// (shard-legalize-elements).
//
//===----------------------------------------------------------------------===//

#include "shard/Fuzz/Makers.h"

#include <algorithm>

using namespace shard::fuzz;

namespace {

/// Writes ops on one value, whose elements are of type `element`.
class OddValue {
public:
  OddValue(ProgramBuilder &program, const Shape &shape, std::string element)
      : program(program), shape(shape), element(std::move(element)) {}

  std::string type() const { return typeOf(element); }
  std::string typeOf(const std::string &elem) const {
    std::string text = tensorType(Elem::I8, shape);
    return text.substr(0, text.rfind("i8")) + elem + ">";
  }
  void set(const std::string &right) {
    name = program.fresh();
    program.line(name + " = " + right);
  }
  void reshard();
  void transpose();
  /// The sum, or another combination, along one dimension.
  void reduce(const std::string &combiner);

  ProgramBuilder &program;
  Shape shape;
  std::string element, name;
};

} // namespace

void OddValue::reshard() {
  // Neither partial nor contradicting: a layout that users ask for.
  Val like{name, Elem::I1, true, shape};
  std::string sharding = program.shardingOp(like, false);
  set("shard.shard " + name + " to " + sharding +
      " annotate_for_users : " + type());
}

void OddValue::transpose() {
  Shape order(shape.size()), swapped(shape.size());
  for (size_t i = 0; i < shape.size(); ++i)
    order[i] = int64_t(i);
  program.rng.shuffle(order);
  for (size_t i = 0; i < shape.size(); ++i)
    swapped[i] = shape[order[i]];
  std::string from = type();
  shape = swapped;
  std::string init = program.fresh();
  program.line(init + " = tensor.empty() : " + type());
  set("linalg.transpose ins(" + name + " : " + from + ") outs(" + init + " : " +
      type() + ") permutation = [" + list(order) + "]");
}

void OddValue::reduce(const std::string &combiner) {
  int64_t dim = program.rng.between(0, int64_t(shape.size()) - 1);
  std::string from = type();
  shape.erase(shape.begin() + dim);
  std::string zero = program.fresh(), empty = program.fresh(),
              init = program.fresh();
  program.line(zero + " = arith.constant 0 : " + element);
  program.line(empty + " = tensor.empty() : " + type());
  program.line(init + " = linalg.fill ins(" + zero + " : " + element +
               ") outs(" + empty + " : " + type() + ") -> " + type());
  set("linalg.reduce {arith." + combiner + "} ins(" + name + " : " + from +
      ") outs(" + init + " : " + type() + ") dimensions = [" +
      std::to_string(dim) + "]");
}

/// The largest number of bits of integers that a program may reduce across devices.
static constexpr int64_t kMostReducedBits = 64;

static bool oddIntegers(ProgramBuilder &program) {
  std::optional<Val> a = program.pick([](const Val &v) {
    return v.tensor && !v.shape.empty() &&
           (v.elem == Elem::I32 || v.elem == Elem::I16 || v.elem == Elem::I64);
  });
  if (!a)
    return false;
  static const std::vector<int64_t> widths = {2,  4,  7,   12, 24,
                                              40, 65, 100, 128};
  static const std::vector<std::string> combiners = {
      "addi",  "addi",  "muli", "maxsi", "minsi",
      "maxui", "minui", "andi", "ori",   "xori"};
  int64_t width = program.rng.oneOf(widths);
  int64_t own = a->elem == Elem::I16 ? 16 : a->elem == Elem::I32 ? 32 : 64;
  std::string usual = name(a->elem);
  OddValue value(program, a->shape, "i" + std::to_string(width));
  std::string extend = program.rng.chance(50) ? "extsi" : "extui";
  value.set("arith." + (width < own ? "trunci" : extend) + " " + a->name +
            " : " + a->type() + " to " + value.type());
  // Bits above those of the usual type.
  if (width > own && program.rng.chance(60))
    value.set("arith.muli " + value.name + ", " + value.name + " : " +
              value.type());
  for (int64_t left = program.rng.between(1, 3); left > 0; --left) {
    value.reshard();
    if (program.rng.chance(30))
      value.transpose();
    else if (width <= kMostReducedBits && value.shape.size() > 1 &&
             program.rng.chance(60))
      value.reduce(program.rng.oneOf(combiners));
  }
  std::string type = value.type();
  if (width > own && program.rng.chance(50)) {
    // The highest bits.
    std::string high = program.fresh();
    program.line(high + " = arith.constant dense<" +
                 std::to_string(width - own) + "> : " + type);
    value.set("arith.shrui " + value.name + ", " + high + " : " + type);
  }
  program.define("arith." + (width < own ? extend : "trunci") + " " +
                     value.name + " : " + type + " to " + value.typeOf(usual),
                 a->elem, value.shape, 0);
  return true;
}

/// Floats of 8 bits, which hold small integers.
static bool smallFloats(ProgramBuilder &program) {
  std::optional<Val> a = program.pick([](const Val &v) {
    return v.tensor && !v.shape.empty() && v.elem == Elem::F32;
  });
  if (!a)
    return false;
  static const std::vector<std::string> types = {
      "f8E5M2", "f8E4M3FN", "f8E4M3FNUZ", "f8E5M2FNUZ", "f16", "bf16"};
  Val small = program.clamped(*a, 4);
  OddValue value(program, a->shape, program.rng.oneOf(types));
  value.set("arith.truncf " + small.name + " : " + small.type() + " to " +
            value.type());
  for (int64_t left = program.rng.between(1, 2); left > 0; --left) {
    value.reshard();
    if (program.rng.chance(40))
      value.transpose();
  }
  program.define("arith.extf " + value.name + " : " + value.type() + " to " +
                     value.typeOf("f32"),
                 a->elem, value.shape, small.bound);
  return true;
}

/// `%r = linalg.generic` that maps the elements of `inputs`, all of the shape of `like`, by
/// `body`, of `%x0`, `%x1`, ..., to `%y` of type `element`.
static std::string mapped(OddValue &like, const std::vector<Val> &inputs,
                          const std::vector<std::string> &types,
                          const std::string &element, const std::string &body) {
  ProgramBuilder &program = like.program;
  size_t rank = like.shape.size();
  std::vector<std::string> loops, names, elements;
  for (size_t i = 0; i < rank; ++i)
    loops.push_back("d" + std::to_string(i));
  std::string map =
      "affine_map<(" + join(loops) + ") -> (" + join(loops) + ")>";
  for (size_t i = 0; i < inputs.size(); ++i) {
    names.push_back(inputs[i].name);
    elements.push_back("%x" + std::to_string(i) + ": " + types[i]);
  }
  std::vector<std::string> tensors;
  for (const std::string &type : types)
    tensors.push_back(like.typeOf(type));
  std::string init = program.fresh(), result = program.fresh();
  std::string out = like.typeOf(element);
  program.line(init + " = tensor.empty() : " + out);
  program.line(result + " = linalg.generic {indexing_maps = [" +
               join(std::vector<std::string>(inputs.size() + 1, map)) +
               "], iterator_types = [" +
               join(std::vector<std::string>(rank, "\"parallel\"")) +
               "]} ins(" + join(names) + " : " + join(tensors) + ") outs(" +
               init + " : " + out + ") {");
  program.line("^bb0(" + join(elements) + ", %o: " + element + "):");
  program.line("  %y = " + body);
  program.line("  linalg.yield %y : " + element);
  program.line("} -> " + out);
  return result;
}

static bool complexNumbers(ProgramBuilder &program) {
  std::optional<Val> a = program.pick([](const Val &v) {
    return v.tensor && !v.shape.empty() &&
           (v.elem == Elem::F32 || v.elem == Elem::F64);
  });
  if (!a)
    return false;
  Val b = program.need(a->elem, a->shape);
  std::string half = name(a->elem), whole = "complex<" + half + ">";
  OddValue value(program, a->shape, whole);
  value.name = mapped(value, {*a, b}, {half, half}, whole,
                      "complex.create %x0, %x1 : " + whole);
  for (int64_t left = program.rng.between(1, 2); left > 0; --left) {
    value.reshard();
    if (program.rng.chance(40))
      value.transpose();
  }
  Val input{value.name, a->elem, true, value.shape};
  bool isReal = program.rng.chance(50);
  std::string part = mapped(value, {input}, {whole}, half,
                            std::string(isReal ? "complex.re" : "complex.im") +
                                " %x0 : " + whole);
  program.add({part, a->elem, true, value.shape, isReal ? a->bound : b.bound});
  return true;
}

static bool oddElements(ProgramBuilder &program) {
  int64_t what = program.rng.between(0, 9);
  return what < 5   ? oddIntegers(program)
         : what < 8 ? complexNumbers(program)
                    : smallFloats(program);
}

void shard::fuzz::registerOddMakers(MakerRegistry &makers) {
  makers.add(MakerGroup::Ops, oddElements, 3);
  makers.add(MakerGroup::Elements, oddElements, 2);
}
