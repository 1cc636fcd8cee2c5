//===- BatchImages.cpp - Ops on a batch of images in a random program ------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops of tosa and linalg that have a form of their own: images, whose batch is the first
// dimension or that of the channels, rows that are looked up, and what moves elements along
// dimensions that the batch is none of. Some ops of tosa have a sharding model, others run
// without communication if they are lowered before.
//
//===----------------------------------------------------------------------===//

#include "Programs/BatchPrograms.h"
#include "SharedOps.h"
#include "shard/Fuzz/Generate.h"

#include <algorithm>

using namespace shard::fuzz;

/// A split argument of `shape`, whatever other hints there are.
Val BatchProgram::splitArgument(const Shape &shape, int64_t dim) {
  Val value = program.argument(elem, shape, true);
  program.givenHints[value.name] = hint(value, dim);
  return value;
}

/// Each element of the result is one of the image, or between two.
void BatchProgram::resized(const Val &image, int64_t dim) {
  Shape shape = image.shape;
  shape[1] = 2 * shape[1] - 1;
  shape[2] = 2 * shape[2] - 1;
  std::string scale = tosaShape(program, "[2, 1, 2, 1]", 4),
              zero = tosaShape(program, "0", 2);
  add("tosa.resize " + image.name + ", " + scale + ", " + zero + ", " + zero +
          " {mode = NEAREST_NEIGHBOR} : (" + image.type() +
          ", !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> " +
          tensorType(elem, shape),
      shape, dim, image.bound);
}

/// The extents of a kernel that fits into an image of `shape`, which becomes that of what the
/// kernel slides over.
Shape BatchProgram::cutByKernel(Shape &shape) {
  Shape kernel = {rng.between(1, shape[1]), rng.between(1, shape[2])};
  shape[1] -= kernel[0] - 1;
  shape[2] -= kernel[1] - 1;
  return kernel;
}

void BatchProgram::pooled(const Val &image, int64_t dim) {
  Shape shape = image.shape, kernel = cutByKernel(shape);
  if (lowersTosa(program.seed) && rng.chance(50))
    return add("tosa.max_pool2d " + image.name +
                   " {kernel = array<i64: " + list(kernel) +
                   ">, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, "
                   "1>} : (" +
                   image.type() + ") -> " + tensorType(elem, shape),
               shape, dim, image.bound);
  Val window = program.empty(elem, kernel);
  Val init = program.filled(elem, shape, 0);
  add("linalg.pooling_nhwc_max {dilations = dense<1> : tensor<2xi64>, strides "
      "= "
      "dense<1> : tensor<2xi64>} " +
          insOutsTo({image, window}, init),
      shape, dim, image.bound);
}

/// A convolution of each channel by itself, or of all of them together.
void BatchProgram::filtered(const Val &image, int64_t dim) {
  Shape shape = image.shape, kernel = cutByKernel(shape);
  double count = double(kernel[0] * kernel[1] * image.shape[3]);
  auto filter = [&](const Shape &filterShape) {
    return program.argument(elem, filterShape, true);
  };
  auto named = [&](const std::string &op, const Val &weights) {
    Val init = program.filled(elem, shape, 0);
    add("linalg." + op +
            " {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : "
            "tensor<2xi64>} " +
            insOutsTo({image, weights}, init),
        shape, dim, image.bound * weights.bound * count);
  };
  if (dim == 3)
    return named("depthwise_conv_2d_nhwc_hwc",
                 filter({kernel[0], kernel[1], shape[3]}));
  int64_t channels = image.shape[3], others = rng.between(1, 3);
  shape[3] = others;
  if (!lowersTosa(program.seed) || rng.chance(30))
    return named("conv_2d_nhwc_hwcf",
                 filter({kernel[0], kernel[1], channels, others}));
  bool deep = rng.chance(50);
  shape[3] = deep ? channels * others : others;
  Val weights = filter(deep ? Shape{kernel[0], kernel[1], channels, others}
                            : Shape{others, kernel[0], kernel[1], channels});
  Val bias = filter({shape[3]});
  std::string zero = tosaOne(program, "f32", "0.0");
  add(std::string("tosa.") + (deep ? "depthwise_conv2d " : "conv2d ") +
          image.name + ", " + weights.name + ", " + bias.name + ", " + zero +
          ", " + zero +
          " {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, "
          "0, 0, 0>, stride = array<i64: 1, 1>} : (" +
          image.type() + ", " + weights.type() + ", " + bias.type() +
          ", tensor<1xf32>, tensor<1xf32>) -> " + tensorType(elem, shape),
      shape, dim, image.bound * weights.bound * count + bias.bound);
}

