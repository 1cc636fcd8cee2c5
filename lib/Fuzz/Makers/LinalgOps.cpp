//===- LinalgOps.cpp - Named ops of linalg in a random program -----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parts.h"

#include <algorithm>

using namespace shard::fuzz;

/// LLVM's parser of named ops stops at index.
static bool hasNamedOps(Elem elem) {
  return elem != Elem::I1 && elem != Elem::Index;
}

std::string shard::fuzz::insOuts(const std::vector<Val> &inputs,
                                 const Val &output) {
  return "ins(" + nameList(inputs) + " : " + typeList(inputs) + ") outs(" +
         output.name + " : " + output.type() + ")";
}

std::string shard::fuzz::insOutsTo(const std::vector<Val> &inputs,
                                   const Val &output) {
  return insOuts(inputs, output) + " -> " + output.type();
}

bool shard::fuzz::linalgNamedElementwise(ProgramBuilder &program) {
  std::optional<Val> a = program.pick([](const Val &v) {
    return v.tensor && hasNamedOps(v.elem) && v.bound <= 4096;
  });
  if (!a)
    return false;
  Val b = program.clamped(program.need(a->elem, a->shape), 64);
  Val target = program.empty(a->elem, a->shape);
  static const std::vector<std::string> ops = {"add", "sub", "mul", "max",
                                               "min"};
  std::string op = program.rng.oneOf(ops);
  double bound = op == "mul" ? a->bound * b.bound : a->bound + b.bound;
  program.define("linalg." + op + " " + insOutsTo({*a, b}, target), a->elem,
                 a->shape, bound);
  return true;
}

bool shard::fuzz::linalgMap(ProgramBuilder &program) {
  std::optional<Val> a = program.pickTensor();
  if (!a)
    return false;
  Val b = program.need(a->elem, a->shape);
  Val target = program.empty(a->elem, a->shape);
  std::string op = isFloat(a->elem)      ? "arith.addf"
                   : a->elem == Elem::I1 ? "arith.xori"
                                         : "arith.subi";
  if (isFloat(a->elem) && a->bound + b.bound > boundLimit)
    op = "arith.maximumf";
  program.define("linalg.map { " + op + " } " + insOuts({*a, b}, target),
                 a->elem, a->shape,
                 op == "arith.addf" ? a->bound + b.bound
                                    : std::max(a->bound, b.bound));
  return true;
}

bool shard::fuzz::linalgReduce(ProgramBuilder &program) {
  std::optional<Val> a = program.pickTensor(1);
  if (!a)
    return false;
  Shape dims, shape;
  int64_t count = 1;
  for (size_t dim = 0; dim < a->shape.size(); ++dim) {
    if (program.rng.chance(50)) {
      dims.push_back(dim);
      count *= a->shape[dim];
    } else {
      shape.push_back(a->shape[dim]);
    }
  }
  if (dims.empty())
    return false;
  Combiner combiner = randomCombiner(
      program, a->elem, a->bound * double(count) <= boundLimit / 2);
  Val init = reductionInit(program, a->elem, shape, combiner);
  program.define("linalg.reduce { " + combiner.op + " } " +
                     insOuts({*a}, init) + " dimensions = [" + list(dims) + "]",
                 a->elem, shape,
                 combiner.sum ? a->bound * double(count) + init.bound
                              : std::max(a->bound, init.bound));
  return true;
}

bool shard::fuzz::linalgTranspose(ProgramBuilder &program) {
  std::optional<Val> a = program.pickTensor(2);
  if (!a)
    return false;
  Shape permutation, shape;
  for (size_t i = 0; i < a->shape.size(); ++i)
    permutation.push_back(i);
  program.rng.shuffle(permutation);
  for (int64_t dim : permutation)
    shape.push_back(a->shape[dim]);
  Val target = program.empty(a->elem, shape);
  program.define("linalg.transpose " + insOuts({*a}, target) +
                     " permutation = [" + list(permutation) + "]",
                 a->elem, shape, a->bound);
  return true;
}

bool shard::fuzz::linalgBroadcast(ProgramBuilder &program) {
  std::optional<Val> a = program.pickTensor();
  if (!a || a->shape.size() > 2 || numElements(a->shape) > 150)
    return false;
  Shape shape = a->shape;
  int64_t dim = program.rng.between(0, int64_t(shape.size()));
  shape.insert(shape.begin() + dim, program.randomExtent());
  Val target = program.empty(a->elem, shape);
  program.define("linalg.broadcast " + insOuts({*a}, target) +
                     " dimensions = [" + std::to_string(dim) + "]",
                 a->elem, shape, a->bound);
  return true;
}

