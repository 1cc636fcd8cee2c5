//===- SliceOps.cpp - Slices at places from data in a random program ------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Slices are cut out of a tensor or inserted into it at offsets that are constants or that
// data gives. Such an offset may lie outside of the tensor; the slice is then moved into it.
// A constant in a dynamic dimension has to be in range, and so has what may be folded to one.
//
//===----------------------------------------------------------------------===//

#include "Parts.h"

#include <algorithm>

using namespace shard::fuzz;

namespace {
/// Where a slice lies in a tensor, and what it is.
struct SlicePlace {
  std::vector<std::string> offsets, sizes;
  Shape strides;
  /// The slice, without the dimensions that it drops.
  Val slice;

  std::string text() const {
    return "[" + join(offsets) + "] [" + join(sizes) + "] [" + list(strides) +
           "] : ";
  }
};
} // namespace

/// A constant index, or one that is computed of constants.
static Val constantIndex(ProgramBuilder &program, int64_t number) {
  Random &rng = program.rng;
  if (rng.chance(50))
    return program.scalarConstant(Elem::Index, number);
  if (rng.chance(50))
    return program.defineScalar(
        "arith.index_cast " + program.scalarConstant(Elem::I32, number).name +
            " : i32 to index",
        Elem::Index, number);
  Val a = program.scalarConstant(Elem::Index, rng.between(0, number)),
      b = program.scalarConstant(Elem::Index, number - a.bound);
  return program.defineScalar(
      "arith.addi " + a.name + ", " + b.name + " : index", Elem::Index, number);
}

/// An offset in [0, last], or one that is not known and may be any number.
static std::string randomOffset(ProgramBuilder &program, int64_t last,
                                bool isDynamic) {
  if (program.rng.chance(60)) {
    if (!isDynamic)
      return program.needScalar(Elem::Index).name;
    if (program.arguments.size() < 6 && program.manualAxes.empty())
      return program.argument(Elem::Index, {}, false).name;
  }
  // One that is a constant and out of range is moved into it, as one that is not known.
  if (!isDynamic && program.rng.chance(15))
    return program
        .scalarConstant(Elem::Index, program.rng.chance(50)
                                         ? program.rng.between(-3, -1)
                                         : last + program.rng.between(1, 3))
        .name;
  int64_t offset = program.rng.between(0, last);
  return program.rng.chance(50) ? constantIndex(program, offset).name
                                : std::to_string(offset);
}

/// A place in `tensor` for a slice with strides of 1 or, if `strided`, more.
static SlicePlace randomPlace(ProgramBuilder &program, const Val &tensor,
                              bool strided) {
  SlicePlace place;
  place.slice = tensor;
  place.slice.name.clear();
  place.slice.shape.clear();
  place.slice.dynamic.clear();
  Random &rng = program.rng;
  bool drops = rng.chance(60);
  for (size_t dim = 0; dim < tensor.shape.size(); ++dim) {
    int64_t extent = tensor.shape[dim];
    bool isDynamic = dim < tensor.dynamic.size() && tensor.dynamic[dim];
    bool isWhole = rng.chance(30), isOne = !isWhole && rng.chance(50);
    // A dynamic dimension of the slice has to divide as others do.
    bool isStatic = !isDynamic || (!isWhole && rng.chance(60));
    int64_t unit = isStatic ? 1 : program.dynamicUnit();
    int64_t stride = strided && !isWhole && unit == 1 && rng.chance(25) ? 2 : 1;
    int64_t most = (extent + stride - 1) / stride;
    int64_t size = isWhole ? extent
                   : isOne ? unit
                           : unit * rng.between(1, most / unit);
    int64_t last = extent - 1 - (size - 1) * stride;
    place.offsets.push_back(isWhole ? "0"
                                    : randomOffset(program, last, isDynamic));
    place.strides.push_back(stride);
    place.sizes.push_back(isStatic  ? std::to_string(size)
                          : isWhole ? program.extentOf(tensor, dim)
                                    : constantIndex(program, size).name);
    // One of several dimensions of one element may stay.
    if (drops && size == 1 && isStatic && rng.chance(60))
      continue;
    place.slice.shape.push_back(size);
    place.slice.dynamic.push_back(!isStatic);
  }
  place.slice = tidied(place.slice);
  return place;
}

static bool sliceOf(ProgramBuilder &program, const std::optional<Val> &tensor) {
  if (!tensor)
    return false;
  bool inserts = program.rng.chance(50);
  SlicePlace place = randomPlace(program, *tensor, !inserts);
  if (!inserts) {
    program.defineLike("tensor.extract_slice " + tensor->name + place.text() +
                           tensor->type() + " to " + place.slice.type(),
                       place.slice, tensor->bound);
    return true;
  }
  Val source = program.needLike(place.slice);
  program.defineLike("tensor.insert_slice " + source.name + " into " +
                         tensor->name + place.text() + source.type() +
                         " into " + tensor->type(),
                     *tensor, std::max(tensor->bound, source.bound));
  return true;
}

