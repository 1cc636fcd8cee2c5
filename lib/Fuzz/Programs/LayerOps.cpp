//===- LayerOps.cpp - Arguments and ops of a layer ------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerPrograms.h"

using namespace shard::fuzz;

std::string LayerProgram::hint(const Axes &axes) {
  std::vector<std::string> lists;
  for (const Shape &dim : axes) {
    std::vector<std::string> names;
    for (int64_t axis : dim)
      names.push_back(program.axisText(axis));
    lists.push_back("[" + join(names) + "]");
  }
  return "<@grid, [" + join(lists) + "]>";
}

Val LayerProgram::argument(const Shape &shape, const Axes &axes,
                           int64_t percent, Elem elem) {
  Val value = program.argument(elem, shape, true);
  if (rng.chance(percent))
    program.givenHints[value.name] = hint(axes);
  return value;
}

void LayerProgram::result(const Val &value, const Axes &axes, int64_t percent) {
  if (rng.chance(percent))
    program.givenHints[value.name] = hint(axes);
  results.push_back(value);
}

Val LayerProgram::define(const std::string &text, const Shape &shape,
                         Elem elem) {
  return program.define(text, elem, shape, 0);
}

/// As a named op, or as one whose right operand is stored the other way round.
Val LayerProgram::product(const Val &a, const Val &b) {
  Shape shape = {a.shape[0], b.shape[1]};
  Val init = program.filled(Elem::I32, shape, 0);
  if (rng.chance(70))
    return define("linalg.matmul " + insOutsTo({a, b}, init), shape);
  std::string map = "affine_map<(i, j, k) -> (";
  return define("linalg.matmul indexing_maps = [" + map + "i, k)>, " + map +
                    "j, k)>, " + map + "i, j)>] " +
                    insOutsTo({a, transposed(b)}, init),
                shape);
}

Val LayerProgram::transposed(const Val &a) {
  Shape shape = {a.shape[1], a.shape[0]};
  Val init = program.empty(a.elem, shape);
  return define("linalg.transpose " + insOuts({a}, init) +
                    " permutation = [1, 0]",
                shape, a.elem);
}

Val LayerProgram::reducedWithPlaces(const Val &a, int64_t dim, bool isMax) {
  Shape shape = a.shape;
  shape.erase(shape.begin() + dim);
  Val init = program.filled(Elem::I32, shape, isMax ? -100000 : 0);
  std::vector<std::string> all, kept, kinds;
  for (size_t d = 0; d < a.shape.size(); ++d) {
    all.push_back("d" + std::to_string(d));
    if (int64_t(d) != dim)
      kept.push_back(all.back());
    kinds.push_back(int64_t(d) == dim ? "\"reduction\"" : "\"parallel\"");
  }
  std::string loops = "affine_map<(" + join(all) + ") -> (";
  std::string row = loops + join(kept) + ")>",
              type = tensorType(Elem::I32, shape);
  std::string result = program.fresh();
  program.line(result + ":2 = linalg.generic {indexing_maps = [" + loops +
               join(all) + ")>, " + row + ", " + row + "], iterator_types = [" +
               join(kinds) + "]} ins(" + a.name + " : " + a.type() + ") outs(" +
               init.name + ", " + init.name + " : " + type + ", " + type +
               ") {");
  program.line("^bb0(%x: i32, %y: i32, %at: i32):");
  program.line("  %i = linalg.index " + std::to_string(dim) + " : index");
  program.line("  %n = arith.index_cast %i : index to i32");
  program.line(std::string("  %next = arith.") + (isMax ? "maxsi" : "addi") +
               " %x, %y : i32");
  program.line("  %more = arith.cmpi sgt, %x, %y : i32");
  program.line("  %place = arith.select %more, %n, %at : i32");
  program.line("  linalg.yield %next, %place : i32, i32");
  program.line("} -> (" + type + ", " + type + ")");
  return program.add({result + "#0", Elem::I32, true, shape});
}

Val LayerProgram::reduced(const Val &a, int64_t dim, bool isMax) {
  if (rng.chance(20))
    return reducedWithPlaces(a, dim, isMax);
  Shape shape = a.shape;
  shape.erase(shape.begin() + dim);
  Val init = program.filled(Elem::I32, shape, isMax ? -100000 : 0);
  return define(std::string("linalg.reduce { arith.") +
                    (isMax ? "maxsi" : "addi") + " } " + insOuts({a}, init) +
                    " dimensions = [" + std::to_string(dim) + "]",
                shape);
}

Val LayerProgram::broadcast(const Val &a, int64_t dim, int64_t extent) {
  Shape shape = a.shape;
  shape.insert(shape.begin() + dim, extent);
  Val init = program.empty(Elem::I32, shape);
  return define("linalg.broadcast " + insOuts({a}, init) + " dimensions = [" +
                    std::to_string(dim) + "]",
                shape);
}

Val LayerProgram::combined(const std::string &op, const Val &a, const Val &b) {
  return define("arith." + op + " " + a.name + ", " + b.name + " : " + a.type(),
                a.shape, a.elem);
}

/// No op folds away: the data would not be needed.
Val LayerProgram::pointwise(Val a) {
  static const std::vector<std::string> ops = {"addi", "muli", "maxsi", "subi"};
  for (int64_t left = rng.between(0, 2); left > 0; --left) {
    if (rng.chance(40)) {
      a = combined(rng.chance(50) ? "addi" : "muli", a, a);
      continue;
    }
    Val other = program.filled(a.elem, a.shape, rng.between(2, 3));
    a = rng.chance(50) ? combined(rng.oneOf(ops), a, other)
                       : combined(rng.oneOf(ops), other, a);
  }
  return a;
}

Val LayerProgram::slice(const Val &a, const Shape &offsets,
                        const Shape &sizes) {
  return define("tensor.extract_slice " + a.name + "[" + list(offsets) + "] [" +
                    list(sizes) + "] [" + list(Shape(a.shape.size(), 1)) +
                    "] : " + a.type() + " to " + tensorType(a.elem, sizes),
                sizes, a.elem);
}
