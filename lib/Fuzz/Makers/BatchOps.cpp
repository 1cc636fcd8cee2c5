//===- BatchOps.cpp - Ops on a batch in a random program ------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each op maps the elements along the dimension of the batch by themselves, and does
// something along the others. It adds a value, or nothing where it has no place for one.
//
//===----------------------------------------------------------------------===//

#include "Programs/BatchPrograms.h"
#include "SharedOps.h"

#include <algorithm>

using namespace shard::fuzz;

void BatchProgram::elementwise(const Batched &a) {
  std::string kind = isFloat(elem) ? "f " : "i ";
  std::string op = rng.chance(50) ? "add" : rng.chance(50) ? "sub" : "mul";
  Val b = like(a);
  add("arith." + op + kind + a.value.name + ", " + b.name + " : " +
          a.value.type(),
      a.value.shape, a.dim, a.value.bound * b.bound + a.value.bound + b.bound);
}

void BatchProgram::transpose(const Batched &a) {
  Shape permutation, shape;
  for (size_t i = 0; i < a.value.shape.size(); ++i)
    permutation.push_back(i);
  rng.shuffle(permutation);
  for (int64_t dim : permutation)
    shape.push_back(a.value.shape[dim]);
  auto place = std::find(permutation.begin(), permutation.end(), a.dim);
  if (rng.chance(40))
    return add("tosa.transpose " + a.value.name +
                   " {perms = array<i32: " + list(permutation) + ">} : (" +
                   a.value.type() + ") -> " + tensorType(elem, shape),
               shape, place - permutation.begin(), a.value.bound);
  Val target = program.empty(elem, shape);
  add("linalg.transpose " + insOuts({a.value}, target) + " permutation = [" +
          list(permutation) + "]",
      shape, place - permutation.begin(), a.value.bound);
}

void BatchProgram::broadcast(const Batched &a) {
  Shape shape = a.value.shape;
  if (shape.size() > 2)
    return;
  int64_t dim = rng.between(0, int64_t(shape.size()));
  shape.insert(shape.begin() + dim, rng.between(1, 4));
  Val target = program.empty(elem, shape);
  add("linalg.broadcast " + insOuts({a.value}, target) + " dimensions = [" +
          std::to_string(dim) + "]",
      shape, a.dim + (dim <= a.dim), a.value.bound);
}

void BatchProgram::reduce(const Batched &a) {
  Shape dims, shape;
  int64_t count = 1, dim = a.dim;
  for (int64_t i = 0; i < int64_t(a.value.shape.size()); ++i) {
    if (i == a.dim || rng.chance(40)) {
      shape.push_back(a.value.shape[i]);
      continue;
    }
    dims.push_back(i);
    dim -= i < a.dim;
    count *= a.value.shape[i];
  }
  if (dims.empty())
    return;
  Combiner combiner = randomCombiner(program, elem, true);
  Val init = rng.chance(70) ? program.filled(elem, shape, combiner.neutral)
                            : argument(shape, dim).value;
  add("linalg.reduce { " + combiner.op + " } " + insOuts({a.value}, init) +
          " dimensions = [" + list(dims) + "]",
      shape, dim, a.value.bound * double(count) + init.bound);
}

/// Times a matrix that all devices have.
void BatchProgram::product(const Batched &a) {
  if (a.value.shape.size() != 2)
    return;
  int64_t inner = a.value.shape[1 - a.dim], n = rng.between(1, 5);
  bool isLeft = a.dim == 0;
  Val other =
      program.argument(elem, isLeft ? Shape{inner, n} : Shape{n, inner}, true);
  Shape shape =
      isLeft ? Shape{a.value.shape[0], n} : Shape{n, a.value.shape[1]};
  Val init = program.filled(elem, shape, 0);
  add("linalg.matmul " + (isLeft ? insOutsTo({a.value, other}, init)
                                 : insOutsTo({other, a.value}, init)),
      shape, a.dim, a.value.bound * other.bound * double(inner));
}

