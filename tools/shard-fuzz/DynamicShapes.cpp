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

#include "Generator.h"

#include <algorithm>

using namespace shard::fuzz;

/// A slice that has all of each dynamic dimension, put into another tensor or not.
bool Generator::dynamicSlice() {
  std::optional<Val> a = pickDynamic();
  if (!a)
    return false;
  Val like = *a;
  std::vector<std::string> offsets, sizes, strides;
  for (size_t dim = 0; dim < a->shape.size(); ++dim) {
    int64_t offset = 0;
    if (a->dynamic[dim]) {
      sizes.push_back(extentOf(*a, dim));
    } else {
      offset = rng.chance(50) ? 0 : rng.between(0, a->shape[dim] - 1);
      like.shape[dim] = rng.between(1, a->shape[dim] - offset);
      sizes.push_back(std::to_string(like.shape[dim]));
    }
    offsets.push_back(std::to_string(offset));
    strides.push_back("1");
  }
  std::string where = "[" + join(offsets) + "] [" + join(sizes) + "] [" +
                      join(strides) + "] : ";
  if (rng.chance(60)) {
    defineLike("tensor.extract_slice " + a->name + where + a->type() + " to " +
                   like.type(),
               like, a->bound);
    return true;
  }
  Val source = needLike(like);
  defineLike("tensor.insert_slice " + source.name + " into " + a->name + where +
                 source.type() + " into " + a->type(),
             *a, std::max(a->bound, source.bound));
  return true;
}

/// Splits a dynamic dimension, or merges it with a static one.
bool Generator::dynamicReshape() {
  std::optional<Val> a = pickDynamic();
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
  size_t chosen = rng.between(0, int64_t(a->shape.size()) - 1);
  if (chosen + 1 < a->shape.size() && rng.chance(50)) {
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
    defineLike("tensor.collapse_shape " + a->name + " [" + join(groups) +
                   "] : " + a->type() + " into " + like.type(),
               like, a->bound);
    return true;
  }
  if (!a->dynamic[chosen])
    return false;
  int64_t devices = 1;
  for (int64_t size : grid)
    devices *= size;
  int64_t factor = rng.between(1, 3);
  if (a->shape[chosen] % (factor * devices) != 0)
    factor = 1;
  bool inner = rng.chance(60);
  like.shape[chosen] /= factor;
  size_t at = chosen + (inner ? 1 : 0);
  like.shape.insert(like.shape.begin() + at, factor);
  like.dynamic.insert(like.dynamic.begin() + at, false);
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
    std::string size = extentOf(*a, dim <= chosen       ? dim
                                    : dim == chosen + 1 ? chosen
                                                        : dim - 1);
    bool split = dim == (inner ? chosen : chosen + 1);
    if (split && factor > 1) {
      Val by = scalarConstant(Elem::Index, factor);
      std::string part = fresh();
      line(part + " = arith.divsi " + size + ", " + by.name + " : index");
      size = part;
    }
    sizes.push_back(size);
  }
  defineLike("tensor.expand_shape " + a->name + " [" + join(groups) +
                 "] output_shape [" + join(sizes) + "] : " + a->type() +
                 " into " + like.type(),
             like, a->bound);
  return true;
}

/// To static extents or from them.
bool Generator::dynamicCast() {
  int64_t devices = 1;
  for (int64_t size : grid)
    devices *= size;
  auto may = [&](int64_t extent) { return extent % devices == 0; };
  std::optional<Val> a = pickAny([&](const Val &v) {
    return v.tensor && (!v.dynamic.empty() ||
                        std::any_of(v.shape.begin(), v.shape.end(), may));
  });
  if (!a)
    return false;
  Val like = *a;
  like.dynamic.resize(like.shape.size());
  for (size_t dim = 0; dim < like.shape.size(); ++dim)
    if (like.dynamic[dim] ? rng.chance(60)
                          : may(like.shape[dim]) && rng.chance(40))
      like.dynamic[dim] = !like.dynamic[dim];
  like = tidied(like);
  if (like.type() == a->type())
    return false;
  defineLike("tensor.cast " + a->name + " : " + a->type() + " to " +
                 like.type(),
             like, a->bound);
  return true;
}

bool Generator::dynamicConcat() {
  std::optional<Val> a = pickDynamic();
  if (!a)
    return false;
  size_t dim = rng.between(0, int64_t(a->shape.size()) - 1);
  Val other = *a, like = *a;
  if (!a->dynamic[dim])
    other.shape[dim] = rng.between(1, 4);
  Val b = needLike(other);
  like.shape[dim] += b.shape[dim];
  if (numElements(like.shape) > mostDynamicElements)
    return false;
  defineLike("tensor.concat dim(" + std::to_string(dim) + ") " + a->name +
                 ", " + b.name + " : (" + typeList({*a, b}) + ") -> " +
                 like.type(),
             like, std::max(a->bound, b.bound));
  return true;
}