/// A slice of a static tensor with sizes that are values, which all are constants, and the cast
/// to its static shape. Some of its dimensions of one element are dropped, whichever they are.
static bool foldedSlice(ProgramBuilder &program) {
  Random &rng = program.rng;
  std::optional<Val> a = program.pickTensor(rng.chance(70) ? 3 : 2);
  if (!a || numElements(a->shape) == 0)
    return false;
  std::vector<std::string> offsets, sizes, extents;
  Shape ones(a->shape.size(), 1), shape;
  // Mostly between others.
  int64_t rank = a->shape.size(), folded = rng.between(0, rank - 1);
  if (rank > 2 && rng.chance(60))
    folded = rng.between(1, rank - 2);
  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t extent = a->shape[dim];
    bool isFolded = dim == folded || rng.chance(10);
    int64_t size = isFolded || rng.chance(15) ? rng.between(1, extent) : 1;
    offsets.push_back(randomOffset(program, extent - size, false));
    sizes.push_back(isFolded ? constantIndex(program, size).name
                             : std::to_string(size));
    if (!isFolded && size == 1 && rng.chance(dim < folded ? 30 : 70))
      continue;
    shape.push_back(size);
    extents.push_back(isFolded ? "?" : std::to_string(size));
  }
  std::string type = "tensor<", slice = program.fresh();
  for (const std::string &extent : extents)
    type += extent + "x";
  type += name(a->elem) + ">";
  program.line(slice + " = tensor.extract_slice " + a->name + "[" +
               join(offsets) + "] [" + join(sizes) + "] [" + list(ones) +
               "] : " + a->type() + " to " + type);
  program.define("tensor.cast " + slice + " : " + type + " to " +
                     tensorType(a->elem, shape),
                 a->elem, shape, a->bound);
  return true;
}

static bool placedSlice(ProgramBuilder &program) {
  return sliceOf(program, program.pickTensor(1));
}

static bool dynamicPlacedSlice(ProgramBuilder &program) {
  return sliceOf(program, program.pickDynamic());
}

/// An scf.forall over a dynamic dimension: each iteration writes the larger elements of
/// one place of two tensors.
static bool dynamicForall(ProgramBuilder &program) {
  std::optional<Val> a = program.pickDynamic();
  if (!a || program.depth >= 2)
    return false;
  // Partition rejects windows of other dynamic dimensions in such a loop.
  if (std::count(a->dynamic.begin(), a->dynamic.end(), true) != 1)
    return false;
  int64_t chosen = std::find(a->dynamic.begin(), a->dynamic.end(), true) -
                   a->dynamic.begin();
  Val b = program.needLike(*a);
  Val init =
      program.rng.chance(50) ? program.needLike(*a) : program.emptyLike(*a);
  std::string count = program.extentOf(*a, chosen), step = program.fresh(),
              shared = program.fresh(), result = program.fresh();
  Val row = *a;
  row.shape[chosen] = 1;
  row.dynamic[chosen] = false;
  row = tidied(row);
  std::vector<std::string> offsets, sizes, ones(a->shape.size(), "1");
  for (int64_t dim = 0; dim < int64_t(a->shape.size()); ++dim) {
    offsets.push_back(dim == chosen ? step : "0");
    sizes.push_back(dim == chosen ? "1" : std::to_string(a->shape[dim]));
  }
  std::string place =
      "[" + join(offsets) + "] [" + join(sizes) + "] [" + join(ones) + "] : ";
  program.line(result + " = scf.forall (" + step + ") in (" + count +
               ") shared_outs(" + shared + " = " + init.name + ") -> (" +
               init.type() + ") {");
  std::vector<std::string> rows;
  for (const Val &source : {*a, b}) {
    rows.push_back(program.fresh());
    program.line("  " + rows.back() + " = tensor.extract_slice " + source.name +
                 place + source.type() + " to " + row.type());
  }
  std::string larger = program.fresh();
  program.line("  " + larger + " = arith." +
               (isFloat(a->elem)      ? "maximumf "
                : a->elem == Elem::I1 ? "ori "
                                      : "maxsi ") +
               join(rows) + " : " + row.type());
  program.line("  scf.forall.in_parallel {");
  program.line("    tensor.parallel_insert_slice " + larger + " into " +
               shared + place + row.type() + " into " + init.type());
  program.line("  }");
  program.line("}");
  Val made = *a;
  made.name = result;
  made.bound = std::max(a->bound, b.bound);
  program.add(made);
  return true;
}

