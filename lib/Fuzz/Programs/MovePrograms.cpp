//===- MovePrograms.cpp - Collectives that may move past ops --------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program that is one manual computation. In its body, collectives that only move
// elements, most of them of one kind over the same axes, stand among ops that they may
// be moved past: elementwise ones, casts, transposes, reshapes, slices, pads, joins,
// broadcasts, products. Values are taken several times, or by one branch alone.
//
//===----------------------------------------------------------------------===//

#include "Parts.h"

#include <algorithm>

using namespace shard::fuzz;

namespace {
/// What the collectives of a program have in common.
struct MoveKind {
  std::string op;
  Shape axes;
  /// Behind the axes of a permute or a shift.
  std::string rest;
};
} // namespace

static MoveKind chooseKind(ProgramBuilder &program) {
  static const std::vector<std::string> ops = {
      "all_gather", "all_gather", "all_to_all", "permute", "shift"};
  Random &rng = program.rng;
  MoveKind kind{rng.oneOf(ops), program.manualAxes, ""};
  rng.shuffle(kind.axes);
  kind.axes.resize(rng.between(1, int64_t(kind.axes.size())));
  if (kind.op == "shift")
    kind.rest = shiftAlong(rng, kind.axes, 1);
  if (kind.op == "permute") {
    Shape to = kind.axes;
    rng.shuffle(to);
    kind.rest = "to_axes = [" + list(to) + "]";
  }
  return kind;
}

/// The extent of `count` blocks of `block` elements, of which the last ones may be padding.
static int64_t gatheredExtent(Random &rng, int64_t block, int64_t count) {
  return block * count - (rng.chance(20) ? rng.between(0, count - 1) : 0);
}

/// One collective; false where it does not fit what it is chosen for.
static bool moveByCollective(ProgramBuilder &program, const MoveKind &kind) {
  Random &rng = program.rng;
  std::optional<Val> value = program.pickTensor(1);
  if (!value)
    return false;
  int64_t count = program.devices(kind.axes);
  int64_t last = int64_t(value->shape.size()) - 1;
  int64_t dim = rng.between(0, last), other = rng.between(0, last);
  Shape shape = value->shape;
  std::string on = "shard." + kind.op + " " + value->name + " on @grid ";
  std::string axes = "grid_axes = [" + list(kind.axes) + "] ";
  if (kind.op == "permute") {
    program.define(on + "from_axes = [" + list(kind.axes) + "] " + kind.rest +
                       " : " + value->type(),
                   value->elem, shape, value->bound);
    return true;
  }
  std::string rest = kind.rest;
  if (kind.op == "all_gather") {
    shape[dim] = gatheredExtent(rng, shape[dim], count);
    rest = "gather_axis = " + std::to_string(dim);
  } else if (kind.op == "all_to_all") {
    if (shape[dim] % count != 0)
      return false;
    shape[dim] /= count;
    shape[other] *= count;
    rest = "split_axis = " + std::to_string(dim) +
           " concat_axis = " + std::to_string(other);
  }
  if (numElements(shape) > mostLocalElements)
    return false;
  program.define(on + axes + rest + " : " + value->type() + " -> " +
                     tensorType(value->elem, shape),
                 value->elem, shape, value->bound);
  return true;
}

/// Several collectives of `kind` of values that are there in front of all of them: one
/// packed collective may do what they do.
static bool moveSideBySide(ProgramBuilder &program, const MoveKind &kind) {
  std::vector<Val> before = program.scope, made;
  for (int64_t count = program.rng.between(2, 3); count > 0; --count) {
    program.scope = before;
    if (moveByCollective(program, kind))
      made.push_back(program.scope.back());
  }
  program.scope = before;
  program.scope.insert(program.scope.end(), made.begin(), made.end());
  return !made.empty();
}

/// One value, gathered over several lists of axes in several dimensions and orders.
static bool gatheredInSeveralWays(ProgramBuilder &program) {
  Random &rng = program.rng;
  std::optional<Val> value = program.pickTensor(1);
  if (!value)
    return false;
  Shape order = program.manualAxes;
  rng.shuffle(order);
  auto anyDim = [&] {
    return rng.between(0, int64_t(value->shape.size()) - 1);
  };
  int64_t usual = anyDim();
  bool made = false;
  for (int64_t ways = rng.between(2, 3); ways > 0; --ways) {
    Val now = *value;
    // The first ones or the last ones.
    Shape axes = order;
    if (rng.chance(50))
      std::reverse(axes.begin(), axes.end());
    axes.resize(rng.between(1, int64_t(axes.size())));
    if (axes.front() != order.front())
      std::reverse(axes.begin(), axes.end());
    while (!axes.empty()) {
      int64_t rest =
          rng.chance(60) ? 0 : rng.between(0, int64_t(axes.size()) - 1);
      Shape step(axes.begin() + rest, axes.end()), shape = now.shape;
      axes.resize(rest);
      int64_t dim = rng.chance(70) ? usual : anyDim();
      shape[dim] = gatheredExtent(rng, shape[dim], program.devices(step));
      if (numElements(shape) > mostLocalElements)
        break;
      now = program.define(
          "shard.all_gather " + now.name + " on @grid grid_axes = [" +
              list(step) + "] gather_axis = " + std::to_string(dim) + " : " +
              now.type() + " -> " + tensorType(now.elem, shape),
          now.elem, shape, now.bound);
      made = true;
    }
  }
  return made;
}

