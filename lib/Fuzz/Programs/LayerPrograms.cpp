//===- LayerPrograms.cpp - Layers that need a known number of bytes -------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layers of models whose communication is known from the literature: two products between
// which a dimension is split by other axes than the batch, weights that are gathered, sums of
// gradients, statistics along a split dimension, keys and values of attention, look-ups in a
// split table, data that is made smaller or larger beside a gather. The axes of the grid are
// dealt out to `data` and `model`, so that the operands have one assignment that sends least.
// Hints that follow from the other ones are left out at random. A formula says how many bytes a
// device sends at most (`most_bytes`).
// Source of the assignments: Shoeybi et al., "Megatron-LM", 2019; Rajbhandari et al., "ZeRO",
// 2020; Korthikanti et al., "Reducing Activation Recomputation in Large Transformer Models",
// 2022.
//
//===----------------------------------------------------------------------===//

#include "LayerPrograms.h"
#include "SharedOps.h"

#include <algorithm>

using namespace shard::fuzz;

/// The first product is split along its columns, the second one sums over them. What it
/// gives is summed over `model`.
void LayerProgram::twoProducts() {
  int64_t rows = d * rng.between(1, 3), columns = m * rng.between(1, 3);
  int64_t hidden = m * rng.between(1, 4);
  Val x = argument({rows, columns}, {data, {}});
  Val first = argument({columns, hidden}, {{}, model});
  Val h = product(x, first);
  if (rng.chance(50))
    h = combined("addi", h,
                 broadcast(argument({hidden}, {model}, 40), 0, rows));
  h = pointwise(h);
  Val y = product(h, argument({hidden, columns}, {model, {}}, 50));
  if (rng.chance(50)) {
    scatters(m, rows / d * columns);
    return result(pointwise(y), {data, model});
  }
  allReduces(m, rows / d * columns);
  result(pointwise(y), {data, {}});
}

/// A product, whose weights no hint splits, is read in equal chunks of its columns, and what
/// is made of them is split along these: each device has its part of every chunk.
void LayerProgram::chunks() {
  int64_t rows = d * rng.between(1, 3), columns = rng.between(1, 5);
  int64_t count = rng.between(2, 4), size = m * rng.between(1, 3);
  if (size == 1)
    size = 2;
  Val x = argument({rows, columns}, {data, {}});
  Val h = product(x, argument({columns, count * size}, {{}, {}}, 0));
  if (rng.chance(50))
    h = combined("addi", h,
                 broadcast(argument({count * size}, {{}}, 0), /*dim=*/0, rows));
  h = pointwise(h);
  Val y = slice(h, {0, 0}, {rows, size});
  for (int64_t chunk = 1; chunk < count; ++chunk)
    y = combined(rng.chance(50) ? "addi" : "muli", y,
                 pointwise(slice(h, {0, chunk * size}, {rows, size})));
  if (rng.chance(50))
    return result(pointwise(y), {data, model});
  y = product(y, argument({size, columns}, {model, {}}));
  allReduces(m, rows / d * columns);
  result(pointwise(y), {data, {}});
}

/// Rows at equal distances are replaced by others, of which each device has those for its own, or
/// by one number.
void LayerProgram::everyOther() {
  // Rows that not all axes divide are padded, as any of them may split the rows.
  int64_t rows = n * rng.between(1, 2), columns = m * rng.between(1, 3);
  int64_t stride = rng.between(2, 3), first = rng.between(0, stride - 1);
  Shape shape = {rows * stride, columns};
  Val y = pointwise(argument(shape, {data, model}));
  Val given = rng.chance(30)
                  ? program.filled(Elem::I32, {rows, columns}, 7)
                  : pointwise(argument({rows, columns}, {data, model}));
  y = define("tensor.insert_slice " + given.name + " into " + y.name + "[" +
                 std::to_string(first) + ", 0] [" + list(given.shape) + "] [" +
                 std::to_string(stride) + ", 1] : " + given.type() + " into " +
                 y.type(),
             shape);
  result(pointwise(y), {data, model});
}

