//===- LayerIdioms.cpp - Layers as frontends write them -------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parts of models whose form hides what they need: loops that repeat a layer, sums that begin
// with zero, masks of the places of their elements, convolutions of padded images. As in
// LayerPrograms.cpp a formula says how many bytes a device sends at most, all iterations of a
// loop included.
//
//===----------------------------------------------------------------------===//

#include "LayerPrograms.h"
#include "SharedOps.h"

#include <algorithm>

using namespace shard::fuzz;

LayerProgram::Values LayerProgram::loop(
    int64_t trips, const Values &initial,
    const std::function<Values(const Val &, const Values &)> &body) {
  Val low = program.scalarConstant(Elem::Index, 0),
      high = program.scalarConstant(Elem::Index, trips),
      step = program.scalarConstant(Elem::Index, 1);
  std::string name = program.fresh();
  Val at{program.fresh(), Elem::Index, false, {}};
  Values carried = initial, results = initial;
  std::vector<std::string> inits;
  for (Val &value : carried) {
    std::string outer = value.name;
    value.name = program.fresh();
    inits.push_back(value.name + " = " + outer);
  }
  std::string text = program.region([&] {
    Values next = body(at, carried);
    program.line("scf.yield " + nameList(next) + " : " + typeList(next));
  });
  program.line(multiple(name, initial.size()) + " = scf.for " + at.name +
               " = " + low.name + " to " + high.name + " step " + step.name +
               " iter_args(" + join(inits) + ") -> (" + typeList(initial) +
               ") {");
  program.out += text;
  // Iterations that are joined for their halos are other loops, with other sums.
  program.line("} {shard.halo_steps = 1 : i64}");
  for (size_t i = 0; i < results.size(); ++i) {
    results[i].name =
        results.size() == 1 ? name : name + "#" + std::to_string(i);
    program.add(results[i]);
  }
  return results;
}

/// A loop that multiplies by a weight, which is gathered once: it says so, or a sum of each
/// product would send more.
void LayerProgram::weightsInLoop() {
  bool isTold = rng.chance(50);
  int64_t columns = n * rng.between(1, 2);
  int64_t rows = isTold ? n * rng.between(1, 2) : columns * rng.between(1, 2);
  Val x = argument({rows, columns}, {all, {}});
  Val weight = argument({columns, columns},
                        rng.chance(50) ? Axes{all, {}} : Axes{{}, all});
  Val whole = weight;
  if (isTold)
    whole = define("shard.constraint " + weight.name + " to " + hint({{}, {}}) +
                       " : " + weight.type(),
                   weight.shape);
  int64_t trips = isTold ? 2 : rng.between(4, 8);
  Val last = loop(trips, {x}, [&](const Val &, const Values &carried) {
    Val next = product(carried[0], rng.chance(50) ? whole : pointwise(whole));
    return Values{pointwise(next)};
  })[0];
  gathers(n, numElements(weight.shape) / n);
  result(last, {all, {}}, 60);
}

/// A loop that reads a row of what it carries at a place of its own: the device that has the
/// row gives it.
void LayerProgram::ownSlices() {
  int64_t rows = n * rng.between(2, 3), columns = rng.between(1, 4);
  Val a = argument({rows, columns}, {all, {}});
  int64_t trips = rng.between(2, rows);
  Val last = loop(trips, {a}, [&](const Val &at, const Values &carried) {
    const Val &from = carried[0];
    Val row = define("tensor.extract_slice " + from.name + "[" + at.name +
                         ", 0] [1, " + std::to_string(columns) +
                         "] [1, 1] : " + from.type() + " to " +
                         tensorType(Elem::I32, {columns}),
                     {columns});
    Val each = broadcast(pointwise(row), 0, rows);
    return Values{pointwise(combined("subi", pointwise(from), each))};
  })[0];
  for (int64_t trip = 0; trip < trips; ++trip)
    allReduces(n, columns);
  result(last, {all, {}}, 60);
}