/// A scalar that is the same on all devices, or where they have one coordinate in common.
static Val branchCondition(ProgramBuilder &program) {
  Random &rng = program.rng;
  if (rng.chance(60))
    return program.arguments.size() < 6 ? program.argument(Elem::I1, {}, false)
                                        : program.needScalar(Elem::I1);
  int64_t axis = rng.oneOf(program.manualAxes);
  Val place =
      program.defineScalar("shard.process_multi_index on @" + program.gridName +
                               " axes = [" + std::to_string(axis) + "] : index",
                           Elem::Index, program.grid[axis] - 1);
  Val one = program.scalarConstant(Elem::Index, rng.between(0, 1));
  return program.defineScalar("arith.cmpi eq, " + place.name + ", " + one.name +
                                  " : index",
                              Elem::I1, 1);
}

/// A collective whose result one branch alone takes.
static bool takenByOneBranch(ProgramBuilder &program, const MoveKind &kind) {
  if (program.depth >= 2 || !moveByCollective(program, kind))
    return false;
  Val moved = program.scope.back(), result = moved;
  Val condition = branchCondition(program);
  std::string taking = program.region([&] {
    program.scope.push_back(moved);
    elementwise(program);
    std::optional<Val> made = program.pickAny([&](const Val &value) {
      return value.type() == moved.type() && value.shape == moved.shape &&
             value.name != moved.name;
    });
    if (!made || program.rng.chance(30))
      made = moved;
    result.bound = made->bound;
    program.line("scf.yield " + made->name + " : " + made->type());
  });
  program.scope.erase(
      std::find_if(program.scope.begin(), program.scope.end(),
                   [&](const Val &value) { return value.name == moved.name; }));
  std::string other = program.region([&] {
    Val value = program.needLike(moved);
    result.bound = std::max(result.bound, value.bound);
    program.line("scf.yield " + value.name + " : " + value.type());
  });
  if (program.rng.chance(30))
    std::swap(taking, other);
  result.name = program.fresh();
  program.line(result.name + " = scf.if " + condition.name + " -> (" +
               result.type() + ") {");
  program.out += taking;
  program.line("} else {");
  program.out += other;
  program.line("}");
  program.add(result);
  return true;
}

std::vector<Val> shard::fuzz::movesAmongOps(ProgramBuilder &program,
                                            Val value) {
  static const std::vector<Maker> makers = {elementwise,
                                            elementwise,
                                            genericElementwise,
                                            cast,
                                            cast,
                                            linalgTranspose,
                                            linalgBroadcast,
                                            linalgMap,
                                            linalgNamedElementwise,
                                            extractSlice,
                                            extractSlice,
                                            insertSlice,
                                            pad,
                                            concat,
                                            collapse,
                                            expand,
                                            matmul,
                                            vectorProduct,
                                            exactMath,
                                            compareSelect};
  Random &rng = program.rng;
  size_t argumentsBefore = program.arguments.size();
  program.scope = {value};
  program.budget = 4;
  MoveKind kind = chooseKind(program);
  for (int64_t steps = rng.between(3, 9), tries = 40; steps > 0 && tries > 0;
       --tries) {
    bool moves = rng.chance(40);
    MoveKind now = rng.chance(85) ? kind : chooseKind(program);
    bool made = false;
    if (moves)
      made = rng.chance(30)   ? moveSideBySide(program, now)
             : rng.chance(25) ? takenByOneBranch(program, now)
             : rng.chance(15) ? gatheredInSeveralWays(program)
                              : moveByCollective(program, now);
    else
      made = rng.oneOf(makers)(program);
    steps -= made;
  }
  std::vector<Val> returned = lastTensors(program);
  program.scope.assign(program.arguments.begin() + argumentsBefore,
                       program.arguments.end());
  return returned;
}

std::vector<Val> shard::fuzz::lastTensors(ProgramBuilder &program) {
  std::vector<Val> returned;
  for (size_t i = program.scope.size(); i > 0 && returned.size() < 3; --i) {
    const Val &last = program.scope[i - 1];
    if (last.tensor && !last.shape.empty() &&
        numElements(last.shape) <= mostLocalElements &&
        (returned.empty() || program.rng.chance(40)))
      returned.push_back(last);
  }
  return returned;
}