/// The rows of the data are split by all axes, and so is each weight, which is gathered.
void LayerProgram::weights() {
  int64_t rows = n * rng.between(1, 3);
  Val x = argument({rows, n * rng.between(1, 2)}, {all, {}});
  for (int64_t left = rng.between(1, 2); left > 0; --left) {
    Shape shape = {x.shape[1], n * rng.between(1, 2)};
    Val weight =
        argument(shape, rng.chance(50) ? Axes{all, {}} : Axes{{}, all});
    gathers(n, numElements(shape) / n);
    // A constraint of the use: it is the weight that moves.
    Val whole = define("shard.constraint " + weight.name + " to " +
                           hint({{}, {}}) + " : " + weight.type(),
                       shape);
    x = pointwise(product(x, whole));
  }
  result(x, {all, {}});
}

/// A sum over the batch, of which each device keeps all or a part.
void LayerProgram::gradient() {
  int64_t rows = n * rng.between(1, 3);
  Val x = argument({rows, n * rng.between(1, 2)}, {all, {}});
  Val up = argument({rows, n * rng.between(1, 2)}, {all, {}}, 50);
  Val sum = product(transposed(pointwise(x)), pointwise(up));
  int64_t elements = numElements(sum.shape);
  if (rng.chance(40)) {
    allReduces(n, elements);
    return result(pointwise(sum), {{}, {}});
  }
  scatters(n, elements);
  result(pointwise(sum), rng.chance(50) ? Axes{all, {}} : Axes{{}, all});
}

/// Sums or maxima along a dimension that is split, taken from each element.
void LayerProgram::statistics() {
  int64_t rows = d * rng.between(1, 3), columns = m * rng.between(1, 3);
  bool isLast = rng.chance(60);
  Val x = isLast ? argument({rows, columns}, {data, model})
                 : argument({columns, rows}, {model, data});
  Val y = x;
  for (int64_t left = rng.between(1, 2); left > 0; --left) {
    Val statistic = reduced(pointwise(y), isLast, rng.chance(40));
    allReduces(m, rows / d);
    y = combined("subi", y, broadcast(pointwise(statistic), isLast, columns));
  }
  result(y, isLast ? Axes{data, model} : Axes{model, data}, 50);
}

/// A softmax along a split dimension needs two numbers of each row.
void LayerProgram::softmax() {
  int64_t rows = d * rng.between(1, 3), columns = m * rng.between(1, 3);
  bool isLast = rng.chance(60);
  Axes axes = isLast ? Axes{data, model} : Axes{model, data};
  Shape shape = isLast ? Shape{rows, columns} : Shape{columns, rows};
  Val x = argument(shape, axes, 100, Elem::F32);
  Val init = program.empty(Elem::F32, shape);
  std::string shares = program.fresh();
  program.line(shares + " = linalg.softmax dimension(" +
               std::to_string(isLast) + ") " + insOutsTo({x}, init));
  allReduces(m, rows / d);
  allReduces(m, rows / d);
  result(compared(program, shares, Elem::F32, shape), axes, 50);
}

/// Each batch is split by `data`, the queries by `model`; keys and values are gathered
/// along `model`, or are there.
void LayerProgram::attention() {
  int64_t batch = d * rng.between(1, 2), queries = m * rng.between(1, 2);
  int64_t keys = m * rng.between(1, 2), channels = rng.between(1, 3);
  bool isSplit = rng.chance(60);
  Axes other = {data, isSplit ? model : Shape{}, {}};
  Val q = argument({batch, queries, channels}, {data, model, {}});
  Val k = argument({batch, keys, channels}, other);
  Val v = argument({batch, keys, channels}, other);
  Shape shape = {batch, channels, keys};
  Val init = program.empty(Elem::I32, shape);
  Val turned = define("linalg.transpose " + insOuts({k}, init) +
                          " permutation = [0, 2, 1]",
                      shape);
  auto multiply = [&](const Val &a, const Val &b) {
    Shape to = {batch, a.shape[1], b.shape[2]};
    Val zero = program.filled(Elem::I32, to, 0);
    return define("linalg.batch_matmul " + insOutsTo({a, b}, zero), to);
  };
  Val scores = multiply(q, turned);
  Val largest = broadcast(reduced(scores, 2, true), 2, keys);
  Val weighted = multiply(pointwise(combined("subi", scores, largest)), v);
  if (isSplit)
    gathers(m, 2 * (batch / d) * (keys / m) * channels);
  result(weighted, {data, model, {}});
}

