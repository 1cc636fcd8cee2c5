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
// broadcasts, products. Values are taken several times.
//
//===----------------------------------------------------------------------===//

#include "Parts.h"

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
    shape[dim] *= count;
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
    if (moves ? (rng.chance(30) ? moveSideBySide(program, now)
                                : moveByCollective(program, now))
              : rng.oneOf(makers)(program))
      --steps;
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