/// A loop carries what it begins with rows of into a function that states columns: that is
/// exchanged once.
void LayerProgram::carriedIntoCall() {
  Shape shape = {n * rng.between(1, 2), n * rng.between(1, 2)};
  Val a = argument(shape, {all, {}}), b = argument(shape, {}, 0);
  std::string type = a.type();
  program.otherFunctions += "func.func private @columns(%a: " + type +
                            " {shard.sharding = #shard.sharding" +
                            hint({{}, all}) + "}) -> " + type +
                            " {\n  %0 = arith.addi %a, %a : " + type +
                            "\n  return %0 : " + type + "\n}\n";
  Values last =
      loop(rng.between(2, 4), {a, b}, [&](const Val &, const Values &carried) {
        Val passed = define("func.call @columns(" + carried[1].name + ") : (" +
                                type + ") -> " + type,
                            shape);
        return Values{passed, pointwise(carried[0])};
      });
  scatters(n, numElements(shape) / n);
  for (const Val &value : last)
    result(value, {}, 0);
}

/// A loop adds up products of split operands, and a later one reads the sum by an op that
/// makes it larger: it is completed once, between the two.
void LayerProgram::sumsThroughLoops() {
  int64_t rows = rng.between(1, 4), columns = rng.between(1, 4);
  int64_t inner = n * rng.between(1, 2), trips = rng.between(2, 3);
  Val x = argument({rows, inner}, {{}, all});
  Val weight = argument({inner, columns}, {all, {}}, 60);
  Val init = argument({rows, columns}, {{}, {}});
  Val sum = loop(trips, {init}, [&](const Val &, const Values &carried) {
    Val next = product(x, weight);
    return Values{combined("addi", carried[0], next)};
  })[0];
  allReduces(n, rows * columns);
  if (rng.chance(30))
    return result(pointwise(sum), {{}, {}});
  // To complete the larger ones costs more than to complete the sum in each iteration.
  Shape wide = {rows * trips * rng.between(2, 3), columns};
  int64_t before = rng.between(0, wide[0] - rows);
  Values last =
      loop(rng.between(1, 2), {sum, sum, program.filled(Elem::I32, wide, 1)},
           [&](const Val &, const Values &carried) {
             std::string padded;
             std::string name =
                 paddedAlong(program, carried[1], 0, before,
                             wide[0] - rows - before, "0", padded);
             Val larger = program.add({name, Elem::I32, true, wide});
             Val square = combined("muli", larger, larger);
             Val twice = combined("addi", carried[0], carried[0]);
             return Values{twice, carried[1], square};
           });
  result(last[0], {{}, {}}, 60);
  result(last[2], {{}, {}}, 60);
}

/// Sums of split tensors that are added up one by one, beginning with zero: one all_reduce
/// completes what all of them give.
void LayerProgram::sumsFromZero() {
  Shape shape = {rng.between(1, 4)};
  bool isScalar = rng.chance(30);
  if (isScalar)
    shape = {};
  // Of floats: to add zero to an integer folds away.
  Val zero = program.filled(Elem::F32, shape, 0), sum = zero;
  Val none = program.scalarConstant(Elem::F32, 0);
  // As an op of two tensors, or in the body of one.
  bool isOfBody = rng.chance(60);
  for (int64_t left = rng.between(2, 3); left > 0; --left) {
    Shape from = shape;
    from.insert(from.begin(), n * rng.between(1, 3));
    Axes axes(from.size());
    axes[0] = all;
    Val next =
        define("linalg.reduce { arith.addf } " +
                   insOuts({argument(from, axes, 100, Elem::F32)}, zero) +
                   " dimensions = [0]",
               shape, Elem::F32);
    if (sum.name == zero.name && isOfBody) {
      Val init = program.empty(Elem::F32, shape);
      sum = define("linalg.map " + insOuts({next}, init) +
                       " (%x: f32, %o: f32) { %s = arith.addf %x, " +
                       none.name + " : f32 linalg.yield %s : f32 }",
                   shape, Elem::F32);
      continue;
    }
    sum = rng.chance(50) ? combined("addf", sum, next)
                         : combined("addf", next, sum);
  }
  allReduces(n, numElements(shape));
  result(sum, Axes(shape.size()));
}

Val LayerProgram::places(int64_t extent) {
  Val line = program.empty(Elem::I32, {extent});
  std::string name = program.fresh(), type = tensorType(Elem::I32, {extent});
  program.line(name +
               " = linalg.generic {indexing_maps = [affine_map<(d0) -> "
               "(d0)>], iterator_types = [\"parallel\"]} outs(" +
               line.name + " : " + type + ") {");
  program.line("^bb0(%o: i32):");
  program.line("  %i = linalg.index 0 : index");
  program.line("  %n = arith.index_cast %i : index to i32");
  program.line("  linalg.yield %n : i32");
  program.line("} -> " + type);
  return program.add({name, Elem::I32, true, {extent}});
}

