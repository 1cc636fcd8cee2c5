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

namespace {
/// A tensor of places in a dimension of `extent` elements, one for each of `iterations`, which is
/// made of constants.
class PlaceTable {
public:
  PlaceTable(ProgramBuilder &program, int64_t iterations, int64_t extent)
      : program(program), rng(program.rng), count(iterations), extent(extent) {
    switch (rng.between(0, 4)) {
    case 0:
      name = constant(1);
      break;
    case 1:
      reversed();
      break;
    case 2:
      transposed();
      break;
    case 3:
      summed();
      break;
    default:
      secondOfTwo();
    }
  }

  /// The place of the iteration `index`, in the body `lines`.
  std::string place(const std::string &index,
                    std::vector<std::string> &lines) const {
    std::string result = program.fresh();
    lines.push_back(result + " = tensor.extract " + name + "[" + index +
                    (column.empty() ? "" : ", " + column) +
                    "] : " + (column.empty() ? type(count) : columnsType()));
    return result;
  }

private:
  static std::string type(int64_t extent) {
    return "tensor<" + std::to_string(extent) + "xindex>";
  }
  std::string columnsType() const {
    return "tensor<" + std::to_string(count) + "x" + std::to_string(columns) +
           "xindex>";
  }

  /// A number n with which places `i / n` are below `limit` and each of them is read n times; 0
  /// where there is none. Of the tables of tensors only these are taken for places of a loop.
  int64_t divisor(int64_t limit) {
    std::vector<int64_t> divisors;
    for (int64_t n = 2; n < count; ++n)
      if (count % n == 0 && count / n <= limit)
        divisors.push_back(n);
    return divisors.empty() ? 0 : rng.oneOf(divisors);
  }

  /// `rows` rows of places, all of which together are below the extent.
  std::string constant(int64_t rows) {
    std::string text, result = program.fresh();
    int64_t limit = std::max<int64_t>(extent / rows, 1);
    for (int64_t row = 0; row < rows; ++row) {
      int64_t first = rng.between(0, limit - 1), step = rng.between(-1, 2);
      bool isRandom = rng.chance(20);
      int64_t by = rng.chance(40) ? divisor(limit) : 0;
      std::vector<std::string> places;
      for (int64_t i = 0; i < count; ++i) {
        int64_t place = by         ? i / by
                        : isRandom ? rng.between(0, limit - 1)
                                   : first + i * step;
        // Sums of several rows stay inside, too.
        places.push_back(std::to_string(
            rows > extent ? 0 : std::clamp<int64_t>(place, 0, limit - 1)));
      }
      text += (row ? ", [" : "[") + join(places) + "]";
    }
    program.line(result + " = arith.constant dense<" +
                 (rows == 1 ? text : "[" + text + "]") +
                 "> : " + (rows == 1 ? type(count) : rowsType(rows)));
    return result;
  }
  std::string rowsType(int64_t rows) const {
    return "tensor<" + std::to_string(rows) + "x" + std::to_string(count) +
           "xindex>";
  }

  /// Writes an op whose body `lines` yields; the names of the operands are in `ins` and `outs`.
  void write(const std::string &maps, const std::string &kinds,
             const std::string &ins, const std::string &outs,
             const std::string &arguments,
             const std::vector<std::string> &lines, const std::string &types) {
    program.line(name + " = linalg.generic {indexing_maps = [" + maps +
                 "], iterator_types = [" + kinds + "]} ins(" + ins + ") outs(" +
                 outs + ") {");
    program.line("^bb0(" + arguments + "):");
    for (const std::string &line : lines)
      program.line("  " + line);
    program.line("} -> " + types);
  }

  std::string made(const std::string &tensor) {
    std::string result = program.fresh();
    program.line(result + " = tensor.empty() : " + tensor);
    return result;
  }

  void reversed() {
    std::string table = constant(1), init = made(type(count)),
                last = program.scalarConstant(Elem::Index, extent - 1).name,
                in = program.fresh(), place = program.fresh();
    name = program.fresh();
    std::string map = "affine_map<(d0) -> (d0)>";
    write(map + ", " + map, "\"parallel\"", table + " : " + type(count),
          init + " : " + type(count),
          in + ": index, " + program.fresh() + ": index",
          {place + " = arith.subi " + last + ", " + in + " : index",
           "linalg.yield " + place + " : index"},
          type(count));
  }

  /// A square whose row i is full of `i / by`.
  std::string stairs(int64_t by) {
    std::vector<std::string> rows;
    for (int64_t i = 0; i < count; ++i)
      rows.push_back(
          "[" + join(std::vector<std::string>(count, std::to_string(i / by))) +
          "]");
    std::string result = program.fresh();
    program.line(result + " = arith.constant dense<[" + join(rows) +
                 "]> : " + rowsType(count));
    return result;
  }

  /// Each column has places of its own. Columns of the transposed stairs are full of one place,
  /// and would be places of a loop without the transposition.
  void transposed() {
    int64_t by = rng.chance(50) ? divisor(extent) : 0;
    columns = by ? count : 2;
    std::string table = by ? stairs(by) : constant(2),
                init = made(columnsType()), in = program.fresh();
    column =
        program.scalarConstant(Elem::Index, rng.between(0, columns - 1)).name;
    name = program.fresh();
    write("affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1, d0)>",
          "\"parallel\", \"parallel\"", table + " : " + rowsType(columns),
          init + " : " + columnsType(),
          in + ": index, " + program.fresh() + ": index",
          {"linalg.yield " + in + " : index"}, columnsType());
  }

  /// Two rows are added up.
  void summed() {
    std::string table = constant(2), first = constant(1), in = program.fresh(),
                sum = program.fresh(), place = program.fresh();
    std::string last = program.scalarConstant(Elem::Index, extent - 1).name,
                least = program.fresh();
    name = program.fresh();
    write("affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>",
          "\"parallel\", \"reduction\"", table + " : " + rowsType(2),
          first + " : " + type(count), in + ": index, " + sum + ": index",
          {place + " = arith.addi " + in + ", " + sum + " : index",
           least + " = arith.minsi " + place + ", " + last + " : index",
           "linalg.yield " + least + " : index"},
          type(count));
  }

  void secondOfTwo() {
    std::string table = constant(1), other = constant(1), one = program.fresh(),
                two = program.fresh();
    std::string inits = made(type(count)) + ", " + made(type(count));
    std::string map = "affine_map<(d0) -> (d0)>", both = program.fresh();
    name = both + ":2";
    write(map + ", " + map + ", " + map + ", " + map, "\"parallel\"",
          table + ", " + other + " : " + type(count) + ", " + type(count),
          inits + " : " + type(count) + ", " + type(count),
          one + ": index, " + two + ": index, " + program.fresh() +
              ": index, " + program.fresh() + ": index",
          {"linalg.yield " + one + ", " + two + " : index, index"},
          "(" + type(count) + ", " + type(count) + ")");
    name = both + "#1";
  }

  ProgramBuilder &program;
  Random &rng;
  int64_t count, extent, columns = 2;
  /// The tensor, and the column of it where there are several.
  std::string name, column;
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
    if (program.rng.chance(40))
      places.push_back(PlaceTable(program, shape[loop], table->shape[dim])
                           .place(indices[loop], writer.body));
    else
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
  makers.add(MakerGroup::Places, extractAtPlaces, 3);
}