/// Rows are written into a table whose rows are split, each where it belongs.
void LayerProgram::writes() {
  int64_t rows = n * rng.between(2, 4), columns = rng.between(1, 4);
  Val table = argument({rows, columns}, {all, {}});
  std::vector<std::string> places;
  for (int64_t at = rng.between(0, 1); at < rows; at += rng.between(1, n + 1))
    places.push_back("[" + std::to_string(at) + "]");
  rng.shuffle(places);
  int64_t count = places.size();
  std::string indices = program.fresh(),
              type = "tensor<" + std::to_string(count) + "x1xindex>";
  program.line(indices + " = arith.constant dense<[" + join(places) +
               "]> : " + type);
  Val source = argument(
      rng.chance(50) ? Shape{count, 1, columns} : Shape{count, columns}, {}, 0);
  Val written =
      define("tensor.scatter " + source.name + " into " + table.name + "[" +
                 indices + "] scatter_dims([0]) unique : (" + source.type() +
                 ", " + table.type() + ", " + type + ") -> " + table.type(),
             table.shape);
  result(pointwise(written), {all, {}}, 60);
}

/// Rows of a table whose rows, or whose columns, are split.
void LayerProgram::lookUp() {
  int64_t rows = m * rng.between(1, 4), columns = m * rng.between(1, 2);
  int64_t count = d * rng.between(1, 3);
  bool isRows = rng.chance(60);
  Val table = isRows ? argument({rows, columns}, {model, {}})
                     : argument({rows, columns}, {{}, model});
  Val ids = argument({count, 1}, {data, {}});
  gather(program, table, ids.name, ids.type(), {0}, {count, columns});
  Val found = pointwise(program.scope.back());
  if (!isRows)
    return result(found, {data, model}, 60);
  if (rng.chance(50)) {
    allReduces(m, count / d * columns);
    return result(found, {data, {}});
  }
  scatters(m, count / d * columns);
  result(found, {data, model});
}

/// The other dimension is split: each device sends all but its own part of its block.
void LayerProgram::exchange() {
  Val a = argument({n * rng.between(1, 2), n * rng.between(1, 2)}, {all, {}});
  bool isTransposed = rng.chance(50);
  Val b = pointwise(isTransposed ? transposed(pointwise(a)) : pointwise(a));
  scatters(n, numElements(a.shape) / n);
  result(b, isTransposed ? Axes{all, {}} : Axes{{}, all});
}

/// Blocks change places.
void LayerProgram::reversal() {
  Shape shape = {n * rng.between(1, 3), rng.between(1, 3)};
  Val a = argument(shape, {all, {}});
  Val b = define("tosa.reverse " + a.name + " {axis = 0 : i32} : (" + a.type() +
                     ") -> " + a.type(),
                 shape);
  program.mostBytes += 4 * numElements(shape) / n;
  result(pointwise(b), {all, {}}, 60);
}

/// Each element becomes that of some places before or behind, or the fill.
void LayerProgram::shifted() {
  // What is cut has as large blocks on as many devices.
  int64_t block = rng.between(2, 4), by = rng.between(1, block);
  Shape shape = {n * block, rng.between(1, 3)}, kept = shape, offsets = {0, 0};
  kept[0] -= by;
  bool isForward = rng.chance(50);
  if (!isForward)
    offsets[0] = by;
  if (kept[0] == 0)
    return exchange();
  Val a = argument(shape, {all, {}});
  Val cut = slice(pointwise(a), offsets, kept);
  std::string type;
  std::string name = paddedAlong(program, cut, 0, isForward ? by : 0,
                                 isForward ? 0 : by, "0", type);
  Val b = program.add({name, Elem::I32, true, shape});
  program.mostBytes += 4 * by * shape[1];
  result(pointwise(b), {all, {}}, 60);
}

