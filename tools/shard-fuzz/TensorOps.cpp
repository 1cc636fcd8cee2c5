//===- TensorOps.cpp - Ops of tensor in a random program -----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Generator.h"

#include <algorithm>

using namespace shard::fuzz;

bool Generator::makeConstant() {
  constant(randomElem(), randomShape(rng.between(0, 3)));
  return true;
}

bool Generator::makeFilled() {
  Elem elem = randomElem();
  Shape shape = randomShape(rng.between(0, 3));
  if (rng.chance(50)) {
    Val scalar = needScalar(elem);
    define("tensor.splat " + scalar.name + " : " + tensorType(elem, shape),
           elem, shape, scalar.bound);
    return true;
  }
  if (rng.chance(30)) {
    int64_t extent = rng.between(1, 6);
    std::vector<std::string> parts;
    double bound = 0;
    for (int64_t i = 0; i < extent; ++i) {
      Val part = needScalar(elem);
      parts.push_back(part.name);
      bound = std::max(bound, part.bound);
    }
    define("tensor.from_elements " + join(parts) + " : " +
               tensorType(elem, {extent}),
           elem, {extent}, bound);
    return true;
  }
  Val scalar = needScalar(elem);
  Val target = empty(elem, shape);
  define("linalg.fill ins(" + scalar.name + " : " + name(elem) + ") outs(" +
             target.name + " : " + target.type() + ") -> " + target.type(),
         elem, shape, scalar.bound);
  return true;
}

bool Generator::generateOp() {
  Elem elem = rng.chance(70) ? Elem::Index : Elem::I32;
  Shape shape = randomShape(rng.between(1, 3));
  std::vector<std::string> indices;
  std::vector<Val> values;
  for (size_t i = 0; i < shape.size(); ++i) {
    std::string index = fresh();
    indices.push_back(index + ": index");
    values.push_back({index, Elem::Index, false, {}, 12});
  }
  if (rng.chance(40))
    values.push_back(needScalar(elem));
  std::string name = fresh();
  line(name + " = tensor.generate {");
  line("^bb0(" + join(indices) + "):");
  indent += 2;
  Val result = scalarBody(values, elem, boundLimit);
  line("tensor.yield " + result.name + " : " + fuzz::name(elem));
  indent -= 2;
  line("} : " + tensorType(elem, shape));
  add({name, elem, true, shape, result.bound});
  return true;
}

bool Generator::extractElement() {
  std::optional<Val> a = pickTensor();
  if (!a)
    return false;
  std::vector<std::string> indices;
  for (int64_t extent : a->shape) {
    if (!rng.chance(25)) {
      indices.push_back(
          scalarConstant(Elem::Index, rng.between(0, extent - 1)).name);
      continue;
    }
    Val any = needScalar(Elem::Index),
        size = scalarConstant(Elem::Index, extent);
    indices.push_back(
        defineScalar("arith.remui " + any.name + ", " + size.name + " : index",
                     Elem::Index, double(extent))
            .name);
  }
  Val scalar = defineScalar("tensor.extract " + a->name + "[" + join(indices) +
                                "] : " + a->type(),
                            a->elem, a->bound);
  if (rng.chance(30)) {
    Val target = need(a->elem, a->shape);
    for (size_t i = 0; i < indices.size(); ++i)
      indices[i] =
          scalarConstant(Elem::Index, rng.between(0, a->shape[i] - 1)).name;
    define("tensor.insert " + scalar.name + " into " + target.name + "[" +
               join(indices) + "] : " + target.type(),
           a->elem, a->shape, std::max(a->bound, target.bound));
  }
  return true;
}

/// "[[0, 1], [2]]", groups of consecutive numbers of these sizes.
static std::string groupsText(const std::vector<int64_t> &sizes) {
  std::vector<std::string> groups;
  int64_t next = 0;
  for (int64_t size : sizes) {
    Shape numbers;
    for (int64_t i = 0; i < size; ++i)
      numbers.push_back(next++);
    groups.push_back("[" + list(numbers) + "]");
  }
  return "[" + join(groups) + "]";
}

bool Generator::collapse() {
  std::optional<Val> a = pickTensor(2);
  if (!a)
    return false;
  std::vector<int64_t> sizes;
  Shape shape;
  for (size_t dim = 0; dim < a->shape.size();) {
    int64_t size = std::min<int64_t>(rng.between(1, 3), a->shape.size() - dim);
    int64_t extent = 1;
    for (int64_t i = 0; i < size; ++i)
      extent *= a->shape[dim++];
    sizes.push_back(size);
    shape.push_back(extent);
  }
  if (shape.size() == a->shape.size())
    return false;
  define("tensor.collapse_shape " + a->name + " " + groupsText(sizes) + " : " +
             a->type() + " into " + tensorType(a->elem, shape),
         a->elem, shape, a->bound);
  return true;
}

