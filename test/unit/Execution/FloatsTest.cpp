//===- FloatsTest.cpp - Arithmetic that code generation expands -----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversions between floats of all widths, arithmetic of narrow ones, classes of floats and
// powers of integers, on all numbers of 8 and of 16 bits, compared with LLVM's APFloat.
//
//===----------------------------------------------------------------------===//

#include "RunText.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"

#include <random>

using namespace mlir;
using namespace shard;
using namespace shard::test;
using llvm::APFloat;
using llvm::APInt;

namespace {

using FloatsTest = RunText;

struct Format {
  const char *name;
  const llvm::fltSemantics &semantics;

  unsigned width() const { return APFloat::semanticsSizeInBits(semantics); }
};

const Format formats[] = {{"f8E4M3FN", APFloat::Float8E4M3FN()},
                          {"f8E5M2", APFloat::Float8E5M2()},
                          {"f8E4M3FNUZ", APFloat::Float8E4M3FNUZ()},
                          {"f8E5M2FNUZ", APFloat::Float8E5M2FNUZ()},
                          {"f8E4M3B11FNUZ", APFloat::Float8E4M3B11FNUZ()},
                          {"f8E4M3", APFloat::Float8E4M3()},
                          {"f8E3M4", APFloat::Float8E3M4()},
                          {"f16", APFloat::IEEEhalf()},
                          {"bf16", APFloat::BFloat()},
                          {"f32", APFloat::IEEEsingle()},
                          {"f64", APFloat::IEEEdouble()}};

APFloat convert(APFloat value, const llvm::fltSemantics &semantics) {
  bool losesInfo;
  value.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  return value;
}

/// All numbers of narrow types. Of wider ones all numbers of the narrow types, the middles
/// between neighbours, and the numbers beside these.
std::vector<APInt> valuesOf(const Format &format) {
  std::vector<APInt> values;
  if (format.width() <= 16) {
    for (unsigned bits = 0; bits < (1u << format.width()); ++bits)
      values.emplace_back(format.width(), bits);
    return values;
  }
  auto add = [&](APFloat value) {
    for (int step : {0, -1, 1}) {
      APFloat near = value;
      if (step)
        near.next(step < 0);
      values.push_back(near.bitcastToAPInt());
    }
  };
  for (const Format &narrow : formats) {
    if (narrow.width() > 16)
      continue;
    unsigned step = narrow.width() == 8 ? 1 : 37;
    for (unsigned bits = 0; bits < (1u << narrow.width()); bits += step) {
      APFloat number(narrow.semantics, APInt(narrow.width(), bits));
      APFloat value = convert(number, format.semantics);
      add(value);
      if (!number.isFinite() || number.next(false) || !number.isFinite())
        continue;
      APFloat half = scalbn(value + convert(number, format.semantics), -1,
                            APFloat::rmNearestTiesToEven);
      add(half);
    }
  }
  return values;
}

std::string tensorType(size_t count, StringRef type) {
  return ("tensor<" + llvm::Twine(count) + "x" + type + ">").str();
}

/// A function with one result for each line `op : signature` of `ops`, on arguments of the
/// type `source`.
std::string program(StringRef arguments, ArrayRef<std::string> ops,
                    ArrayRef<std::string> types) {
  std::string text = "func.func @main(" + arguments.str() + ") -> (" +
                     llvm::join(types, ", ") + ") {\n";
  std::vector<std::string> names;
  for (size_t i = 0; i < ops.size(); ++i) {
    names.push_back("%r" + std::to_string(i));
    text += "  " + names.back() + " = " + ops[i] + "\n";
  }
  return text + "  return " + llvm::join(names, ", ") + " : " +
         llvm::join(types, ", ") + "\n}\n";
}

/// Whether `bits` are `expected`. All NaNs are the same.
bool isNumber(const APInt &bits, const Format &format,
              const APFloat &expected) {
  APFloat actual(format.semantics, bits);
  return expected.isNaN() ? actual.isNaN() : actual.bitwiseIsEqual(expected);
}

} // namespace

