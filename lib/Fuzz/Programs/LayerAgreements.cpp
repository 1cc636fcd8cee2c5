//===- LayerAgreements.cpp - Layers whose shardings agree -----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops whose tensors can all be split alike, without anything that is sent. Some hints are
// enough to tell how, from operands to results or the other way. A device then computes only
// its part of each op: the program says how many operations these are (`most_flops`). A
// sharding that does not arrive somewhere shows as operations that all devices do.
//
//===----------------------------------------------------------------------===//

#include "LayerPrograms.h"
#include "SharedOps.h"

using namespace shard::fuzz;

/// Counts an op of `each` operations for each element of `shape`, which `axes` split.
void LayerProgram::computes(const Shape &shape, const Axes &axes,
                            int64_t each) {
  int64_t devices = 1;
  for (const Shape &dim : axes)
    devices *= program.devices(dim);
  program.mostFlops =
      program.mostFlops.value_or(0) + each * numElements(shape) / devices;
}

/// `a` times or plus another argument of its shape, or a vector along one of its dimensions.
/// What is computed of the argument in front is split as `a` is.
Val LayerProgram::besideArgument(const Val &a, const Axes &axes) {
  bool isVector = a.shape.size() == 2 && rng.chance(50);
  int64_t along = rng.between(0, 1);
  Shape shape = isVector ? Shape{a.shape[along]} : a.shape;
  Axes own = isVector ? Axes{axes[along]} : axes;
  Val other = argument(shape, own, 40);
  if (rng.chance(50)) {
    other = combined("addi", other, other);
    computes(shape, own, 1);
  }
  if (isVector)
    other = broadcast(other, 1 - along, a.shape[1 - along]);
  computes(a.shape, axes, 1);
  return rng.chance(50) ? combined("addi", a, other)
                        : combined("muli", other, a);
}

/// One op that takes `a`, which `axes` split, to a value that they split then; nothing where
/// none of the chosen kind is possible.
std::optional<Val> LayerProgram::agreeingOp(const Val &a, Axes &axes) {
  int64_t rank = a.shape.size(), dim = rng.between(0, rank - 1);
  switch (rng.between(0, 6)) {
  case 0:
  case 1:
    return besideArgument(a, axes);
  case 2:
    if (rank != 2)
      return std::nullopt;
    std::swap(axes[0], axes[1]);
    return transposed(a);
  case 3:
    if (rank == 3)
      return std::nullopt;
    axes.insert(axes.begin() + dim, Shape{});
    return broadcast(a, dim, rng.between(2, 3));
  case 4: {
    if (rank == 1 || !axes[dim].empty())
      return std::nullopt;
    computes(a.shape, axes, 1);
    axes.erase(axes.begin() + dim);
    Shape shape = a.shape;
    shape.erase(shape.begin() + dim);
    Val init = program.filled(Elem::I32, shape, 0);
    return define("linalg.reduce { arith.addi } " + insOuts({a}, init) +
                      " dimensions = [" + std::to_string(dim) + "]",
                  shape);
  }
  case 5: {
    // The columns of a weight are split by the axes that are left.
    if (rank != 2 || !axes[1].empty())
      return std::nullopt;
    const Shape &free = axes[0] == data    ? model
                        : axes[0] == model ? data
                                           : Shape{};
    int64_t columns = program.devices(free) * rng.between(1, 3);
    Val weight = argument({a.shape[1], columns}, {{}, free});
    axes[1] = free;
    Shape shape = {a.shape[0], columns};
    computes(shape, axes, 2 * a.shape[1]);
    Val init = program.filled(Elem::I32, shape, 0);
    return define("linalg.matmul " + insOutsTo({a, weight}, init), shape);
  }
  default: {
    // The major one of two merged dimensions stays split.
    if (rank == 1 || !axes[1].empty())
      return std::nullopt;
    axes.erase(axes.begin() + 1);
    Shape shape = a.shape;
    shape[0] *= shape[1];
    shape.erase(shape.begin() + 1);
    return define("tensor.collapse_shape " + a.name +
                      (rank == 2 ? " [[0, 1]]" : " [[0, 1], [2]]") + " : " +
                      a.type() + " into " + tensorType(Elem::I32, shape),
                  shape);
  }
  }
}