/// A mask of which rows and columns come from one count of places.
void LayerProgram::maskOfPlaces() {
  int64_t extent = n * rng.between(1, 3);
  Val scores = argument({extent, extent}, {data, model});
  Val count = places(extent);
  if (rng.chance(50)) {
    Val rows = broadcast(count, 1, extent),
        columns = broadcast(count, 0, extent);
    return result(
        combined("muli", pointwise(scores), combined("subi", rows, columns)),
        {data, model}, 60);
  }
  Val init = program.empty(Elem::I32, scores.shape);
  std::string name = program.fresh(), loops = "affine_map<(d0, d1) -> (";
  program.line(name + " = linalg.generic {indexing_maps = [" + loops +
               "d0, d1)>, " + loops + "d0)>, " + loops + "d1)>, " + loops +
               "d0, d1)>], iterator_types = [\"parallel\", \"parallel\"]} "
               "ins(" +
               nameList({scores, count, count}) + " : " +
               typeList({scores, count, count}) + ") outs(" + init.name +
               " : " + init.type() + ") {");
  program.line("^bb0(%x: i32, %i: i32, %j: i32, %o: i32):");
  program.line("  %past = arith.cmpi sge, %i, %j : i32");
  program.line("  %y = arith.select %past, %x, %j : i32");
  program.line("  linalg.yield %y : i32");
  program.line("} -> " + init.type());
  result(pointwise(program.add({name, Elem::I32, true, scores.shape})),
         {data, model}, 60);
}

Val LayerProgram::paddedBy(const Val &a, const Shape &low, const Shape &high) {
  Val zero = program.scalarConstant(Elem::I32, 0);
  Shape shape = a.shape;
  std::string name = program.fresh();
  std::vector<std::string> places;
  for (size_t i = 0; i < shape.size(); ++i) {
    shape[i] += low[i] + high[i];
    places.push_back(program.fresh() + ": index");
  }
  program.line(name + " = tensor.pad " + a.name + " low[" + list(low) +
               "] high[" + list(high) + "] {");
  program.line("^bb0(" + join(places) + "):");
  program.line("  tensor.yield " + zero.name + " : i32");
  program.line("} : " + a.type() + " to " + tensorType(Elem::I32, shape));
  return program.add({name, Elem::I32, true, shape});
}

LayerProgram::Windows LayerProgram::windows(int64_t images) {
  Windows result;
  result.low = {rng.between(0, 2), rng.between(0, 2)};
  result.high = {rng.between(0, 2), rng.between(0, 2)};
  Shape block, parts = {d, m};
  for (size_t i = 0; i < 2; ++i) {
    result.kernel.push_back(result.low[i] + result.high[i] + 1);
    // Of a window that is wider than the image it may be the window's loop that is split.
    block.push_back(rng.between(parts[i] > 2 ? 2 : parts[i] == 2 ? 3 : 5, 5));
    result.shape.push_back(block[i] * parts[i]);
  }
  int64_t low = result.low[0], high = result.high[0];
  int64_t rows = mostToNeighbours(d, block[0], low, high);
  int64_t columns =
      mostToNeighbours(m, block[1], result.low[1], result.high[1]);
  int64_t height = block[0] + (d > 1 ? low + high : 0);
  program.mostBytes += 4 * images * (rows * block[1] + columns * height);
  return result;
}