/// Two slices of a tensor, with something between them, and nothing else of it: what moves it moves
/// both parts alone.
static bool slicesApart(ProgramBuilder &program) {
  Random &rng = program.rng;
  std::optional<Val> a = program.pickTensor(2);
  if (!a)
    return false;
  size_t dim = rng.between(0, int64_t(a->shape.size()) - 1);
  int64_t extent = a->shape[dim];
  if (extent < 3 || numElements(a->shape) == 0)
    return false;
  int64_t size = rng.between(1, (extent - 1) / 2);
  int64_t first = rng.between(0, extent - 2 * size - 1);
  int64_t second = rng.between(first + size + 1, extent - size);
  std::string sharding = program.shardingOp(*a, false), moved = program.fresh();
  program.line(moved + " = shard.shard " + a->name + " to " + sharding +
               " annotate_for_users : " + a->type());
  Shape shape = a->shape, both = a->shape, offsets(shape.size(), 0);
  shape[dim] = size;
  both[dim] = 2 * size;
  std::string ones = list(Shape(shape.size(), 1)), parts, types;
  for (int64_t begin : {first, second}) {
    offsets[dim] = begin;
    Val part = program.define("tensor.extract_slice " + moved + "[" +
                                  list(offsets) + "] [" + list(shape) + "] [" +
                                  ones + "] : " + a->type() + " to " +
                                  tensorType(a->elem, shape),
                              a->elem, shape, a->bound);
    parts += (parts.empty() ? "" : ", ") + part.name;
    types += (types.empty() ? "" : ", ") + part.type();
  }
  if (rng.chance(50))
    program.define("tensor.concat dim(" + std::to_string(dim) + ") " + parts +
                       " : (" + types + ") -> " + tensorType(a->elem, both),
                   a->elem, both, a->bound);
  return true;
}

/// Merges two dimensions, cuts a slice out of the others, and takes the merged one apart.
static bool sliceOfMerged(ProgramBuilder &program) {
  Random &rng = program.rng;
  std::optional<Val> a = program.pickTensor(3);
  if (!a || numElements(a->shape) == 0)
    return false;
  size_t first = rng.between(0, int64_t(a->shape.size()) - 2);
  Shape merged, offsets, sizes, apart, groups;
  for (size_t dim = 0; dim < a->shape.size(); ++dim) {
    int64_t extent = a->shape[dim], size = extent, offset = 0;
    groups.push_back(dim == first ? 2 : 1);
    if (dim == first) {
      apart.push_back(extent);
      apart.push_back(a->shape[++dim]);
      size = extent *= apart.back();
    } else {
      size = rng.between(1, extent);
      offset = rng.between(0, extent - size);
      apart.push_back(size);
    }
    merged.push_back(extent);
    offsets.push_back(offset);
    sizes.push_back(size);
  }
  std::string whole = tensorType(a->elem, merged),
              part = tensorType(a->elem, sizes), taken = program.fresh(),
              slice = program.fresh(), reassociation = " " + groupsText(groups);
  program.line(taken + " = tensor.collapse_shape " + a->name + reassociation +
               " : " + a->type() + " into " + whole);
  program.line(slice + " = tensor.extract_slice " + taken + "[" +
               list(offsets) + "] [" + list(sizes) + "] [" +
               list(Shape(sizes.size(), 1)) + "] : " + whole + " to " + part);
  program.define("tensor.expand_shape " + slice + reassociation +
                     " output_shape [" + list(apart) + "] : " + part +
                     " into " + tensorType(a->elem, apart),
                 a->elem, apart, a->bound);
  return true;
}

/// More updates of one tensor than the analysis of bufferization gets at once, some by parts
/// of older versions.
static bool updatedOften(ProgramBuilder &program) {
  std::optional<Val> a = program.pick([](const Val &v) {
    return v.tensor && !v.shape.empty() && v.shape[0] > 0 && v.dynamic.empty();
  });
  if (!a)
    return false;
  Random &rng = program.rng;
  std::vector<std::string> sizes(1, "1"), versions(1, a->name);
  std::string zeros, ones = "1";
  for (size_t dim = 1; dim < a->shape.size(); ++dim) {
    zeros += ", 0";
    ones += ", 1";
    sizes.push_back(std::to_string(a->shape[dim]));
  }
  Val row = *a;
  row.shape[0] = 1;
  auto place = [&]() {
    return "[" + std::to_string(rng.between(0, a->shape[0] - 1)) + zeros +
           "] [" + join(sizes) + "] [" + ones + "] : ";
  };
  for (int64_t left = rng.between(17, 24); left > 0; --left) {
    std::string part = program.fresh(), next = program.fresh();
    const std::string &source =
        rng.chance(10) ? versions[rng.between(0, versions.size() - 1)]
                       : versions.back();
    program.line(part + " = tensor.extract_slice " + source + place() +
                 a->type() + " to " + row.type());
    program.line(next + " = tensor.insert_slice " + part + " into " +
                 versions.back() + place() + row.type() + " into " + a->type());
    versions.push_back(next);
  }
  Val made = *a;
  made.name = versions.back();
  program.add(made);
  return true;
}

void shard::fuzz::registerSliceMakers(MakerRegistry &makers) {
  makers.add(MakerGroup::Places, updatedOften);
  makers.add(MakerGroup::Places, slicesApart, 3);
  makers.add(MakerGroup::Ops, slicesApart);
  makers.add(MakerGroup::Places, sliceOfMerged);
  makers.add(MakerGroup::Ops, placedSlice);
  makers.add(MakerGroup::Ops, foldedSlice);
  makers.add(MakerGroup::Places, foldedSlice, 2);
  makers.add(MakerGroup::Places, placedSlice, 3);
  makers.add(MakerGroup::Dynamic, dynamicPlacedSlice, 2);
  makers.add(MakerGroup::Dynamic, dynamicForall);
}
