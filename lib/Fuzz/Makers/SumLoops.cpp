//===- SumLoops.cpp - Loops that add up products ---------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each iteration adds a product to what the loop carries, as in the accumulation of
// gradients. Mostly the dimension that is summed up is split, so that the product and
// what is carried may be partial sums. Some loops swap what they carry, add in a branch
// or in an inner loop, or read what they carry by an op that is not linear.
//
//===----------------------------------------------------------------------===//

#include "Parts.h"

#include "shard/Fuzz/Makers.h"

using namespace shard::fuzz;

namespace {
/// Loops do not run more often than this.
constexpr int64_t mostTrips = 4;

/// What the iterations of one loop have in common.
struct SumLoop {
  Elem elem;
  int64_t rows, columns, terms;
  /// The factors of each iteration, one behind the other.
  Val left, right;

  Shape shape() const { return {rows, columns}; }
};
} // namespace

/// A hint that splits dimension `dim` of three by some axes; none without free axes.
static void splitDim(ProgramBuilder &program, const Val &value, size_t dim) {
  std::vector<std::string> axes;
  for (size_t axis = 0; axis < program.grid.size(); ++axis)
    if (axes.empty() || program.rng.chance(40))
      axes.push_back(program.axisText(axis));
  std::vector<std::string> dims(3, "[]");
  dims[dim] = "[" + join(axes) + "]";
  program.givenHints[value.name] =
      "<@" + program.gridName + ", [" + join(dims) + "]>";
}

static SumLoop chooseLoop(ProgramBuilder &program) {
  SumLoop loop;
  loop.elem = program.rng.chance(70) ? Elem::F32 : Elem::I32;
  loop.rows = program.randomExtent();
  loop.columns = program.randomExtent();
  loop.terms = program.rng.between(1, 8);
  bool isNew = program.takesArguments && program.rng.chance(80);
  auto factor = [&](const Shape &shape, size_t summed) {
    Val value = isNew ? program.argument(loop.elem, shape, true)
                      : program.need(loop.elem, shape);
    if (isNew && program.manualAxes.empty() && program.rng.chance(80))
      splitDim(program, value, summed);
    return program.clamped(value, 8);
  };
  loop.left = factor({mostTrips, loop.rows, loop.terms}, 2);
  loop.right = factor({mostTrips, loop.terms, loop.columns}, 1);
  return loop;
}

/// The factor of iteration `number`.
static Val factorOf(ProgramBuilder &program, const Val &all,
                    const std::string &number) {
  Shape shape(all.shape.begin() + 1, all.shape.end());
  return program.define("tensor.extract_slice " + all.name + "[" + number +
                            ", 0, 0] [1, " + list(shape) + "] [1, 1, 1] : " +
                            all.type() + " to " + tensorType(all.elem, shape),
                        all.elem, shape, all.bound);
}

/// `sum` with the product of iteration `number`, added in one of several ways.
static Val addProduct(ProgramBuilder &program, const SumLoop &loop,
                      const Val &sum, const std::string &number) {
  Val left = factorOf(program, loop.left, number),
      right = factorOf(program, loop.right, number);
  double bound = left.bound * right.bound * double(loop.terms);
  bool intoSum = program.rng.chance(30);
  Val init = intoSum ? sum : program.filled(loop.elem, loop.shape(), 0);
  Val product =
      program.define("linalg.matmul " + insOutsTo({left, right}, init),
                     loop.elem, loop.shape(), bound + init.bound);
  if (intoSum)
    return product;
  bool subtracts = program.rng.chance(30);
  std::string op = subtracts ? "arith.sub" : "arith.add";
  return program.define(op + (isFloat(loop.elem) ? "f " : "i ") + sum.name +
                            ", " + product.name + " : " + sum.type(),
                        loop.elem, loop.shape(), bound + sum.bound);
}

/// "name = scf.for number = ... iter_args(...) -> (...) {".
static std::string forHeader(ProgramBuilder &program, const std::string &name,
                             const std::string &number,
                             const std::vector<Val> &carried,
                             const std::vector<Val> &inits) {
  Val low = program.scalarConstant(Elem::Index, program.rng.between(0, 1));
  Val step = program.scalarConstant(Elem::Index, 1);
  Val high =
      program.scalarConstant(Elem::Index, program.rng.between(0, mostTrips));
  if (program.rng.chance(30)) {
    Val any = program.needScalar(Elem::Index),
        most = program.scalarConstant(Elem::Index, mostTrips + 1);
    high = program.defineScalar("arith.remui " + any.name + ", " + most.name +
                                    " : index",
                                Elem::Index, mostTrips);
  }
  std::vector<std::string> given;
  for (size_t i = 0; i < carried.size(); ++i)
    given.push_back(carried[i].name + " = " + inits[i].name);
  return multiple(name, carried.size()) + " = scf.for " + number + " = " +
         low.name + " to " + high.name + " step " + step.name + " iter_args(" +
         join(given) + ") -> (" + typeList(carried) + ") {";
}

