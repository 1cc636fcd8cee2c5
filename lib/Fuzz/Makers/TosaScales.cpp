//===- TosaScales.cpp - Quantized ops of tosa in a random program ---------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parts.h"
#include "SharedOps.h"

using namespace shard::fuzz;

/// A constant tensor of `count` random integers from `low` to `high`, with its type.
static std::pair<std::string, std::string>
randomNumbers(ProgramBuilder &program, int64_t count, Elem elem, int64_t low,
              int64_t high) {
  Shape numbers;
  for (int64_t i = 0; i < count; ++i)
    numbers.push_back(program.rng.between(low, high));
  std::string constant = program.fresh(), type = tensorType(elem, {count});
  program.line(constant + " = \"tosa.const\"() {values = dense<[" +
               list(numbers) + "]> : " + type + "} : () -> " + type);
  return {constant, type};
}

/// `constant` of `type`, or a copy of it, which is no constant.
static std::string perhapsCopied(ProgramBuilder &program, std::string constant,
                                 const std::string &type) {
  if (!program.rng.chance(30))
    return constant;
  std::string empty = program.fresh(), copy = program.fresh();
  program.line(empty + " = tensor.empty() : " + type);
  program.line(copy + " = linalg.copy ins(" + constant + " : " + type +
               ") outs(" + empty + " : " + type + ") -> " + type);
  return copy;
}

static std::string roundingOf(ProgramBuilder &program) {
  return program.rng.chance(50) ? "SINGLE_ROUND" : "DOUBLE_ROUND";
}

/// A tensor of this type in scope, or a new one.
static Val tensorOf(ProgramBuilder &program, Elem elem) {
  std::optional<Val> found = program.pick([elem](const Val &v) {
    return v.tensor && !v.shape.empty() && v.elem == elem;
  });
  if (found)
    return *found;
  return program.need(elem, program.randomShape(program.rng.between(1, 3)));
}

/// Elements times a factor for each place of the last dimension, or one for all.
static bool tosaRescale(ProgramBuilder &program) {
  static const std::vector<Elem> operands = {Elem::I8, Elem::I32};
  static const std::vector<Elem> results = {Elem::I8, Elem::I16, Elem::I32};
  Elem from = program.rng.oneOf(operands), to = program.rng.oneOf(results);
  Val a = tensorOf(program, from);
  bool perChannel = a.shape.back() > 0 && program.rng.chance(50);
  int64_t count = perChannel ? a.shape.back() : 1;
  auto [factors, factorType] =
      randomNumbers(program, count, Elem::I32, 1 << 28, (1 << 30) + 12345);
  auto [shifts, shiftType] = randomNumbers(program, count, Elem::I8, 24, 36);
  factors = perhapsCopied(program, factors, factorType);
  shifts = perhapsCopied(program, shifts, shiftType);
  auto zeroPoint = [&](Elem elem) {
    int64_t zero = elem == Elem::I8 ? program.rng.between(-9, 9) : 0;
    return tosaOne(program, name(elem), std::to_string(zero));
  };
  std::string zeroFrom = zeroPoint(from), zeroTo = zeroPoint(to);
  program.define(
      "tosa.rescale " + join({a.name, factors, shifts, zeroFrom, zeroTo}) +
          " {rounding_mode = " + roundingOf(program) +
          ", scale32 = true, per_channel = " + (perChannel ? "true" : "false") +
          ", input_unsigned = false, output_unsigned = false} : (" +
          join({a.type(), factorType, shiftType, tensorType(from, {1}),
                tensorType(to, {1})}) +
          ") -> " + tensorType(to, a.shape),
      to, a.shape, 0);
  return true;
}

static bool tosaApplyScale(ProgramBuilder &program) {
  Val a = tensorOf(program, Elem::I32);
  Val factor = program.splat(Elem::I32, a.shape, 1 << 30);
  Val shift = program.splat(Elem::I8, a.shape, program.rng.between(24, 36));
  program.define("tosa.apply_scale " + join({a.name, factor.name, shift.name}) +
                     " {rounding_mode = " + roundingOf(program) + "} : (" +
                     join({a.type(), factor.type(), shift.type()}) + ") -> " +
                     a.type(),
                 Elem::I32, a.shape, 0);
  return true;
}

/// Each byte is the place of its result in a table.
static bool tosaTable(ProgramBuilder &program) {
  Val a = tensorOf(program, Elem::I8);
  auto [table, type] = randomNumbers(program, 256, Elem::I8, -128, 127);
  program.define("tosa.table " + join({a.name, table}) + " : (" +
                     join({a.type(), type}) + ") -> " + a.type(),
                 Elem::I8, a.shape, 0);
  return true;
}

/// A product of bytes, which counts them from zero points.
static bool tosaProductOfBytes(ProgramBuilder &program) {
  int64_t batch = program.randomExtent(), rows = program.randomExtent(),
          depth = program.randomExtent(), columns = program.randomExtent();
  Val a = program.need(Elem::I8, {batch, rows, depth});
  Val b = program.need(Elem::I8, {batch, depth, columns});
  auto zeroPoint = [&] {
    return tosaOne(program, "i8", std::to_string(program.rng.between(-9, 9)));
  };
  std::string zeroOfA = zeroPoint(), zeroOfB = zeroPoint();
  Shape shape = {batch, rows, columns};
  program.define(
      "tosa.matmul " + join({a.name, b.name, zeroOfA, zeroOfB}) + " : (" +
          join({a.type(), b.type(), "tensor<1xi8>", "tensor<1xi8>"}) + ") -> " +
          tensorType(Elem::I32, shape),
      Elem::I32, shape, 0);
  return true;
}

static bool tosaQuantized(ProgramBuilder &program) {
  static const std::vector<Maker> makers = {tosaRescale, tosaApplyScale,
                                            tosaTable, tosaProductOfBytes};
  return program.rng.oneOf(makers)(program);
}

void shard::fuzz::registerScaleMakers(MakerRegistry &makers) {
  makers.add(MakerGroup::Ops, tosaQuantized);
  makers.add(MakerGroup::Tosa, tosaQuantized);
}
