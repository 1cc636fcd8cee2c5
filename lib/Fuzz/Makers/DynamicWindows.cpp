//===- DynamicWindows.cpp - Windows over dynamic extents ------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Padding, slices, insertions, stencils of slices and window sums of tensors with dynamic
// dimensions.
// Where the devices divide these by contract, results are as long as what they are made
// of; else they are of any extent.
//
//===----------------------------------------------------------------------===//

#include "Parts.h"

#include <algorithm>

using namespace shard::fuzz;

/// The extent of dimension `dim` of `value` and `more`.
static std::string extentPlus(ProgramBuilder &program, const Val &value,
                              size_t dim, int64_t more) {
  if (more == 0 || program.rng.chance(15)) {
    Val moved = value;
    moved.shape[dim] += more;
    if (more != 0)
      moved.name.clear();
    return program.extentOf(moved, dim);
  }
  std::string extent = program.extentOf(value, dim), sum = program.fresh();
  Val number = program.scalarConstant(Elem::Index, more);
  program.line(sum + " = arith.addi " + extent + ", " + number.name +
               " : index");
  return sum;
}

static Val paddedBy(ProgramBuilder &program, const Val &value, const Shape &low,
                    const Shape &high) {
  Val like = value;
  std::vector<std::string> before, behind, indices;
  for (size_t dim = 0; dim < value.shape.size(); ++dim) {
    like.shape[dim] += low[dim] + high[dim];
    before.push_back(std::to_string(low[dim]));
    behind.push_back(std::to_string(high[dim]));
    indices.push_back(program.fresh() + ": index");
  }
  int64_t fill = program.rng.between(-2, 2);
  Val number = program.scalarConstant(value.elem,
                                      value.elem == Elem::I1 ? fill & 1 : fill);
  like.name = program.fresh();
  like.bound = std::max(value.bound, 2.0);
  program.line(like.name + " = tensor.pad " + value.name + " low[" +
               join(before) + "] high[" + join(behind) + "] {");
  program.line("^bb0(" + join(indices) + "):");
  program.line("  tensor.yield " + number.name + " : " + number.type());
  program.line("} : " + value.type() + " to " + like.type());
  return like;
}

/// A slice of `from` from `offsets` on, of the extents of `value` and `more`, or of every
/// second element of as many.
static Val sliced(ProgramBuilder &program, const Val &from, const Val &value,
                  const Shape &offsets, const Shape &more, int64_t stride) {
  Val like = value;
  std::vector<std::string> begins, sizes, strides;
  for (size_t dim = 0; dim < value.shape.size(); ++dim) {
    like.shape[dim] = (value.shape[dim] + more[dim] + stride - 1) / stride;
    begins.push_back(std::to_string(offsets[dim]));
    strides.push_back(std::to_string(stride));
    if (!value.dynamic[dim]) {
      sizes.push_back(std::to_string(like.shape[dim]));
      continue;
    }
    sizes.push_back(extentPlus(program, value, dim, more[dim] + stride - 1));
    if (stride == 1)
      continue;
    Val divisor = program.scalarConstant(Elem::Index, stride);
    std::string half = program.fresh();
    program.line(half + " = arith.divui " + sizes.back() + ", " + divisor.name +
                 " : index");
    sizes.back() = half;
  }
  return program.defineLike("tensor.extract_slice " + from.name + "[" +
                                join(begins) + "] [" + join(sizes) + "] [" +
                                join(strides) + "] : " + from.type() + " to " +
                                like.type(),
                            like, from.bound);
}

/// The sum of the elements of a window of `from` at each place: `from` is `value` with
/// `more` elements around, windows are of `widths`, and the result has what is left.
static Val windowSum(ProgramBuilder &program, const Val &from, const Val &value,
                     const Shape &more, const Shape &widths) {
  size_t rank = value.shape.size();
  Val like = value;
  std::vector<std::string> loops, places, reads, kernel,
      kinds(rank, "\"parallel\""), sizes;
  double count = 1;
  for (size_t dim = 0; dim < rank; ++dim) {
    std::string place = "i" + std::to_string(dim),
                step = "k" + std::to_string(dim);
    loops.push_back(place);
    places.push_back(place);
    kernel.push_back(step);
    reads.push_back(place + " + " + step);
    kinds.push_back("\"reduction\"");
    count *= double(widths[dim]);
    like.shape[dim] += more[dim] - widths[dim] + 1;
    if (value.dynamic[dim])
      sizes.push_back(
          extentPlus(program, value, dim, more[dim] - widths[dim] + 1));
  }
  loops.insert(loops.end(), kernel.begin(), kernel.end());
  Val shape = program.empty(value.elem, widths);
  Val zero = program.scalarConstant(value.elem, 0), init = like, out = like;
  init.name = program.fresh();
  program.line(init.name + " = tensor.empty(" + join(sizes) +
               ") : " + like.type());
  out.name = program.fresh();
  program.line(out.name + " = linalg.fill ins(" + zero.name + " : " +
               zero.type() + ") outs(" + init.name + " : " + like.type() +
               ") -> " + like.type());
  std::string map = "affine_map<(" + join(loops) + ") -> (";
  std::string type = name(value.elem), element = program.fresh(),
              unused = program.fresh(), carried = program.fresh(),
              sum = program.fresh();
  like.name = program.fresh();
  like.bound = from.bound * count;
  program.line(like.name + " = linalg.generic {indexing_maps = [" + map +
               join(reads) + ")>, " + map + join(kernel) + ")>, " + map +
               join(places) + ")>], iterator_types = [" + join(kinds) + "]} " +
               insOuts({from, shape}, out) + " {");
  program.line("^bb0(" + element + ": " + type + ", " + unused + ": " + type +
               ", " + carried + ": " + type + "):");
  program.line("  " + sum + " = " +
               (isFloat(value.elem) ? "arith.addf " : "arith.addi ") + element +
               ", " + carried + " : " + type);
  program.line("  linalg.yield " + sum + " : " + type);
  program.line("} -> " + like.type());
  return program.add(like);
}