/// No tensor disagrees with another one.
void LayerProgram::agreeing() {
  Axes axes = {data, model};
  if (rng.chance(40))
    axes = rng.chance(50) ? Axes{all, {}} : Axes{data, {}};
  Shape shape;
  for (const Shape &dim : axes)
    shape.push_back(program.devices(dim) * rng.between(1, 3));
  program.mostFlops = 0;
  bool isFromResult = rng.chance(35);
  Val value = argument(shape, axes, isFromResult ? 0 : 100);
  for (int64_t left = rng.between(2, 5); left > 0;)
    if (std::optional<Val> next = agreeingOp(value, axes)) {
      value = *next;
      --left;
    }
  result(value, axes, isFromResult ? 100 : 40);
}

/// Iterations of a parallel loop read rows of two tensors and write rows of a third one. Of each
/// row a device has the same columns of all of them.
void LayerProgram::rowsInForall() {
  int64_t dim = rng.between(0, 1), step = rng.between(1, 2);
  Shape shape(2), sizes(2);
  Axes axes(2);
  sizes[dim] = step;
  shape[dim] = step * rng.between(1, 4);
  axes[1 - dim] = all;
  shape[1 - dim] = sizes[1 - dim] = n * rng.between(1, 4);
  Val a = argument(shape, axes), b = argument(shape, axes, 50);
  Val out = pointwise(b);
  std::string at = program.fresh(), shared = program.fresh(),
              name = program.fresh();
  std::string place = dim == 0 ? "[" + at + ", 0] [" : "[0, " + at + "] [";
  place += list(sizes) + "] [1, 1] : ";
  std::string part = tensorType(Elem::I32, sizes);
  std::string text = program.region([&] {
    Val own = define("tensor.extract_slice " + shared + place + out.type() +
                         " to " + part,
                     sizes);
    Val other = define("tensor.extract_slice " + a.name + place + a.type() +
                           " to " + part,
                       sizes);
    Val sum = pointwise(combined("addi", own, other));
    program.line("scf.forall.in_parallel {");
    program.line("  tensor.parallel_insert_slice " + sum.name + " into " +
                 shared + place + part + " into " + out.type());
    program.line("}");
  });
  program.line(name + " = scf.forall (" + at + ") = (0) to (" +
               std::to_string(shape[dim]) + ") step (" + std::to_string(step) +
               ") shared_outs(" + shared + " = " + out.name + ") -> (" +
               out.type() + ") {");
  program.out += text;
  program.line("}");
  out.name = name;
  result(program.add(out), axes, 60);
}

/// A layer on split rows whose first weight is split by the same axes, and its gradients. The
/// second weight has no hint: split like the columns of the hidden values it takes a scattered sum
/// in one product and nothing in two others; whole it takes an exchange in one and in another.
void LayerProgram::splitRows() {
  int64_t each = rng.between(2, 3), hidden = n * each,
          rows = n * rng.between(1, each - 1),
          columns = each + rng.between(0, each - 1);
  Val x = argument({rows, columns}, {all, {}}),
      up = argument({columns, hidden}, {{}, all}),
      down = argument({hidden, columns}, {}, 0),
      after = argument({rows, columns}, {all, {}});
  Val inner = pointwise(product(x, up));
  Val last = combined("addi", pointwise(product(inner, down)), x);
  Val before = product(after, transposed(down));
  Val masked = combined("muli", before, inner);
  // The rows of x and of what is behind the layer are gathered once each.
  gathers(n, 2 * rows / n * columns);
  scatters(n, rows * columns);
  result(last, {all, {}}, 50);
  result(product(transposed(x), masked), {{}, all}, 50);
  result(product(transposed(inner), after), {all, {}}, 0);
}

/// A gradient, or a sum over split rows, that is added to what the devices have of it in blocks:
/// these join it behind the reduce_scatter. Ops in front of a product might be split as its result
/// is (docs/Mutants.md).
void LayerProgram::accumulated() {
  int64_t rows = d * rng.between(1, 3), columns = m * rng.between(1, 2);
  Shape shape = {d * rng.between(1, 2), columns};
  bool isProduct = rng.chance(60);
  Val x = isProduct ? argument({rows, shape[0]}, {data, {}})
                    : argument({rows, shape[0], columns}, {data, {}, model});
  Val sum = argument(shape, {data, model});
  if (isProduct) {
    Val up = argument({rows, columns}, {data, model});
    std::string map = "affine_map<(i, j, k) -> (";
    sum = define("linalg.matmul indexing_maps = [" + map + "k, i)>, " + map +
                     "k, j)>, " + map + "i, j)>] " + insOutsTo({x, up}, sum),
                 shape);
  } else {
    sum = define(std::string("linalg.reduce { arith.") +
                     (rng.chance(30) ? "maxsi" : "addi") + " } " +
                     insOuts({pointwise(x)}, sum) + " dimensions = [0]",
                 shape);
  }
  scatters(d, numElements(shape) / m);
  result(pointwise(sum), {data, model});
}

