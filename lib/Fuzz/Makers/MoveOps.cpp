//===- MoveOps.cpp - Ops that move elements, in a random program ----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parts.h"

#include <algorithm>

using namespace shard::fuzz;

/// tensor.cast to a dynamic extent and back, tensor.dim, tensor.rank.
static bool dynamicExtent(ProgramBuilder &program) {
  std::optional<Val> a = program.pickTensor(1);
  if (!a)
    return false;
  int64_t choice = program.rng.between(0, 3);
  int64_t dim = program.rng.between(0, int64_t(a->shape.size()) - 1);
  if (choice == 0) {
    Val number = program.scalarConstant(Elem::Index, dim);
    program.defineScalar("tensor.dim " + a->name + ", " + number.name + " : " +
                             a->type(),
                         Elem::Index, 0);
    return true;
  }
  if (choice == 1) {
    program.defineScalar("tensor.rank " + a->name + " : " + a->type(),
                         Elem::Index, 0);
    return true;
  }
  std::string dynamic = "tensor<";
  for (size_t i = 0; i < a->shape.size(); ++i)
    dynamic +=
        (int64_t(i) == dim ? std::string("?") : std::to_string(a->shape[i])) +
        "x";
  dynamic += name(a->elem) + ">";
  std::string there = program.fresh();
  program.line(there + " = tensor.cast " + a->name + " : " + a->type() +
               " to " + dynamic);
  // The extent tells whether the parts were equal, which the cast back hides.
  Val number = program.scalarConstant(Elem::Index, dim);
  program.defineScalar("tensor.dim " + there + ", " + number.name + " : " +
                           dynamic,
                       Elem::Index, 0);
  program.define("tensor.cast " + there + " : " + dynamic + " to " + a->type(),
                 a->elem, a->shape, a->bound);
  return true;
}

static bool tensorReshape(ProgramBuilder &program) {
  std::optional<Val> a = program.pickTensor(1);
  if (!a)
    return false;
  Shape shape = a->shape;
  program.rng.shuffle(shape);
  if (shape.size() > 1 && program.rng.chance(50)) {
    shape[1] *= shape[0];
    shape.erase(shape.begin());
  }
  std::string extents = program.fresh(),
              type = "tensor<" + std::to_string(shape.size()) + "xindex>";
  program.line(extents + " = arith.constant dense<[" + list(shape) +
               "]> : " + type);
  program.define("tensor.reshape " + a->name + "(" + extents + ") : (" +
                     a->type() + ", " + type + ") -> " +
                     tensorType(a->elem, shape),
                 a->elem, shape, a->bound);
  return true;
}

/// tensor.gather and tensor.scatter along one dimension.
static bool gatherScatter(ProgramBuilder &program) {
  std::optional<Val> a = program.pickTensor(1);
  if (!a)
    return false;
  int64_t dim = program.rng.between(0, int64_t(a->shape.size()) - 1);
  int64_t extent = a->shape[dim];
  bool scatter = program.rng.chance(50);
  std::vector<int64_t> positions;
  if (scatter) {
    // Each at most once.
    for (int64_t i = 0; i < extent; ++i)
      positions.push_back(i);
    program.rng.shuffle(positions);
    positions.resize(program.rng.between(1, extent));
  } else {
    for (int64_t i = program.rng.between(1, 8); i > 0; --i)
      positions.push_back(program.rng.between(0, extent - 1));
  }
  std::vector<std::string> rows;
  for (int64_t position : positions)
    rows.push_back("[" + std::to_string(position) + "]");
  Shape shape = {int64_t(positions.size())};
  bool reduced = program.rng.chance(50);
  for (size_t i = 0; i < a->shape.size(); ++i)
    if (int64_t(i) != dim)
      shape.push_back(a->shape[i]);
    else if (!reduced)
      shape.push_back(1);
  std::string indices = program.fresh(),
              type = "tensor<" + std::to_string(positions.size()) + "x1xindex>";
  program.line(indices + " = arith.constant dense<[" + join(rows) +
               "]> : " + type);
  std::string dims = "_dims([" + std::to_string(dim) + "]) ";
  if (!scatter) {
    program.define("tensor.gather " + a->name + "[" + indices + "] gather" +
                       dims + ": (" + a->type() + ", " + type + ") -> " +
                       tensorType(a->elem, shape),
                   a->elem, shape, a->bound);
    return true;
  }
  Val source = program.need(a->elem, shape);
  program.define("tensor.scatter " + source.name + " into " + a->name + "[" +
                     indices + "] scatter" + dims + "unique : (" +
                     source.type() + ", " + a->type() + ", " + type + ") -> " +
                     a->type(),
                 a->elem, a->shape, std::max(a->bound, source.bound));
  return true;
}

static bool bufferOps(ProgramBuilder &program) {
  std::optional<Val> a = program.pickTensor();
  if (!a)
    return false;
  // A destination that bufferization cannot write to without a copy is an error.
  if (program.depth > 0 || program.rng.chance(50)) {
    program.define("bufferization.alloc_tensor() copy(" + a->name +
                       ") : " + a->type(),
                   a->elem, a->shape, a->bound);
    return true;
  }
  Val target = program.empty(a->elem, a->shape);
  program.define("bufferization.materialize_in_destination " + a->name +
                     " in " + target.name + " : (" + a->type() + ", " +
                     target.type() + ") -> " + a->type(),
                 a->elem, a->shape, a->bound);
  return true;
}

