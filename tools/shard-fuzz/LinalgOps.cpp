//===- LinalgOps.cpp - Named ops of linalg in a random program -----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Generator.h"

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

bool Generator::linalgNamedElementwise() {
  std::optional<Val> a = pick([](const Val &v) {
    return v.tensor && hasNamedOps(v.elem) && v.bound <= 4096;
  });
  if (!a)
    return false;
  Val b = clamped(need(a->elem, a->shape), 64);
  Val target = empty(a->elem, a->shape);
  static const std::vector<std::string> ops = {"add", "sub", "mul", "max",
                                               "min"};
  std::string op = rng.oneOf(ops);
  double bound = op == "mul" ? a->bound * b.bound : a->bound + b.bound;
  define("linalg." + op + " " + insOutsTo({*a, b}, target), a->elem, a->shape,
         bound);
  return true;
}

bool Generator::linalgMap() {
  std::optional<Val> a = pickTensor();
  if (!a)
    return false;
  Val b = need(a->elem, a->shape);
  Val target = empty(a->elem, a->shape);
  std::string op = isFloat(a->elem)      ? "arith.addf"
                   : a->elem == Elem::I1 ? "arith.xori"
                                         : "arith.subi";
  if (isFloat(a->elem) && a->bound + b.bound > boundLimit)
    op = "arith.maximumf";
  define("linalg.map { " + op + " } " + insOuts({*a, b}, target), a->elem,
         a->shape,
         op == "arith.addf" ? a->bound + b.bound : std::max(a->bound, b.bound));
  return true;
}

bool Generator::linalgReduce() {
  std::optional<Val> a = pickTensor(1);
  if (!a)
    return false;
  Shape dims, shape;
  int64_t count = 1;
  for (size_t dim = 0; dim < a->shape.size(); ++dim) {
    if (rng.chance(50)) {
      dims.push_back(dim);
      count *= a->shape[dim];
    } else {
      shape.push_back(a->shape[dim]);
    }
  }
  if (dims.empty())
    return false;
  auto [op, neutral, sum] =
      randomCombiner(a->elem, a->bound * double(count) <= boundLimit / 2);
  Val init =
      rng.chance(60) ? filled(a->elem, shape, neutral) : need(a->elem, shape);
  define("linalg.reduce { " + op + " } " + insOuts({*a}, init) +
             " dimensions = [" + list(dims) + "]",
         a->elem, shape,
         sum ? a->bound * double(count) + init.bound
             : std::max(a->bound, init.bound));
  return true;
}

bool Generator::linalgTranspose() {
  std::optional<Val> a = pickTensor(2);
  if (!a)
    return false;
  Shape permutation, shape;
  for (size_t i = 0; i < a->shape.size(); ++i)
    permutation.push_back(i);
  rng.shuffle(permutation);
  for (int64_t dim : permutation)
    shape.push_back(a->shape[dim]);
  Val target = empty(a->elem, shape);
  define("linalg.transpose " + insOuts({*a}, target) + " permutation = [" +
             list(permutation) + "]",
         a->elem, shape, a->bound);
  return true;
}

bool Generator::linalgBroadcast() {
  std::optional<Val> a = pickTensor();
  if (!a || a->shape.size() > 2 || numElements(a->shape) > 150)
    return false;
  Shape shape = a->shape;
  int64_t dim = rng.between(0, int64_t(shape.size()));
  shape.insert(shape.begin() + dim, randomExtent());
  Val target = empty(a->elem, shape);
  define("linalg.broadcast " + insOuts({*a}, target) + " dimensions = [" +
             std::to_string(dim) + "]",
         a->elem, shape, a->bound);
  return true;
}

/// Writes a sum of products of `count` terms.
void Generator::contraction(const std::string &op, Val a, Val b, int64_t count,
                            const Shape &shape) {
  a = clamped(a, 64);
  b = clamped(b, 64);
  Val init = rng.chance(60) ? filled(a.elem, shape, 0) : need(a.elem, shape);
  define("linalg." + op + " " + insOutsTo({a, b}, init), a.elem, shape,
         a.bound * b.bound * double(count) + init.bound);
}

