//===- TensorOps.cpp - Ops of tensor in a random program -----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parts.h"

#include <algorithm>

using namespace shard::fuzz;

static bool makeConstant(ProgramBuilder &program) {
  program.constant(program.randomElem(),
                   program.randomShape(program.rng.between(0, 3)));
  return true;
}

static bool makeFilled(ProgramBuilder &program) {
  Elem elem = program.randomElem();
  Shape shape = program.randomShape(program.rng.between(0, 3));
  if (program.rng.chance(50)) {
    Val scalar = program.needScalar(elem);
    program.define("tensor.splat " + scalar.name + " : " +
                       tensorType(elem, shape),
                   elem, shape, scalar.bound);
    return true;
  }
  if (program.rng.chance(30)) {
    int64_t extent = program.rng.between(1, 6);
    std::vector<std::string> parts;
    double bound = 0;
    for (int64_t i = 0; i < extent; ++i) {
      Val part = program.needScalar(elem);
      parts.push_back(part.name);
      bound = std::max(bound, part.bound);
    }
    program.define("tensor.from_elements " + join(parts) + " : " +
                       tensorType(elem, {extent}),
                   elem, {extent}, bound);
    return true;
  }
  Val scalar = program.needScalar(elem);
  Val target = program.empty(elem, shape);
  program.define("linalg.fill ins(" + scalar.name + " : " + name(elem) +
                     ") outs(" + target.name + " : " + target.type() + ") -> " +
                     target.type(),
                 elem, shape, scalar.bound);
  return true;
}

static bool generateOp(ProgramBuilder &program) {
  Elem elem = program.rng.chance(70) ? Elem::Index : Elem::I32;
  Shape shape = program.randomShape(program.rng.between(1, 3));
  std::vector<std::string> indices;
  std::vector<Val> values;
  for (size_t i = 0; i < shape.size(); ++i) {
    std::string index = program.fresh();
    indices.push_back(index + ": index");
    values.push_back({index, Elem::Index, false, {}, 12});
  }
  if (program.rng.chance(40))
    values.push_back(program.needScalar(elem));
  std::string name = program.fresh();
  program.line(name + " = tensor.generate {");
  program.line("^bb0(" + join(indices) + "):");
  program.indent += 2;
  Val result = scalarBody(program, values, elem, boundLimit);
  program.line("tensor.yield " + result.name + " : " + shard::fuzz::name(elem));
  program.indent -= 2;
  program.line("} : " + tensorType(elem, shape));
  program.add({name, elem, true, shape, result.bound});
  return true;
}

/// A place in a dimension of `extent` elements: a constant or a number of the run. Where
/// divisions trap, nothing moves places outside into range.
static std::string placeIn(ProgramBuilder &program, int64_t extent) {
  Random &rng = program.rng;
  bool mayBeOutside = !program.traps && rng.chance(20);
  if (!rng.chance(25))
    return program
        .scalarConstant(Elem::Index, mayBeOutside
                                         ? rng.oneOf<int64_t>({-1, extent})
                                         : rng.between(0, extent - 1))
        .name;
  Val any = program.needScalar(Elem::Index);
  if (mayBeOutside)
    return any.name;
  Val size = program.scalarConstant(Elem::Index, extent);
  return program
      .defineScalar("arith.remui " + any.name + ", " + size.name + " : index",
                    Elem::Index, double(extent))
      .name;
}

bool shard::fuzz::extractElement(ProgramBuilder &program) {
  std::optional<Val> a = program.pickTensor();
  if (!a)
    return false;
  std::vector<std::string> indices;
  for (int64_t extent : a->shape)
    indices.push_back(placeIn(program, extent));
  Val scalar = program.defineScalar("tensor.extract " + a->name + "[" +
                                        join(indices) + "] : " + a->type(),
                                    a->elem, a->bound);
  if (program.rng.chance(30)) {
    Val target = program.need(a->elem, a->shape);
    for (size_t i = 0; i < indices.size(); ++i)
      indices[i] = placeIn(program, a->shape[i]);
    program.define("tensor.insert " + scalar.name + " into " + target.name +
                       "[" + join(indices) + "] : " + target.type(),
                   a->elem, a->shape, std::max(a->bound, target.bound));
  }
  return true;
}

