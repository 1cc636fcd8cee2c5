//===- ProductsTest.cpp - Sums of products, as kernels and as loops -------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Some ops of linalg become calls of a kernel for products. Ops that look much like them, with
// other types, bodies and indices, are compared with loops in C++, exactly: the elements are
// small integers.
//
//===----------------------------------------------------------------------===//

#include "RunText.h"

#include "llvm/ADT/StringExtras.h"

#include <random>

using namespace mlir;
using namespace shard;
using namespace shard::test;
using llvm::APInt;

namespace {

/// How one operand is indexed: for each dimension the factors of the loops.
using Map = std::vector<std::vector<int64_t>>;

struct Form {
  const char *name;
  std::vector<int64_t> loops;
  /// 'p' or 'r' for each loop.
  std::string kinds;
  Map a, b, c;
};

const Form forms[] = {
    {"matmul",
     {3, 4, 5},
     "ppr",
     {{1, 0, 0}, {0, 0, 1}},
     {{0, 0, 1}, {0, 1, 0}},
     {{1, 0, 0}, {0, 1, 0}}},
    {"transposed",
     {3, 4, 5},
     "ppr",
     {{0, 0, 1}, {1, 0, 0}},
     {{0, 1, 0}, {0, 0, 1}},
     {{0, 1, 0}, {1, 0, 0}}},
    {"batch",
     {2, 3, 4, 5},
     "pppr",
     {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 0, 1}},
     {{1, 0, 0, 0}, {0, 0, 0, 1}, {0, 0, 1, 0}},
     {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}},
    {"rows", {40, 30}, "pr", {{1, 0}, {0, 1}}, {{0, 1}}, {{1, 0}}},
    {"columns", {40, 30}, "pr", {{0, 1}}, {{0, 1}, {1, 0}}, {{1, 0}}},
    {"dot", {1100}, "r", {{1}}, {{1}}, {}},
    {"outer", {6, 7}, "pp", {{1, 0}}, {{0, 1}}, {{1, 0}, {0, 1}}},
    {"window",
     {4, 3, 5, 2},
     "pprr",
     {{1, 0, 1, 0}, {0, 0, 0, 1}},
     {{0, 0, 1, 0}, {0, 0, 0, 1}, {0, 1, 0, 0}},
     {{1, 0, 0, 0}, {0, 1, 0, 0}}},
    {"strided",
     {4, 3, 5},
     "ppr",
     {{2, 0, 0}, {0, 0, 1}},
     {{0, 0, 1}, {0, 3, 0}},
     {{1, 0, 0}, {0, 1, 0}}},
    {"two sums",
     {3, 2, 4, 3},
     "pprr",
     {{1, 0, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}},
     {{0, 0, 0, 1}, {0, 1, 0, 0}, {0, 0, 1, 0}},
     {{1, 0, 0, 0}, {0, 1, 0, 0}}},
    {"diagonal", {4, 3}, "pr", {{1, 0}, {1, 0}}, {{0, 1}, {1, 0}}, {{1, 0}}}};

std::vector<int64_t> shapeOf(const Form &form, const Map &map) {
  std::vector<int64_t> shape;
  for (const auto &factors : map) {
    int64_t last = 0;
    for (size_t loop = 0; loop < factors.size(); ++loop)
      last += factors[loop] * (form.loops[loop] - 1);
    shape.push_back(last + 1);
  }
  return shape;
}

int64_t placeOf(const Form &form, const Map &map,
                const std::vector<int64_t> &iteration) {
  std::vector<int64_t> shape = shapeOf(form, map);
  int64_t place = 0;
  for (size_t dim = 0; dim < map.size(); ++dim) {
    int64_t at = 0;
    for (size_t loop = 0; loop < iteration.size(); ++loop)
      at += map[dim][loop] * iteration[loop];
    place = place * shape[dim] + at;
  }
  return place;
}

std::string mapText(const Form &form, const Map &map) {
  std::string names, text;
  for (size_t loop = 0; loop < form.loops.size(); ++loop)
    names += (loop ? ", d" : "d") + std::to_string(loop);
  for (size_t dim = 0; dim < map.size(); ++dim) {
    std::string sum;
    for (size_t loop = 0; loop < form.loops.size(); ++loop)
      if (int64_t factor = map[dim][loop])
        sum += (sum.empty() ? "d" : " + d") + std::to_string(loop) +
               (factor > 1 ? " * " + std::to_string(factor) : "");
    text += (dim ? ", " : "") + sum;
  }
  return "affine_map<(" + names + ") -> (" + text + ")>";
}

std::string typeText(const std::vector<int64_t> &shape, StringRef element) {
  std::string text = "tensor<";
  for (int64_t extent : shape)
    text += std::to_string(extent) + "x";
  return text + element.str() + ">";
}

