//===- WindowOps.cpp - Ops that slide over dimensions ---------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chains of what needs halos: padding, slices with offsets and strides, windows of
// any stride, dilation and reach in one to three dimensions, forward and backward, rolls,
// reversed dimensions, joined slices, and insertions at other places. The widths go beyond a
// block, and beyond the tensor, of the grids that programs have.
//
//===----------------------------------------------------------------------===//

#include "shard/Fuzz/Makers.h"

#include <algorithm>

using namespace shard::fuzz;

namespace {

/// Longer dimensions are not widened any more, nor are large tensors.
constexpr int64_t kLongest = 30, kMostElements = 3000;

Val padded(ProgramBuilder &program, const Val &a) {
  Shape low, high, shape;
  std::vector<std::string> indices;
  for (int64_t extent : a.shape) {
    bool pads = extent < kLongest && program.rng.chance(60);
    low.push_back(pads ? program.rng.between(0, 4) : 0);
    high.push_back(pads ? program.rng.between(0, 4) : 0);
    shape.push_back(extent + low.back() + high.back());
    indices.push_back(program.fresh() + ": index");
  }
  // The same element again and again: then windows go through several paddings.
  int64_t number = program.rng.chance(70) ? 0 : program.rng.between(-2, 2);
  Val value = program.rng.chance(85) ? program.scalarConstant(a.elem, number)
                                     : program.needScalar(a.elem);
  std::string name = program.fresh();
  program.line(name + " = tensor.pad " + a.name + " low[" + list(low) +
               "] high[" + list(high) + "] {");
  program.line("^bb0(" + join(indices) + "):");
  program.line("  tensor.yield " + value.name + " : " + value.type());
  program.line("} : " + a.type() + " to " + tensorType(a.elem, shape));
  return program.add(
      {name, a.elem, true, shape, std::max(a.bound, value.bound)});
}

Val sliced(ProgramBuilder &program, const Val &a) {
  Shape offsets, sizes, strides;
  for (int64_t extent : a.shape) {
    int64_t stride = program.rng.chance(80) ? 1 : program.rng.between(2, 3);
    int64_t offset =
        program.rng.chance(30)
            ? 0
            : program.rng.between(0, std::min<int64_t>(extent - 1, 5));
    int64_t most = (extent - offset + stride - 1) / stride;
    offsets.push_back(offset);
    sizes.push_back(program.rng.chance(40)
                        ? most
                        : program.rng.between((most + 1) / 2, most));
    strides.push_back(stride);
  }
  return program.define("tensor.extract_slice " + a.name + "[" + list(offsets) +
                            "] [" + list(sizes) + "] [" + list(strides) +
                            "] : " + a.type() + " to " +
                            tensorType(a.elem, sizes),
                        a.elem, sizes, a.bound);
}

/// The element that place `place` of `count` reads with step `step` of a kernel that
/// reaches over `reach` of `extent` elements. One in four is read backward, the kernel,
/// the places or both; windows may begin behind the first element.
std::string readAt(Random &rng, const std::string &place, int64_t count,
                   int64_t stride, const std::string &step, int64_t dilation,
                   int64_t reach, int64_t extent) {
  int64_t last = (count - 1) * stride;
  int64_t begin = rng.chance(80) ? 0 : rng.between(0, extent - reach - last);
  bool turnsPlace = rng.chance(15), turnsStep = rng.chance(15);
  begin += (turnsPlace ? last : 0) + (turnsStep ? reach - 1 : 0);
  return place + " * " + std::to_string(turnsPlace ? -stride : stride) + " + " +
         step + " * " + std::to_string(turnsStep ? -dilation : dilation) +
         (begin == 0 ? "" : " + " + std::to_string(begin));
}

/// `value` but for small numbers, by a division that padding may make trap.
std::string withDivision(ProgramBuilder &program, const std::string &value,
                         const std::string &one, const std::string &type) {
  std::string square = program.fresh(), divisor = program.fresh(),
              quotient = program.fresh(), rest = program.fresh();
  program.line("  " + square + " = arith.muli " + value + ", " + value + " : " +
               type);
  program.line("  " + divisor + " = arith.addi " + square + ", " + one + " : " +
               type);
  program.line("  " + quotient + " = arith.divsi " + value + ", " + divisor +
               " : " + type);
  program.line("  " + rest + " = arith.subi " + value + ", " + quotient +
               " : " + type);
  return rest;
}

/// The sum or the maximum of the elements of a window around each place.
Val slid(ProgramBuilder &program, const Val &input) {
  bool isMax = program.rng.chance(30);
  size_t rank = input.shape.size();
  Shape window, out;
  std::vector<std::string> loops, places, reads, kernel, kinds;
  int64_t count = 1;
  for (size_t dim = 0; dim < rank; ++dim) {
    int64_t extent = input.shape[dim], dilation = program.rng.between(1, 3);
    int64_t most = std::min<int64_t>(4, (extent - 1) / dilation + 1);
    int64_t width = program.rng.chance(30) ? 1 : program.rng.between(1, most);
    int64_t stride = program.rng.chance(60) ? 1 : program.rng.between(2, 3);
    int64_t reach = (width - 1) * dilation + 1;
    window.push_back(width);
    out.push_back((extent - reach) / stride + 1);
    count *= width;
    std::string place = "i" + std::to_string(dim),
                step = "k" + std::to_string(dim);
    loops.push_back(place);
    places.push_back(place);
    kernel.push_back(step);
    reads.push_back(readAt(program.rng, place, out.back(), stride, step,
                           dilation, reach, extent));
    kinds.emplace_back("\"parallel\"");
  }
  for (size_t dim = 0; dim < rank; ++dim) {
    loops.push_back(kernel[dim]);
    kinds.emplace_back("\"reduction\"");
  }
  Val a = program.clamped(input, 4096);
  Val shape = program.empty(a.elem, window);
  Val init = program.filled(a.elem, out, isMax ? -100 : 0);
  bool isReal = isFloat(a.elem);
  std::optional<Val> one;
  if (!isReal && program.rng.chance(20))
    one = program.scalarConstant(Elem::I32, 1);
  std::string op = isMax ? (isReal ? "arith.maximumf" : "arith.maxsi")
                         : (isReal ? "arith.addf" : "arith.addi");
  std::string map = "affine_map<(" + join(loops) + ") -> (";
  std::string type = name(a.elem), result = program.fresh(),
              value = program.fresh(), unused = program.fresh(),
              carried = program.fresh(), sum = program.fresh();
  program.line(result + " = linalg.generic {indexing_maps = [" + map +
               join(reads) + ")>, " + map + join(kernel) + ")>, " + map +
               join(places) + ")>], iterator_types = [" + join(kinds) + "]} " +
               insOuts({a, shape}, init) + " {");
  program.line("^bb0(" + value + ": " + type + ", " + unused + ": " + type +
               ", " + carried + ": " + type + "):");
  if (one)
    value = withDivision(program, value, one->name, type);
  program.line("  " + sum + " = " + op + " " + carried + ", " + value + " : " +
               type);
  program.line("  linalg.yield " + sum + " : " + type);
  program.line("} -> " + init.type());
  return program.add(
      {result, a.elem, true, out,
       isMax ? std::max(a.bound, 100.0) : a.bound * double(count)});
}

/// [offset, offset + size) of dimension `dim`, the others whole.
Val cutOf(ProgramBuilder &program, const Val &a, size_t dim, int64_t offset,
          int64_t size) {
  Shape offsets(a.shape.size(), 0), sizes = a.shape;
  offsets[dim] = offset;
  sizes[dim] = size;
  return program.define("tensor.extract_slice " + a.name + "[" + list(offsets) +
                            "] [" + list(sizes) + "] [" +
                            list(Shape(sizes.size(), 1)) + "] : " + a.type() +
                            " to " + tensorType(a.elem, sizes),
                        a.elem, sizes, a.bound);
}

Val joined(ProgramBuilder &program, const std::vector<Val> &parts, size_t dim) {
  std::vector<std::string> names, types;
  Shape shape = parts.front().shape;
  shape[dim] = 0;
  double bound = 0;
  for (const Val &part : parts) {
    names.push_back(part.name);
    types.push_back(part.type());
    shape[dim] += part.shape[dim];
    bound = std::max(bound, part.bound);
  }
  Elem elem = parts.front().elem;
  return program.define("tensor.concat dim(" + std::to_string(dim) + ") " +
                            join(names) + " : (" + join(types) + ") -> " +
                            tensorType(elem, shape),
                        elem, shape, bound);
}

/// A dimension that is rolled, or the slices of two places of it one behind the other,
/// with a third one between.
Val rolled(ProgramBuilder &program, const Val &a) {
  size_t dim = program.rng.between(0, int64_t(a.shape.size()) - 1);
  int64_t extent = a.shape[dim];
  if (extent < 2)
    return a;
  int64_t by = program.rng.between(1, extent - 1);
  std::vector<Val> parts = {cutOf(program, a, dim, by, extent - by),
                            cutOf(program, a, dim, 0, by)};
  if (extent < kLongest && program.rng.chance(30)) {
    int64_t size = program.rng.between(1, extent);
    parts.insert(
        parts.begin() + program.rng.between(0, 2),
        cutOf(program, a, dim, program.rng.between(0, extent - size), size));
  }
  return joined(program, parts, dim);
}

/// `a` with one dimension reversed by an op of tosa, or with any by an indexing map or
/// by indices.
Val reversed(ProgramBuilder &program, const Val &a) {
  size_t rank = a.shape.size();
  int64_t form = program.rng.between(0, 2);
  if (form == 0)
    return program.define(
        "tosa.reverse " + a.name + " {axis = " +
            std::to_string(program.rng.between(0, int64_t(rank) - 1)) +
            " : i32} : (" + a.type() + ") -> " + a.type(),
        a.elem, a.shape, a.bound);
  std::vector<std::string> loops, reads, kinds, places;
  std::vector<bool> turns;
  for (size_t dim = 0; dim < rank; ++dim) {
    loops.push_back("i" + std::to_string(dim));
    turns.push_back(program.rng.chance(60));
    reads.push_back(turns.back() ? std::to_string(a.shape[dim] - 1) + " - " +
                                       loops.back()
                                 : loops.back());
    kinds.emplace_back("\"parallel\"");
  }
  std::vector<Val> lasts;
  if (form == 2)
    for (int64_t extent : a.shape)
      lasts.push_back(program.scalarConstant(Elem::Index, extent - 1));
  Val init = program.empty(a.elem, a.shape);
  std::string map = "affine_map<(" + join(loops) + ") -> (",
              type = name(a.elem), result = program.fresh(),
              value = program.fresh();
  program.line(result + " = linalg.generic {indexing_maps = [" +
               (form == 1 ? map + join(reads) + ")>, " : std::string()) + map +
               join(loops) + ")>], iterator_types = [" + join(kinds) + "]} " +
               (form == 1 ? insOuts({a}, init)
                          : "outs(" + init.name + " : " + init.type() + ")") +
               " {");
  program.line("^bb0(" +
               (form == 1 ? value + ": " + type + ", " : std::string()) +
               program.fresh() + ": " + type + "):");
  if (form == 2) {
    for (size_t dim = 0; dim < rank; ++dim) {
      std::string index = program.fresh();
      program.line("  " + index + " = linalg.index " + std::to_string(dim) +
                   " : index");
      places.push_back(turns[dim] ? program.fresh() : index);
      if (turns[dim])
        program.line("  " + places.back() + " = arith.subi " + lasts[dim].name +
                     ", " + index + " : index");
    }
    program.line("  " + value + " = tensor.extract " + a.name + "[" +
                 join(places) + "] : " + a.type());
  }
  program.line("  linalg.yield " + value + " : " + type);
  program.line("} -> " + init.type());
  return program.add({result, a.elem, true, a.shape, a.bound});
}

/// A part of `a` at another place in it, or `a` in a larger tensor.
Val inserted(ProgramBuilder &program, const Val &a) {
  Val source = a, target = a;
  if (program.rng.chance(50)) {
    for (size_t dim = 0; dim < a.shape.size(); ++dim) {
      int64_t size = program.rng.between(1, a.shape[dim]);
      source = cutOf(program, source, dim,
                     program.rng.between(0, a.shape[dim] - size), size);
    }
  } else {
    Shape shape = a.shape;
    for (int64_t &extent : shape)
      if (extent < kLongest)
        extent += program.rng.between(0, 6);
    target = program.need(a.elem, shape);
  }
  Shape offsets;
  for (size_t dim = 0; dim < a.shape.size(); ++dim)
    offsets.push_back(
        program.rng.between(0, target.shape[dim] - source.shape[dim]));
  return program.define(
      "tensor.insert_slice " + source.name + " into " + target.name + "[" +
          list(offsets) + "] [" + list(source.shape) + "] [" +
          list(Shape(offsets.size(), 1)) + "] : " + source.type() + " into " +
          target.type(),
      target.elem, target.shape, std::max(source.bound, target.bound));
}

/// `a` with its elements apart in a tensor of equal elements, as in front of a transposed
/// convolution.
Val spread(ProgramBuilder &program, const Val &a) {
  Shape offsets, strides, shape = a.shape;
  int64_t value = program.rng.chance(60) ? 0 : program.rng.between(-3, 3);
  for (int64_t &extent : shape) {
    int64_t stride = program.rng.between(1, 3), whole = extent;
    extent = stride * (whole - 1) + 1;
    if (extent > kLongest || numElements(shape) > kMostElements) {
      stride = 1;
      extent = whole;
    }
    strides.push_back(stride);
    offsets.push_back(program.rng.chance(40) ? program.rng.between(1, 3) : 0);
    extent += offsets.back() +
              (program.rng.chance(60) ? program.rng.between(0, 4) : 0);
  }
  Val target = program.rng.chance(50) ? program.filled(a.elem, shape, value)
                                      : program.splat(a.elem, shape, value);
  return program.define("tensor.insert_slice " + a.name + " into " +
                            target.name + "[" + list(offsets) + "] [" +
                            list(a.shape) + "] [" + list(strides) +
                            "] : " + a.type() + " into " + target.type(),
                        a.elem, shape, std::max(a.bound, target.bound));
}

bool isSmall(const Val &value) {
  return value.tensor && !value.shape.empty() && value.shape.size() <= 3 &&
         numElements(value.shape) > 0 &&
         numElements(value.shape) <= kMostElements &&
         (value.elem == Elem::F32 || value.elem == Elem::I32);
}

/// A value for windows: one in scope, or a longer one.
Val wide(ProgramBuilder &program) {
  if (program.rng.chance(50))
    if (std::optional<Val> value = program.pick(isSmall))
      return *value;
  Elem elem = program.rng.chance(75) ? Elem::F32 : Elem::I32;
  Shape shape;
  int64_t rank = program.rng.between(1, 3);
  for (int64_t dim = 0; dim < rank; ++dim)
    shape.push_back(program.rng.between(2, rank == 1 ? 30 : 12));
  return program.need(elem, shape);
}

bool windowChain(ProgramBuilder &program) {
  Val value = wide(program);
  for (int64_t left = program.rng.between(1, 4); left > 0; --left) {
    int64_t kind = program.rng.between(0, 6);
    value = kind == 0   ? padded(program, value)
            : kind == 1 ? sliced(program, value)
            : kind == 2 ? rolled(program, value)
            : kind == 3 ? inserted(program, value)
            : kind == 4 ? reversed(program, value)
            : kind == 5 ? spread(program, value)
                        : slid(program, value);
    if (!isSmall(value))
      break;
  }
  return true;
}

/// The sum of several slices of `value`, padded, as in stencils.
Val stencilOf(ProgramBuilder &program, const Val &value) {
  Val around = padded(program, value);
  std::optional<Val> sum;
  for (int64_t left = program.rng.between(2, 4); left > 0; --left) {
    Shape offsets;
    for (size_t dim = 0; dim < value.shape.size(); ++dim)
      offsets.push_back(
          program.rng.between(0, around.shape[dim] - value.shape[dim]));
    Val part = program.define(
        "tensor.extract_slice " + around.name + "[" + list(offsets) + "] [" +
            list(value.shape) + "] [" + list(Shape(offsets.size(), 1)) +
            "] : " + around.type() + " to " + value.type(),
        value.elem, value.shape, around.bound);
    part = program.clamped(part, 4096);
    sum = sum ? program.define(
                    (isFloat(value.elem) ? "arith.addf " : "arith.addi ") +
                        sum->name + ", " + part.name + " : " + value.type(),
                    value.elem, value.shape, sum->bound + part.bound)
              : part;
  }
  return *sum;
}

bool stencil(ProgramBuilder &program) {
  stencilOf(program, wide(program));
  return true;
}

/// A loop that applies a stencil, or two, to what it carries.
bool stencilLoop(ProgramBuilder &program) {
  if (program.depth >= 2)
    return false;
  Val value = program.clamped(wide(program), 8);
  Val low = program.scalarConstant(Elem::Index, 0),
      step = program.scalarConstant(Elem::Index, 1),
      high = program.scalarConstant(Elem::Index, program.rng.between(0, 7));
  Val carried = value;
  carried.name = program.fresh();
  std::string index = program.fresh();
  std::string text = program.region([&] {
    program.add(carried);
    Val next = program.clamped(stencilOf(program, carried), 8);
    if (program.rng.chance(30))
      next = program.clamped(stencilOf(program, next), 8);
    if (program.rng.chance(40))
      next = program.clamped(
          program.define((isFloat(value.elem) ? "arith.subf " : "arith.subi ") +
                             next.name + ", " + carried.name + " : " +
                             value.type(),
                         value.elem, value.shape, 16),
          8);
    program.line("scf.yield " + next.name + " : " + next.type());
  });
  Val result = value;
  result.name = program.fresh();
  program.line(result.name + " = scf.for " + index + " = " + low.name + " to " +
               high.name + " step " + step.name + " iter_args(" + carried.name +
               " = " + value.name + ") -> (" + value.type() + ") {");
  program.out += text;
  program.line("}");
  program.add(result);
  return true;
}

} // namespace

void shard::fuzz::registerWindowMakers(MakerRegistry &makers) {
  makers.add(MakerGroup::Ops, windowChain, 5);
  makers.add(MakerGroup::Ops, stencil, 2);
  makers.add(MakerGroup::Ops, stencilLoop, 3);
  makers.add(MakerGroup::Windows, windowChain, 4);
  makers.add(MakerGroup::Windows, stencil);
  makers.add(MakerGroup::Loops, stencilLoop);
}