void BatchProgram::batchProduct(const Batched &a) {
  if (a.value.shape.size() != 3)
    return;
  Shape other = a.value.shape, shape = other;
  std::swap(other[1], other[2]);
  int64_t batch = a.value.shape[0];
  if (a.dim == 2)
    return;
  other[2] = rng.between(1, 4);
  shape = {batch, a.value.shape[1], other[2]};
  // Of rows of the left operand the right one is needed as a whole.
  Val right = a.dim == 0 ? argument(other, 0).value
                         : program.argument(elem, other, true);
  Val init = program.filled(elem, shape, 0);
  add("linalg.batch_matmul " + insOutsTo({a.value, right}, init), shape, a.dim,
      a.value.bound * right.bound * double(a.value.shape[2]));
}

void BatchProgram::slice(const Batched &a) {
  Shape offsets, sizes, strides;
  for (int64_t i = 0; i < int64_t(a.value.shape.size()); ++i) {
    int64_t extent = a.value.shape[i];
    bool cuts = i != a.dim && rng.chance(70);
    strides.push_back(cuts && rng.chance(30) ? 2 : 1);
    offsets.push_back(cuts ? rng.between(0, extent - 1) : 0);
    int64_t most = (extent - offsets.back() - 1) / strides.back() + 1;
    sizes.push_back(cuts ? rng.between(1, most) : extent);
  }
  add("tensor.extract_slice " + a.value.name + "[" + list(offsets) + "] [" +
          list(sizes) + "] [" + list(strides) + "] : " + a.value.type() +
          " to " + tensorType(elem, sizes),
      sizes, a.dim, a.value.bound);
}

void BatchProgram::pad(const Batched &a) {
  int64_t dim = otherDim(a);
  if (dim < 0)
    return;
  Shape low(a.value.shape.size()), high = low, shape = a.value.shape;
  low[dim] = rng.between(0, 2);
  high[dim] = rng.between(0, 2);
  shape[dim] += low[dim] + high[dim];
  std::vector<std::string> indices;
  for (size_t i = 0; i < shape.size(); ++i)
    indices.push_back(program.fresh() + ": index");
  Val value = program.scalarConstant(elem, rng.between(-1, 1));
  std::string name = program.fresh();
  program.line(name + " = tensor.pad " + a.value.name + " low[" + list(low) +
               "] high[" + list(high) + "] {");
  program.line("^bb0(" + shard::fuzz::join(indices) + "):");
  program.line("  tensor.yield " + value.name + " : " + value.type());
  program.line("} : " + a.value.type() + " to " + tensorType(elem, shape));
  values.push_back(
      {program.add({name, elem, true, shape, a.value.bound}), a.dim});
}

void BatchProgram::join(const Batched &a) {
  int64_t dim = otherDim(a);
  if (dim < 0)
    return;
  Shape other = a.value.shape, shape = other;
  other[dim] = rng.between(1, 3);
  shape[dim] += other[dim];
  Val b = argument(other, a.dim).value;
  add("tensor.concat dim(" + std::to_string(dim) + ") " + a.value.name + ", " +
          b.name + " : (" + a.value.type() + ", " + b.type() + ") -> " +
          tensorType(elem, shape),
      shape, a.dim, std::max(a.value.bound, b.bound));
}

void BatchProgram::insert(const Batched &a) {
  int64_t dim = otherDim(a);
  if (dim < 0)
    return;
  Shape offsets(a.value.shape.size()), sizes = a.value.shape;
  sizes[dim] = rng.between(1, sizes[dim]);
  offsets[dim] = rng.between(0, a.value.shape[dim] - sizes[dim]);
  Val source = argument(sizes, a.dim).value;
  add("tensor.insert_slice " + source.name + " into " + a.value.name + "[" +
          list(offsets) + "] [" + list(sizes) + "] [" +
          list(Shape(sizes.size(), 1)) + "] : " + source.type() + " into " +
          a.value.type(),
      a.value.shape, a.dim, std::max(a.value.bound, source.bound));
}

/// "[[0], [1, 2]]": `rank` dimensions, those at `at` and `at` + 1 together.
static std::string pairText(int64_t rank, int64_t at) {
  std::vector<std::string> groups;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim == at + 1)
      groups.back() =
          "[" + std::to_string(at) + ", " + std::to_string(dim) + "]";
    else
      groups.push_back("[" + std::to_string(dim) + "]");
  return "[" + join(groups) + "]";
}

