//===- PlaceOps.cpp - Elements at known places in a random program --------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bodies of linalg.generic and tensor.generate that extract an element of a tensor at
// places which they compute from their loops: shifted, reversed, with strides, divided,
// clamped or folded back at a border.
//
//===----------------------------------------------------------------------===//

#include "Parts.h"

#include <algorithm>

using namespace shard::fuzz;

namespace {

/// Writes the numbers of a body that are computed from its loops. Constants are written in
/// front of the op.
class PlaceWriter {
public:
  PlaceWriter(ProgramBuilder &builder) : program(builder) {}

  std::vector<std::string> body;

  /// A place in a dimension of `extent` elements, computed from the number `index` of
  /// an iteration, of which there are `iterations`.
  std::string place(const std::string &index, int64_t iterations,
                    int64_t extent) {
    current = index;
    numbers.clear();
    for (int64_t i = 0; i < iterations; ++i)
      numbers.push_back(i);
    for (int64_t left = program.rng.between(0, 2); left > 0; --left)
      change(extent);
    if (least() < 0) {
      if (program.rng.chance(50))
        apply("subi", least(), [](int64_t a, int64_t b) { return a - b; });
      else
        apply("maxsi", 0, [](int64_t a, int64_t b) { return std::max(a, b); });
    }
    if (most() >= extent && most() < 2 * extent - 1 && program.rng.chance(40))
      foldBack(extent);
    if (most() >= extent && program.rng.chance(60))
      apply("minsi", extent - 1,
            [](int64_t a, int64_t b) { return std::min(a, b); });
    else if (most() >= extent)
      apply("remui", extent, [](int64_t a, int64_t b) { return a % b; });
    return current;
  }

private:
  using Operator = int64_t (*)(int64_t, int64_t);

  int64_t least() const {
    return *std::min_element(numbers.begin(), numbers.end());
  }
  int64_t most() const {
    return *std::max_element(numbers.begin(), numbers.end());
  }

  /// The current number becomes `op` of it and `number`.
  void apply(const std::string &op, int64_t number, Operator meaning) {
    write(op, current, program.scalarConstant(Elem::Index, number).name);
    for (int64_t &one : numbers)
      one = meaning(one, number);
  }
  void write(const std::string &op, const std::string &a,
             const std::string &b) {
    std::string made = program.fresh();
    body.push_back(made + " = arith." + op + " " + a + ", " + b + " : index");
    current = made;
  }

  void change(int64_t extent) {
    switch (program.rng.between(0, 5)) {
    case 0:
      return apply("addi", program.rng.between(0, extent),
                   [](int64_t a, int64_t b) { return a + b; });
    case 1:
      return apply("subi", program.rng.between(0, extent),
                   [](int64_t a, int64_t b) { return a - b; });
    case 2:
      return subtractFrom(program.rng.between(extent - 1, extent + 1));
    case 3:
      return apply("muli", program.rng.between(1, 3),
                   [](int64_t a, int64_t b) { return a * b; });
    case 4:
      if (least() >= 0)
        apply(program.rng.chance(50) ? "divui" : "floordivsi",
              program.rng.between(1, 4),
              [](int64_t a, int64_t b) { return a / b; });
      return;
    default:
      if (least() >= 0)
        apply("remui", program.rng.between(1, 4),
              [](int64_t a, int64_t b) { return a % b; });
    }
  }

  void subtractFrom(int64_t number) {
    write("subi", program.scalarConstant(Elem::Index, number).name, current);
    for (int64_t &one : numbers)
      one = number - one;
  }

  /// What lies behind the last element is read in falling order, as images are padded.
  void foldBack(int64_t extent) {
    std::string before = current;
    std::vector<int64_t> straight = numbers;
    subtractFrom(2 * (extent - 1));
    write("minsi", before, current);
    for (size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = std::min(numbers[i], straight[i]);
  }

  ProgramBuilder &program;
  std::string current;
  /// What `current` is in each iteration.
  std::vector<int64_t> numbers;
};

} // namespace

static bool extractAtPlaces(ProgramBuilder &program) {
  std::optional<Val> table = program.pickTensor(1);
  if (!table)
    return false;
  Shape shape = program.rng.chance(60)
                    ? table->shape
                    : program.randomShape(program.rng.between(1, 3));
  bool generates = program.rng.chance(50);
  PlaceWriter writer(program);
  std::vector<std::string> indices, places;
  for (size_t loop = 0; loop < shape.size(); ++loop) {
    indices.push_back(program.fresh());
    if (!generates)
      writer.body.push_back(indices.back() + " = linalg.index " +
                            std::to_string(loop) + " : index");
  }
  for (size_t dim = 0; dim < table->shape.size(); ++dim) {
    // Mostly the loop of the same number, so that each has one.
    size_t loop = dim < shape.size() && program.rng.chance(80)
                      ? dim
                      : program.rng.between(0, int64_t(shape.size()) - 1);
    places.push_back(
        writer.place(indices[loop], shape[loop], table->shape[dim]));
  }
  std::string type = name(table->elem), found = program.fresh(),
              result = program.fresh();
  writer.body.push_back(found + " = tensor.extract " + table->name + "[" +
                        join(places) + "] : " + table->type());
  if (generates) {
    std::vector<std::string> arguments;
    for (const std::string &index : indices)
      arguments.push_back(index + ": index");
    program.line(result + " = tensor.generate {");
    program.line("^bb0(" + join(arguments) + "):");
    writer.body.push_back("tensor.yield " + found + " : " + type);
  } else {
    Val init = program.empty(table->elem, shape);
    std::vector<std::string> loops, kinds(shape.size(), "\"parallel\"");
    for (size_t loop = 0; loop < shape.size(); ++loop)
      loops.push_back("d" + std::to_string(loop));
    program.line(result + " = linalg.generic {indexing_maps = [affine_map<(" +
                 join(loops) + ") -> (" + join(loops) +
                 ")>], iterator_types = [" + join(kinds) + "]} outs(" +
                 init.name + " : " + init.type() + ") {");
    program.line("^bb0(" + program.fresh() + ": " + type + "):");
    writer.body.push_back("linalg.yield " + found + " : " + type);
  }
  for (const std::string &line : writer.body)
    program.line("  " + line);
  program.line(generates ? "} : " + tensorType(table->elem, shape)
                         : "} -> " + tensorType(table->elem, shape));
  program.add({result, table->elem, true, shape, table->bound});
  return true;
}

void shard::fuzz::registerPlaceMakers(MakerRegistry &makers) {
  makers.add(MakerGroup::Ops, extractAtPlaces);
  makers.add(MakerGroup::Places, extractAtPlaces, 2);
}