/// What is wanted whole is made of less, or becomes less: that is gathered.
void LayerProgram::smallerBesideGather() {
  Shape shape = {n * rng.between(1, 3), rng.between(2, 3)};
  int64_t block = shape[0] / n;
  switch (rng.between(0, 4)) {
  case 0: {
    Val a = argument({shape[0]}, {all});
    gathers(n, block);
    return result(broadcast(pointwise(a), 1, shape[1]), {{}, {}});
  }
  case 1: {
    Val a = argument(shape, {all, {}});
    gathers(n, block);
    return result(pointwise(reduced(a, 1)), {{}});
  }
  case 2: {
    Val a = argument(shape, {all, {}}), b = argument(shape, {all, {}});
    gathers(n, block * shape[1]);
    return result(pointwise(combined("muli", a, b)), {{}, {}});
  }
  case 3: {
    Val a = argument(shape, {all, {}});
    gathers(n, block);
    int64_t from = rng.between(0, shape[1] - 1);
    return result(slice(a, {0, from}, {shape[0], 1}), {{}, {}});
  }
  default: {
    bool isNarrower = rng.chance(50);
    Val a = argument(shape, {all, {}}, 100, isNarrower ? Elem::I32 : Elem::I8);
    Elem elem = isNarrower ? Elem::I8 : Elem::I32;
    gathers(n, block * shape[1], /*bytes=*/1);
    return result(define((isNarrower ? "arith.trunci " : "arith.extsi ") +
                             a.name + " : " + a.type() + " to " +
                             tensorType(elem, shape),
                         shape, elem),
                  {{}, {}});
  }
  }
}

/// Sums over one dimension that are added, cut or summed again are completed once.
void LayerProgram::sumsOfSums() {
  // Of one element for each device, sums over some axes and then over others are left.
  int64_t rows = d * rng.between(2, 3), columns = m * rng.between(1, 3);
  Val a = argument({rows, columns}, {data, model});
  Val sum = reduced(pointwise(a), 1);
  switch (rng.between(0, 2)) {
  case 0:
    // Over the rows, too.
    allReduces(n, 1);
    return result(reduced(sum, 0), {});
  case 1: {
    Val other = argument({rows, columns}, {data, model}, 50);
    allReduces(m, rows / d);
    return result(
        combined(rng.chance(50) ? "addi" : "subi", sum, reduced(other, 1)),
        {data});
  }
  default: {
    // Columns of the sum that is a product.
    int64_t width = rng.between(2, 4);
    Val wide = product(a, argument({columns, width}, {model, {}}, 50));
    allReduces(m, rows / d);
    return result(slice(wide, {0, rng.between(0, width - 1)}, {rows, 1}),
                  {data, {}});
  }
  }
}

std::string LayerProgram::partialHint(const Axes &axes, const Shape &summed) {
  std::string text = hint(axes), names;
  for (int64_t axis : summed)
    names += (names.empty() ? "" : ", ") + program.axisText(axis);
  text.pop_back();
  return text + (summed.empty() ? ">" : ", partial = sum [" + names + "]>");
}

/// Summands along `model` pass through linear ops; the result is asked for as summands, or
/// whole.
void LayerProgram::summandsThrough() {
  Shape shape = {d * rng.between(1, 2), rng.between(1, 3)};
  Axes axes = {data, {}};
  auto summands = [&] {
    Val value = argument(shape, axes);
    program.givenHints[value.name] = partialHint(axes, model);
    return value;
  };
  Val a = summands();
  // A product takes summands only if a hint says that it gets them.
  bool isSum = rng.chance(40);
  if (isSum)
    a = combined(rng.chance(50) ? "addi" : "subi", a, summands());
  if (!isSum && rng.chance(60)) {
    Shape weight = {shape[1], rng.between(1, 3)};
    a = product(a, argument(weight, {{}, {}}, 50));
  }
  if (rng.chance(40))
    a = combined("muli", a, program.filled(a.elem, a.shape, 3));
  if (rng.chance(40)) {
    a = transposed(a);
    std::swap(axes[0], axes[1]);
  }
  result(a, axes);
  if (rng.chance(60))
    program.givenHints[a.name] = partialHint(axes, model);
  else
    allReduces(m, numElements(a.shape) / d);
}