/// The types of the factors, how they become that of the sum, and that.
struct Types {
  const char *a, *castA, *b, *castB, *sum;

  bool isFloat() const { return sum[0] == 'f' || sum[0] == 'b'; }
};

/// The element `i` as a number. Unsigned ones are those of arith.extui.
int64_t valueOf(const HostTensor &tensor, int64_t i, StringRef cast) {
  if (cast == "extui")
    return int64_t(bitsOf(tensor, i).getZExtValue());
  if (tensor.type() == ElementType::I1)
    return cast == "extsi" ? -int64_t(tensor.asDouble(i))
                           : int64_t(tensor.asDouble(i));
  return int64_t(tensor.asDouble(i));
}

/// Small integers; of integer types negative ones too, and all bits of i8.
HostTensor inputOf(StringRef element, const std::vector<int64_t> &shape,
                   unsigned seed) {
  HostTensor tensor(typeOf(element), shape);
  fillRandom(tensor, seed, 0);
  std::mt19937 random(seed);
  for (int64_t i = 0; i < tensor.numElements(); ++i) {
    int64_t value = int64_t(random() % 7) - 3;
    auto single = static_cast<float>(value);
    double wide = double(value);
    uint16_t narrow;
    switch (tensor.type()) {
    case ElementType::F64:
      std::memcpy(tensor.data() + 8 * i, &wide, 8);
      break;
    case ElementType::F32:
      std::memcpy(tensor.data() + 4 * i, &single, 4);
      break;
    case ElementType::F16:
    case ElementType::BF16:
      narrow = tensor.type() == ElementType::F16 ? floatToHalf(single)
                                                 : floatToBfloat(single);
      std::memcpy(tensor.data() + 2 * i, &narrow, 2);
      break;
    case ElementType::I8:
      tensor.data()[i] = uint8_t(random());
      break;
    case ElementType::I16:
      narrow = uint16_t(random());
      std::memcpy(tensor.data() + 2 * i, &narrow, 2);
      break;
    default:
      if (isSmallFloat(tensor.type()))
        tensor.data()[i] = doubleToSmallFloat(tensor.type(), wide);
      break;
    }
  }
  return tensor;
}

/// What a body makes of the factors `a`, `b` and the sum `c`, as ops and as a number.
struct Body {
  const char *name, *text;
  int64_t (*compute)(int64_t a, int64_t b, int64_t c);
};

const Body product = {
    "a * b + c", "%m = arith.mul$ %x, %y : T\n%s = arith.add$ %c, %m : T",
    [](int64_t a, int64_t b, int64_t c) { return a * b + c; }};
const Body bodies[] = {
    product,
    {"b * a + c", "%m = arith.mul$ %y, %x : T\n%s = arith.add$ %m, %c : T",
     [](int64_t a, int64_t b, int64_t c) { return b * a + c; }},
    {"a * a + c", "%m = arith.mul$ %x, %x : T\n%s = arith.add$ %m, %c : T",
     [](int64_t a, int64_t, int64_t c) { return a * a + c; }},
    {"c - a * b", "%m = arith.mul$ %x, %y : T\n%s = arith.sub$ %c, %m : T",
     [](int64_t a, int64_t b, int64_t c) { return c - a * b; }},
    {"a + b + c", "%m = arith.add$ %x, %y : T\n%s = arith.add$ %m, %c : T",
     [](int64_t a, int64_t b, int64_t c) { return a + b + c; }},
    {"a * c + c", "%m = arith.mul$ %x, %c : T\n%s = arith.add$ %m, %c : T",
     [](int64_t a, int64_t, int64_t c) { return a * c + c; }},
    {"a * b + a", "%m = arith.mul$ %x, %y : T\n%s = arith.add$ %m, %x : T",
     [](int64_t a, int64_t b, int64_t) { return a * b + a; }},
    {"a * b + a * b", "%m = arith.mul$ %x, %y : T\n%s = arith.add$ %m, %m : T",
     [](int64_t a, int64_t b, int64_t) { return 2 * a * b; }}};

std::string cast(const char *op, const char *from, const char *to,
                 const std::string &value, const std::string &result) {
  if (!*op)
    return "";
  return "    %" + result + " = arith." + op + " %" + value + " : " + from +
         " to " + to + "\n";
}

