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

#include "Parts.h"

#include <algorithm>
#include <map>

using namespace shard::fuzz;

bool shard::fuzz::linalgUnary(ProgramBuilder &program) {
  std::optional<Val> a = program.pick([](const Val &v) {
    return v.tensor && isFloat(v.elem) && v.bound <= 64;
  });
  if (!a)
    return false;
  if (program.rng.chance(40)) {
    static const std::vector<std::string> ops = {"abs",  "ceil",       "floor",
                                                 "negf", "round",      "square",
                                                 "copy", "elementwise"};
    std::string op = program.rng.oneOf(ops);
    double bound = op == "square" ? a->bound * a->bound : a->bound;
    if (op == "elementwise")
      op += " kind=#linalg.elementwise_kind<negf>";
    Val target = program.empty(a->elem, a->shape);
    program.define("linalg." + op + " " + insOutsTo({*a}, target), a->elem,
                   a->shape, bound);
    return true;
  }
  Val x = offZero(program, *a), target = program.empty(a->elem, a->shape);
  std::string result = program.fresh();
  if (program.rng.chance(70)) {
    static const std::vector<std::string> ops = {
        "erf", "exp", "log", "reciprocal", "rsqrt", "sqrt", "tanh"};
    program.line(result + " = linalg." + program.rng.oneOf(ops) + " " +
                 insOutsTo({x}, target));
  } else {
    Val y =
        offZero(program, program.clamped(program.need(a->elem, a->shape), 64));
    program.line(result + " = linalg." +
                 (program.rng.chance(50) ? "div " : "powf ") +
                 insOutsTo({x, y}, target));
  }
  compared(program, result, a->elem, a->shape);
  return true;
}

static bool linalgSelect(ProgramBuilder &program) {
  std::optional<Val> a = program.pick([](const Val &v) {
    return v.tensor && v.elem != Elem::I1 && v.elem != Elem::Index;
  });
  if (!a)
    return false;
  Val b = program.need(a->elem, a->shape);
  if (isInteger(a->elem) && program.rng.chance(60)) {
    Val target = program.empty(a->elem, a->shape);
    program.define(std::string("linalg.div") +
                       (program.rng.chance(50) ? "" : "_unsigned") + " " +
                       insOutsTo({*a, b}, target),
                   a->elem, a->shape, 0);
    return true;
  }
  Val condition = program.need(Elem::I1, a->shape),
      target = program.empty(a->elem, a->shape);
  program.define("linalg.select " + insOutsTo({condition, *a, b}, target),
                 a->elem, a->shape, std::max(a->bound, b.bound));
  return true;
}

/// A product by linalg.contract, in tiles with a batch, or of 8-bit values with
/// zero points kept in i32.
static bool rareProduct(ProgramBuilder &program) {
  Elem elem = program.rng.chance(70) ? Elem::F32 : Elem::I32;
  int64_t m = program.randomExtent(), n = program.randomExtent(),
          k = program.randomExtent();
  switch (program.rng.between(0, 3)) {
  case 0: {
    std::string maps = "(m, n, k) -> (";
    contraction(
        program,
        "contract indexing_maps = [affine_map<" + maps + "k, m)>, affine_map<" +
            maps + "k, n)>, affine_map<" + maps + "n, m)>]",
        program.need(elem, {k, m}), program.need(elem, {k, n}), k, {n, m});
    return true;
  }
  case 1: {
    int64_t batch = program.rng.between(1, 4), tile = program.rng.between(1, 3);
    m = program.rng.between(1, 4);
    n = program.rng.between(1, 4);
    k = program.rng.between(1, 3);
    contraction(
        program, "batch_mmt4d", program.need(elem, {batch, m, k, tile, 2}),
        program.need(elem, {batch, n, k, 3, 2}), k * 2, {batch, m, n, tile, 3});
    return true;
  }
  default: {
    // Zero points of integers; all wraps around the same.
    bool batched = program.rng.chance(50);
    Shape left = {m, k}, right = {k, n}, result = {m, n};
    if (batched) {
      int64_t batch = program.rng.between(1, 4);
      for (Shape *shape : {&left, &right, &result})
        shape->insert(shape->begin(), batch);
    }
    Val a = program.need(Elem::I32, left), b = program.need(Elem::I32, right);
    Val zeroA = program.needScalar(Elem::I32),
        zeroB = program.needScalar(Elem::I32);
    Val init = program.rng.chance(60) ? program.filled(Elem::I32, result, 0)
                                      : program.need(Elem::I32, result);
    program.define(std::string("linalg.quantized_") +
                       (batched ? "batch_" : "") + "matmul " +
                       insOutsTo({a, b, zeroA, zeroB}, init),
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

static bool rareWindow(ProgramBuilder &program) {
  bool pooling = program.rng.chance(40);
  const WindowOp &op = program.rng.oneOf(pooling ? poolings : convolutions);
  std::string name = op.name, windowText = op.window;
  auto is = [&](const char *part) {
    return name.find(part) != std::string::npos;
  };
  bool isUnsigned = is("_unsigned");
  Elem elem = op.zeroPoints || isUnsigned ? Elem::I32
              : program.rng.chance(75)    ? Elem::F32
                                          : Elem::I32;
  std::map<char, int64_t> extents;
  for (char letter : std::string("ncfgm"))
    extents[letter] = program.rng.between(1, 3);
  Shape strides, dilations;
  std::map<char, int64_t> inputExtents;
  for (size_t i = 0; i < 3; ++i) {
    int64_t out = program.rng.between(1, 5), window = program.rng.between(1, 3);
    int64_t stride = 1, dilation = 1;
    if (op.attributes && windowText.find("uvw"[i]) != std::string::npos) {
      stride = program.rng.chance(25) ? 2 : 1;
      dilation = program.rng.chance(20) ? 2 : 1;
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
  Val input = program.clamped(program.need(elem, shape(op.input, true)), 64);
  if (pooling) {
    Val window = program.empty(elem, shape(op.window, false));
    int64_t neutral = is("max") ? -100 : is("min") ? 100 : 0;
    Val init =
        program.filled(elem, result, isUnsigned && is("max") ? 0 : neutral);
    program.define("linalg." + text + " " + insOutsTo({input, window}, init),
                   elem, result,
                   std::max(input.bound * double(count), init.bound));
    return true;
  }
  Val filter = program.need(elem, shape(op.window, false));
  if (!op.zeroPoints) {
    contraction(program, text, input, filter, count, result);
    return true;
  }
  Val zeroA = program.needScalar(Elem::I32),
      zeroB = program.needScalar(Elem::I32);
  Val init = program.rng.chance(60) ? program.filled(elem, result, 0)
                                    : program.need(elem, result);
  program.define("linalg." + text + " " +
                     insOutsTo({input, filter, zeroA, zeroB}, init),
                 elem, result, 0);
  return true;
}

void shard::fuzz::registerNamedMakers(MakerRegistry &makers) {
  makers.add(MakerGroup::Ops, linalgUnary);
  makers.add(MakerGroup::Ops, linalgSelect);
  makers.add(MakerGroup::Ops, rareProduct);
  makers.add(MakerGroup::Ops, rareWindow, 2);
  makers.add(MakerGroup::Windows, rareWindow);
  makers.add(MakerGroup::Elements, linalgSelect, 2);
  makers.add(MakerGroup::RealWide, rareWindow);
}