bool Generator::expand() {
  std::optional<Val> a = pickTensor(1);
  if (!a || a->shape.size() > 3)
    return false;
  std::vector<int64_t> sizes;
  Shape shape;
  for (int64_t extent : a->shape) {
    std::vector<int64_t> factors;
    int64_t rest = extent;
    int64_t parts = rng.chance(60) ? rng.between(1, 3) : 1;
    while (parts-- > 1) {
      std::vector<int64_t> divisors;
      for (int64_t d = 1; d <= rest; ++d)
        if (rest % d == 0)
          divisors.push_back(d);
      int64_t factor = rng.oneOf(divisors);
      factors.push_back(factor);
      rest /= factor;
    }
    factors.push_back(rest);
    rng.shuffle(factors);
    sizes.push_back(factors.size());
    shape.insert(shape.end(), factors.begin(), factors.end());
  }
  if (shape.size() == a->shape.size() || shape.size() > 5)
    return false;
  define("tensor.expand_shape " + a->name + " " + groupsText(sizes) +
             " output_shape [" + list(shape) + "] : " + a->type() + " into " +
             tensorType(a->elem, shape),
         a->elem, shape, a->bound);
  return true;
}

bool Generator::extractSlice() {
  std::optional<Val> a = pickTensor(1);
  if (!a)
    return false;
  Shape offsets, sizes, strides, shape;
  bool reduce = rng.chance(30);
  for (int64_t extent : a->shape) {
    int64_t stride = rng.chance(20) ? 2 : 1;
    int64_t offset = rng.chance(50) ? 0 : rng.between(0, extent - 1);
    int64_t most = (extent - offset + stride - 1) / stride;
    int64_t size = rng.chance(50) ? most : rng.between(1, most);
    offsets.push_back(offset);
    sizes.push_back(size);
    strides.push_back(stride);
    if (!(reduce && size == 1))
      shape.push_back(size);
  }
  define("tensor.extract_slice " + a->name + "[" + list(offsets) + "] [" +
             list(sizes) + "] [" + list(strides) + "] : " + a->type() + " to " +
             tensorType(a->elem, shape),
         a->elem, shape, a->bound);
  return true;
}

bool Generator::insertSlice() {
  std::optional<Val> a = pickTensor(1);
  if (!a)
    return false;
  Shape offsets, sizes, strides;
  for (int64_t extent : a->shape) {
    int64_t stride = rng.chance(15) ? 2 : 1;
    int64_t offset = rng.chance(50) ? 0 : rng.between(0, extent - 1);
    int64_t most = (extent - offset + stride - 1) / stride;
    offsets.push_back(offset);
    sizes.push_back(rng.chance(50) ? most : rng.between(1, most));
    strides.push_back(stride);
  }
  Val source = need(a->elem, sizes);
  define("tensor.insert_slice " + source.name + " into " + a->name + "[" +
             list(offsets) + "] [" + list(sizes) + "] [" + list(strides) +
             "] : " + source.type() + " into " + a->type(),
         a->elem, a->shape, std::max(a->bound, source.bound));
  return true;
}

bool Generator::pad() {
  std::optional<Val> a = pickTensor(1);
  if (!a || numElements(a->shape) > 500)
    return false;
  Shape low, high, shape;
  for (int64_t extent : a->shape) {
    low.push_back(rng.chance(50) ? 0 : rng.between(0, 3));
    high.push_back(rng.chance(50) ? 0 : rng.between(0, 3));
    shape.push_back(extent + low.back() + high.back());
  }
  if (numElements(shape) > 1500)
    return false;
  Val value = rng.chance(50) ? needScalar(a->elem)
                             : scalarConstant(a->elem, rng.between(0, 2));
  std::vector<std::string> indices;
  for (size_t i = 0; i < shape.size(); ++i)
    indices.push_back(fresh() + ": index");
  std::string name = fresh();
  line(name + " = tensor.pad " + a->name + " low[" + list(low) + "] high[" +
       list(high) + "] {");
  line("^bb0(" + join(indices) + "):");
  line("  tensor.yield " + value.name + " : " + value.type());
  line("} : " + a->type() + " to " + tensorType(a->elem, shape));
  add({name, a->elem, true, shape, std::max(a->bound, value.bound)});
  return true;
}

bool Generator::concat() {
  std::optional<Val> a = pickTensor(1);
  if (!a || numElements(a->shape) > 400)
    return false;
  int64_t dim = rng.between(0, int64_t(a->shape.size()) - 1);
  std::vector<Val> parts = {*a};
  Shape shape = a->shape;
  double bound = a->bound;
  int64_t others = rng.between(1, 2);
  while (others--) {
    Shape other = a->shape;
    if (rng.chance(60))
      other[dim] = rng.between(1, 5);
    Val part = need(a->elem, other);
    shape[dim] += other[dim];
    bound = std::max(bound, part.bound);
    parts.push_back(part);
  }
  rng.shuffle(parts);
  std::vector<std::string> namesOfParts, types;
  for (const Val &part : parts) {
    namesOfParts.push_back(part.name);
    types.push_back(part.type());
  }
  define("tensor.concat dim(" + std::to_string(dim) + ") " +
             join(namesOfParts) + " : (" + join(types) + ") -> " +
             tensorType(a->elem, shape),
         a->elem, shape, bound);
  return true;
}
