//===- ScalarOps.cpp - Elementwise ops of a random program ---------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parts.h"

#include "llvm/Support/SaveAndRestore.h"

#include <algorithm>

using namespace shard::fuzz;

/// An op on two values of one type, by name, and the bound of its result.
static std::pair<std::string, double> binaryOp(Random &rng, const Val &a,
                                               const Val &b) {
  double larger = std::max(a.bound, b.bound);
  if (isFloat(a.elem)) {
    int64_t choice = rng.between(0, 9);
    if (choice < 3 && a.bound * b.bound <= 4096)
      return {"arith.mulf", a.bound * b.bound};
    if (choice < 7 && a.bound + b.bound <= boundLimit)
      return {choice < 5 ? "arith.addf" : "arith.subf", a.bound + b.bound};
    return {choice & 1 ? "arith.maximumf" : "arith.minimumf", larger};
  }
  if (a.elem == Elem::I1) {
    static const std::vector<std::string> ops = {"arith.andi", "arith.ori",
                                                 "arith.xori"};
    return {rng.oneOf(ops), 1};
  }
  static const std::vector<std::string> ops = {
      "arith.addi",  "arith.addi",  "arith.subi",  "arith.muli",
      "arith.muli",  "arith.maxsi", "arith.minsi", "arith.maxui",
      "arith.minui", "arith.andi",  "arith.ori",   "arith.xori",
      "arith.divsi", "arith.remsi", "arith.divui", "arith.remui"};
  return {rng.oneOf(ops), 0};
}

static Val binaryScalar(ProgramBuilder &program, const Val &a, const Val &b) {
  auto [op, bound] = binaryOp(program.rng, a, b);
  Val result{program.fresh(), a.elem, false, {}, bound};
  program.line(result.name + " = " + op + " " + a.name + ", " + b.name + " : " +
               result.type());
  return result;
}

Val shard::fuzz::converted(ProgramBuilder &program, const Val &value,
                           Elem elem) {
  if (value.elem == elem)
    return value;
  Val from = value;
  auto step = [&](const std::string &op, Elem to, double bound) {
    Val result = from;
    result.name = program.fresh();
    result.elem = to;
    result.bound = bound;
    program.line(result.name + " = arith." + op + " " + from.name + " : " +
                 from.type() + " to " + result.type());
    from = result;
  };
  // Through i32, which every other type goes to and comes from.
  switch (value.elem) {
  case Elem::F32:
    if (elem == Elem::F64)
      return step("extf", Elem::F64, value.bound), from;
    step("fptosi", Elem::I32, 0);
    break;
  case Elem::F64:
    if (elem == Elem::F32)
      return step("truncf", Elem::F32, value.bound), from;
    step("fptosi", Elem::I32, 0);
    break;
  case Elem::F16:
  case Elem::BF16:
    // Programs of such values keep to one type.
    return value;
  case Elem::I64:
    step("trunci", Elem::I32, 0);
    break;
  case Elem::I8:
  case Elem::I16:
    step("extsi", Elem::I32, 0);
    break;
  case Elem::I1:
    step("extui", Elem::I32, 0);
    break;
  case Elem::Index:
    step("index_cast", Elem::I32, 0);
    break;
  case Elem::I32:
    break;
  }
  if (elem == Elem::I32)
    return from;
  if (isFloat(elem)) {
    // Small enough to be exact.
    std::string mask = program.fresh(), small = program.fresh();
    if (from.tensor)
      program.line(mask + " = arith.constant dense<7> : " + from.type());
    else
      program.line(mask + " = arith.constant 7 : i32");
    program.line(small + " = arith.andi " + from.name + ", " + mask + " : " +
                 from.type());
    from.name = small;
    step("sitofp", elem, 7);
  } else if (elem == Elem::I64) {
    step(program.rng.chance(50) ? "extsi" : "extui", elem, 0);
  } else if (elem == Elem::I1 || elem == Elem::I8 || elem == Elem::I16) {
    step("trunci", elem, 1);
  } else {
    step("index_cast", elem, 0);
  }
  return from;
}