/// Ops on images: each one by itself, or each channel.
void BatchProgram::images(const Batched &) {
  if (elem != Elem::F32)
    return;
  using Op = void (BatchProgram::*)(const Val &, int64_t);
  static const std::vector<Op> ops = {
      &BatchProgram::resized, &BatchProgram::pooled, &BatchProgram::filtered};
  Shape shape = {rng.between(1, 3), rng.between(1, 3), rng.between(1, 3),
                 rng.between(1, 3)};
  int64_t dim = rng.chance(60) ? 0 : 3;
  shape[dim] = parts * rng.between(1, 2);
  (this->*rng.oneOf(ops))(splitArgument(shape, dim), dim);
}

/// Products of matrices, and rows that are taken or put at given places, one by one.
void BatchProgram::rows(const Batched &) {
  if (elem != Elem::F32)
    return;
  int64_t batch = parts * rng.between(1, 2), extent = rng.between(1, 4),
          count = rng.between(1, extent);
  Shape shape = {batch, extent, rng.between(1, 3)};
  Val a = splitArgument(shape, 0);
  int64_t kind = rng.between(0, 2);
  if (kind == 0) {
    Val b = splitArgument({batch, shape[2], rng.between(1, 3)}, 0);
    Shape to = {batch, extent, b.shape[2]};
    std::string zero = tosaOne(program, "f32", "0.0");
    return add("tosa.matmul " + a.name + ", " + b.name + ", " + zero + ", " +
                   zero + " : (" + a.type() + ", " + b.type() +
                   ", tensor<1xf32>, tensor<1xf32>) -> " + tensorType(elem, to),
               to, 0, a.bound * b.bound * double(shape[2]));
  }
  // Of one row a look-up is no choice; what is left of it may be gathered (docs/Mutants.md).
  if (extent == 1)
    return;
  // Places that are data, the same for all.
  Shape places;
  for (int64_t place = 0; place < extent; ++place)
    places.push_back(place);
  rng.shuffle(places);
  places.resize(count);
  std::string at = program.fresh(), row = "[" + list(places) + "]";
  std::string type = tensorType(Elem::I32, {batch, count});
  program.line(at + " = arith.constant dense<[" +
               shard::fuzz::join(std::vector<std::string>(batch, row)) +
               "]> : " + type);
  Shape to = {batch, count, shape[2]};
  if (kind == 1 || lowersTosa(program.seed))
    return add("tosa.gather " + a.name + ", " + at + " : (" + a.type() + ", " +
                   type + ") -> " + tensorType(elem, to),
               to, 0, a.bound);
  Val updates = splitArgument(to, 0);
  add("tosa.scatter " + a.name + ", " + at + ", " + updates.name + " : (" +
          a.type() + ", " + type + ", " + updates.type() + ") -> " + a.type(),
      shape, 0, std::max(a.bound, updates.bound));
}