TEST_F(FloatsTest, Conversions) {
  for (const Format &from : formats) {
    std::vector<APInt> values = valuesOf(from);
    std::string source = tensorType(values.size(), from.name);
    std::vector<std::string> ops, types;
    std::vector<const Format *> targets;
    for (const Format &to : formats) {
      if (to.width() == from.width())
        continue;
      std::string target = tensorType(values.size(), to.name);
      ops.push_back((to.width() > from.width() ? "arith.extf %a : "
                                               : "arith.truncf %a : ") +
                    source + " to " + target);
      types.push_back(target);
      targets.push_back(&to);
    }
    std::vector<HostTensor> inputs;
    inputs.push_back(tensorOf(from.name, values));
    std::vector<HostTensor> outputs =
        run(program("%a: " + source, ops, types), std::move(inputs));
    ASSERT_EQ(outputs.size(), targets.size());
    for (auto [to, output] : llvm::zip(targets, outputs))
      for (size_t i = 0; i < values.size(); ++i) {
        APFloat value(from.semantics, values[i]);
        ASSERT_TRUE(
            isNumber(bitsOf(output, i), *to, convert(value, to->semantics)))
            << value.convertToDouble() << " of " << from.name << " as "
            << to->name;
      }
  }
}

// All pairs of floats of 8 bits, random pairs of those of 16, computed in f32 and rounded.
TEST_F(FloatsTest, ArithmeticOfNarrowFloats) {
  std::mt19937 random(1);
  for (const Format &format : formats) {
    if (format.width() > 16)
      continue;
    std::vector<APInt> left, right;
    for (unsigned i = 0; i < 65536; ++i) {
      unsigned a = format.width() == 8 ? i & 255 : i;
      unsigned b = format.width() == 8 ? i >> 8 : random() & 0xffff;
      left.emplace_back(format.width(), a);
      right.emplace_back(format.width(), b);
    }
    std::string type = tensorType(left.size(), format.name);
    std::string flags = tensorType(left.size(), "i1");
    std::vector<std::string> ops, types;
    for (const char *op : {"addf", "subf", "mulf", "divf"}) {
      ops.push_back(std::string("arith.") + op + " %a, %b : " + type);
      types.push_back(type);
    }
    for (const char *order : {"olt", "ole", "oeq", "une", "ugt", "uno"}) {
      ops.push_back(std::string("arith.cmpf ") + order + ", %a, %b : " + type);
      types.push_back(flags);
    }
    std::vector<HostTensor> inputs;
    inputs.push_back(tensorOf(format.name, left));
    inputs.push_back(tensorOf(format.name, right));
    std::vector<HostTensor> outputs =
        run(program("%a: " + type + ", %b: " + type, ops, types),
            std::move(inputs));
    ASSERT_EQ(outputs.size(), ops.size());
    for (size_t i = 0; i < left.size(); ++i) {
      const llvm::fltSemantics &single = APFloat::IEEEsingle();
      APFloat a = convert(APFloat(format.semantics, left[i]), single);
      APFloat b = convert(APFloat(format.semantics, right[i]), single);
      const APFloat results[] = {a + b, a - b, a * b, a / b};
      for (int op = 0; op < 4; ++op)
        ASSERT_TRUE(isNumber(bitsOf(outputs[op], i), format,
                             convert(results[op], format.semantics)))
            << ops[op] << " of " << a.convertToDouble() << " and "
            << b.convertToDouble();
      double x = a.convertToDouble(), y = b.convertToDouble();
      const bool flagsOf[] = {x < y,     x <= y,    x == y,
                              !(x == y), !(x <= y), x != x || y != y};
      for (int op = 0; op < 6; ++op)
        ASSERT_EQ(outputs[4 + op].asDouble(i) != 0, flagsOf[op])
            << ops[4 + op] << " of " << x << " and " << y;
    }
  }
}