/// A padded tensor, and what reads windows of it: several slices that are added, one
/// slice, or sums of windows.
bool shard::fuzz::dynamicWindow(ProgramBuilder &program) {
  std::optional<Val> picked = program.pickDynamic();
  if (!picked || picked->elem == Elem::I1 || picked->elem == Elem::Index)
    return false;
  Val value = program.clamped(*picked, 64);
  size_t rank = value.shape.size();
  Shape low(rank), high(rank), more(rank);
  for (size_t dim = 0; dim < rank; ++dim) {
    if (!program.rng.chance(value.dynamic[dim] ? 80 : 30))
      continue;
    low[dim] = program.rng.between(0, 3);
    high[dim] = program.rng.between(0, 3);
    more[dim] = low[dim] + high[dim];
  }
  Val like = value;
  for (size_t dim = 0; dim < rank; ++dim)
    like.shape[dim] += more[dim];
  if (numElements(like.shape) > mostDynamicElements)
    return false;
  Val padded = paddedBy(program, value, low, high);
  bool isFree = program.dynamicUnit() == 1;
  if (isFree && program.rng.chance(30))
    program.add(padded);
  int64_t kind = program.rng.between(0, 2);
  Shape offsets(rank), widths(rank, 1);
  if (kind == 0 && isFree) {
    Shape left = more;
    for (size_t dim = 0; dim < rank; ++dim) {
      offsets[dim] = program.rng.between(0, more[dim]);
      left[dim] = more[dim] - offsets[dim];
    }
    sliced(program, padded, value, offsets, left, program.rng.between(1, 2));
    return true;
  }
  if (kind == 1) {
    for (size_t dim = 0; dim < rank; ++dim)
      widths[dim] =
          1 + (isFree ? program.rng.between(0, more[dim]) : more[dim]);
    windowSum(program, padded, value, more, widths);
    return true;
  }
  std::optional<Val> sum;
  for (int64_t term = program.rng.between(1, 3); term > 0; --term) {
    for (size_t dim = 0; dim < rank; ++dim)
      offsets[dim] = program.rng.between(0, more[dim]);
    Val slice = sliced(program, padded, value, offsets, Shape(rank), 1);
    if (sum)
      slice = program.defineLike(
          std::string("arith.add") + (isFloat(value.elem) ? "f " : "i ") +
              nameList({*sum, slice}) + " : " + slice.type(),
          slice, sum->bound + slice.bound);
    sum = slice;
  }
  return true;
}

/// A few elements put into a tensor with dynamic dimensions, at a known place or at one
/// that is a value.
bool shard::fuzz::dynamicInsert(ProgramBuilder &program) {
  std::optional<Val> into = program.pickDynamic();
  if (!into)
    return false;
  Shape shape;
  std::vector<std::string> begins, sizes, strides;
  for (int64_t extent : into->shape) {
    shape.push_back(program.rng.between(1, std::min<int64_t>(extent, 3)));
    int64_t begin = program.rng.between(0, extent - shape.back());
    begins.push_back(program.rng.chance(50)
                         ? std::to_string(begin)
                         : program.scalarConstant(Elem::Index, begin).name);
    sizes.push_back(std::to_string(shape.back()));
    strides.emplace_back("1");
  }
  Val source = program.need(into->elem, shape);
  program.defineLike("tensor.insert_slice " + source.name + " into " +
                         into->name + "[" + join(begins) + "] [" + join(sizes) +
                         "] [" + join(strides) + "] : " + source.type() +
                         " into " + into->type(),
                     *into, std::max(into->bound, source.bound));
  return true;
}