std::string makeProgram(const Form &form, const Types &types,
                        const Body &body) {
  std::string a = typeText(shapeOf(form, form.a), types.a);
  std::string b = typeText(shapeOf(form, form.b), types.b);
  std::string c = typeText(shapeOf(form, form.c), types.sum);
  std::vector<std::string> iterators;
  for (char kind : form.kinds)
    iterators.push_back(kind == 'p' ? "\"parallel\"" : "\"reduction\"");
  std::string ops;
  for (const char *at = body.text; *at; ++at)
    ops += *at == '$'    ? (types.isFloat() ? "f" : "i")
           : *at == 'T'  ? types.sum
           : *at == '\n' ? "\n    "
                         : std::string(1, *at);
  return "func.func @main(%a: " + a + ", %b: " + b + ", %init: " + c + ") -> " +
         c + " {\n  %0 = linalg.generic {indexing_maps = [" +
         mapText(form, form.a) + ", " + mapText(form, form.b) + ", " +
         mapText(form, form.c) + "], iterator_types = [" +
         llvm::join(iterators, ", ") + "]}\n    ins(%a, %b : " + a + ", " + b +
         ") outs(%init : " + c + ") {\n  ^bb0(%" + (*types.castA ? "p" : "x") +
         ": " + types.a + ", %" + (*types.castB ? "q" : "y") + ": " + types.b +
         ", %c: " + types.sum + "):\n" +
         cast(types.castA, types.a, types.sum, "p", "x") +
         cast(types.castB, types.b, types.sum, "q", "y") + "    " + ops +
         "\n    linalg.yield %s : " + types.sum + "\n  } -> " + c +
         "\n  return %0 : " + c + "\n}\n";
}

struct ProductsTest : RunText {
  void check(const Form &form, const Types &types, const Body &body) {
    std::string text = makeProgram(form, types, body);
    SCOPED_TRACE(std::string(form.name) + ", " + body.name + "\n" + text);
    std::vector<HostTensor> inputs;
    inputs.push_back(inputOf(types.a, shapeOf(form, form.a), 1));
    inputs.push_back(inputOf(types.b, shapeOf(form, form.b), 2));
    inputs.push_back(inputOf(types.sum, shapeOf(form, form.c), 3));
    const HostTensor a = inputs[0].clone(), b = inputs[1].clone();
    std::vector<int64_t> sums;
    for (int64_t i = 0; i < inputs[2].numElements(); ++i)
      sums.push_back(valueOf(inputs[2], i, ""));
    int64_t count = 1;
    for (int64_t extent : form.loops)
      count *= extent;
    for (int64_t number = 0; number < count; ++number) {
      std::vector<int64_t> at(form.loops.size());
      int64_t rest = number;
      for (size_t loop = form.loops.size(); loop-- > 0;) {
        at[loop] = rest % form.loops[loop];
        rest /= form.loops[loop];
      }
      int64_t &sum = sums[placeOf(form, form.c, at)];
      sum =
          body.compute(valueOf(a, placeOf(form, form.a, at), types.castA),
                       valueOf(b, placeOf(form, form.b, at), types.castB), sum);
    }
    std::vector<HostTensor> outputs = run(text, std::move(inputs));
    ASSERT_EQ(outputs.size(), 1u);
    for (size_t i = 0; i < sums.size(); ++i) {
      if (types.isFloat())
        ASSERT_EQ(outputs[0].asDouble(i), double(sums[i])) << i;
      else
        ASSERT_EQ(bitsOf(outputs[0], i),
                  APInt(widthOf(types.sum), sums[i], /*isSigned=*/true,
                        /*implicitTrunc=*/true))
            << i;
    }
  }
};

} // namespace

TEST_F(ProductsTest, OfEveryForm) {
  for (const Form &form : forms)
    for (const Types &types :
         {Types{"f32", "", "f32", "", "f32"}, {"i32", "", "i32", "", "i32"}})
      if (!HasFailure())
        check(form, types, product);
}

TEST_F(ProductsTest, OfEveryBody) {
  for (const Body &body : bodies)
    if (!HasFailure())
      check(forms[0], {"i32", "", "i32", "", "i32"}, body);
}

// Factors of narrow types become those of the sum, in both ways.
TEST_F(ProductsTest, OfEveryType) {
  const std::pair<const char *, const char *> integers[] = {
      {"i8", "extsi"},  {"i8", "extui"}, {"i16", "extsi"},
      {"i16", "extui"}, {"i1", "extui"}, {"i1", "extsi"}};
  for (auto [a, castA] : integers)
    for (auto [b, castB] : integers)
      if (!HasFailure())
        check(forms[0], {a, castA, b, castB, "i32"}, product);
  for (const char *sum : {"i8", "i16", "i64"})
    check(forms[0], {sum, "", sum, "", sum}, product);
  const std::pair<const char *, const char *> floats[] = {
      {"f16", "extf"},    {"bf16", "extf"},   {"f8E4M3FN", "extf"},
      {"f8E5M2", "extf"}, {"f8E3M4", "extf"}, {"f32", ""}};
  for (auto [a, castA] : floats)
    for (auto [b, castB] : floats)
      if (!HasFailure())
        check(forms[0], {a, castA, b, castB, "f32"}, product);
  check(forms[0], {"f32", "extf", "f16", "extf", "f64"}, product);
  for (const char *sum : {"f16", "bf16", "f64"})
    check(forms[0], {sum, "", sum, "", sum}, product);
}