/// Writes a sum of products of `count` terms.
void shard::fuzz::contraction(ProgramBuilder &program, const std::string &op,
                              Val a, Val b, int64_t count, const Shape &shape) {
  a = program.clamped(a, 64);
  b = program.clamped(b, 64);
  Val init = reductionInit(program, a.elem, shape, {"", 0, true});
  program.define("linalg." + op + " " + insOutsTo({a, b}, init), a.elem, shape,
                 a.bound * b.bound * double(count) + init.bound);
}

bool shard::fuzz::matmul(ProgramBuilder &program) {
  std::optional<Val> a = program.pick([](const Val &v) {
    return v.tensor && hasNamedOps(v.elem) &&
           (v.shape.size() == 2 || v.shape.size() == 3);
  });
  if (!a)
    return false;
  Shape shape = a->shape;
  int64_t k = shape.back(), n = program.randomExtent();
  Shape other = shape;
  other[other.size() - 2] = k;
  other.back() = n;
  shape.back() = n;
  if (a->shape.size() == 2 && program.rng.chance(25)) {
    // By the transpose of b.
    contraction(program,
                "matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, "
                "affine_map<(m, n, k) -> (n, k)>, "
                "affine_map<(m, n, k) -> (m, n)>]",
                *a, program.need(a->elem, {n, k}), k, shape);
    return true;
  }
  if (a->shape.size() == 3 && program.rng.chance(30)) {
    // The batch is summed up as well.
    contraction(program, "batch_reduce_matmul", *a,
                program.need(a->elem, other), k * shape.front(), {shape[1], n});
    return true;
  }
  contraction(program, a->shape.size() == 2 ? "matmul" : "batch_matmul", *a,
              program.need(a->elem, other), k, shape);
  return true;
}

static bool tiledMatmul(ProgramBuilder &program) {
  std::optional<Val> a = program.pick([](const Val &v) {
    return v.tensor && hasNamedOps(v.elem) && v.shape.size() == 4;
  });
  Elem elem = a ? a->elem : program.rng.chance(70) ? Elem::F32 : Elem::I32;
  Shape left = a ? a->shape
                 : Shape{program.rng.between(1, 5), program.rng.between(1, 4),
                         program.rng.between(1, 4), program.rng.between(1, 3)};
  if (!a)
    a = program.need(elem, left);
  int64_t n = program.rng.between(1, 5), inner = program.rng.between(1, 4);
  Val b = program.need(elem, {n, left[1], inner, left[3]});
  contraction(program, "mmt4d", *a, b, left[1] * left[3],
              {left[0], n, left[2], inner});
  return true;
}

bool shard::fuzz::vectorProduct(ProgramBuilder &program) {
  std::optional<Val> a = program.pick([](const Val &v) {
    return v.tensor && hasNamedOps(v.elem) && v.shape.size() >= 1 &&
           v.shape.size() <= 3;
  });
  if (!a)
    return false;
  if (a->shape.size() == 3)
    contraction(program, "batch_matvec", *a,
                program.need(a->elem, {a->shape[0], a->shape[2]}), a->shape[2],
                {a->shape[0], a->shape[1]});
  else if (a->shape.size() == 2 && program.rng.chance(30)) {
    int64_t n = program.randomExtent();
    contraction(program, "batch_vecmat", *a,
                program.need(a->elem, {a->shape[0], a->shape[1], n}),
                a->shape[1], {a->shape[0], n});
  } else if (a->shape.size() == 2)
    contraction(program, "matvec", *a, program.need(a->elem, {a->shape[1]}),
                a->shape[1], {a->shape[0]});
  else if (program.rng.chance(50))
    contraction(program, "dot", *a, program.need(a->elem, a->shape),
                a->shape[0], {});
  else {
    int64_t n = program.randomExtent();
    contraction(program, "vecmat", *a, program.need(a->elem, {a->shape[0], n}),
                a->shape[0], {n});
  }
  return true;
}

/// " {dilations = dense<[..]> : tensor<nxi64>, strides = ...}" and the extent of
/// the input that gives `out` results.
static std::string windowAttributes(const Shape &strides,
                                    const Shape &dilations) {
  std::string type = " : tensor<" + std::to_string(strides.size()) + "xi64>";
  return "{dilations = dense<[" + list(dilations) + "]>" + type +
         ", strides = dense<[" + list(strides) + "]>" + type + "}";
}