/// More or fewer elements along another dimension.
void BatchProgram::moved(const Batched &a) {
  int64_t dim = otherDim(a), rank = a.value.shape.size();
  if (dim < 0 || elem == Elem::I8)
    return;
  Shape shape = a.value.shape;
  int64_t kind = lowersTosa(program.seed) ? rng.between(0, 3) : 3;
  std::string size = std::to_string(kind == 2 ? 2 * rank : rank);
  std::string types = " : (" + a.value.type(),
              sized = ", !tosa.shape<" + size + ">";
  if (kind == 0) {
    Shape times(rank, 1);
    times[dim] = rng.between(1, 3);
    shape[dim] *= times[dim];
    std::string target = tosaShape(program, "[" + list(times) + "]", rank);
    return add("tosa.tile " + a.value.name + ", " + target + types + sized +
                   ") -> " + tensorType(elem, shape),
               shape, a.dim, a.value.bound);
  }
  if (kind == 1) {
    Shape offsets(rank);
    offsets[dim] = rng.between(0, shape[dim] - 1);
    shape[dim] = rng.between(1, shape[dim] - offsets[dim]);
    std::string from = tosaShape(program, "[" + list(offsets) + "]", rank),
                to = tosaShape(program, "[" + list(shape) + "]", rank);
    return add("tosa.slice " + a.value.name + ", " + from + ", " + to + types +
                   sized + sized + ") -> " + tensorType(elem, shape),
               shape, a.dim, a.value.bound);
  }
  if (kind == 2) {
    Shape widths(2 * rank);
    for (int64_t side : {2 * dim, 2 * dim + 1})
      shape[dim] += widths[side] = rng.between(0, 2);
    std::string target = tosaShape(program, "[" + list(widths) + "]", 2 * rank);
    std::string zero = tosaOne(program, name(elem), program.literal(elem, 0));
    return add("tosa.pad " + a.value.name + ", " + target + ", " + zero +
                   types + sized + ", tensor<1x" + name(elem) + ">) -> " +
                   tensorType(elem, shape),
               shape, a.dim, a.value.bound);
  }
  Val b = argument(a.value.shape, a.dim).value;
  shape[dim] *= 2;
  add("tosa.concat " + a.value.name + ", " + b.name +
          " {axis = " + std::to_string(dim) + " : i32}" + types + ", " +
          b.type() + ") -> " + tensorType(elem, shape),
      shape, a.dim, std::max(a.value.bound, b.bound));
}

namespace {
/// The body of an op over `shape` that reads an element at places that it computes of its loops.
struct ElementReader {
  ElementReader(ProgramBuilder &program, const Shape &shape)
      : program(program), shape(shape) {
    for (size_t i = 0; i < shape.size(); ++i) {
      places.push_back(program.fresh());
      lines.push_back(places.back() + " = linalg.index " + std::to_string(i) +
                      " : index");
    }
  }

  /// The op, which reads `a`.
  Val read(const Val &a) {
    std::vector<std::string> loops, kinds(shape.size(), "\"parallel\"");
    for (size_t i = 0; i < shape.size(); ++i)
      loops.push_back("d" + std::to_string(i));
    std::string all = shard::fuzz::join(loops), element = program.fresh(),
                result = program.fresh(), type = name(a.elem);
    Val init = program.empty(a.elem, shape);
    lines.push_back(element + " = tensor.extract " + a.name + "[" +
                    shard::fuzz::join(places) + "] : " + a.type());
    lines.push_back("linalg.yield " + element + " : " + type);
    program.line(result + " = linalg.generic {indexing_maps = [affine_map<(" +
                 all + ") -> (" + all + ")>], iterator_types = [" +
                 shard::fuzz::join(kinds) + "]} outs(" + init.name + " : " +
                 init.type() + ") {");
    program.line("^bb0(" + program.fresh() + ": " + type + "):");
    for (const std::string &line : lines)
      program.line("  " + line);
    program.line("} -> " + init.type());
    return program.add({result, a.elem, true, shape, a.bound});
  }

  ProgramBuilder &program;
  Shape shape;
  /// Of each dimension the place that is read; the loops at first.
  std::vector<std::string> places, lines;
};
} // namespace

/// Reads each element of `a` at its own place, which for `dim` is computed in a way that only the
/// numbers of all iterations tell.
static Val readInPlace(ProgramBuilder &program, const Val &a, int64_t dim) {
  ElementReader reader(program, a.shape);
  std::string mask =
      program.scalarConstant(Elem::Index, program.rng.between(1, 7)).name;
  // What is masked twice is as before.
  for (int64_t times = 2; times > 0; --times) {
    std::string masked = program.fresh();
    reader.lines.push_back(masked + " = arith.xori " + reader.places[dim] +
                           ", " + mask + " : index");
    reader.places[dim] = masked;
  }
  return reader.read(a);
}

