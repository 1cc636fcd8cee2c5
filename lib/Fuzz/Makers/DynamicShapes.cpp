//===- DynamicShapes.cpp - Reshapes of dynamic tensors ---------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Slices, reshapes, casts and concatenations of values with dynamic dimensions.
//
//===----------------------------------------------------------------------===//

#include "Parts.h"
#include "SharedOps.h"

#include <algorithm>

using namespace shard::fuzz;

/// A slice that has all of each dynamic dimension, put into another tensor or not.
bool shard::fuzz::dynamicSlice(ProgramBuilder &program) {
  std::optional<Val> a = program.pickDynamic();
  if (!a)
    return false;
  Val like = *a;
  std::vector<std::string> offsets, sizes, strides;
  for (size_t dim = 0; dim < a->shape.size(); ++dim) {
    int64_t offset = 0;
    if (a->dynamic[dim]) {
      sizes.push_back(program.extentOf(*a, dim));
    } else {
      offset = program.rng.chance(50)
                   ? 0
                   : program.rng.between(0, a->shape[dim] - 1);
      like.shape[dim] = program.rng.between(1, a->shape[dim] - offset);
      sizes.push_back(std::to_string(like.shape[dim]));
    }
    offsets.push_back(std::to_string(offset));
    strides.push_back("1");
  }
  std::string where = "[" + join(offsets) + "] [" + join(sizes) + "] [" +
                      join(strides) + "] : ";
  if (program.rng.chance(60)) {
    program.defineLike("tensor.extract_slice " + a->name + where + a->type() +
                           " to " + like.type(),
                       like, a->bound);
    return true;
  }
  Val source = program.needLike(like);
  program.defineLike("tensor.insert_slice " + source.name + " into " + a->name +
                         where + source.type() + " into " + a->type(),
                     *a, std::max(a->bound, source.bound));
  return true;
}

/// Makes `like` of `a` by tosa.reshape, which takes -1 for the extent that is not known. False if
/// that is not possible, or another op is to do it.
static bool dynamicTosaReshape(ProgramBuilder &program, const Val &a,
                               const Val &like) {
  auto numUnknown = [](const Val &value) {
    return std::count(value.dynamic.begin(), value.dynamic.end(), true);
  };
  bool isTosa =
      a.elem == Elem::F32 || a.elem == Elem::I32 || a.elem == Elem::I1;
  if (!isTosa || numUnknown(a) != 1 || numUnknown(like) != 1 ||
      std::count(a.shape.begin(), a.shape.end(), 0) || !program.rng.chance(40))
    return false;
  Shape extents = like.shape;
  for (size_t dim = 0; dim < extents.size(); ++dim)
    if (like.dynamic[dim])
      extents[dim] = -1;
  std::string target =
      tosaShape(program, "[" + list(extents) + "]", extents.size());
  program.defineLike("tosa.reshape " + a.name + ", " + target + " : (" +
                         a.type() + ", !tosa.shape<" +
                         std::to_string(extents.size()) + ">) -> " +
                         like.type(),
                     like, a.bound);
  return true;
}