static bool convolution(ProgramBuilder &program) {
  Elem elem = program.rng.chance(75) ? Elem::F32 : Elem::I32;
  int64_t dims = program.rng.chance(60) ? 1 : 2;
  bool depthwise = dims == 2 && program.rng.chance(30),
       channelsFirst = program.rng.chance(30);
  int64_t n = program.rng.between(1, 4), c = program.rng.between(1, 4),
          f = program.rng.between(1, 4);
  Shape out, window, strides, dilations, in;
  int64_t count = depthwise ? 1 : c;
  for (int64_t i = 0; i < dims; ++i) {
    out.push_back(program.rng.between(1, 6));
    window.push_back(program.rng.between(1, 3));
    strides.push_back(program.rng.chance(25) ? 2 : 1);
    dilations.push_back(program.rng.chance(20) ? 2 : 1);
    in.push_back((out[i] - 1) * strides[i] + (window[i] - 1) * dilations[i] +
                 1);
    count *= window[i];
  }
  auto concat = [](std::vector<Shape> parts) {
    Shape shape;
    for (const Shape &part : parts)
      shape.insert(shape.end(), part.begin(), part.end());
    return shape;
  };
  std::string op;
  Shape inShape, filterShape, outShape;
  if (depthwise) {
    op = "depthwise_conv_2d_nhwc_hwc";
    inShape = concat({{n}, in, {c}});
    filterShape = concat({window, {c}});
    outShape = concat({{n}, out, {c}});
  } else if (channelsFirst) {
    op = dims == 1 ? "conv_1d_ncw_fcw" : "conv_2d_nchw_fchw";
    inShape = concat({{n}, {c}, in});
    filterShape = concat({{f}, {c}, window});
    outShape = concat({{n}, {f}, out});
  } else {
    op = dims == 1 ? "conv_1d_nwc_wcf" : "conv_2d_nhwc_hwcf";
    inShape = concat({{n}, in, {c}});
    filterShape = concat({window, {c}, {f}});
    outShape = concat({{n}, out, {f}});
  }
  Val input = program.need(elem, inShape),
      filter = program.need(elem, filterShape);
  contraction(program, op + " " + windowAttributes(strides, dilations), input,
              filter, count, outShape);
  return true;
}

static bool pooling(ProgramBuilder &program) {
  Elem elem = program.rng.chance(75) ? Elem::F32 : Elem::I32;
  int64_t n = program.rng.between(1, 4), c = program.rng.between(1, 4);
  int64_t out = program.rng.between(1, 6), window = program.rng.between(1, 3);
  int64_t stride = program.rng.chance(30) ? 2 : 1;
  int64_t in = (out - 1) * stride + window;
  int64_t kind = program.rng.between(0, 2);
  static const std::vector<std::string> kinds = {"sum", "max", "min"};
  bool real = isFloat(elem);
  const std::vector<Combiner> combiners = {
      {real ? "arith.addf" : "arith.addi", 0, true},
      {real ? "arith.maximumf" : "arith.maxsi", -100, false},
      {real ? "arith.minimumf" : "arith.minsi", 100, false}};
  Val input = program.clamped(program.need(elem, {n, in, c}), 4096);
  Val shape = program.empty(elem, {window});
  Val init = reductionInit(program, elem, {n, out, c}, combiners[kind]);
  program.define("linalg.pooling_nwc_" + kinds[kind] + " " +
                     windowAttributes({stride}, {1}) + " " +
                     insOutsTo({input, shape}, init),
                 elem, {n, out, c},
                 kind == 0 ? input.bound * double(window) + init.bound
                           : std::max(input.bound, init.bound));
  return true;
}

void shard::fuzz::registerLinalgMakers(MakerRegistry &makers) {
  makers.add(MakerGroup::Ops, linalgMap);
  makers.add(MakerGroup::Ops, linalgNamedElementwise);
  makers.add(MakerGroup::Ops, linalgReduce);
  makers.add(MakerGroup::Ops, linalgTranspose, 2);
  makers.add(MakerGroup::Ops, linalgBroadcast);
  makers.add(MakerGroup::Ops, matmul, 3);
  makers.add(MakerGroup::Ops, tiledMatmul);
  makers.add(MakerGroup::Ops, vectorProduct);
  makers.add(MakerGroup::Ops, convolution);
  makers.add(MakerGroup::Ops, pooling);
  makers.add(MakerGroup::Reductions, linalgReduce, 3);
  makers.add(MakerGroup::Reductions, matmul);
  makers.add(MakerGroup::Reductions, vectorProduct);
  makers.add(MakerGroup::Reshapes, linalgTranspose);
  makers.add(MakerGroup::Packs, linalgTranspose);
  makers.add(MakerGroup::Windows, convolution);
  makers.add(MakerGroup::Windows, pooling);
  makers.add(MakerGroup::Real, linalgNamedElementwise);
  makers.add(MakerGroup::Real, linalgMap);
  makers.add(MakerGroup::Real, linalgReduce);
  makers.add(MakerGroup::Real, linalgTranspose);
  makers.add(MakerGroup::Real, linalgBroadcast);
  makers.add(MakerGroup::Real, matmul, 3);
  makers.add(MakerGroup::Real, vectorProduct);
  makers.add(MakerGroup::RealWide, tiledMatmul);
  makers.add(MakerGroup::RealWide, convolution);
  makers.add(MakerGroup::RealWide, pooling);
}