TEST_F(FloatsTest, Classes) {
  for (const Format &format : formats) {
    // MLIR's classes are of floats with all classes.
    if (format.width() < 16)
      continue;
    std::vector<APInt> values = valuesOf(format);
    std::string source = tensorType(values.size(), format.name);
    std::string flags = tensorType(values.size(), "i1");
    std::vector<std::string> ops, types(4, flags);
    for (const char *op : {"isinf", "isnan", "isfinite", "isnormal"})
      ops.push_back(std::string("math.") + op + " %a : " + source);
    std::vector<HostTensor> inputs;
    inputs.push_back(tensorOf(format.name, values));
    std::vector<HostTensor> outputs =
        run(program("%a: " + source, ops, types), std::move(inputs));
    ASSERT_EQ(outputs.size(), 4u);
    for (size_t i = 0; i < values.size(); ++i) {
      APFloat value(format.semantics, values[i]);
      const bool expected[] = {value.isInfinity(), value.isNaN(),
                               value.isFinite(), value.isNormal()};
      for (int op = 0; op < 4; ++op)
        ASSERT_EQ(outputs[op].asDouble(i) != 0, expected[op])
            << ops[op] << " of " << value.convertToDouble();
    }
  }
}

TEST_F(FloatsTest, IntegersToFloats) {
  for (StringRef from : {"i8", "i16", "i32", "i64"}) {
    unsigned width = widthOf(from);
    std::vector<APInt> values;
    for (unsigned bits = 0; bits < 65536; bits += width == 8 ? 256 : 1)
      for (unsigned up = 0; up < width; up += 13)
        values.push_back(APInt(16, bits).sextOrTrunc(width).shl(up) +
                         APInt(width, bits >> 8));
    std::string source = tensorType(values.size(), from);
    std::vector<std::string> ops, types;
    std::vector<const Format *> targets;
    for (const Format &to : formats)
      for (const char *op : {"sitofp", "uitofp"}) {
        if (to.width() < 16)
          continue;
        types.push_back(tensorType(values.size(), to.name));
        ops.push_back(std::string("arith.") + op + " %a : " + source + " to " +
                      types.back());
        targets.push_back(&to);
      }
    std::vector<HostTensor> inputs;
    inputs.push_back(tensorOf(from, values));
    std::vector<HostTensor> outputs =
        run(program("%a: " + source, ops, types), std::move(inputs));
    ASSERT_EQ(outputs.size(), ops.size());
    for (size_t op = 0; op < ops.size(); ++op)
      for (size_t i = 0; i < values.size(); ++i) {
        APFloat expected(targets[op]->semantics);
        expected.convertFromAPInt(values[i], /*IsSigned=*/op % 2 == 0,
                                  APFloat::rmNearestTiesToEven);
        ASSERT_TRUE(isNumber(bitsOf(outputs[op], i), *targets[op], expected))
            << ops[op] << " of " << llvm::toString(values[i], 10, true);
      }
  }
}

// A negative exponent leaves something of 1 and -1 alone.
TEST_F(FloatsTest, PowersOfIntegers) {
  for (StringRef type : {"i8", "i16", "i64"}) {
    unsigned width = widthOf(type);
    std::vector<APInt> bases, exponents;
    for (int64_t base = -128; base < 128; ++base)
      for (int64_t exponent = -128; exponent < 128; exponent += 3) {
        bases.emplace_back(width, base, /*isSigned=*/true);
        exponents.emplace_back(width, exponent, /*isSigned=*/true);
      }
    std::string whole = tensorType(bases.size(), type);
    std::vector<HostTensor> inputs;
    inputs.push_back(tensorOf(type, bases));
    inputs.push_back(tensorOf(type, exponents));
    std::vector<HostTensor> outputs =
        run(program("%a: " + whole + ", %b: " + whole,
                    {"math.ipowi %a, %b : " + whole}, {whole}),
            std::move(inputs));
    ASSERT_EQ(outputs.size(), 1u);
    for (size_t i = 0; i < bases.size(); ++i) {
      APInt expected(width, 1);
      int64_t exponent = exponents[i].getSExtValue();
      bool isOfUnit = bases[i].isOne() || bases[i].isAllOnes();
      for (int64_t step = 0; step < std::abs(exponent); ++step)
        expected *= bases[i];
      if (exponent < 0 && !isOfUnit)
        expected = APInt(width, 0);
      ASSERT_EQ(bitsOf(outputs[0], i), expected)
          << bases[i].getSExtValue() << " to the " << exponent;
    }
  }
}