/// The sum of what all devices have is scattered, and goes through elementwise ops to bytes. Bytes are
/// less to send, but a device would compute all of them first, with memory that is slow.
void LayerProgram::blocksBehindSum() {
  machine = " {shard.machine = {name = \"a100\", memory_bandwidth = 1.0e9, "
            "link_bandwidth = 2.5e8, link_latency = 0.0}}";
  Shape shape = {n * rng.between(1, 2), rng.between(1, 4)};
  Val a = argument(shape, {{}, {}});
  program.givenHints[a.name] = partialHint({{}, {}}, all);
  for (int64_t left = rng.between(1, 3); left > 0; --left)
    a = combined("muli", a, argument(shape, {{}, {}}));
  scatters(n, numElements(shape));
  result(define("arith.trunci " + a.name + " : " + a.type() + " to " +
                    tensorType(Elem::I8, shape),
                shape, Elem::I8),
         {all, {}});
}

/// A table that is computed of places has two users: rows that are split, and rows that all devices
/// need.
void LayerProgram::tableOfPlaces() {
  Shape shape = {n * rng.between(1, 3), rng.between(1, 3)};
  Val table = pointwise(places(shape[0]));
  if (rng.chance(50))
    table = combined("muli", table, program.filled(Elem::I32, {shape[0]}, 3));
  auto scaled = [&](const Val &a) {
    return combined("muli", a, broadcast(table, 1, shape[1]));
  };
  Val rows = scaled(argument(shape, {all, {}})),
      others = scaled(argument(shape, {{}, {}}, 0));
  result(product(rows, transposed(others)), {all, {}}, 60);
}

/// One branch needs all of a tensor whose rows are split, and so does what stands behind it: the
/// tensor is gathered once, in front of both.
void LayerProgram::wholeInBranch() {
  Shape shape = {n * rng.between(1, 3), rng.between(1, 4)};
  Val x = pointwise(argument(shape, {all, {}}));
  Val flag = argument({}, {}, 100, Elem::I1);
  Val weight = argument({shape[1], shape[1] + rng.between(1, 3)}, {{}, {}});
  Val beside = argument(shape, {{}, {}});
  Val otherwise = program.filled(Elem::I32, {shape[0], weight.shape[1]}, 2);
  std::string condition = program.fresh(), sharding = program.fresh();
  program.line(condition + " = tensor.extract " + flag.name +
               "[] : " + flag.type());
  program.line(sharding + " = shard.sharding @grid split_axes = [[], []] : "
                          "!shard.sharding");
  auto whole = [&] {
    return define("shard.shard " + x.name + " to " + sharding +
                      " annotate_for_users : " + x.type(),
                  shape);
  };
  auto yield = [&](const Val &value) {
    program.line("scf.yield " + value.name + " : " + value.type());
  };
  bool isFirst = rng.chance(50);
  auto branch = [&](bool takes) {
    return program.region(
        [&] { yield(takes ? product(whole(), weight) : otherwise); });
  };
  std::string first = branch(isFirst), second = branch(!isFirst);
  Val chosen{program.fresh(), Elem::I32, true, otherwise.shape};
  program.line(chosen.name + " = scf.if " + condition + " -> (" +
               chosen.type() + ") {");
  program.out += first;
  program.line("} else {");
  program.out += second;
  program.line("}");
  result(program.add(chosen), {{}, {}});
  result(combined("muli", whole(), beside), {{}, {}});
  gathers(n, numElements(shape) / n);
}

/// All pairs of split elements. What is compared is computed behind the broadcasts, and sent in
/// front of them, once for each element.
void LayerProgram::pairs() {
  int64_t count = n * rng.between(1, 3);
  Val x = argument({count}, {all});
  auto key = [&](const Val &a) {
    return combined("addi", pointwise(a), combined("muli", a, a));
  };
  Val rows = key(broadcast(x, 1, count)), columns = key(broadcast(x, 0, count));
  result(reduced(combined("maxsi", rows, columns), 1), {all});
  gathers(n, count / n);
}

