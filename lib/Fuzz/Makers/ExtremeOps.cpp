//===- ExtremeOps.cpp - The best element and what goes with it ------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reduction that carries the best element along a dimension and something that goes with it:
// its place, which the compiler computes by blocks, or what is almost its place.
//
//===----------------------------------------------------------------------===//

#include "Parts.h"

using namespace shard::fuzz;

/// Writes what goes with the element at the iterations of a body, as an i32: its place along
/// `loop` mostly. `second` is an element of another operand.
static std::string companion(ProgramBuilder &program, int64_t loop,
                             int64_t rank, const std::string &second) {
  Random &rng = program.rng;
  int64_t kind = rng.between(0, 5);
  if (kind == 0)
    return second;
  if (kind == 1)
    loop = rng.between(0, rank - 1);
  std::string index = program.fresh(), number = program.fresh();
  program.line("  " + index + " = linalg.index " + std::to_string(loop) +
               " : index");
  program.line("  " + number + " = arith.index_cast " + index +
               " : index to i32");
  if (kind != 2)
    return number;
  std::string sum = program.fresh();
  program.line("  " + sum + " = arith.addi " + number + ", " + second +
               " : i32");
  return sum;
}

static bool bestElement(ProgramBuilder &program) {
  Random &rng = program.rng;
  std::optional<Val> a = program.pick([](const Val &v) {
    return v.tensor && !v.shape.empty() &&
           (v.elem == Elem::I32 || v.elem == Elem::F32);
  });
  if (!a)
    return false;
  bool isReal = isFloat(a->elem);
  int64_t rank = int64_t(a->shape.size()), loop = rng.between(0, rank - 1);
  Shape shape = a->shape;
  shape.erase(shape.begin() + loop);
  Val other = program.need(Elem::I32, a->shape);
  // Worse than all elements, or as good as some.
  bool isMost = rng.chance(50);
  int64_t worst = rng.chance(60) ? 1 << 23 : rng.between(0, 2);
  Val best = program.filled(a->elem, shape, isMost ? -worst : worst),
      beside = program.filled(Elem::I32, shape, rng.between(-1, 1));
  std::vector<std::string> all, kept, kinds;
  for (int64_t i = 0; i < rank; ++i) {
    all.push_back("d" + std::to_string(i));
    if (i != loop)
      kept.push_back(all.back());
    kinds.push_back(i == loop ? "\"reduction\"" : "\"parallel\"");
  }
  std::string domain = "affine_map<(" + join(all) + ") -> (",
              whole = domain + join(all) + ")>",
              part = domain + join(kept) + ")>", result = program.fresh(),
              element = program.fresh(), second = program.fresh(),
              had = program.fresh(), hadBeside = program.fresh(),
              better = program.fresh(), type = name(a->elem);
  program.line(result + ":2 = linalg.generic {indexing_maps = [" + whole +
               ", " + whole + ", " + part + ", " + part +
               "], iterator_types = [" + join(kinds) + "]} ins(" +
               nameList({*a, other}) + " : " + typeList({*a, other}) +
               ") outs(" + nameList({best, beside}) + " : " +
               typeList({best, beside}) + ") {");
  program.line("^bb0(" + element + ": " + type + ", " + second + ": i32, " +
               had + ": " + type + ", " + hadBeside + ": i32):");
  std::string predicate = std::string(isReal ? "o" : "s") +
                          (isMost ? "g" : "l") + (rng.chance(60) ? "t" : "e");
  program.line("  " + better + " = arith.cmp" + (isReal ? "f " : "i ") +
               predicate + ", " + element + ", " + had + " : " + type);
  std::string value = companion(program, loop, rank, second),
              next = program.fresh(), nextBeside = program.fresh();
  program.line("  " + next + " = arith.select " + better + ", " + element +
               ", " + had + " : " + type);
  program.line("  " + nextBeside + " = arith.select " + better + ", " + value +
               ", " + hadBeside + " : i32");
  program.line("  linalg.yield " + next + ", " + nextBeside + " : " + type +
               ", i32");
  program.line("} -> (" + best.type() + ", " + beside.type() + ")");
  // A float that is read is the element at its place, a third reduction.
  if (rng.chance(50)) {
    Val kept =
        program.add({result + "#0", a->elem, true, shape, double(1 << 23)});
    if (isReal) {
      program.scope.pop_back();
      program.clamped(kept, inputBound);
    }
  }
  program.add({result + "#1", Elem::I32, true, shape});
  return true;
}

void shard::fuzz::registerExtremeMakers(MakerRegistry &makers) {
  makers.add(MakerGroup::Ops, bestElement);
  makers.add(MakerGroup::Reductions, bestElement, 2);
}
