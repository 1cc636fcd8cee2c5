//===- NeededPrograms.cpp - Programs that need a known number of bytes ----===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One construct of which devices need few elements of each other, on an argument whose
// dimension is split evenly by all axes. A formula says how many bytes a device must send at
// most, and the program states it (`most_bytes`). A construct that is not recognised still
// gives the right numbers; it sends more.
//
//===----------------------------------------------------------------------===//

#include "Parts.h"
#include "SharedOps.h"

#include <algorithm>

using namespace shard::fuzz;

namespace {

class NeededProgram {
public:
  explicit NeededProgram(ProgramBuilder &program)
      : program(program), rng(program.rng) {}
  void write();

private:
  /// An argument of `blocks` blocks along `dim`, which is split by all axes.
  Val splitArgument(int64_t least);
  std::string hint(int64_t rank, int64_t dim);
  Val padded(const Val &a, int64_t low, int64_t high,
             const std::string &number);
  Val window(const Val &a, const Shape &shape, int64_t count, bool isMax,
             int64_t step = 1);
  void finish(const Val &result, bool isHinted);

  // Each writes a construct.
  void stencil();
  void twoStencils();
  void stencilSteps();
  void scan();
  void roll();
  void stride();
  void transposedConvolution();
  void product();
  void partialProduct();
  void productOfBlocks();
  void sharedGather();
  void pooled();

  ProgramBuilder &program;
  Random &rng;
  Shape axes;
  int64_t parts = 1;
  /// Of the argument: the dimension that is split, the extent of a block, and the bytes of
  /// the elements at one place of that dimension.
  int64_t dim = 0, block = 1, rowBytes = 4;
};

} // namespace

std::string NeededProgram::hint(int64_t rank, int64_t at) {
  std::vector<std::string> lists(rank, "[]"), names;
  for (int64_t axis : axes)
    names.push_back(program.axisText(axis));
  lists[at] = "[" + shard::fuzz::join(names) + "]";
  return "<@grid, [" + shard::fuzz::join(lists) + "]>";
}

Val NeededProgram::splitArgument(int64_t least) {
  Shape shape(rng.between(1, 2));
  for (int64_t &extent : shape)
    extent = rng.between(1, 4);
  dim = rng.between(0, int64_t(shape.size()) - 1);
  block = rng.between(least, least + 3);
  shape[dim] = block * parts;
  rowBytes = 4 * numElements(shape) / shape[dim];
  Val value = program.argument(Elem::I32, shape, true);
  program.givenHints[value.name] = hint(shape.size(), dim);
  return value;
}

Val NeededProgram::padded(const Val &a, int64_t low, int64_t high,
                          const std::string &number) {
  std::string type;
  std::string result = paddedAlong(program, a, dim, low, high, number, type);
  Shape shape = a.shape;
  shape[dim] += low + high;
  return program.add({result, Elem::I32, true, shape});
}

/// The sum or maximum of the `count` elements of `a` from each place on, of a result of
/// `shape`. Places are `step` elements apart.
Val NeededProgram::window(const Val &a, const Shape &shape, int64_t count,
                          bool isMax, int64_t step) {
  Val init = program.filled(Elem::I32, shape, isMax ? -100000 : 0);
  // A loop of one iteration may stand in front of the digits of a place.
  bool hasUnit = step > 1 && rng.chance(25);
  Val kernel =
      program.empty(Elem::I32, hasUnit ? Shape{1, count} : Shape{count});
  std::vector<std::string> loops, kinds(shape.size(), "\"parallel\"");
  for (size_t i = 0; i < shape.size(); ++i)
    loops.push_back("i" + std::to_string(i));
  std::vector<std::string> places = loops, reads = loops;
  reads[dim] += (step > 1 ? " * " + std::to_string(step) : "") + " + k";
  if (hasUnit) {
    reads[dim] =
        "u * " + std::to_string(shape[dim] * step) + " + " + reads[dim];
    loops.emplace_back("u");
    kinds.emplace_back("\"reduction\"");
  }
  loops.emplace_back("k");
  kinds.emplace_back("\"reduction\"");
  std::string map = "affine_map<(" + shard::fuzz::join(loops) + ") -> (";
  std::string result = program.fresh(), element = program.fresh(),
              unused = program.fresh(), carried = program.fresh(),
              sum = program.fresh();
  program.line(result + " = linalg.generic {indexing_maps = [" + map +
               shard::fuzz::join(reads) + ")>, " + map +
               (hasUnit ? "u, k" : "k") + ")>, " + map +
               shard::fuzz::join(places) + ")>], iterator_types = [" +
               shard::fuzz::join(kinds) + "]} ins(" + a.name + ", " +
               kernel.name + " : " + a.type() + ", " + kernel.type() +
               ") outs(" + init.name + " : " + init.type() + ") {");
  program.line("^bb0(" + element + ": i32, " + unused + ": i32, " + carried +
               ": i32):");
  program.line("  " + sum + (isMax ? " = arith.maxsi " : " = arith.addi ") +
               element + ", " + carried + " : i32");
  program.line("  linalg.yield " + sum + " : i32");
  program.line("} -> " + init.type());
  return program.add({result, Elem::I32, true, shape});
}