/// Single elements of a table whose rows are split: at rows and columns that are pairs, at those of
/// a rectangle, or at places in the flattened table.
void LayerProgram::elementsOfTable() {
  int64_t count = d * rng.between(1, 2), others = rng.between(1, 3);
  bool isRectangle = rng.chance(40), isFlat = !isRectangle && rng.chance(40);
  Shape shape = {count};
  if (isRectangle)
    shape.push_back(others);
  // At most one index for each element of the table.
  int64_t columns = rng.between(2, 4);
  int64_t rows = m * llvm::divideCeil(uint64_t(2 * numElements(shape)),
                                      uint64_t(m * columns));
  Val table = argument({rows, columns}, {model, {}});
  Val row = argument({count}, {data}),
      column = argument({isRectangle ? others : count},
                        {isRectangle ? Shape() : data});
  Val init = program.empty(Elem::I32, shape);
  std::string loops =
      isRectangle ? "affine_map<(d0, d1) -> (" : "affine_map<(d0) -> (";
  std::string all = isRectangle ? "d0, d1" : "d0";
  std::string name = program.fresh();
  program.line(name + " = linalg.generic {indexing_maps = [" + loops +
               "d0)>, " + loops + (isRectangle ? "d1" : "d0") + ")>, " + loops +
               all + ")>], iterator_types = [" +
               (isRectangle ? "\"parallel\", " : "") + "\"parallel\"]} " +
               insOuts({row, column}, init) + " {");
  program.line("^bb0(%i: i32, %j: i32, %o: i32):");
  program.line("  %r = arith.index_cast %i : i32 to index");
  program.line("  %c = arith.index_cast %j : i32 to index");
  std::string at = "%r, %c";
  if (isFlat) {
    program.line("  %n = arith.constant " + std::to_string(columns) +
                 " : index");
    program.line("  %u = arith.divui %r, %n : index");
    program.line("  %v = arith.remui %r, %n : index");
    at = "%u, %v";
  }
  program.line("  %x = tensor.extract " + table.name + "[" + at +
               "] : " + table.type());
  program.line("  linalg.yield %x : i32");
  program.line("} -> " + init.type());
  Val found = pointwise(program.add({name, Elem::I32, true, shape}));
  allReduces(m, numElements(shape) / d);
  Axes axes(shape.size());
  axes[0] = data;
  result(found, axes);
}

/// Fewer rows than devices, behind those of a cache whose rows are split, so that each row of the
/// result is on the device that has it. The rows are computed on all devices.
void LayerProgram::appendedRows() {
  // Blocks nested unevenly may lie elsewhere if several rows are missing.
  int64_t count = model.size() == 1 && m > 1 ? rng.between(1, m - 1) : 1;
  int64_t columns = rng.between(1, 4);
  int64_t rows = m * rng.between(count < m ? 1 : 2, 3) - count;
  Val cache = argument({rows, columns}, {model, {}});
  Val added = pointwise(argument({count, columns}, {{}, {}}));
  Shape shape = {rows + count, columns};
  if (rng.chance(50)) {
    std::string type = Val{"", Elem::I32, true, shape}.type();
    std::string name = program.fresh();
    program.line(name + " = tensor.concat dim(0) " + cache.name + ", " +
                 added.name + " : (" + cache.type() + ", " + added.type() +
                 ") -> " + type);
    return result(program.add({name, Elem::I32, true, shape}), {model, {}});
  }
  Val init = program.empty(Elem::I32, shape);
  auto insert = [&](const Val &slice, const Val &into, int64_t at) {
    std::string name = program.fresh();
    program.line(name + " = tensor.insert_slice " + slice.name + " into " +
                 into.name + "[" + std::to_string(at) + ", 0] [" +
                 std::to_string(slice.shape[0]) + ", " +
                 std::to_string(columns) + "] [1, 1] : " + slice.type() +
                 " into " + into.type());
    return program.add({name, Elem::I32, true, shape});
  };
  result(insert(added, insert(cache, init, 0), rows), {model, {}});
}

/// An argument without a hint goes padded into a product whose columns are split, and is added to
/// the result. On all devices it costs nothing: the sum slices it.
void LayerProgram::addedBehindPad() {
  int64_t rows = rng.between(1, 3), columns = n * rng.between(1, 2);
  Val a = argument({rows, columns}, {{}, {}}, 0);
  Shape low = {rng.between(0, 1), 0}, high = {rng.between(1 - low[0], 1), 0};
  Val wide =
      product(paddedBy(a, low, high), argument({columns, columns}, {{}, all}));
  Val sum = combined("addi", pointwise(slice(wide, low, a.shape)), a);
  result(sum, {{}, all}, 50);
}