/// Linear interpolation to several times the rows: both rows are looked up at computed places,
/// which lie in the block of the device or next to it.
void LayerProgram::resampled() {
  int64_t rows = n * rng.between(2, 3) + (n == 1 ? 2 : 0);
  int64_t factor = rng.between(2, 4), columns = rng.between(1, 4);
  // Reshapes do not hand on axes of one device, and halos of blocks along other lists of axes
  // are other halos.
  Shape several;
  llvm::copy_if(all, std::back_inserter(several),
                [&](int64_t axis) { return program.grid[axis] != 1; });
  Val x = pointwise(argument({rows, columns}, {several, {}}));
  Shape shape = {rows * factor, columns};
  Val init = program.empty(Elem::I32, shape);
  std::string name = program.fresh();
  program.line(name +
               " = linalg.generic {indexing_maps = [affine_map<(i, j) "
               "-> (i, j)>], iterator_types = [\"parallel\", "
               "\"parallel\"]} outs(" +
               init.name + " : " + init.type() + ") {");
  program.line("^bb0(%out: i32):");
  auto number = [&](const std::string &constant, int64_t value) {
    program.line("  " + constant + " = arith.constant " +
                 std::to_string(value) + " : index");
  };
  number("%zero", 0);
  number("%one", 1);
  number("%twice", 2);
  number("%half", 1 - factor);
  number("%by", 2 * factor);
  number("%last", rows - 1);
  program.line("  %i = linalg.index 0 : index");
  program.line("  %j = linalg.index 1 : index");
  program.line("  %double = arith.muli %i, %twice : index");
  program.line("  %shifted = arith.addi %double, %half : index");
  program.line("  %floor = arith.floordivsi %shifted, %by : index");
  program.line("  %low = arith.maxsi %floor, %zero : index");
  // The row behind it, or behind the one before the first.
  program.line(std::string("  %next = arith.addi ") +
               (rng.chance(50) ? "%low" : "%floor") + ", %one : index");
  program.line("  %high = arith.minsi %next, %last : index");
  program.line("  %a = tensor.extract " + x.name + "[%low, %j] : " + x.type());
  program.line("  %b = tensor.extract " + x.name + "[%high, %j] : " + x.type());
  program.line("  %sum = arith.addi %a, %b : i32");
  program.line("  linalg.yield %sum : i32");
  program.line("} -> " + init.type());
  if (n > 1)
    program.mostBytes += 2 * columns * 4;
  result(pointwise(program.add({name, Elem::I32, true, shape})), {several, {}});
}

/// A sum over devices, of an argument or of a loop, is needed complete by one op and could be
/// taken partial by another one, or that of an argument is taken by a product that is larger: it is
/// completed once.
void LayerProgram::completedOnce() {
  int64_t rows = rng.between(1, 4), columns = rng.between(1, 4);
  Val sum = argument({rows, columns}, {{}, {}}, 0);
  bool isArgument = rng.chance(50);
  if (isArgument) {
    std::vector<std::string> axes;
    for (int64_t axis : all)
      axes.push_back(program.axisText(axis));
    program.givenHints[sum.name] =
        "<@grid, [[], []], partial = sum [" + join(axes) + "]>";
  } else {
    int64_t inner = n * rng.between(1, 2);
    Val x = argument({rows, inner}, {{}, all});
    Val weight = argument({inner, columns}, {all, {}}, 60);
    sum =
        loop(rng.between(2, 3), {sum}, [&](const Val &, const Values &carried) {
          Val next = product(x, weight);
          return Values{combined("addi", carried[0], next)};
        })[0];
  }
  allReduces(n, rows * columns);
  if (isArgument && rng.chance(60)) {
    Shape weight = {columns, columns * rng.between(2, 3)};
    return result(product(sum, argument(weight, {{}, {}}, 60)), {{}, {}}, 60);
  }
  Val larger = combined("maxsi", sum, argument(sum.shape, {{}, {}}, 60));
  Val times = combined("muli", sum, argument(sum.shape, {{}, {}}, 60));
  result(larger, {{}, {}}, 60);
  result(times, {{}, {}}, 60);
}

/// A product of few columns and few rows, which are split: they are gathered, because the
/// result has many more elements.
void LayerProgram::narrowProduct() {
  int64_t rows = n * rng.between(8, 9), columns = n * rng.between(8, 9);
  Val x = pointwise(argument({rows, n}, {{}, all}));
  Val weight = pointwise(argument({n, columns}, {all, {}}));
  result(pointwise(product(x, weight)), {{}, {}});
  gathers(n, rows);
  gathers(n, columns);
}

