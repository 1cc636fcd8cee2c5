//===- NamedOps.cpp - The rarer named ops of linalg -----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Windows are written from tables: one letter per dimension of each operand says
// what its extent is. MathOps.cpp says what becomes of inexact results.
//
//===----------------------------------------------------------------------===//

#include "Generator.h"

#include <algorithm>
#include <map>

using namespace shard::fuzz;

bool Generator::linalgUnary() {
  std::optional<Val> a = pick([](const Val &v) {
    return v.tensor && isFloat(v.elem) && v.bound <= 64;
  });
  if (!a)
    return false;
  if (rng.chance(40)) {
    static const std::vector<std::string> ops = {"abs",  "ceil",       "floor",
                                                 "negf", "round",      "square",
                                                 "copy", "elementwise"};
    std::string op = rng.oneOf(ops);
    double bound = op == "square" ? a->bound * a->bound : a->bound;
    if (op == "elementwise")
      op += " kind=#linalg.elementwise_kind<negf>";
    Val target = empty(a->elem, a->shape);
    define("linalg." + op + " " + insOutsTo({*a}, target), a->elem, a->shape,
           bound);
    return true;
  }
  Val x = offZero(*a), target = empty(a->elem, a->shape);
  std::string result = fresh();
  if (rng.chance(70)) {
    static const std::vector<std::string> ops = {
        "erf", "exp", "log", "reciprocal", "rsqrt", "sqrt", "tanh"};
    line(result + " = linalg." + rng.oneOf(ops) + " " + insOutsTo({x}, target));
  } else {
    Val y = offZero(clamped(need(a->elem, a->shape), 64));
    line(result + " = linalg." + (rng.chance(50) ? "div " : "powf ") +
         insOutsTo({x, y}, target));
  }
  compared(result, a->elem, a->shape);
  return true;
}

bool Generator::linalgSelect() {
  std::optional<Val> a = pick([](const Val &v) {
    return v.tensor && v.elem != Elem::I1 && v.elem != Elem::Index;
  });
  if (!a)
    return false;
  Val b = need(a->elem, a->shape);
  if (isInteger(a->elem) && rng.chance(60)) {
    Val target = empty(a->elem, a->shape);
    define(std::string("linalg.div") + (rng.chance(50) ? "" : "_unsigned") +
               " " + insOutsTo({*a, b}, target),
           a->elem, a->shape, 0);
    return true;
  }
  Val condition = need(Elem::I1, a->shape), target = empty(a->elem, a->shape);
  define("linalg.select " + insOutsTo({condition, *a, b}, target), a->elem,
         a->shape, std::max(a->bound, b.bound));
  return true;
}

/// A product by linalg.contract, in tiles with a batch, or of 8-bit values with
/// zero points kept in i32.
bool Generator::rareProduct() {
  Elem elem = rng.chance(70) ? Elem::F32 : Elem::I32;
  int64_t m = randomExtent(), n = randomExtent(), k = randomExtent();
  switch (rng.between(0, 3)) {
  case 0: {
    std::string maps = "(m, n, k) -> (";
    contraction("contract indexing_maps = [affine_map<" + maps +
                    "k, m)>, affine_map<" + maps + "k, n)>, affine_map<" +
                    maps + "n, m)>]",
                need(elem, {k, m}), need(elem, {k, n}), k, {n, m});
    return true;
  }
  case 1: {
    int64_t batch = rng.between(1, 4), tile = rng.between(1, 3);
    m = rng.between(1, 4);
    n = rng.between(1, 4);
    k = rng.between(1, 3);
    contraction("batch_mmt4d", need(elem, {batch, m, k, tile, 2}),
                need(elem, {batch, n, k, 3, 2}), k * 2, {batch, m, n, tile, 3});
    return true;
  }
  default: {
    // Zero points of integers; all wraps around the same.
    bool batched = rng.chance(50);
    Shape left = {m, k}, right = {k, n}, result = {m, n};
    if (batched) {
      int64_t batch = rng.between(1, 4);
      for (Shape *shape : {&left, &right, &result})
        shape->insert(shape->begin(), batch);
    }
    Val a = need(Elem::I32, left), b = need(Elem::I32, right);
    Val zeroA = needScalar(Elem::I32), zeroB = needScalar(Elem::I32);
    Val init =
        rng.chance(60) ? filled(Elem::I32, result, 0) : need(Elem::I32, result);
    define(std::string("linalg.quantized_") + (batched ? "batch_" : "") +
               "matmul " + insOutsTo({a, b, zeroA, zeroB}, init),
           Elem::I32, result, 0);
    return true;
  }
  }
}