/// A tensor whose columns are split goes into several products, and the weights have no hints: each
/// sum over the columns would be scattered, but one gather serves all.
void LayerProgram::productsOfOne() {
  int64_t rows = rng.between(1, 4), columns = n * rng.between(1, 3);
  Shape weight = {columns, columns * rng.between(1, 2)};
  Val x = argument({rows, columns}, {{}, all});
  auto one = [&] {
    return pointwise(product(x, argument(weight, {{}, {}}, 0)));
  };
  Val joined = one();
  for (int64_t more = rng.between(1, 2); more > 0; --more)
    joined = combined("muli", joined, one());
  // A result that a hint splits by several axes may take some of them first, and one axis that the
  // sums share alone may then save more than the others.
  result(joined, {{}, all}, all.size() < 2 ? 50 : 0);
  gathers(n, rows * columns / n);
}

/// The largest or smallest element of each row by a comparison and a select, as front ends write it:
/// the comparison tells what devices reduce to, and what they begin with.
void LayerProgram::chosenExtremes() {
  static const std::vector<std::string> predicates = {
      "sgt", "sge", "slt", "sle", "ugt", "uge", "ult", "ule"};
  int64_t rows = rng.between(1, 4), columns = n * rng.between(1, 3);
  Val a = pointwise(argument({rows, columns}, {{}, all}));
  Val init = argument({rows}, {{}});
  std::string both = rng.chance(50) ? "%next, %best" : "%best, %next";
  Val best = define("linalg.reduce " + insOuts({a}, init) +
                        " dimensions = [1] (%next: i32, %best: i32) {\n"
                        "      %chosen = arith.cmpi " +
                        rng.oneOf(predicates) + ", " + both +
                        " : i32\n      %kept = arith.select %chosen, " + both +
                        " : i32\n      linalg.yield %kept : i32\n    }",
                    {rows});
  result(pointwise(best), {{}}, 50);
  allReduces(n, rows);
}

/// A sum over what is split, combined with itself to what all sums give: nothing is sent. Its extents
/// are known only when the program runs, so that MLIR's own folds make no constant of it.
void LayerProgram::cancelled() {
  program.dynamic = true;
  // How many bytes a collective of unknown extents sends is not known.
  program.mostCollectives = 0;
  int64_t rows = n * rng.between(1, 2), columns = n * rng.between(1, 3);
  auto argumentOf = [&](const Val &like, const Axes &axes) {
    Val value = program.argumentLike(like);
    program.givenHints[value.name] = hint(axes);
    return value;
  };
  Val row{"", Elem::I32, true, {rows}, inputBound, {true}};
  Val a = argumentOf(
      {"", Elem::I32, true, {rows, columns}, inputBound, {true, false}},
      {{}, all});
  std::string size = program.extentOf(a, 0), empty = program.fresh();
  program.line(empty + " = tensor.empty(" + size + ") : " + row.type());
  Val zero = program.scalarConstant(Elem::I32, 0);
  row.name = empty;
  Val init =
      program.defineLike("linalg.fill " + insOutsTo({zero}, row), row, 0);
  Val sum = program.defineLike("linalg.reduce { arith.addi } " +
                                   insOuts({a}, init) + " dimensions = [1]",
                               row, 0);
  auto ofItself = [&](const std::string &op, const Val &type) {
    return program.defineLike("arith." + op + " " + sum.name + ", " + sum.name +
                                  " : " + sum.type(),
                              type, 0);
  };
  Val same = sum;
  if (rng.chance(40)) {
    Val flags = row;
    flags.elem = Elem::I1;
    flags = ofItself(rng.chance(50) ? "cmpi eq," : "cmpi slt,", flags);
    same = program.defineLike("arith.extui " + flags.name + " : " +
                                  flags.type() + " to " + row.type(),
                              row, 1);
  } else {
    // MLIR leaves differences of unknown extents.
    same = ofItself("xori", row);
  }
  // The extent of a block of rows is taken from the sum that is scattered (docs/Mutants.md).
  if (rng.chance(50))
    return result(same, {{}}, 50);
  Val other = argumentOf(row, {{}});
  result(program.defineLike("arith.addi " + other.name + ", " + same.name +
                                " : " + row.type(),
                            row, 0),
         {{}}, 50);
}