/// A loop takes one part of a batch after another. The batch is split, and so are the parts:
/// each device exchanges its part for its rows of all of them. What the loop adds up is a part, or
/// the gradient of a weight: a sum over the rows, which is reduced behind the loop. The rows are
/// so many that the exchange would pay with a reduction in each iteration, as it is priced so. If
/// the gradient is split like the rows, no exchange comes first: hints may then want the columns.
void LayerProgram::partsOfBatch() {
  bool isGradient = rng.chance(40), isSplit = isGradient && rng.chance(40);
  int64_t wide = rng.between(1, 2);
  int64_t rows = n * (rng.between(1, 2) + (isGradient ? 2 * wide : 0)),
          columns = isSplit ? n * rng.between(1, 2) : rng.between(1, 3);
  Shape part = {rows, columns}, parts = {n, rows, columns};
  Shape sum = isGradient ? Shape{columns, wide} : part;
  std::optional<Val> weight;
  if (isGradient)
    weight = argument(sum, {{}, {}});
  auto expanded = [&](const Val &batch) {
    scatters(n, rows * columns);
    return define("tensor.expand_shape " + batch.name +
                      " [[0, 1], [2]] output_shape [" + list(parts) + "] : " +
                      batch.type() + " into " + tensorType(Elem::I32, parts),
                  parts);
  };
  Val split = isSplit ? argument(parts, {{}, all, {}})
                      : expanded(argument({n * rows, columns}, {all, {}}));
  Val last = loop(
      n, {argument(sum, {}, 0)}, [&](const Val &at, const Values &carried) {
        Val taken = define("tensor.extract_slice " + split.name + "[" +
                               at.name + ", 0, 0] [1, " + list(part) +
                               "] [1, 1, 1] : " + split.type() + " to " +
                               tensorType(Elem::I32, part),
                           part);
        if (!isGradient)
          return Values{combined("addi", carried[0], pointwise(taken))};
        Val up = pointwise(product(taken, *weight));
        return Values{
            combined("addi", carried[0], product(transposed(taken), up))};
      })[0];
  if (isGradient)
    scatters(n, numElements(sum), isSplit ? 1 : 2);
  result(last, isSplit ? Axes{all, {}} : Axes{}, isSplit ? 100 : 0);
}

/// Both dimensions of an image are split. A device needs what lies around its block; what lies
/// across a corner comes by way of a neighbour.
void LayerProgram::convolution() {
  Windows windows = this->windows(1);
  const Shape &shape = windows.shape;
  Val a = pointwise(argument(shape, {data, model}));
  Val around = paddedBy(a, windows.low, windows.high);
  Val weights = argument(windows.kernel, {{}, {}});
  Val init = program.filled(Elem::I32, shape, 0);
  result(define("linalg.conv_2d " + insOutsTo({around, weights}, init), shape),
         {data, model}, 60);
}

/// The channels of an image come in groups, of which each has filters of its own. They are
/// split into groups behind the padding.
void LayerProgram::groupedConvolution() {
  int64_t batch = rng.between(1, 2), groups = rng.between(1, 3);
  int64_t channels = rng.between(1, 2), filters = rng.between(1, 2);
  Windows windows = this->windows(batch * groups * channels);
  int64_t rows = windows.shape[0], columns = windows.shape[1];
  Axes axes = {{}, data, model, {}};
  Val image =
      pointwise(argument({batch, rows, columns, groups * channels}, axes));
  Val around = paddedBy(image, {0, windows.low[0], windows.low[1], 0},
                        {0, windows.high[0], windows.high[1], 0});
  Shape split = around.shape;
  split.back() = groups;
  split.push_back(channels);
  Val parts = define("tensor.expand_shape " + around.name +
                         " [[0], [1], [2], [3, 4]] output_shape [" +
                         list(split) + "] : " + around.type() + " into " +
                         tensorType(Elem::I32, split),
                     split);
  Val weights = argument(
      {windows.kernel[0], windows.kernel[1], channels, groups, filters},
      Axes(5));
  Shape to = {batch, rows, columns, groups, filters};
  Val init = program.filled(Elem::I32, to, 0);
  std::string map = "affine_map<(g, f, y, x, n, i, j, c) -> (";
  std::string name = program.fresh();
  program.line(name + " = linalg.generic {indexing_maps = [" + map +
               "n, y + i, x + j, g, c)>, " + map + "i, j, c, g, f)>, " + map +
               "n, y, x, g, f)>], iterator_types = [\"parallel\", "
               "\"parallel\", \"parallel\", \"parallel\", \"parallel\", "
               "\"reduction\", \"reduction\", \"reduction\"]} ins(" +
               nameList({parts, weights}) + " : " + typeList({parts, weights}) +
               ") outs(" + init.name + " : " + init.type() + ") {");
  program.line("^bb0(%a: i32, %b: i32, %o: i32):");
  program.line("  %p = arith.muli %a, %b : i32");
  program.line("  %s = arith.addi %o, %p : i32");
  program.line("  linalg.yield %s : i32");
  program.line("} -> " + init.type());
  Shape merged = {batch, rows, columns, groups * filters};
  result(define("tensor.collapse_shape " + name +
                    " [[0], [1], [2], [3, 4]] : " + init.type() + " into " +
                    tensorType(Elem::I32, merged),
                merged),
         axes, 60);
}
