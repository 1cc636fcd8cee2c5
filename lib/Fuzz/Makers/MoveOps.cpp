//===- MoveOps.cpp - Ops that move elements, in a random program ----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parts.h"
#include "SharedOps.h"

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
  Shape shape = gatheredShape(*a, {dim}, int64_t(positions.size()),
                              program.rng.chance(50));
  std::string indices = program.fresh(),
              type = "tensor<" + std::to_string(positions.size()) + "x1xindex>";
  program.line(indices + " = arith.constant dense<[" + join(rows) +
               "]> : " + type);
  if (!scatter) {
    gather(program, *a, indices, type, {dim}, shape);
    return true;
  }
  Val source = program.need(a->elem, shape);
  program.define("tensor.scatter " + source.name + " into " + a->name + "[" +
                     indices + "] scatter_dims([" + std::to_string(dim) +
                     "]) unique : (" + source.type() + ", " + a->type() + ", " +
                     type + ") -> " + a->type(),
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

/// A softmax along one dimension.
static bool softmax(ProgramBuilder &program) {
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

namespace {
/// How a plain tensor is tiled.
struct Tiles {
  /// The dimensions with tiles, in the order of the tiles, and these.
  Shape dims, sizes;
  /// The order of the outer dimensions.
  Shape order;
  /// The shape of the tiled tensor.
  Shape shape;
  /// Whether tiles divide all extents.
  bool whole = true;

  std::string text() const {
    return " outer_dims_perm = [" + list(order) + "] inner_dims_pos = [" +
           list(dims) + "] inner_tiles = [" + list(sizes) + "] into ";
  }
};
} // namespace

static Tiles randomTiles(Random &rng, const Shape &plain) {
  Tiles tiles;
  for (size_t dim = 0; dim < plain.size(); ++dim) {
    tiles.order.push_back(dim);
    if (rng.chance(65))
      tiles.dims.push_back(dim);
  }
  if (tiles.dims.empty())
    tiles.dims.push_back(rng.between(0, int64_t(plain.size()) - 1));
  if (rng.chance(40))
    rng.shuffle(tiles.dims);
  if (rng.chance(40))
    rng.shuffle(tiles.order);
  Shape outer = plain;
  bool divides = rng.chance(60);
  for (int64_t dim : tiles.dims) {
    int64_t size = rng.between(1, 4);
    while (divides && plain[dim] % size != 0)
      --size;
    tiles.sizes.push_back(size);
    tiles.whole &= plain[dim] % size == 0;
    outer[dim] = (plain[dim] + size - 1) / size;
  }
  for (int64_t dim : tiles.order)
    tiles.shape.push_back(outer[dim]);
  tiles.shape.insert(tiles.shape.end(), tiles.sizes.begin(), tiles.sizes.end());
  return tiles;
}

/// The first places of an unpacked tensor along one dimension, mostly one without tiles, or all of
/// them and padding behind: on some devices that is all there is.
static void cutUnpacked(ProgramBuilder &program, const Val &whole,
                        const Tiles &tiles) {
  Random &rng = program.rng;
  Shape dims;
  for (int64_t dim = 0; dim < int64_t(whole.shape.size()); ++dim)
    if (!llvm::is_contained(tiles.dims, dim) || rng.chance(20))
      dims.push_back(dim);
  if (dims.empty() || numElements(whole.shape) == 0)
    return;
  int64_t dim = rng.oneOf(dims);
  Shape shape = whole.shape, zeros(shape.size(), 0), ones(shape.size(), 1);
  if (rng.chance(50)) {
    shape[dim] = rng.between(1, shape[dim]);
    program.define("tensor.extract_slice " + whole.name + "[" + list(zeros) +
                       "] [" + list(shape) + "] [" + list(ones) + "] : " +
                       whole.type() + " to " + tensorType(whole.elem, shape),
                   whole.elem, shape, whole.bound);
    return;
  }
  if (whole.elem == Elem::I1)
    return;
  int64_t more = rng.between(1, 3);
  shape[dim] += more;
  std::string type, value = std::to_string(rng.between(0, 1));
  if (isFloat(whole.elem))
    value += ".0";
  std::string name = paddedAlong(program, whole, dim, 0, more, value, type);
  program.add({name, whole.elem, true, shape, std::max(whole.bound, 1.0)});
}

/// linalg.pack, linalg.unpack of what is packed, or of a tensor that never was.
static bool packUnpack(ProgramBuilder &program) {
  std::optional<Val> a = program.pick([](const Val &v) {
    return v.tensor && !v.shape.empty() && v.shape.size() <= 3;
  });
  if (!a)
    return false;
  const Tiles tiles = randomTiles(program.rng, a->shape);
  auto unpack = [&](const Val &packed) {
    Val back = program.empty(a->elem, a->shape);
    return program.define("linalg.unpack " + packed.name + tiles.text() +
                              back.name + " : " + packed.type() + " -> " +
                              back.type(),
                          a->elem, a->shape, packed.bound);
  };
  if (program.rng.chance(45)) {
    Val whole = unpack(program.need(a->elem, tiles.shape));
    if (program.rng.chance(60))
      cutUnpacked(program, whole, tiles);
    return true;
  }
  // A pack of a constant splat is folded without a look at its padding by MLIR.
  if (!tiles.whole) {
    Val fresh = program.empty(a->elem, a->shape);
    a = program.define("linalg.copy ins(" + a->name + " : " + a->type() +
                           ") outs(" + fresh.name + " : " + a->type() +
                           ") -> " + a->type(),
                       a->elem, a->shape, a->bound);
  }
  Val target = program.empty(a->elem, tiles.shape);
  Val padding = program.needScalar(a->elem);
  // Complete tiles may have a padding, too, which nothing reads.
  std::string pads =
      tiles.whole && program.rng.chance(60)
          ? ""
          : " padding_value(" + padding.name + " : " + padding.type() + ")";
  Val packed = program.define(
      "linalg.pack " + a->name + pads + tiles.text() + target.name + " : " +
          a->type() + " -> " + target.type(),
      a->elem, tiles.shape, std::max(a->bound, padding.bound));
  if (program.rng.chance(50))
    unpack(packed);
  return true;
}

/// The largest or the smallest elements of `a` along one dimension.
static Val extremumAlong(ProgramBuilder &program, const Val &a) {
  bool isMax = program.rng.chance(50);
  int64_t dim = program.rng.between(0, int64_t(a.shape.size()) - 1);
  int64_t beyond = int64_t(a.bound) + 1;
  Shape shape = a.shape;
  shape.erase(shape.begin() + dim);
  Val init = program.filled(a.elem, shape, isMax ? -beyond : beyond);
  return program.define(std::string("linalg.reduce { arith.") +
                            (isMax ? "maximumf" : "minimumf") + " } " +
                            insOuts({a}, init) + " dimensions = [" +
                            std::to_string(dim) + "]",
                        a.elem, shape, a.bound);
}

/// Rounds to a float of 8 bits, may move it, and goes back. A maximum that is rounded could
/// be rounded before it is reduced over devices, if reductions had such types.
static bool smallFloats(ProgramBuilder &program) {
  std::optional<Val> a = program.pick([](const Val &v) {
    return v.tensor && v.elem == Elem::F32 && v.bound <= 200;
  });
  if (!a)
    return false;
  if (!a->shape.empty() && program.rng.chance(40))
    a = extremumAlong(program, *a);
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

/// A product that sums over two dimensions, which both operands merge, as frontends write
/// it.
static bool mergedProduct(ProgramBuilder &program) {
  std::optional<Val> a = program.pick([](const Val &v) {
    return v.tensor && v.shape.size() == 3 &&
           (v.elem == Elem::F32 || v.elem == Elem::I32);
  });
  if (!a)
    return false;
  int64_t sum = a->shape[1] * a->shape[2], width = program.rng.between(1, 4);
  Val left = program.clamped(*a, 8);
  Val right = program.clamped(
      program.need(a->elem, {a->shape[1], a->shape[2], width}), 8);
  auto merged = [&](const Val &of, Shape shape,
                    const std::vector<int64_t> &groups) {
    return program.define("tensor.collapse_shape " + of.name + " " +
                              groupsText(groups) + " : " + of.type() +
                              " into " + tensorType(of.elem, shape),
                          of.elem, shape, of.bound);
  };
  Val rows = merged(left, {a->shape[0], sum}, {1, 2});
  Val columns = merged(right, {sum, width}, {2, 1});
  Val init = program.splat(a->elem, {a->shape[0], width}, 0);
  program.define("linalg.matmul " + insOutsTo({rows, columns}, init), a->elem,
                 init.shape, left.bound * right.bound * double(sum));
  return true;
}

void shard::fuzz::registerMoveMakers(MakerRegistry &makers) {
  makers.add(MakerGroup::Ops, dynamicExtent);
  makers.add(MakerGroup::Ops, tensorReshape);
  makers.add(MakerGroup::Ops, gatherScatter);
  makers.add(MakerGroup::Ops, bufferOps);
  makers.add(MakerGroup::Ops, softmax);
  makers.add(MakerGroup::Ops, packUnpack);
  makers.add(MakerGroup::Ops, smallFloats);
  makers.add(MakerGroup::Ops, mergedProduct);
  makers.add(MakerGroup::Reshapes, mergedProduct);
  makers.add(MakerGroup::Reshapes, tensorReshape);
  makers.add(MakerGroup::Packs, packUnpack, 4);
  makers.add(MakerGroup::Places, gatherScatter, 2);
  makers.add(MakerGroup::RealWide, tensorReshape);
}