namespace {

/// An op with a window. Letters: n batch, c input channels, f results, g groups,
/// m multiplier; x, y, z positions, of which the input has as many as the window
/// needs; u, v, w extents of the window.
struct WindowOp {
  const char *name, *input, *window, *result;
  /// Whether two zero points follow the window; integers only.
  bool zeroPoints = false;
  /// Whether it has strides and dilations.
  bool attributes = true;
};

} // namespace

static const std::vector<WindowOp> convolutions = {
    {"conv_1d", "x", "u", "x", false, false},
    {"conv_2d", "xy", "uv", "xy", false, false},
    {"conv_3d", "xyz", "uvw", "xyz", false, false},
    {"conv_2d_nhwc_fhwc", "nxyc", "fuvc", "nxyf"},
    {"conv_2d_nhwc_fhwc_q", "nxyc", "fuvc", "nxyf", true},
    {"conv_2d_nhwc_hwcf_q", "nxyc", "uvcf", "nxyf", true},
    {"conv_2d_nchw_fchw_q", "ncxy", "fcuv", "nfxy", true},
    {"conv_2d_ngchw_fgchw", "ngcxy", "fgcuv", "ngfxy"},
    {"conv_2d_ngchw_gfchw", "ngcxy", "gfcuv", "ngfxy"},
    {"conv_2d_ngchw_gfchw_q", "ngcxy", "gfcuv", "ngfxy", true},
    {"conv_2d_nhwgc_gfhwc", "nxygc", "gfuvc", "nxygf"},
    {"conv_2d_nhwgc_gfhwc_q", "nxygc", "gfuvc", "nxygf", true},
    {"conv_3d_ncdhw_fcdhw", "ncxyz", "fcuvw", "nfxyz"},
    {"conv_3d_ndhwc_dhwcf", "nxyzc", "uvwcf", "nxyzf"},
    {"conv_3d_ndhwc_dhwcf_q", "nxyzc", "uvwcf", "nxyzf", true},
    {"depthwise_conv_1d_ncw_cw", "ncx", "cu", "ncx"},
    {"depthwise_conv_1d_nwc_wc", "nxc", "uc", "nxc"},
    {"depthwise_conv_1d_nwc_wcm", "nxc", "ucm", "nxcm"},
    {"depthwise_conv_2d_nchw_chw", "ncxy", "cuv", "ncxy"},
    {"depthwise_conv_2d_nhwc_hwc_q", "nxyc", "uvc", "nxyc", true},
    {"depthwise_conv_2d_nhwc_hwcm", "nxyc", "uvcm", "nxycm"},
    {"depthwise_conv_2d_nhwc_hwcm_q", "nxyc", "uvcm", "nxycm", true},
    {"depthwise_conv_3d_ncdhw_cdhw", "ncxyz", "cuvw", "ncxyz"},
    {"depthwise_conv_3d_ndhwc_dhwc", "nxyzc", "uvwc", "nxyzc"},
    {"depthwise_conv_3d_ndhwc_dhwcm", "nxyzc", "uvwcm", "nxyzcm"},
};