std::string shard::fuzz::groupsText(const std::vector<int64_t> &sizes) {
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

bool shard::fuzz::collapse(ProgramBuilder &program) {
  std::optional<Val> a = program.pickTensor(2);
  if (!a)
    return false;
  std::vector<int64_t> sizes;
  Shape shape;
  for (size_t dim = 0; dim < a->shape.size();) {
    int64_t size =
        std::min<int64_t>(program.rng.between(1, 3), a->shape.size() - dim);
    int64_t extent = 1;
    for (int64_t i = 0; i < size; ++i)
      extent *= a->shape[dim++];
    sizes.push_back(size);
    shape.push_back(extent);
  }
  if (shape.size() == a->shape.size())
    return false;
  program.define("tensor.collapse_shape " + a->name + " " + groupsText(sizes) +
                     " : " + a->type() + " into " + tensorType(a->elem, shape),
                 a->elem, shape, a->bound);
  return true;
}

bool shard::fuzz::expand(ProgramBuilder &program) {
  std::optional<Val> a = program.pickTensor(1);
  if (!a || a->shape.size() > 3)
    return false;
  std::vector<int64_t> sizes;
  Shape shape;
  for (int64_t extent : a->shape) {
    std::vector<int64_t> factors;
    int64_t rest = extent;
    int64_t parts = program.rng.chance(60) ? program.rng.between(1, 3) : 1;
    while (parts-- > 1) {
      std::vector<int64_t> divisors;
      for (int64_t d = 1; d <= rest; ++d)
        if (rest % d == 0)
          divisors.push_back(d);
      int64_t factor = program.rng.oneOf(divisors);
      factors.push_back(factor);
      rest /= factor;
    }
    factors.push_back(rest);
    program.rng.shuffle(factors);
    sizes.push_back(factors.size());
    shape.insert(shape.end(), factors.begin(), factors.end());
  }
  if (shape.size() == a->shape.size() || shape.size() > 5)
    return false;
  program.define("tensor.expand_shape " + a->name + " " + groupsText(sizes) +
                     " output_shape [" + list(shape) + "] : " + a->type() +
                     " into " + tensorType(a->elem, shape),
                 a->elem, shape, a->bound);
  return true;
}

bool shard::fuzz::extractSlice(ProgramBuilder &program) {
  std::optional<Val> a = program.pickTensor(1);
  if (!a)
    return false;
  Shape offsets, sizes, strides, shape;
  bool reduce = program.rng.chance(30);
  for (int64_t extent : a->shape) {
    int64_t stride = program.rng.chance(20) ? 2 : 1;
    int64_t offset =
        program.rng.chance(50) ? 0 : program.rng.between(0, extent - 1);
    int64_t most = (extent - offset + stride - 1) / stride;
    int64_t size = program.rng.chance(50) ? most : program.rng.between(1, most);
    offsets.push_back(offset);
    sizes.push_back(size);
    strides.push_back(stride);
    if (!(reduce && size == 1))
      shape.push_back(size);
  }
  program.define("tensor.extract_slice " + a->name + "[" + list(offsets) +
                     "] [" + list(sizes) + "] [" + list(strides) +
                     "] : " + a->type() + " to " + tensorType(a->elem, shape),
                 a->elem, shape, a->bound);
  return true;
}

bool shard::fuzz::insertSlice(ProgramBuilder &program) {
  std::optional<Val> a = program.pickTensor(1);
  if (!a)
    return false;
  Shape offsets, sizes, strides;
  for (int64_t extent : a->shape) {
    int64_t stride = program.rng.chance(15) ? 2 : 1;
    int64_t offset =
        program.rng.chance(50) ? 0 : program.rng.between(0, extent - 1);
    int64_t most = (extent - offset + stride - 1) / stride;
    offsets.push_back(offset);
    sizes.push_back(program.rng.chance(50) ? most
                                           : program.rng.between(1, most));
    strides.push_back(stride);
  }
  Val source = program.need(a->elem, sizes);
  program.define("tensor.insert_slice " + source.name + " into " + a->name +
                     "[" + list(offsets) + "] [" + list(sizes) + "] [" +
                     list(strides) + "] : " + source.type() + " into " +
                     a->type(),
                 a->elem, a->shape, std::max(a->bound, source.bound));
  return true;
}

bool shard::fuzz::pad(ProgramBuilder &program) {
  std::optional<Val> a = program.pickTensor(1);
  if (!a || numElements(a->shape) > 500)
    return false;
  Shape low, high, shape;
  for (int64_t extent : a->shape) {
    low.push_back(program.rng.chance(50) ? 0 : program.rng.between(0, 3));
    high.push_back(program.rng.chance(50) ? 0 : program.rng.between(0, 3));
    shape.push_back(extent + low.back() + high.back());
  }
  if (numElements(shape) > 1500)
    return false;
  Val value = program.rng.chance(50)
                  ? program.needScalar(a->elem)
                  : program.scalarConstant(a->elem, program.rng.between(0, 2));
  std::vector<std::string> indices;
  for (size_t i = 0; i < shape.size(); ++i)
    indices.push_back(program.fresh() + ": index");
  std::string name = program.fresh();
  program.line(name + " = tensor.pad " + a->name + " low[" + list(low) +
               "] high[" + list(high) + "] {");
  program.line("^bb0(" + join(indices) + "):");
  program.line("  tensor.yield " + value.name + " : " + value.type());
  program.line("} : " + a->type() + " to " + tensorType(a->elem, shape));
  program.add({name, a->elem, true, shape, std::max(a->bound, value.bound)});
  return true;
}

/// `parts` side by side in dimension `dim` of a tensor of `shape`, as frontends write a
/// concatenation: one insertion after another, in any order.
static void insertSideBySide(ProgramBuilder &program,
                             const std::vector<Val> &parts, int64_t dim,
                             const Shape &shape, double bound) {
  std::vector<std::pair<int64_t, Val>> places;
  int64_t next = 0;
  for (const Val &part : parts) {
    places.push_back({next, part});
    next += part.shape[dim];
  }
  program.rng.shuffle(places);
  Val whole = program.need(parts.front().elem, shape);
  for (auto &[place, part] : places) {
    std::vector<std::string> offsets(shape.size(), "0");
    offsets[dim] = std::to_string(place);
    whole = program.define("tensor.insert_slice " + part.name + " into " +
                               whole.name + "[" + join(offsets) + "] [" +
                               list(part.shape) + "] [" +
                               list(Shape(shape.size(), 1)) +
                               "] : " + part.type() + " into " + whole.type(),
                           whole.elem, shape, std::max(bound, whole.bound));
  }
}

bool shard::fuzz::concat(ProgramBuilder &program) {
  std::optional<Val> a = program.pickTensor(1);
  if (!a || numElements(a->shape) > 400)
    return false;
  int64_t dim = program.rng.between(0, int64_t(a->shape.size()) - 1);
  std::vector<Val> parts = {*a};
  Shape shape = a->shape;
  double bound = a->bound;
  int64_t others = program.rng.between(1, 2);
  while (others--) {
    Shape other = a->shape;
    if (program.rng.chance(60))
      other[dim] = program.rng.between(1, 5);
    Val part = program.need(a->elem, other);
    shape[dim] += other[dim];
    bound = std::max(bound, part.bound);
    parts.push_back(part);
  }
  program.rng.shuffle(parts);
  if (program.rng.chance(25)) {
    insertSideBySide(program, parts, dim, shape, bound);
    return true;
  }
  std::vector<std::string> namesOfParts, types;
  for (const Val &part : parts) {
    namesOfParts.push_back(part.name);
    types.push_back(part.type());
  }
  program.define("tensor.concat dim(" + std::to_string(dim) + ") " +
                     join(namesOfParts) + " : (" + join(types) + ") -> " +
                     tensorType(a->elem, shape),
                 a->elem, shape, bound);
  return true;
}

void shard::fuzz::registerCreatorMakers(MakerRegistry &makers) {
  makers.add(MakerGroup::Ops, makeConstant);
  makers.add(MakerGroup::Ops, makeFilled);
  makers.add(MakerGroup::Ops, generateOp);
  makers.add(MakerGroup::Ops, extractElement);
}

void shard::fuzz::registerTensorMakers(MakerRegistry &makers) {
  makers.add(MakerGroup::Ops, collapse, 2);
  makers.add(MakerGroup::Ops, expand, 2);
  makers.add(MakerGroup::Ops, extractSlice);
  makers.add(MakerGroup::Ops, insertSlice);
  makers.add(MakerGroup::Ops, pad);
  makers.add(MakerGroup::Ops, concat);
  makers.add(MakerGroup::Reshapes, collapse, 3);
  makers.add(MakerGroup::Reshapes, expand, 3);
  makers.add(MakerGroup::Places, extractSlice, 2);
  makers.add(MakerGroup::Places, insertSlice, 2);
  makers.add(MakerGroup::Places, pad);
  makers.add(MakerGroup::Places, concat);
  makers.add(MakerGroup::Places, extractElement);
  makers.add(MakerGroup::Real, collapse);
  makers.add(MakerGroup::Real, expand);
  makers.add(MakerGroup::Real, extractSlice);
  makers.add(MakerGroup::Real, insertSlice);
  makers.add(MakerGroup::Real, pad);
  makers.add(MakerGroup::Real, concat);
}