/// Splits a dynamic dimension, or merges it with a static one.
bool shard::fuzz::dynamicReshape(ProgramBuilder &program) {
  std::optional<Val> a = program.pickDynamic();
  if (!a || a->shape.size() > 3)
    return false;
  std::vector<std::string> groups;
  auto group = [&](size_t first, size_t count) {
    Shape numbers;
    for (size_t i = 0; i < count; ++i)
      numbers.push_back(first + i);
    groups.push_back("[" + list(numbers) + "]");
  };
  Val like = *a;
  size_t chosen = program.rng.between(0, int64_t(a->shape.size()) - 1);
  if (chosen + 1 < a->shape.size() && program.rng.chance(50)) {
    // At most one dynamic dimension in a group.
    if (a->dynamic[chosen] && a->dynamic[chosen + 1])
      return false;
    like.shape[chosen] *= like.shape[chosen + 1];
    like.dynamic[chosen] = a->dynamic[chosen] || a->dynamic[chosen + 1];
    like.shape.erase(like.shape.begin() + chosen + 1);
    like.dynamic.erase(like.dynamic.begin() + chosen + 1);
    for (size_t dim = 0, from = 0; dim < like.shape.size(); ++dim) {
      size_t count = dim == chosen ? 2 : 1;
      group(from, count);
      from += count;
    }
    if (dynamicTosaReshape(program, *a, like))
      return true;
    program.defineLike("tensor.collapse_shape " + a->name + " [" +
                           join(groups) + "] : " + a->type() + " into " +
                           like.type(),
                       like, a->bound);
    return true;
  }
  if (!a->dynamic[chosen])
    return false;
  int64_t devices = program.dynamicUnit();
  int64_t factor = program.rng.between(1, 3);
  if (a->shape[chosen] % (factor * devices) != 0)
    factor = 1;
  bool inner = program.rng.chance(60);
  like.shape[chosen] /= factor;
  size_t at = chosen + (inner ? 1 : 0);
  like.shape.insert(like.shape.begin() + at, factor);
  like.dynamic.insert(like.dynamic.begin() + at, false);
  if (dynamicTosaReshape(program, *a, like))
    return true;
  std::vector<std::string> sizes;
  for (size_t dim = 0, from = 0; dim < a->shape.size(); ++dim) {
    size_t count = dim == chosen ? 2 : 1;
    group(from, count);
    from += count;
  }
  for (size_t dim = 0; dim < like.shape.size(); ++dim) {
    if (!like.dynamic[dim]) {
      sizes.push_back(std::to_string(like.shape[dim]));
      continue;
    }
    std::string size = program.extentOf(*a, dim <= chosen       ? dim
                                            : dim == chosen + 1 ? chosen
                                                                : dim - 1);
    bool split = dim == (inner ? chosen : chosen + 1);
    if (split && factor > 1) {
      Val by = program.scalarConstant(Elem::Index, factor);
      std::string part = program.fresh();
      program.line(part + " = arith.divsi " + size + ", " + by.name +
                   " : index");
      size = part;
    }
    sizes.push_back(size);
  }
  program.defineLike("tensor.expand_shape " + a->name + " [" + join(groups) +
                         "] output_shape [" + join(sizes) + "] : " + a->type() +
                         " into " + like.type(),
                     like, a->bound);
  return true;
}

/// To static extents or from them.
bool shard::fuzz::dynamicCast(ProgramBuilder &program) {
  int64_t devices = program.dynamicUnit();
  auto may = [&](int64_t extent) { return extent % devices == 0; };
  std::optional<Val> a = program.pickAny([&](const Val &v) {
    return v.tensor && (!v.dynamic.empty() ||
                        std::any_of(v.shape.begin(), v.shape.end(), may));
  });
  if (!a)
    return false;
  Val like = *a;
  like.dynamic.resize(like.shape.size());
  for (size_t dim = 0; dim < like.shape.size(); ++dim)
    if (like.dynamic[dim] ? program.rng.chance(60)
                          : may(like.shape[dim]) && program.rng.chance(40))
      like.dynamic[dim] = !like.dynamic[dim];
  like = tidied(like);
  if (like.type() == a->type())
    return false;
  program.defineLike("tensor.cast " + a->name + " : " + a->type() + " to " +
                         like.type(),
                     like, a->bound);
  return true;
}

bool shard::fuzz::dynamicConcat(ProgramBuilder &program) {
  std::optional<Val> a = program.pickDynamic();
  if (!a)
    return false;
  size_t dim = program.rng.between(0, int64_t(a->shape.size()) - 1);
  Val other = *a, like = *a;
  if (!a->dynamic[dim])
    other.shape[dim] = program.rng.between(1, 4);
  Val b = program.needLike(other);
  like.shape[dim] += b.shape[dim];
  if (numElements(like.shape) > mostDynamicElements)
    return false;
  program.defineLike("tensor.concat dim(" + std::to_string(dim) + ") " +
                         a->name + ", " + b.name + " : (" + typeList({*a, b}) +
                         ") -> " + like.type(),
                     like, std::max(a->bound, b.bound));
  return true;
}