/// The places `i / times` of `count` elements as a tensor of indices: a constant, or what an op
/// makes of one.
static Val repeatedPlaces(ProgramBuilder &program, int64_t count,
                          int64_t times) {
  bool isMade = program.rng.chance(65);
  std::vector<std::string> places;
  for (int64_t i = 0; i < count; ++i)
    places.push_back(
        std::to_string(isMade ? count / times - 1 - i / times : i / times));
  Val table{program.fresh(), Elem::Index, true, {count}};
  program.line(table.name + " = arith.constant dense<[" +
               shard::fuzz::join(places) + "]> : " + table.type());
  if (!isMade)
    return table;
  Val last = program.scalarConstant(Elem::Index, count / times - 1),
      init = program.empty(Elem::Index, {count}), result = table;
  std::string in = program.fresh(), place = program.fresh(),
              map = "affine_map<(d0) -> (d0)>";
  result.name = program.fresh();
  program.line(result.name + " = linalg.generic {indexing_maps = [" + map +
               ", " + map + "], iterator_types = [\"parallel\"]} " +
               insOuts({table}, init) + " {");
  program.line("^bb0(" + in + ": index, " + program.fresh() + ": index):");
  program.line("  " + place + " = arith.subi " + last.name + ", " + in +
               " : index");
  program.line("  linalg.yield " + place + " : index");
  program.line("} -> " + init.type());
  return result;
}

/// Each element of `a` several times along `dim`, by a table of places.
static Val repeatedByTable(ProgramBuilder &program, const Val &a, int64_t dim) {
  int64_t times = program.rng.between(2, 3);
  Shape shape = a.shape;
  shape[dim] *= times;
  Val table = repeatedPlaces(program, shape[dim], times);
  ElementReader reader(program, shape);
  std::string at = program.fresh();
  reader.lines.push_back(at + " = tensor.extract " + table.name + "[" +
                         reader.places[dim] + "] : " + table.type());
  reader.places[dim] = at;
  return reader.read(a);
}

/// Adds to each element its place in a dimension, mostly in the batch, of which a device has a block.
void BatchProgram::placed(const Batched &a) {
  if (elem == Elem::I8)
    return;
  const Shape &shape = a.value.shape;
  // Two iterations do not tell how places go on.
  if (shape[a.dim] > 2 && rng.chance(35))
    return values.push_back({rng.chance(50) || numElements(shape) > 1000
                                 ? readInPlace(program, a.value, a.dim)
                                 : repeatedByTable(program, a.value, a.dim),
                             a.dim});
  int64_t dim = otherDim(a);
  if (dim < 0 || rng.chance(75))
    dim = a.dim;
  std::vector<std::string> loops, kinds(shape.size(), "\"parallel\"");
  for (size_t i = 0; i < shape.size(); ++i)
    loops.push_back("d" + std::to_string(i));
  std::string all = shard::fuzz::join(loops),
              map = "affine_map<(" + all + ") -> (" + all + ")>";
  Val init = program.empty(elem, shape);
  std::string element = program.fresh(), old = program.fresh(),
              place = program.fresh(), number = program.fresh(),
              sum = program.fresh(), result = program.fresh();
  program.line(result + " = linalg.generic {indexing_maps = [" + map + ", " +
               map + "], iterator_types = [" + shard::fuzz::join(kinds) +
               "]} " + insOuts({a.value}, init) + " {");
  program.line("^bb0(" + element + ": " + name(elem) + ", " + old + ": " +
               name(elem) + "):");
  program.line("  " + place + " = linalg.index " + std::to_string(dim) +
               " : index");
  program.line("  " + number + " = arith.index_cast " + place +
               " : index to i32");
  if (isFloat(elem)) {
    std::string exact = program.fresh();
    program.line("  " + exact + " = arith.sitofp " + number + " : i32 to " +
                 name(elem));
    number = exact;
  }
  program.line("  " + sum + " = arith.add" + (isFloat(elem) ? "f " : "i ") +
               element + ", " + number + " : " + name(elem));
  program.line("  linalg.yield " + sum + " : " + name(elem));
  program.line("} -> " + init.type());
  Val value{result, elem, true, shape, a.value.bound + double(shape[dim])};
  program.add(value);
  values.push_back({program.clamped(value, 64), a.dim});
}