static const std::vector<WindowOp> poolings = {
    {"pooling_nchw_max", "ncxy", "uv", "ncxy"},
    {"pooling_nchw_sum", "ncxy", "uv", "ncxy"},
    {"pooling_ncw_max", "ncx", "u", "ncx"},
    {"pooling_ncw_sum", "ncx", "u", "ncx"},
    {"pooling_ndhwc_max", "nxyzc", "uvw", "nxyzc"},
    {"pooling_ndhwc_min", "nxyzc", "uvw", "nxyzc"},
    {"pooling_ndhwc_sum", "nxyzc", "uvw", "nxyzc"},
    {"pooling_nhwc_max", "nxyc", "uv", "nxyc"},
    {"pooling_nhwc_max_unsigned", "nxyc", "uv", "nxyc"},
    {"pooling_nhwc_min", "nxyc", "uv", "nxyc"},
    {"pooling_nhwc_min_unsigned", "nxyc", "uv", "nxyc"},
    {"pooling_nhwc_sum", "nxyc", "uv", "nxyc"},
    {"pooling_nwc_max_unsigned", "nxc", "u", "nxc"},
    {"pooling_nwc_min_unsigned", "nxc", "u", "nxc"},
};

bool Generator::rareWindow() {
  bool pooling = rng.chance(40);
  const WindowOp &op = rng.oneOf(pooling ? poolings : convolutions);
  std::string name = op.name, windowText = op.window;
  auto is = [&](const char *part) {
    return name.find(part) != std::string::npos;
  };
  bool isUnsigned = is("_unsigned");
  Elem elem = op.zeroPoints || isUnsigned ? Elem::I32
              : rng.chance(75)            ? Elem::F32
                                          : Elem::I32;
  std::map<char, int64_t> extents;
  for (char letter : std::string("ncfgm"))
    extents[letter] = rng.between(1, 3);
  Shape strides, dilations;
  std::map<char, int64_t> inputExtents;
  for (size_t i = 0; i < 3; ++i) {
    int64_t out = rng.between(1, 5), window = rng.between(1, 3);
    int64_t stride = 1, dilation = 1;
    if (op.attributes && windowText.find("uvw"[i]) != std::string::npos) {
      stride = rng.chance(25) ? 2 : 1;
      dilation = rng.chance(20) ? 2 : 1;
      strides.push_back(stride);
      dilations.push_back(dilation);
    }
    extents["xyz"[i]] = out;
    extents["uvw"[i]] = window;
    inputExtents["xyz"[i]] = (out - 1) * stride + (window - 1) * dilation + 1;
  }
  auto shape = [&](const char *letters, bool input) {
    Shape result;
    for (char letter : std::string(letters))
      result.push_back(input && inputExtents.count(letter)
                           ? inputExtents[letter]
                           : extents[letter]);
    return result;
  };
  std::string text = name;
  if (op.attributes) {
    std::string type = " : tensor<" + std::to_string(strides.size()) + "xi64>";
    text += " {dilations = dense<[" + list(dilations) + "]>" + type +
            ", strides = dense<[" + list(strides) + "]>" + type + "}";
  }
  // No more summands than the window has elements.
  int64_t count = numElements(shape(op.window, false));
  Shape result = shape(op.result, false);
  Val input = clamped(need(elem, shape(op.input, true)), 64);
  if (pooling) {
    Val window = empty(elem, shape(op.window, false));
    int64_t neutral = is("max") ? -100 : is("min") ? 100 : 0;
    Val init = filled(elem, result, isUnsigned && is("max") ? 0 : neutral);
    define("linalg." + text + " " + insOutsTo({input, window}, init), elem,
           result, std::max(input.bound * double(count), init.bound));
    return true;
  }
  Val filter = need(elem, shape(op.window, false));
  if (!op.zeroPoints) {
    contraction(text, input, filter, count, result);
    return true;
  }
  Val zeroA = needScalar(Elem::I32), zeroB = needScalar(Elem::I32);
  Val init = rng.chance(60) ? filled(elem, result, 0) : need(elem, result);
  define("linalg." + text + " " +
             insOutsTo({input, filter, zeroA, zeroB}, init),
         elem, result, 0);
  return true;
}