/// Static dimensions get more elements, dynamic ones stay.
bool shard::fuzz::dynamicPad(ProgramBuilder &program) {
  std::optional<Val> a = program.pickDynamic(2);
  if (!a)
    return false;
  Val like = *a;
  std::vector<std::string> low, high, indices;
  for (size_t dim = 0; dim < a->shape.size(); ++dim) {
    int64_t before = a->dynamic[dim] ? 0 : program.rng.between(0, 2);
    int64_t behind = a->dynamic[dim] ? 0 : program.rng.between(0, 2);
    like.shape[dim] += before + behind;
    low.push_back(std::to_string(before));
    high.push_back(std::to_string(behind));
    indices.push_back(program.fresh() + ": index");
  }
  if (numElements(like.shape) > mostDynamicElements)
    return false;
  Val number = program.scalarConstant(a->elem, program.rng.between(0, 1));
  like.name = program.fresh();
  like.bound = std::max(a->bound, 1.0);
  program.line(like.name + " = tensor.pad " + a->name + " low[" + join(low) +
               "] high[" + join(high) + "] {");
  program.line("^bb0(" + join(indices) + "):");
  program.line("  tensor.yield " + number.name + " : " + number.type());
  program.line("} : " + a->type() + " to " + like.type());
  program.add(like);
  return true;
}

/// A convolution of a batch of any size.
bool shard::fuzz::dynamicConvolution(ProgramBuilder &program) {
  Val image, result;
  image.elem = isFloat(program.randomElem())
                   ? (program.real ? program.realElem : Elem::F32)
                   : Elem::I32;
  int64_t channels = program.rng.between(1, 4),
          rows = program.rng.between(1, 3), columns = program.rng.between(1, 3),
          filters = program.rng.between(1, 4);
  image.shape = {program.dynamicSize(), program.rng.between(3, 5),
                 program.rng.between(3, 5), channels};
  image.dynamic = {true, false, false, false};
  result = image;
  result.shape = {image.shape[0], image.shape[1] - rows + 1,
                  image.shape[2] - columns + 1, filters};
  if (std::max(numElements(image.shape), numElements(result.shape)) >
      mostDynamicElements)
    return false;
  Val input = program.clamped(program.needLike(image), 8);
  Val filter = program.clamped(
      program.need(image.elem, {rows, columns, channels, filters}), 8);
  // The extents follow from those of the image.
  result.name.clear();
  Val init = program.filledLike(result, 0);
  program.defineLike(
      "linalg.conv_2d_nhwc_hwcf " + insOutsTo({input, filter}, init), init,
      input.bound * filter.bound * double(rows * columns * channels));
  return true;
}

/// Of real numbers: what it makes of integers is not exact.
bool shard::fuzz::dynamicSoftmax(ProgramBuilder &program) {
  std::optional<Val> a = program.pickAny(
      [](const Val &v) { return !v.dynamic.empty() && isFloat(v.elem); });
  if (!a)
    return false;
  Val target = program.emptyLike(*a);
  program.defineLike(
      "linalg.softmax dimension(" +
          std::to_string(program.rng.between(0, int64_t(a->shape.size()) - 1)) +
          ") " + insOutsTo({*a}, target),
      *a, 1);
  return true;
}

/// tosa knows of a dimension only when it runs whether it is to be repeated.
bool shard::fuzz::dynamicTosa(ProgramBuilder &program) {
  std::optional<Val> a = program.pickAny([](const Val &v) {
    return !v.dynamic.empty() && (v.elem == Elem::F32 || v.elem == Elem::I32) &&
           v.bound <= 64;
  });
  if (!a)
    return false;
  Val like = *a;
  for (size_t dim = 0; dim < like.shape.size(); ++dim) {
    if (!program.rng.chance(25))
      continue;
    // A dynamic extent of 1 is allowed where extents may be uneven.
    like.dynamic[dim] =
        like.dynamic[dim] && program.unevenDynamic && program.rng.chance(70);
    like.shape[dim] = 1;
  }
  Val b = program.clamped(program.needLike(tidied(like)), 64);
  static const std::vector<std::string> ops = {"add", "sub", "maximum"};
  program.defineLike("tosa." + program.rng.oneOf(ops) + " " +
                         nameList({*a, b}) + " : (" + typeList({*a, b}) +
                         ") -> " + a->type(),
                     *a, a->bound + b.bound);
  return true;
}