/// `a` in another `shape`: by `op`, or by an op that is given the whole shape.
void BatchProgram::reshape(const std::string &op, const Batched &a,
                           const Shape &shape, int64_t dim) {
  if (rng.chance(60))
    return add(op, shape, dim, a.value.bound);
  std::string size = std::to_string(shape.size()), target = program.fresh();
  std::string numbers =
      "dense<[" + list(shape) + "]> : tensor<" + size + "xindex>";
  bool isTosa = rng.chance(50);
  program.line(target + (isTosa ? " = tosa.const_shape {values = " + numbers +
                                      "} : () -> !tosa.shape<" + size + ">"
                                : " = arith.constant " + numbers));
  std::string types =
      " : (" + a.value.type() + ", " +
      (isTosa ? "!tosa.shape<" + size + ">" : "tensor<" + size + "xindex>") +
      ") -> " + tensorType(elem, shape);
  add(isTosa ? "tosa.reshape " + a.value.name + ", " + target + types
             : "tensor.reshape " + a.value.name + "(" + target + ")" + types,
      shape, dim, a.value.bound);
}

/// Merges two dimensions; the batch stays the major one.
void BatchProgram::collapse(const Batched &a) {
  int64_t rank = a.value.shape.size();
  if (rank < 2)
    return;
  int64_t at = rng.between(0, rank - 2);
  if (at + 1 == a.dim && a.value.shape[at] != 1)
    return;
  Shape shape = a.value.shape;
  shape[at] *= shape[at + 1];
  shape.erase(shape.begin() + at + 1);
  reshape("tensor.collapse_shape " + a.value.name + " " + pairText(rank, at) +
              " : " + a.value.type() + " into " + tensorType(elem, shape),
          a, shape, a.dim - (at < a.dim));
}

/// Takes a dimension apart; the major part of a batch is one.
void BatchProgram::expand(const Batched &a) {
  int64_t rank = a.value.shape.size(), at = rng.between(0, rank - 1);
  if (rank > 3)
    return;
  std::vector<int64_t> minors;
  for (int64_t minor = 1; minor <= a.value.shape[at]; ++minor)
    if (a.value.shape[at] % minor == 0 &&
        (at != a.dim || a.value.shape[at] / minor % parts == 0))
      minors.push_back(minor);
  if (minors.empty())
    return;
  Shape shape = a.value.shape;
  int64_t minor = rng.oneOf(minors);
  shape[at] /= minor;
  shape.insert(shape.begin() + at + 1, minor);
  reshape("tensor.expand_shape " + a.value.name + " " + pairText(rank + 1, at) +
              " output_shape [" + list(shape) + "] : " + a.value.type() +
              " into " + tensorType(elem, shape),
          a, shape, a.dim + (at < a.dim));
}

/// Takes the batch apart where its major axis ends, so that each part is split by some of
/// the axes, and merges the parts again.
void BatchProgram::digits(const Batched &a) {
  int64_t rank = a.value.shape.size();
  if (axes.size() < 2 || rank > 3)
    return;
  int64_t major = program.grid[axes.front()];
  Shape shape = a.value.shape;
  shape[a.dim] /= major;
  shape.insert(shape.begin() + a.dim, major);
  std::string groups = pairText(rank + 1, a.dim);
  Val apart = program.define("tensor.expand_shape " + a.value.name + " " +
                                 groups + " output_shape [" + list(shape) +
                                 "] : " + a.value.type() + " into " +
                                 tensorType(elem, shape),
                             elem, shape, a.value.bound);
  if (rng.chance(60)) {
    Val other = program.argument(elem, shape, true);
    apart = program.define(std::string("arith.add") +
                               (isFloat(elem) ? "f " : "i ") + apart.name +
                               ", " + other.name + " : " + apart.type(),
                           elem, shape, apart.bound + other.bound);
  }
  add("tensor.collapse_shape " + apart.name + " " + groups + " : " +
          apart.type() + " into " + a.value.type(),
      a.value.shape, a.dim, apart.bound);
}