bool Generator::matmul() {
  std::optional<Val> a = pick([](const Val &v) {
    return v.tensor && hasNamedOps(v.elem) &&
           (v.shape.size() == 2 || v.shape.size() == 3);
  });
  if (!a)
    return false;
  Shape shape = a->shape;
  int64_t k = shape.back(), n = randomExtent();
  Shape other = shape;
  other[other.size() - 2] = k;
  other.back() = n;
  shape.back() = n;
  if (a->shape.size() == 2 && rng.chance(25)) {
    // By the transpose of b.
    contraction("matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, "
                "affine_map<(m, n, k) -> (n, k)>, "
                "affine_map<(m, n, k) -> (m, n)>]",
                *a, need(a->elem, {n, k}), k, shape);
    return true;
  }
  if (a->shape.size() == 3 && rng.chance(30)) {
    // The batch is summed up as well.
    contraction("batch_reduce_matmul", *a, need(a->elem, other),
                k * shape.front(), {shape[1], n});
    return true;
  }
  contraction(a->shape.size() == 2 ? "matmul" : "batch_matmul", *a,
              need(a->elem, other), k, shape);
  return true;
}

bool Generator::tiledMatmul() {
  std::optional<Val> a = pick([](const Val &v) {
    return v.tensor && hasNamedOps(v.elem) && v.shape.size() == 4;
  });
  Elem elem = a ? a->elem : rng.chance(70) ? Elem::F32 : Elem::I32;
  Shape left = a ? a->shape
                 : Shape{rng.between(1, 5), rng.between(1, 4),
                         rng.between(1, 4), rng.between(1, 3)};
  if (!a)
    a = need(elem, left);
  int64_t n = rng.between(1, 5), inner = rng.between(1, 4);
  Val b = need(elem, {n, left[1], inner, left[3]});
  contraction("mmt4d", *a, b, left[1] * left[3], {left[0], n, left[2], inner});
  return true;
}

bool Generator::vectorProduct() {
  std::optional<Val> a = pick([](const Val &v) {
    return v.tensor && hasNamedOps(v.elem) && v.shape.size() >= 1 &&
           v.shape.size() <= 3;
  });
  if (!a)
    return false;
  if (a->shape.size() == 3)
    contraction("batch_matvec", *a, need(a->elem, {a->shape[0], a->shape[2]}),
                a->shape[2], {a->shape[0], a->shape[1]});
  else if (a->shape.size() == 2 && rng.chance(30)) {
    int64_t n = randomExtent();
    contraction("batch_vecmat", *a,
                need(a->elem, {a->shape[0], a->shape[1], n}), a->shape[1],
                {a->shape[0], n});
  } else if (a->shape.size() == 2)
    contraction("matvec", *a, need(a->elem, {a->shape[1]}), a->shape[1],
                {a->shape[0]});
  else if (rng.chance(50))
    contraction("dot", *a, need(a->elem, a->shape), a->shape[0], {});
  else {
    int64_t n = randomExtent();
    contraction("vecmat", *a, need(a->elem, {a->shape[0], n}), a->shape[0],
                {n});
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

bool Generator::convolution() {
  Elem elem = rng.chance(75) ? Elem::F32 : Elem::I32;
  int64_t dims = rng.chance(60) ? 1 : 2;
  bool depthwise = dims == 2 && rng.chance(30), channelsFirst = rng.chance(30);
  int64_t n = rng.between(1, 4), c = rng.between(1, 4), f = rng.between(1, 4);
  Shape out, window, strides, dilations, in;
  int64_t count = depthwise ? 1 : c;
  for (int64_t i = 0; i < dims; ++i) {
    out.push_back(rng.between(1, 6));
    window.push_back(rng.between(1, 3));
    strides.push_back(rng.chance(25) ? 2 : 1);
    dilations.push_back(rng.chance(20) ? 2 : 1);
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
  Val input = need(elem, inShape), filter = need(elem, filterShape);
  contraction(op + " " + windowAttributes(strides, dilations), input, filter,
              count, outShape);
  return true;
}

bool Generator::pooling() {
  Elem elem = rng.chance(75) ? Elem::F32 : Elem::I32;
  int64_t n = rng.between(1, 4), c = rng.between(1, 4);
  int64_t out = rng.between(1, 6), window = rng.between(1, 3);
  int64_t stride = rng.chance(30) ? 2 : 1;
  int64_t in = (out - 1) * stride + window;
  int64_t kind = rng.between(0, 2);
  static const std::vector<std::string> kinds = {"sum", "max", "min"};
  static const std::vector<int64_t> neutral = {0, -100, 100};
  Val input = clamped(need(elem, {n, in, c}), 4096);
  Val shape = empty(elem, {window});
  Val init = filled(elem, {n, out, c}, neutral[kind]);
  define("linalg.pooling_nwc_" + kinds[kind] + " " +
             windowAttributes({stride}, {1}) + " " +
             insOutsTo({input, shape}, init),
         elem, {n, out, c},
         kind == 0 ? input.bound * double(window)
                   : std::max(input.bound, init.bound));
  return true;
}