/// A loop of its own that adds products to `sum`.
static Val innerLoop(ProgramBuilder &program, const SumLoop &loop,
                     const Val &sum) {
  std::string name = program.fresh(), number = program.fresh();
  Val carried = sum;
  carried.name = program.fresh();
  std::string header = forHeader(program, name, number, {carried}, {sum});
  std::string text = program.region([&] {
    Val next = addProduct(program, loop, carried, number);
    program.line("scf.yield " + next.name + " : " + next.type());
  });
  program.line(header);
  program.out += text;
  program.line("}");
  Val result = sum;
  result.name = name;
  result.bound += double(mostTrips) * loop.left.bound * loop.right.bound *
                  double(loop.terms);
  return program.add(result);
}

/// `sum`, with a product if a condition holds.
static Val addInBranch(ProgramBuilder &program, const SumLoop &loop,
                       const Val &sum, const std::string &number) {
  Val condition = program.needScalar(Elem::I1), result = sum;
  result.name = program.fresh();
  std::string text = program.region([&] {
    Val next = addProduct(program, loop, sum, number);
    result.bound = next.bound;
    program.line("scf.yield " + next.name + " : " + next.type());
  });
  program.line(result.name + " = scf.if " + condition.name + " -> (" +
               result.type() + ") {");
  program.out += text;
  program.line("} else {");
  program.line("  scf.yield " + sum.name + " : " + sum.type());
  program.line("}");
  return program.add(result);
}

/// Writes the body of the loop; returns what it hands on.
static std::vector<Val> sumBody(ProgramBuilder &program, const SumLoop &loop,
                                std::vector<Val> carried,
                                const std::string &number) {
  for (Val &sum : carried) {
    int64_t form = program.rng.between(1, 100);
    if (form <= 55)
      sum = addProduct(program, loop, sum, number);
    else if (form <= 70)
      sum = addInBranch(program, loop, sum, number);
    else if (form <= 85)
      sum = innerLoop(program, loop, sum);
    else if (form <= 93 && isFloat(loop.elem))
      sum = program.define("math.absf " + sum.name + " : " + sum.type(),
                           loop.elem, loop.shape(), sum.bound);
  }
  if (carried.size() == 2 && program.rng.chance(30))
    std::swap(carried[0], carried[1]);
  return carried;
}

/// The most that a carried value becomes.
static double boundOf(const SumLoop &loop, const std::vector<Val> &inits) {
  double bound = 0;
  for (const Val &init : inits)
    bound = std::max(bound, init.bound);
  return bound + double(mostTrips * mostTrips) * loop.left.bound *
                     loop.right.bound * double(loop.terms);
}

bool shard::fuzz::sumLoop(ProgramBuilder &program) {
  if (program.depth >= 1)
    return false;
  SumLoop loop = chooseLoop(program);
  std::vector<Val> inits, carried;
  for (int64_t i = program.rng.chance(30) ? 2 : 1; i > 0; --i)
    inits.push_back(
        program.rng.chance(50)
            ? program.splat(loop.elem, loop.shape(), 0)
            : program.clamped(program.need(loop.elem, loop.shape()), 8));
  double bound = boundOf(loop, inits);
  for (Val value : inits) {
    value.name = program.fresh();
    value.bound = bound;
    carried.push_back(value);
  }
  std::string name = program.fresh(), number = program.fresh();
  std::string header = forHeader(program, name, number, carried, inits);
  std::string text = program.region([&] {
    std::vector<Val> next = sumBody(program, loop, carried, number);
    program.line("scf.yield " + nameList(next) + " : " + typeList(next));
  });
  program.line(header);
  program.out += text;
  program.line("}");
  addResults(program, name, carried);
  return true;
}

void shard::fuzz::registerSumLoopMakers(MakerRegistry &makers) {
  makers.add(MakerGroup::Control, sumLoop, 2);
  makers.add(MakerGroup::Loops, sumLoop, 3);
}