/// Tiles one dimension; whole tiles of the batch stay on a device.
void BatchProgram::pack(const Batched &a) {
  int64_t rank = a.value.shape.size(), at = rng.between(0, rank - 1);
  if (rank > 3)
    return;
  int64_t tile = rng.between(1, 3);
  while (a.value.shape[at] % tile != 0 ||
         (at == a.dim && a.value.shape[at] / tile % parts != 0)) {
    if (tile == 1)
      return;
    --tile;
  }
  Shape order, shape;
  for (int64_t dim = 0; dim < rank; ++dim)
    order.push_back(dim);
  if (rng.chance(40))
    rng.shuffle(order);
  for (int64_t dim : order)
    shape.push_back(dim == at ? a.value.shape[dim] / tile : a.value.shape[dim]);
  shape.push_back(tile);
  Val target = program.empty(elem, shape);
  auto place = std::find(order.begin(), order.end(), a.dim);
  // Nothing reads the padding of complete tiles.
  std::string padding;
  if (rng.chance(30)) {
    Val fill = program.scalarConstant(elem, 1);
    padding = " padding_value(" + fill.name + " : " + fill.type() + ")";
  }
  add("linalg.pack " + a.value.name + padding + " outer_dims_perm = [" +
          list(order) + "] inner_dims_pos = [" + std::to_string(at) +
          "] inner_tiles = [" + std::to_string(tile) + "] into " + target.name +
          " : " + a.value.type() + " -> " + target.type(),
      shape, place - order.begin(), a.value.bound);
}

void BatchProgram::gather(const Batched &a) {
  int64_t dim = otherDim(a);
  if (dim < 0)
    return;
  int64_t count = rng.between(1, 4);
  std::vector<std::string> rows;
  for (int64_t i = 0; i < count; ++i)
    rows.push_back(
        "[" + std::to_string(rng.between(0, a.value.shape[dim] - 1)) + "]");
  std::string indices = program.fresh(),
              type = "tensor<" + std::to_string(count) + "x1xindex>";
  program.line(indices + " = arith.constant dense<[" + shard::fuzz::join(rows) +
               "]> : " + type);
  Shape shape = {count};
  for (int64_t i = 0; i < int64_t(a.value.shape.size()); ++i)
    if (i != dim)
      shape.push_back(a.value.shape[i]);
  add("tensor.gather " + a.value.name + "[" + indices + "] gather_dims([" +
          std::to_string(dim) + "]) : (" + a.value.type() + ", " + type +
          ") -> " + tensorType(elem, shape),
      shape, a.dim + 1 - (dim < a.dim), a.value.bound);
}

/// Rows of each element of the batch are replaced.
void BatchProgram::scatter(const Batched &a) {
  int64_t dim = otherDim(a);
  if (dim < 0)
    return;
  Shape places;
  for (int64_t i = 0; i < a.value.shape[dim]; ++i)
    places.push_back(i);
  rng.shuffle(places);
  places.resize(rng.between(1, int64_t(places.size())));
  std::vector<std::string> rows;
  for (int64_t place : places)
    rows.push_back("[" + std::to_string(place) + "]");
  std::string indices = program.fresh(),
              type = "tensor<" + std::to_string(rows.size()) + "x1xindex>";
  program.line(indices + " = arith.constant dense<[" + shard::fuzz::join(rows) +
               "]> : " + type);
  bool isReduced = rng.chance(50);
  Shape shape = gatheredShape(a.value, {dim}, int64_t(rows.size()), isReduced);
  Batched source =
      argument(shape, a.dim + 1 - (isReduced && dim < a.dim ? 1 : 0));
  add("tensor.scatter " + source.value.name + " into " + a.value.name + "[" +
          indices + "] scatter_dims([" + std::to_string(dim) + "]) unique : (" +
          source.value.type() + ", " + a.value.type() + ", " + type + ") -> " +
          a.value.type(),
      a.value.shape, a.dim, std::max(a.value.bound, source.value.bound));
}