/// Small collectives of one kind on a machine whose links have a latency: one does the work of
/// all. Each is of an argument of its own, so that none waits for another one.
void LayerProgram::sideBySide() {
  machine = " {shard.machine = {name = \"a100\"}}";
  bool isSum = rng.chance(60);
  int64_t count = rng.between(2, 3), elements = 0;
  Shape shape = {n * rng.between(1, 2), rng.between(1, 3)};
  std::vector<Val> wanted;
  for (int64_t i = 0; i < count; ++i) {
    // Blocks that are gathered are of equal size.
    if (isSum)
      shape = {n * rng.between(1, 2), rng.between(1, 3)};
    Val a = pointwise(argument(shape, {all, {}}));
    elements += isSum ? shape[1] : numElements(shape) / n;
    wanted.push_back(isSum ? reduced(a, 0) : a);
  }
  // Behind all of them: a collective does not wait for what another one's result is needed
  // for.
  for (const Val &value : wanted)
    result(isSum ? pointwise(value) : value, Axes(value.shape.size()));
  isSum ? allReduces(n, elements) : gathers(n, elements);
  program.mostCollectives = n > 1;
}

/// Writes one of the layers that few programs have, and says whether it does. With numbers of its
/// own: the other programs do not depend on it.
bool LayerProgram::writeRareLayer() {
  Random more(program.seed ^ 0x626c6f636b73ull);
  if (more.chance(2))
    blocksBehindSum();
  else if (more.chance(2))
    tableOfPlaces();
  else if (more.chance(2))
    elementsOfTable();
  else if (more.chance(2))
    appendedRows();
  else if (more.chance(2))
    addedBehindPad();
  else if (more.chance(2))
    narrowedSums();
  else if (more.chance(2))
    productsOfOne();
  else if (more.chance(2))
    wholeInBranch();
  else if (more.chance(2))
    pairs();
  else if (more.chance(3))
    chosenExtremes();
  else if (more.chance(4))
    cancelled();
  else if (more.chance(5))
    accumulated();
  else if (more.chance(4))
    blockBetweenSums();
  else
    return false;
  return true;
}

void LayerProgram::write() {
  using Write = void (LayerProgram::*)();
  static const std::vector<Write> layers = {&LayerProgram::twoProducts,
                                            &LayerProgram::chunks,
                                            &LayerProgram::everyOther,
                                            &LayerProgram::resampled,
                                            &LayerProgram::weights,
                                            &LayerProgram::gradient,
                                            &LayerProgram::statistics,
                                            &LayerProgram::attention,
                                            &LayerProgram::lookUp,
                                            &LayerProgram::exchange,
                                            &LayerProgram::reversal,
                                            &LayerProgram::shifted,
                                            &LayerProgram::convolution,
                                            &LayerProgram::sideBySide,
                                            &LayerProgram::smallerBesideGather,
                                            &LayerProgram::sumsOfSums,
                                            &LayerProgram::summandsThrough,
                                            &LayerProgram::weightsInLoop,
                                            &LayerProgram::softmax,
                                            &LayerProgram::writes,
                                            &LayerProgram::ownSlices,
                                            &LayerProgram::carriedIntoCall,
                                            &LayerProgram::sumsThroughLoops,
                                            &LayerProgram::sumsFromZero,
                                            &LayerProgram::completedOnce,
                                            &LayerProgram::narrowProduct,
                                            &LayerProgram::partsOfBatch,
                                            &LayerProgram::maskOfPlaces,
                                            &LayerProgram::groupedConvolution,
                                            &LayerProgram::agreeing,
                                            &LayerProgram::agreeing,
                                            &LayerProgram::rowsInForall,
                                            &LayerProgram::splitRows};
  program.argumentHintPercent = program.hintPercent = 0;
  for (size_t axis = 0; axis < program.grid.size(); ++axis)
    all.push_back(axis);
  rng.shuffle(all);
  auto middle = all.begin() + rng.between(0, int64_t(all.size()));
  data.assign(all.begin(), middle);
  model.assign(middle, all.end());
  d = program.devices(data);
  m = program.devices(model);
  n = d * m;
  std::string outer;
  std::swap(program.out, outer);
  // Bytes alone count.
  program.mostCollectives = 1000;
  if (!writeRareLayer())
    (this->*rng.oneOf(layers))();
  if (n == 1)
    program.mostBytes = 0;
  program.line("return " + nameList(results) + " : " + typeList(results));
  std::swap(program.out, outer);
  program.out.insert(program.out.find('\n'), machine);
  program.out +=
      functionHeader(program, {"main", program.arguments, results}, false) +
      outer + "}\n";
}

void shard::fuzz::layerProgram(ProgramBuilder &program) {
  LayerProgram(program).write();
}