void NeededProgram::finish(const Val &result, bool isHinted) {
  if (isHinted)
    program.givenHints[result.name] = hint(result.shape.size(), dim);
  program.line("return " + result.name + " : " + result.type());
  program.scope = {result};
}

int64_t shard::fuzz::mostToNeighbours(int64_t parts, int64_t block, int64_t low,
                                      int64_t high) {
  int64_t most = 0;
  for (int64_t from = 0; from < parts; ++from) {
    int64_t sent = 0;
    for (int64_t to = 0; to < parts; ++to) {
      int64_t begin = std::max(from * block, to * block - low);
      int64_t end = std::min((from + 1) * block, (to + 1) * block + high);
      sent += to == from ? 0 : std::max<int64_t>(end - begin, 0);
    }
    most = std::max(most, sent);
  }
  return most;
}

/// A device needs what lies `low` in front of and `high` behind its block, which may be more
/// than a neighbour has.
void NeededProgram::stencil() {
  int64_t low = rng.between(0, 3), high = rng.between(0, 3);
  Val a = splitArgument(rng.chance(30) ? 1 : std::max<int64_t>({low, high, 1}));
  // Of a window that is wider than the tensor it may be the window's loop that is split.
  low = std::min(low, a.shape[dim] - 1);
  high = std::min(high, a.shape[dim] - 1 - low);
  Val around = padded(a, low, high, "0");
  program.mostBytes = mostToNeighbours(parts, block, low, high) * rowBytes;
  finish(window(around, a.shape, low + high + 1, rng.chance(30)),
         rng.chance(50));
}

/// One exchange serves two windows on one tensor: of the elements that both read one is sent.
void NeededProgram::twoStencils() {
  int64_t low = rng.between(0, 2), high = rng.between(0, 2);
  Val a = splitArgument(3);
  std::vector<Val> results;
  for (bool isWider : {true, false}) {
    int64_t ownLow = isWider ? low : rng.between(0, low);
    int64_t ownHigh = isWider ? high : rng.between(0, high);
    results.push_back(window(padded(a, ownLow, ownHigh, "0"), a.shape,
                             ownLow + ownHigh + 1, false));
    program.givenHints[results.back().name] = hint(a.shape.size(), dim);
  }
  program.mostBytes = mostToNeighbours(parts, block, low, high) * rowBytes;
  program.line("return " + nameList(results) + " : " + typeList(results));
  program.scope = results;
}

/// A loop of a stencil of which one exchange serves `steps` iterations; iterations that are
/// left over exchange one by one.
void NeededProgram::stencilSteps() {
  int64_t low = rng.between(0, 2), high = rng.between(low == 0 ? 1 : 0, 2);
  int64_t steps = rng.between(1, 4), trips = rng.between(1, 9);
  steps = std::min(steps, trips);
  // No window is wider than the tensor, as in `stencil`.
  Val a = splitArgument(std::max(steps * std::max(low, high), low + high + 1));
  Val begin = program.scalarConstant(Elem::Index, 0),
      end = program.scalarConstant(Elem::Index, trips),
      step = program.scalarConstant(Elem::Index, 1);
  Val carried = a, result = a;
  carried.name = program.fresh();
  std::string index = program.fresh();
  std::string text = program.region([&] {
    Val next = window(padded(carried, low, high, "0"), a.shape, low + high + 1,
                      rng.chance(30));
    program.line("scf.yield " + next.name + " : " + next.type());
  });
  result.name = program.fresh();
  program.line(result.name + " = scf.for " + index + " = " + begin.name +
               " to " + end.name + " step " + step.name + " iter_args(" +
               carried.name + " = " + a.name + ") -> (" + a.type() + ") {");
  program.out += text;
  program.line("} {shard.halo_steps = " + std::to_string(steps) + " : i64}");
  int64_t rest = trips % steps;
  program.mostCalls = parts == 1 ? 0 : trips / steps + rest;
  program.mostBytes =
      rowBytes *
      (trips / steps *
           mostToNeighbours(parts, block, steps * low, steps * high) +
       rest * mostToNeighbours(parts, block, low, high));
  finish(result, rng.chance(50));
}