/// Rows of a softmax, in tiles of two dimensions or not.
static bool packSoftmax(ProgramBuilder &program) {
  if (program.rng.chance(40)) {
    std::optional<Val> a = program.pick([](const Val &v) {
      return v.tensor && isFloat(v.elem) && !v.shape.empty() && v.bound <= 64;
    });
    if (!a)
      return false;
    Val x = offZero(program, *a), target = program.empty(a->elem, a->shape);
    std::string result = program.fresh();
    program.line(
        result + " = linalg.softmax dimension(" +
        std::to_string(program.rng.between(0, int64_t(a->shape.size()) - 1)) +
        ") ins(" + x.name + " : " + x.type() + ") outs(" + target.name + " : " +
        target.type() + ") -> " + target.type());
    compared(program, result, a->elem, a->shape);
    return true;
  }
  std::optional<Val> a = program.pick(
      [](const Val &v) { return v.tensor && v.shape.size() == 2; });
  if (!a)
    return false;
  Shape tiles = {program.rng.between(1, 4), program.rng.between(1, 4)}, outer;
  for (size_t i = 0; i < 2; ++i)
    outer.push_back((a->shape[i] + tiles[i] - 1) / tiles[i]);
  bool whole = a->shape[0] % tiles[0] == 0 && a->shape[1] % tiles[1] == 0;
  Shape shape = {outer[0], outer[1], tiles[0], tiles[1]};
  std::string layout =
      " inner_dims_pos = [0, 1] inner_tiles = [" + list(tiles) + "] into ";
  // A pack of a constant splat is folded without a look at its padding by MLIR.
  if (!whole) {
    Val fresh = program.empty(a->elem, a->shape);
    a = program.define("linalg.copy ins(" + a->name + " : " + a->type() +
                           ") outs(" + fresh.name + " : " + a->type() +
                           ") -> " + a->type(),
                       a->elem, a->shape, a->bound);
  }
  Val target = program.empty(a->elem, shape);
  Val padding = program.needScalar(a->elem);
  Val packed = program.define(
      "linalg.pack " + a->name +
          (whole ? ""
                 : " padding_value(" + padding.name + " : " + padding.type() +
                       ")") +
          layout + target.name + " : " + a->type() + " -> " + target.type(),
      a->elem, shape, std::max(a->bound, padding.bound));
  if (program.rng.chance(50)) {
    Val back = program.empty(a->elem, a->shape);
    program.define("linalg.unpack " + packed.name + layout + back.name + " : " +
                       packed.type() + " -> " + back.type(),
                   a->elem, a->shape, packed.bound);
  }
  return true;
}

/// Rounds to a float of 8 bits, may move it, and goes back.
static bool smallFloats(ProgramBuilder &program) {
  std::optional<Val> a = program.pick([](const Val &v) {
    return v.tensor && v.elem == Elem::F32 && v.bound <= 200;
  });
  if (!a)
    return false;
  static const std::vector<std::string> types = {
      "f8E4M3", "f8E4M3FN", "f8E4M3FNUZ", "f8E5M2", "f8E5M2FNUZ"};
  std::string type = program.rng.oneOf(types);
  auto small = [&](const Val &value) {
    std::string text = value.type();
    return text.substr(0, text.size() - std::string("f32>").size()) + type +
           ">";
  };
  Val moved = *a;
  moved.name = program.fresh();
  program.line(moved.name + " = arith.truncf " + a->name + " : " + a->type() +
               " to " + small(*a));
  if (program.rng.chance(30)) {
    std::string negative = program.fresh();
    program.line(negative + " = arith.negf " + moved.name + " : " +
                 small(moved));
    moved.name = negative;
  }
  if (moved.shape.size() == 2 && moved.dynamic.empty() &&
      program.rng.chance(50)) {
    std::string source = moved.name, from = small(moved);
    std::reverse(moved.shape.begin(), moved.shape.end());
    std::string target = program.fresh();
    program.line(target + " = tensor.empty() : " + small(moved));
    moved.name = program.fresh();
    program.line(moved.name + " = linalg.transpose ins(" + source + " : " +
                 from + ") outs(" + target + " : " + small(moved) +
                 ") permutation = [1, 0]");
  }
  Val back = moved;
  back.name = program.fresh();
  back.bound = a->bound * 1.25;
  program.line(back.name + " = arith.extf " + moved.name + " : " +
               small(moved) + " to " + back.type());
  program.add(back);
  return true;
}

void shard::fuzz::registerMoveMakers(MakerRegistry &makers) {
  makers.add(MakerGroup::Ops, dynamicExtent);
  makers.add(MakerGroup::Ops, tensorReshape);
  makers.add(MakerGroup::Ops, gatherScatter);
  makers.add(MakerGroup::Ops, bufferOps);
  makers.add(MakerGroup::Ops, packSoftmax);
  makers.add(MakerGroup::Ops, smallFloats);
  makers.add(MakerGroup::RealWide, tensorReshape);
}