/// Each element of the batch has indices of its own.
void BatchProgram::lookUp(const Batched &a) {
  int64_t dim = otherDim(a);
  if (dim < 0)
    return;
  Shape shape = a.value.shape, idShape{shape[a.dim]};
  shape[dim] = rng.between(1, shape[dim]);
  std::vector<std::string> loops, idLoops{"d" + std::to_string(a.dim)}, at,
      kinds(shape.size(), "\"parallel\"");
  if (rng.chance(60)) {
    idShape.push_back(shape[dim]);
    idLoops.push_back("d" + std::to_string(dim));
  }
  Val ids = program.argument(Elem::I32, idShape, true);
  Val init = program.empty(elem, shape);
  std::string id = program.fresh(), place = program.fresh(),
              old = program.fresh(), found = program.fresh(),
              result = program.fresh();
  std::vector<std::string> places;
  for (int64_t i = 0; i < int64_t(shape.size()); ++i) {
    loops.push_back("d" + std::to_string(i));
    at.push_back(i == dim ? place : program.fresh());
    if (i != dim)
      places.push_back("  " + at.back() + " = linalg.index " +
                       std::to_string(i) + " : index");
  }
  std::string map = "affine_map<(" + shard::fuzz::join(loops) + ") -> (";
  program.line(result + " = linalg.generic {indexing_maps = [" + map +
               shard::fuzz::join(idLoops) + ")>, " + map +
               shard::fuzz::join(loops) + ")>], iterator_types = [" +
               shard::fuzz::join(kinds) + "]} " + insOuts({ids}, init) + " {");
  program.line("^bb0(" + id + ": i32, " + old + ": " + name(elem) + "):");
  program.line("  " + place + " = arith.index_cast " + id + " : i32 to index");
  for (const std::string &line : places)
    program.line(line);
  program.line("  " + found + " = tensor.extract " + a.value.name + "[" +
               shard::fuzz::join(at) + "] : " + a.value.type());
  program.line("  linalg.yield " + found + " : " + name(elem));
  program.line("} -> " + init.type());
  Val value{result, elem, true, shape, a.value.bound};
  program.add(value);
  values.push_back({value, a.dim});
}

/// A convolution of the images of the batch, or a sum over windows of each.
void BatchProgram::convolve(const Batched &a) {
  if (a.value.shape.size() != 3 || a.dim == 1)
    return;
  int64_t stride = rng.between(1, 2);
  int64_t window = rng.between(1, std::min<int64_t>(3, a.value.shape[1]));
  Shape shape = a.value.shape;
  shape[1] = (shape[1] - window) / stride + 1;
  std::string attributes =
      " {dilations = dense<1> : tensor<1xi64>, strides = dense<" +
      std::to_string(stride) + "> : tensor<1xi64>} ";
  if (a.dim == 2 || rng.chance(50)) {
    Val kernel = program.empty(elem, {window}),
        init = program.filled(elem, shape, 0);
    add("linalg.pooling_nwc_sum" + attributes +
            insOutsTo({a.value, kernel}, init),
        shape, a.dim, a.value.bound * double(window));
    return;
  }
  int64_t channels = shape[2];
  shape[2] = rng.between(1, 4);
  Val filter = program.argument(elem, {window, channels, shape[2]}, true),
      init = program.filled(elem, shape, 0);
  add("linalg.conv_1d_nwc_wcf" + attributes +
          insOutsTo({a.value, filter}, init),
      shape, 0, a.value.bound * filter.bound * double(window * channels));
}

/// A loop that adds the value to what it carries.
void BatchProgram::loop(const Batched &a) {
  Val init = like(a);
  Val low = program.scalarConstant(Elem::Index, 0),
      step = program.scalarConstant(Elem::Index, 1),
      high = program.scalarConstant(Elem::Index, rng.between(1, 3));
  std::string carried = program.fresh(), sum = program.fresh(),
              index = program.fresh(), result = program.fresh(),
              type = a.value.type();
  program.line(result + " = scf.for " + index + " = " + low.name + " to " +
               high.name + " step " + step.name + " iter_args(" + carried +
               " = " + init.name + ") -> (" + type + ") {");
  program.line("  " + sum + " = arith.add" + (isFloat(elem) ? "f " : "i ") +
               carried + ", " + a.value.name + " : " + type);
  program.line("  scf.yield " + sum + " : " + type);
  program.line("}");
  Val value = program.add(
      {result, elem, true, a.value.shape, init.bound + 3 * a.value.bound});
  values.push_back({program.clamped(value, 64), a.dim});
}

/// Ops of tosa along another dimension.
void BatchProgram::tosa(const Batched &a) {
  int64_t dim = otherDim(a);
  if (dim < 0 || elem == Elem::I8)
    return;
  static const std::vector<std::string> ops = {"reverse", "reduce_sum",
                                               "reduce_max"};
  const std::string &op = rng.oneOf(ops);
  Shape shape = a.value.shape;
  double bound = a.value.bound;
  if (op != "reverse") {
    bound *= double(shape[dim]);
    shape[dim] = 1;
  }
  add("tosa." + op + " " + a.value.name + " {axis = " + std::to_string(dim) +
          " : i32} : (" + a.value.type() + ") -> " + tensorType(elem, shape),
      shape, a.dim, bound);
}
