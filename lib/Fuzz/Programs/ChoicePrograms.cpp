//===- ChoicePrograms.cpp - Programs whose shardings are to be chosen -----===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One to four ops between arguments and a result with closed hints, small enough that a check
// can try every sharding of the values between (CheckChoices.cpp). All extents divide evenly.
//
//===----------------------------------------------------------------------===//

#include "Parts.h"

using namespace shard::fuzz;

namespace {

class ChoiceProgram {
public:
  explicit ChoiceProgram(ProgramBuilder &program)
      : program(program), rng(program.rng) {}
  void write();

private:
  int64_t extent();
  /// An argument; closed hints are on most of them, about the last two dimensions.
  Val argument(const Shape &shape);
  std::string hint(int64_t rank);
  /// A value of `shape`: one that is there, or an argument.
  Val operand(const Shape &shape);
  Val define(const std::string &text, const Shape &shape);

  // Each writes an op that takes `a`.
  Val product(const Val &a);
  Val convolution(const Val &a);
  Val elementwise(const Val &a);
  Val transpose(const Val &a);
  Val reduction(const Val &a);
  Val broadcast(const Val &a);

  ProgramBuilder &program;
  Random &rng;
  int64_t open = 0;
};

} // namespace

int64_t ChoiceProgram::extent() {
  static const std::vector<int64_t> extents = {4, 8, 16, 32, 64};
  return rng.oneOf(extents);
}

/// Each axis splits one of the last two dimensions, or replicates: no one splits the rows of a
/// convolution's kernel.
std::string ChoiceProgram::hint(int64_t rank) {
  std::vector<std::string> lists(rank);
  for (size_t axis = 0; axis < program.grid.size(); ++axis) {
    int64_t dim = rng.between(std::max<int64_t>(0, rank - 2), rank);
    if (dim < rank)
      lists[dim] += (lists[dim].empty() ? "" : ", ") + program.axisText(axis);
  }
  for (std::string &list : lists)
    list = "[" + list + "]";
  return "<@grid, [" + shard::fuzz::join(lists) + "]>";
}

Val ChoiceProgram::argument(const Shape &shape) {
  Val value = program.argument(Elem::I32, shape, true);
  if (open > 0 || rng.chance(80))
    program.givenHints[value.name] = hint(shape.size());
  else
    ++open;
  return value;
}

Val ChoiceProgram::operand(const Shape &shape) {
  std::vector<Val> fitting;
  for (const Val &value : program.scope)
    if (value.shape == shape)
      fitting.push_back(value);
  return fitting.empty() || rng.chance(40) ? argument(shape)
                                           : rng.oneOf(fitting);
}

Val ChoiceProgram::define(const std::string &text, const Shape &shape) {
  return program.define(text, Elem::I32, shape, 0);
}

Val ChoiceProgram::product(const Val &a) {
  bool left = rng.chance(70);
  int64_t free = extent();
  Shape other = left ? Shape{a.shape[1], free} : Shape{free, a.shape[0]};
  Val b = operand(other);
  Shape shape = left ? Shape{a.shape[0], free} : Shape{free, a.shape[1]};
  Val init = program.filled(Elem::I32, shape, 0);
  return define("linalg.matmul " +
                    (left ? insOutsTo({a, b}, init) : insOutsTo({b, a}, init)),
                shape);
}

/// Two rows of `a`, whose columns are channels, make one row of other channels.
Val ChoiceProgram::convolution(const Val &a) {
  Val b = operand({2, a.shape[1], extent()});
  Shape shape = {a.shape[0] / 2, b.shape[2]};
  Val init = program.filled(Elem::I32, shape, 0);
  std::string loops = "affine_map<(i, f, k, c) -> (", product = program.fresh(),
              sum = program.fresh();
  Val result{program.fresh(), Elem::I32, true, shape, 0};
  program.line(result.name + " = linalg.generic {indexing_maps = [" + loops +
               "i * 2 + k, c)>, " + loops + "k, c, f)>, " + loops +
               "i, f)>], iterator_types = [\"parallel\", \"parallel\", "
               "\"reduction\", \"reduction\"]} " +
               insOuts({a, b}, init) + " {");
  program.line("^bb0(%x: i32, %w: i32, %y: i32):");
  program.line("  " + product + " = arith.muli %x, %w : i32");
  program.line("  " + sum + " = arith.addi %y, " + product + " : i32");
  program.line("  linalg.yield " + sum + " : i32");
  program.line("} -> " + result.type());
  return program.add(result);
}

Val ChoiceProgram::elementwise(const Val &a) {
  Val b = operand(a.shape);
  return define("arith.addi " + a.name + ", " + b.name + " : " + a.type(),
                a.shape);
}

Val ChoiceProgram::transpose(const Val &a) {
  Shape shape = {a.shape[1], a.shape[0]};
  Val init = program.empty(Elem::I32, shape);
  return define("linalg.transpose " + insOuts({a}, init) +
                    " permutation = [1, 0]",
                shape);
}

/// A sum along one dimension.
Val ChoiceProgram::reduction(const Val &a) {
  int64_t dim = rng.between(0, 1);
  Shape shape = {a.shape[1 - dim]};
  Val init = program.filled(Elem::I32, shape, 0);
  return define("linalg.reduce { arith.addi } " + insOuts({a}, init) +
                    " dimensions = [" + std::to_string(dim) + "]",
                shape);
}

Val ChoiceProgram::broadcast(const Val &a) {
  int64_t dim = rng.between(0, 1), size = extent();
  Shape shape = dim == 0 ? Shape{size, a.shape[0]} : Shape{a.shape[0], size};
  Val init = program.empty(Elem::I32, shape);
  return define("linalg.broadcast " + insOuts({a}, init) + " dimensions = [" +
                    std::to_string(dim) + "]",
                shape);
}

void ChoiceProgram::write() {
  program.argumentHintPercent = program.hintPercent = 0;
  std::string outer;
  std::swap(program.out, outer);
  Val value =
      argument(rng.chance(15) ? Shape{extent()} : Shape{extent(), extent()});
  for (int64_t count = rng.between(1, program.grid.size() > 1 ? 2 : 4);
       count > 0; --count) {
    using Write = Val (ChoiceProgram::*)(const Val &);
    static const std::vector<Write> makers = {
        &ChoiceProgram::product,     &ChoiceProgram::product,
        &ChoiceProgram::elementwise, &ChoiceProgram::transpose,
        &ChoiceProgram::reduction,   &ChoiceProgram::convolution};
    Write write =
        value.shape.size() == 1 ? &ChoiceProgram::broadcast : rng.oneOf(makers);
    value = (this->*write)(value);
  }
  if (rng.chance(60))
    program.givenHints[value.name] = hint(value.shape.size());
  program.line("return " + value.name + " : " + value.type());
  program.scope = {value};
  std::swap(program.out, outer);
  program.choices = true;
  program.out +=
      functionHeader(program, {"main", program.arguments, program.scope},
                     false) +
      outer + "}\n";
}

void shard::fuzz::choiceProgram(ProgramBuilder &program) {
  ChoiceProgram(program).write();
}
