//===- LargeOps.cpp - Products of large matrices in a random program ------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime computes products block by block, and reductions chunk by chunk. All other
// programs are smaller than one block: here one or two of the three extents are larger, or a
// few elements away from several blocks.
//
//===----------------------------------------------------------------------===//

#include "Parts.h"
#include "SharedOps.h"

#include <algorithm>

using namespace shard::fuzz;

namespace {
/// The rows and columns of a product, and what each of its sums is over.
struct Extents {
  int64_t m, n, k;
};
} // namespace

/// Of one matrix, and of all three loops.
static constexpr int64_t mostElements = 60000, mostTerms = 4000000;

/// Few rows, or few columns, and many of the other, on each device if they are split.
static Extents skinnyExtents(ProgramBuilder &program) {
  Random &rng = program.rng;
  int64_t few = rng.between(1, 16), many = rng.between(513, 1100),
          k = rng.between(20, 50), devices = 1;
  for (int64_t size : program.grid)
    devices *= size;
  if (rng.chance(50))
    many = devices * rng.between(513, 600);
  return rng.chance(50) ? Extents{few, many, k} : Extents{many, few, k};
}

static int64_t largeExtent(Random &rng) {
  // Around what vectors, rows of panels and blocks hold.
  static const std::vector<int64_t> steps = {16, 32, 96, 192, 256, 512, 1024};
  if (rng.chance(45))
    return rng.between(1, 20);
  return rng.oneOf(steps) + rng.between(-3, 40);
}

static Extents largeExtents(Random &rng) {
  Extents e;
  do
    e = {largeExtent(rng), largeExtent(rng), largeExtent(rng)};
  while (std::max({e.m * e.n, e.m * e.k, e.k * e.n}) > mostElements ||
         e.m * e.n * e.k > mostTerms || std::max({e.m, e.n, e.k}) < 64);
  return e;
}

/// An argument, or every second element of one along each dimension.
static Val largeArgument(ProgramBuilder &program, Elem elem, Shape shape) {
  if (numElements(shape) > mostElements / 2 || !program.rng.chance(30))
    return program.argument(elem, shape, true);
  Shape wide = shape;
  for (int64_t &extent : wide)
    extent *= 2;
  Val from = program.argument(elem, wide, true);
  size_t rank = shape.size();
  return program.define("tensor.extract_slice " + from.name + "[" +
                            list(Shape(rank, 0)) + "] [" + list(shape) + "] [" +
                            list(Shape(rank, 2)) + "] : " + from.type() +
                            " to " + tensorType(elem, shape),
                        elem, shape, from.bound);
}

/// A product of two arguments, one of which may be transposed; their elements may be apart.
static bool largeProduct(ProgramBuilder &program) {
  Random &rng = program.rng;
  if (!program.manualAxes.empty() || program.arguments.size() > 4)
    return false;
  static const std::vector<Elem> elems = {Elem::F32, Elem::F32, Elem::F32,
                                          Elem::F64, Elem::I32, Elem::I16};
  Elem elem = rng.oneOf(elems);
  auto [m, n, k] = rng.chance(50) ? skinnyExtents(program) : largeExtents(rng);
  auto argument = [&program, elem](const Shape &shape) {
    return largeArgument(program, elem, shape);
  };
  static const std::string maps =
      "matmul indexing_maps = [affine_map<(m, n, k) -> ";
  switch (rng.between(0, 4)) {
  case 0:
    contraction(program,
                maps + "(k, m)>, affine_map<(m, n, k) -> (k, n)>, "
                       "affine_map<(m, n, k) -> (m, n)>]",
                argument({k, m}), argument({k, n}), k, {m, n});
    return true;
  case 1:
    contraction(program,
                maps + "(m, k)>, affine_map<(m, n, k) -> (n, k)>, "
                       "affine_map<(m, n, k) -> (m, n)>]",
                argument({m, k}), argument({n, k}), k, {m, n});
    return true;
  case 2:
    if (rng.chance(50))
      contraction(program, "vecmat", argument({k}), argument({k, n}), k, {n});
    else
      contraction(program, "matvec", argument({m, k}), argument({k}), k, {m});
    return true;
  default:
    contraction(program, "matmul", argument({m, k}), argument({k, n}), k,
                {m, n});
    return true;
  }
}

void shard::fuzz::registerLargeMakers(MakerRegistry &makers) {
  makers.add(MakerGroup::Large, largeProduct);
}