/// A device needs the total of each block.
void NeededProgram::scan() {
  Val a = splitArgument(2);
  bool isMax = rng.chance(30), isReversed = rng.chance(40);
  int64_t extent = a.shape[dim];
  program.mostBytes = (parts - 1) * rowBytes;
  std::string least = "-2147483648";
  if (rng.chance(40)) {
    Val init = program.filled(Elem::I32, a.shape, isMax ? -2147483648 : 0);
    std::string result =
        maskedScan(program, a, init,
                   {size_t(dim), isReversed ? "sge" : "sle",
                    isMax ? least : "0", isMax ? "arith.maxsi" : "arith.addi"});
    return finish(program.add({result, Elem::I32, true, a.shape, 0}),
                  rng.chance(50));
  }
  Val around = padded(a, isReversed ? 0 : extent - 1,
                      isReversed ? extent - 1 : 0, isMax ? least : "0");
  finish(window(around, a.shape, extent, isMax), rng.chance(50));
}

/// What leaves at one end enters at the other.
void NeededProgram::roll() {
  Val a = splitArgument(1);
  int64_t by = rng.between(1, block), extent = a.shape[dim];
  // Forward or backward.
  int64_t first = rng.chance(50) ? by : extent - by;
  auto piece = [&](int64_t offset, int64_t size) {
    Shape offsets(a.shape.size()), strides(a.shape.size(), 1), sizes = a.shape;
    offsets[dim] = offset;
    sizes[dim] = size;
    return program.define("tensor.extract_slice " + a.name + "[" +
                              list(offsets) + "] [" + list(sizes) + "] [" +
                              list(strides) + "] : " + a.type() + " to " +
                              tensorType(a.elem, sizes),
                          a.elem, sizes, 0);
  };
  if (first == extent)
    return finish(a, true);
  Val behind = piece(first, extent - first), front = piece(0, first);
  program.mostBytes = by * rowBytes;
  finish(program.define("tensor.concat dim(" + std::to_string(dim) + ") " +
                            behind.name + ", " + front.name + " : (" +
                            behind.type() + ", " + front.type() + ") -> " +
                            a.type(),
                        a.elem, a.shape, 0),
         rng.chance(60));
}

/// Every n-th element, of blocks of a multiple of n elements.
void NeededProgram::stride() {
  int64_t step = rng.between(2, 3);
  Shape shape = {parts * step * rng.between(1, 3), rng.between(1, 3)};
  Val a = program.argument(Elem::I32, shape, true);
  program.givenHints[a.name] = hint(2, 0);
  Shape sizes = {shape[0] / step, shape[1]};
  finish(program.define("tensor.extract_slice " + a.name + "[" +
                            std::to_string(rng.between(0, step - 1)) +
                            ", 0] [" + list(sizes) + "] [" +
                            std::to_string(step) + ", 1] : " + a.type() +
                            " to " + tensorType(a.elem, sizes),
                        a.elem, sizes, 0),
         rng.chance(50));
}

/// The elements of a block stand apart in zeros, and a window goes over them: it needs so
/// many elements of a neighbour as its width has multiples of the distance.
void NeededProgram::transposedConvolution() {
  Val a = splitArgument(2);
  int64_t step = rng.between(2, 3), count = rng.between(2, 3);
  Shape shape = a.shape, offsets(a.shape.size()), strides(a.shape.size(), 1);
  shape[dim] *= step;
  strides[dim] = step;
  Val zeros = program.filled(a.elem, shape, 0);
  Val apart = program.define("tensor.insert_slice " + a.name + " into " +
                                 zeros.name + "[" + list(offsets) + "] [" +
                                 list(a.shape) + "] [" + list(strides) +
                                 "] : " + a.type() + " into " + zeros.type(),
                             a.elem, shape, 0);
  Val around = padded(apart, 0, count - 1, "0");
  // The first element behind a block is one with data, the next ones are zeros.
  program.mostBytes = ((count - 1 + step - 1) / step) * rowBytes;
  finish(window(around, shape, count, false), rng.chance(50));
}