Val shard::fuzz::scalarBody(ProgramBuilder &program, std::vector<Val> operands,
                            Elem elem, double maxBound) {
  std::vector<Val> values;
  for (const Val &operand : operands)
    values.push_back(converted(program, operand, elem));
  program.rng.shuffle(values);
  Val result = values.front();
  for (size_t i = 1; i < values.size(); ++i)
    result = binaryScalar(program, result, values[i]);
  if (values.size() == 1 && isFloat(elem) && program.rng.chance(50)) {
    std::string name = program.fresh();
    program.line(name + " = " +
                 (program.rng.chance(50) ? "arith.negf " : "math.absf ") +
                 result.name + " : " + result.type());
    result.name = name;
  }
  if (isFloat(elem) && result.bound > maxBound) {
    // What clamps the value stays in the body.
    llvm::SaveAndRestore scope(program.scope);
    result = program.clamped(result, std::max(1.0, std::min(maxBound, 8.0)));
  }
  return result;
}

/// A discardable hint on an op, now and then.
static std::string opHint(ProgramBuilder &program, const Val &result) {
  if (!program.rng.chance(program.hintPercent / 3))
    return "";
  return " {shard.sharding = #shard.sharding" +
         program.shardingAttr(result, false) + "}";
}

bool shard::fuzz::elementwise(ProgramBuilder &program) {
  std::optional<Val> a =
      program.pick([](const Val &v) { return v.tensor || true; });
  if (!a || (!a->tensor && program.rng.chance(60)))
    return false;
  if (program.rng.chance(25)) {
    Val result = *a;
    result.name = program.fresh();
    if (isFloat(a->elem)) {
      static const std::vector<std::string> ops = {"arith.negf", "math.absf",
                                                   "math.floor", "math.ceil"};
      program.line(result.name + " = " +
                   (program.real ? ops[program.rng.between(0, 1)]
                                 : program.rng.oneOf(ops)) +
                   " " + a->name + (a->tensor ? opHint(program, result) : "") +
                   " : " + a->type());
    } else if (a->elem == Elem::I32 || a->elem == Elem::I64) {
      static const std::vector<std::string> ops = {"math.absi", "math.ctpop",
                                                   "math.ctlz"};
      program.line(result.name + " = " + program.rng.oneOf(ops) + " " +
                   a->name + " : " + a->type());
    } else {
      return false;
    }
    program.add(result);
    return true;
  }
  Val b =
      a->tensor ? program.need(a->elem, a->shape) : program.needScalar(a->elem);
  auto [op, bound] = binaryOp(program.rng, *a, b);
  Val result = *a;
  result.name = program.fresh();
  result.bound = bound;
  program.line(result.name + " = " + op + " " + a->name + ", " + b.name +
               (a->tensor ? opHint(program, result) : "") + " : " + a->type());
  program.add(result);
  return true;
}

bool shard::fuzz::compareSelect(ProgramBuilder &program) {
  std::optional<Val> a = program.pickTensor();
  if (!a)
    return false;
  Val condition;
  if (program.rng.chance(15)) {
    condition = program.needScalar(Elem::I1);
  } else if (a->elem != Elem::I1 && program.rng.chance(70)) {
    Val b = program.need(a->elem, a->shape);
    static const std::vector<std::string> floats = {"olt", "oge", "oeq", "une"};
    static const std::vector<std::string> integers = {"slt", "sge", "eq",
                                                      "ne",  "ult", "ugt"};
    condition = program.define(
        (isFloat(a->elem) ? "arith.cmpf " + program.rng.oneOf(floats)
                          : "arith.cmpi " + program.rng.oneOf(integers)) +
            ", " + a->name + ", " + b.name + " : " + a->type(),
        Elem::I1, a->shape, 1);
    if (program.rng.chance(40))
      return true;
  } else {
    condition = program.need(Elem::I1, a->shape);
  }
  Val b = program.need(a->elem, a->shape);
  program.define(
      "arith.select " + condition.name + ", " + a->name + ", " + b.name +
          " : " + (condition.tensor ? condition.type() + ", " : "") + a->type(),
      a->elem, a->shape, std::max(a->bound, b.bound));
  return true;
}

bool shard::fuzz::cast(ProgramBuilder &program) {
  std::optional<Val> a = program.pickTensor();
  if (!a)
    return false;
  Elem to = program.randomElem();
  if (to == a->elem)
    return false;
  program.add(converted(program, *a, to));
  return true;
}

void shard::fuzz::registerArithMakers(MakerRegistry &makers) {
  makers.add(MakerGroup::Ops, elementwise, 3);
  makers.add(MakerGroup::Ops, compareSelect);
  makers.add(MakerGroup::Ops, cast);
  makers.add(MakerGroup::Elements, elementwise, 3);
  makers.add(MakerGroup::Elements, compareSelect);
  makers.add(MakerGroup::Reductions, elementwise);
  makers.add(MakerGroup::Packs, elementwise);
  makers.add(MakerGroup::Real, elementwise, 2);
}
