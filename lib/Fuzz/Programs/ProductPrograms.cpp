//===- ProductPrograms.cpp - Products beside their collectives ------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program that is one manual computation. Its body has products of matrices, vectors
// and batches, and elementwise ones, each of which takes the result of an all_gather along
// any of its dimensions or makes the operand of a reduce_scatter, over one axis or several:
// what shard-decompose-collectives cuts. The other operand differs from device to device,
// so that no pass may move the collective to the other side.
//
//===----------------------------------------------------------------------===//

#include "Parts.h"

using namespace shard::fuzz;

namespace {
struct Group {
  Shape axes;
  int64_t count;

  std::string text() const { return " grid_axes = [" + list(axes) + "] "; }
};
} // namespace

static Group chooseGroup(ProgramBuilder &program) {
  Group group{program.manualAxes, 1};
  program.rng.shuffle(group.axes);
  group.axes.resize(program.rng.between(1, int64_t(group.axes.size())));
  group.count = program.devices(group.axes);
  return group;
}

/// A tensor that differs from device to device as `value` does.
static Val differing(ProgramBuilder &program, const Val &value,
                     const Shape &shape) {
  Val zero = program.scalarConstant(Elem::Index, 0);
  std::vector<Val> indices(value.shape.size(), zero);
  Val element =
      program.defineScalar("tensor.extract " + value.name + "[" +
                               nameList(indices) + "] : " + value.type(),
                           value.elem, value.bound);
  std::string type = tensorType(value.elem, shape);
  Val same = program.define("tensor.splat " + element.name + " : " + type,
                            value.elem, shape, value.bound);
  Val constant = program.constant(value.elem, shape);
  return program.define((isFloat(value.elem) ? "arith.addf " : "arith.addi ") +
                            same.name + ", " + constant.name + " : " + type,
                        value.elem, shape, value.bound + constant.bound);
}

/// The product of `gathered`, of up to three dimensions, and another tensor.
static void productOf(ProgramBuilder &program, const Val &gathered,
                      const Val &like) {
  Random &rng = program.rng;
  const Shape &shape = gathered.shape;
  int64_t n = rng.between(1, 6);
  auto other = [&](const Shape &wanted) {
    return program.clamped(differing(program, like, wanted), 8);
  };
  if (gathered.elem == Elem::I16 || shape.size() > 3 || rng.chance(15)) {
    Val factor = other(shape);
    program.define((isFloat(gathered.elem) ? "arith.mulf " : "arith.muli ") +
                       gathered.name + ", " + factor.name + " : " +
                       gathered.type(),
                   gathered.elem, shape, gathered.bound * factor.bound);
  } else if (shape.size() == 1) {
    contraction(program, "vecmat", gathered, other({shape[0], n}), shape[0],
                {n});
  } else if (shape.size() == 3) {
    contraction(program, "batch_matmul", gathered,
                other({shape[0], shape[2], n}), shape[2],
                {shape[0], shape[1], n});
  } else if (rng.chance(40)) {
    contraction(program, "matmul", other({n, shape[0]}), gathered, shape[0],
                {n, shape[1]});
  } else if (rng.chance(30)) {
    contraction(program,
                "matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, "
                "affine_map<(m, n, k) -> (k, n)>, "
                "affine_map<(m, n, k) -> (m, n)>]",
                gathered, other({shape[0], n}), shape[0], {shape[1], n});
  } else {
    contraction(program, "matmul", gathered, other({shape[1], n}), shape[1],
                {shape[0], n});
  }
}

static bool gatherForProduct(ProgramBuilder &program, const Val &like) {
  Group group = chooseGroup(program);
  std::optional<Val> picked = program.pickTensor(1);
  if (!picked)
    return false;
  int64_t dim = program.rng.between(0, int64_t(picked->shape.size()) - 1);
  Shape shape = picked->shape;
  shape[dim] *= group.count;
  if (numElements(shape) > mostLocalElements)
    return false;
  Val value = program.clamped(*picked, 8);
  Val gathered = program.define(
      "shard.all_gather " + value.name + " on @grid" + group.text() +
          "gather_axis = " + std::to_string(dim) + " : " + value.type() +
          " -> " + tensorType(value.elem, shape),
      value.elem, shape, value.bound);
  // Often what the ring takes apart is needed by nothing else.
  program.scope.pop_back();
  productOf(program, gathered, like);
  if (program.rng.chance(15))
    program.scope.push_back(gathered);
  return true;
}

static bool productForScatter(ProgramBuilder &program, const Val &like) {
  Group group = chooseGroup(program);
  std::optional<Val> picked = program.pick([](const Val &value) {
    return value.tensor && value.elem != Elem::I16 && value.shape.size() == 2;
  });
  if (!picked)
    return false;
  int64_t m = picked->shape[0], k = picked->shape[1];
  int64_t n = group.count * program.rng.between(1, 3);
  if (m * n > mostLocalElements || k * n > mostLocalElements)
    return false;
  Val value = program.clamped(*picked, 8);
  Val other = program.clamped(differing(program, like, {k, n}), 8);
  contraction(program, "matmul", value, other, k, {m, n});
  Val product = program.scope.back();
  if (isFloat(product.elem) && product.bound * double(group.count) > boundLimit)
    return true;
  program.scope.pop_back();
  int64_t dim = m % group.count == 0 && program.rng.chance(50) ? 0 : 1;
  Shape shape = product.shape;
  shape[dim] /= group.count;
  program.define("shard.reduce_scatter " + product.name + " on @grid" +
                     group.text() + "scatter_axis = " + std::to_string(dim) +
                     " : " + product.type() + " -> " +
                     tensorType(product.elem, shape),
                 product.elem, shape, product.bound * double(group.count));
  return true;
}

std::vector<Val> shard::fuzz::productsBesideCollectives(ProgramBuilder &program,
                                                        Val value) {
  Random &rng = program.rng;
  size_t argumentsBefore = program.arguments.size();
  program.scope = {value};
  program.budget = 4;
  for (int64_t steps = rng.between(1, 3), tries = 20; steps > 0 && tries > 0;
       --tries)
    if (rng.chance(60) ? gatherForProduct(program, value)
                       : productForScatter(program, value))
      --steps;
  std::vector<Val> returned = lastTensors(program);
  program.scope.assign(program.arguments.begin() + argumentsBefore,
                       program.arguments.end());
  return returned;
}