/// A product along the split dimension, of the type of its operand, that is returned: a sum
/// over the devices of which each keeps a part.
void NeededProgram::product() {
  int64_t rows = rng.between(1, 4), extent = parts * rng.between(1, 3);
  dim = 1;
  Val a = program.argument(Elem::I32, {rows, extent}, true);
  Val weight = program.argument(Elem::I32, {extent, extent}, true);
  program.givenHints[a.name] = hint(2, 1);
  program.givenHints[weight.name] = hint(2, 0);
  Val init = program.filled(a.elem, a.shape, 0);
  program.mostBytes = (parts - 1) * rows * (extent / parts) * 4;
  finish(program.define("linalg.matmul " + insOutsTo({a, weight}, init), a.elem,
                        a.shape, 0),
         rng.chance(30));
}

/// A product that is asked for as a sum over the devices: each computes its part, of operands
/// that it has whole or in part.
void NeededProgram::partialProduct() {
  int64_t rows = rng.between(1, 4), columns = rng.between(1, 4),
          inner = rng.between(1, 3);
  Val a = program.argument(Elem::I32, {rows, inner * parts}, true);
  Val weight = program.argument(Elem::I32, {inner * parts, columns}, true);
  for (const Val &operand : {a, weight})
    program.givenHints[operand.name] =
        rng.chance(60) ? "<@grid, [[], []]>"
                       : hint(2, operand.name == a.name ? 1 : 0);
  Val init = program.filled(Elem::I32, {rows, columns}, 0);
  Val result = program.define("linalg.matmul " + insOutsTo({a, weight}, init),
                              Elem::I32, init.shape, 0);
  std::vector<std::string> names;
  for (int64_t axis : axes)
    names.push_back(program.axisText(axis));
  program.givenHints[result.name] =
      "<@grid, [[], []], partial = sum [" + shard::fuzz::join(names) + "]>";
  program.mostBytes = 0;
  program.mostFlops = 2 * rows * inner * columns;
  program.line("return " + result.name + " : " + result.type());
  program.scope = {result};
}

/// Two products take one operand whole: it is gathered once.
void NeededProgram::sharedGather() {
  Val a = splitArgument(1);
  program.mostBytes = (parts - 1) * block * rowBytes;
  std::string lists =
      shard::fuzz::join(std::vector<std::string>(a.shape.size(), "[]"));
  std::vector<Val> whole;
  for (int64_t i = 0; i < 2; ++i)
    whole.push_back(program.define("shard.constraint " + a.name +
                                       " to <@grid, [" + lists +
                                       "]> : " + a.type(),
                                   a.elem, a.shape, 0));
  Val sum = program.define("arith.muli " + whole[0].name + ", " + a.name +
                               " : " + a.type(),
                           a.elem, a.shape, 0);
  Val other = program.define("arith.addi " + whole[1].name + ", " +
                                 whole[1].name + " : " + a.type(),
                             a.elem, a.shape, 0);
  program.givenHints[sum.name] = program.givenHints[other.name] =
      "<@grid, [" + lists + "]>";
  program.line("return " + sum.name + ", " + other.name + " : " + sum.type() +
               ", " + other.type());
  program.scope = {sum, other};
}

/// Windows side by side, as in pooling, of which devices have unequal numbers: blocks of rows
/// are equal, and a device needs of its neighbours what its windows reach beyond its block.
void NeededProgram::pooled() {
  int64_t kernel = 2, places = 1;
  // With more rows in a window than windows it may be these rows that are dealt out.
  auto fits = [&] {
    return kernel <= places && places % parts != 0 &&
           places * kernel % parts == 0;
  };
  for (int64_t tries = 0; tries < 20 && !fits(); ++tries) {
    kernel = rng.between(2, 4);
    places = rng.between(parts, 3 * parts);
  }
  if (!fits())
    places = 4 * parts;
  Val a = splitArgument(1);
  block = places * kernel / parts;
  a.shape[dim] = places * kernel;
  program.arguments.back().shape = program.scope.front().shape = a.shape;
  int64_t each = (places + parts - 1) / parts, low = 0, high = 0;
  for (int64_t part = 0; part < parts && part * each < places; ++part) {
    int64_t end = std::min((part + 1) * each, places) * kernel;
    low = std::max(low, part * block - part * each * kernel);
    high = std::max(high, end - (part + 1) * block);
  }
  Shape shape = a.shape;
  shape[dim] = places;
  program.mostBytes = mostToNeighbours(parts, block, low, high) * rowBytes;
  finish(window(a, shape, kernel, rng.chance(50), kernel), rng.chance(50));
}

/// Rows in blocks of any sizes by columns in equal blocks: devices have what they need.
void NeededProgram::productOfBlocks() {
  auto numRowAxes = size_t(rng.between(1, int64_t(axes.size())));
  Shape rowAxes(axes.begin(), axes.begin() + numRowAxes),
      columnAxes(axes.begin() + numRowAxes, axes.end());
  int64_t rowParts = program.devices(rowAxes),
          columnParts = program.devices(columnAxes),
          columns = rng.between(1, 3), inner = rng.between(1, 4);
  Shape rowBounds{0}, bounds;
  for (int64_t part = 0; part < rowParts; ++part)
    rowBounds.push_back(rowBounds.back() + rng.between(0, 3));
  // Without a row for each device, the loop over rows is not split.
  rowBounds.back() = std::max(rowBounds.back(), rowParts);
  bounds = rowBounds;
  if (!columnAxes.empty())
    for (int64_t part = 0; part <= columnParts; ++part)
      bounds.push_back(part * columns);
  auto listOf = [&](const Shape &chosen) {
    std::vector<std::string> names;
    for (int64_t axis : chosen)
      names.push_back(program.axisText(axis));
    return "[" + shard::fuzz::join(names) + "]";
  };
  std::string rows = listOf(rowAxes), cols = listOf(columnAxes);
  Val x = program.argument(Elem::I32, {rowBounds.back(), inner}, true);
  program.givenHints[x.name] =
      "<@grid, [" + rows + ", []], offsets = [" + list(rowBounds) + "]>";
  Val w = program.argument(Elem::I32, {inner, columns * columnParts}, true);
  program.givenHints[w.name] = "<@grid, [[], " + cols + "]>";
  // An open argument would be split evenly.
  Val init = program.filled(Elem::I32, {x.shape[0], w.shape[1]}, 0);
  Val result =
      program.define("linalg.matmul ins(" + x.name + ", " + w.name + " : " +
                         x.type() + ", " + w.type() + ") outs(" + init.name +
                         " : " + init.type() + ") -> " + init.type(),
                     Elem::I32, init.shape, x.bound * w.bound * double(inner));
  program.givenHints[result.name] =
      "<@grid, [" + rows + ", " + cols + "], offsets = [" + list(bounds) + "]>";
  program.mostBytes = 0;
  program.mostCollectives = 0;
  program.line("return " + result.name + " : " + result.type());
  program.scope = {result};
}

void NeededProgram::write() {
  using Write = void (NeededProgram::*)();
  static const std::vector<Write> constructs = {
      &NeededProgram::stencil,
      &NeededProgram::twoStencils,
      &NeededProgram::stencilSteps,
      &NeededProgram::scan,
      &NeededProgram::roll,
      &NeededProgram::stride,
      &NeededProgram::transposedConvolution,
      &NeededProgram::product,
      &NeededProgram::partialProduct,
      &NeededProgram::productOfBlocks,
      &NeededProgram::sharedGather,
      &NeededProgram::pooled};
  program.argumentHintPercent = program.hintPercent = 0;
  for (size_t axis = 0; axis < program.grid.size(); ++axis)
    axes.push_back(axis);
  rng.shuffle(axes);
  for (int64_t axis : axes)
    parts *= program.grid[axis];
  std::string outer;
  std::swap(program.out, outer);
  // A halo beyond short blocks takes a collective for each neighbour: bytes alone count.
  program.mostCollectives = 1000;
  (this->*rng.oneOf(constructs))();
  if (parts == 1)
    program.mostBytes = 0;
  std::swap(program.out, outer);
  program.out +=
      functionHeader(program, {"main", program.arguments, program.scope},
                     false) +
      outer + "}\n";
}

void shard::fuzz::neededProgram(ProgramBuilder &program) {
  NeededProgram(program).write();
}
