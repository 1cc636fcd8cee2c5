//===- TotalTest.cpp - What programs compute where ops are not defined ----===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs ops on all pairs of small integers, on all narrow floats and on numbers at the ends of
// wide types, and compares with what shard-make-total says: a division by 0 gives 0, one that
// overflows wraps, a shift by too much moves all bits out, a float becomes the nearest
// integer, NaN becomes 0, and places are moved into their tensors.
//
//===----------------------------------------------------------------------===//

#include "RunText.h"

#include "llvm/ADT/APFloat.h"

using namespace mlir;
using namespace shard;
using namespace shard::test;
using llvm::APFloat;
using llvm::APInt;

namespace {

using TotalTest = RunText;

/// All integers of 8 bits; of wider types those around 0, the ends and powers of two.
std::vector<APInt> integersOf(StringRef type) {
  unsigned width = widthOf(type);
  std::vector<APInt> values;
  if (width == 8) {
    for (unsigned bits = 0; bits < 256; ++bits)
      values.emplace_back(8, bits);
    return values;
  }
  for (unsigned bit = 0; bit < width;
       bit += bit < 8 || bit + 3 > width ? 1 : 13)
    for (int64_t more : {-1, 0, 1})
      for (bool negated : {false, true}) {
        APInt value = APInt::getOneBitSet(width, bit) +
                      APInt(width, more, /*isSigned=*/true);
        values.push_back(negated ? -value : value);
      }
  values.emplace_back(width, width);
  values.emplace_back(width, 0);
  return values;
}

/// What `op` gives, by definition.
APInt expected(StringRef op, const APInt &a, const APInt &b) {
  unsigned width = a.getBitWidth();
  APInt zero(width, 0);
  bool overflows = a.isMinSignedValue() && b.isAllOnes();
  if (op == "shli" || op == "shrui" || op == "shrsi") {
    bool isLarge = b.uge(width);
    if (op == "shrsi")
      return a.ashr(isLarge ? width - 1 : unsigned(b.getZExtValue()));
    if (isLarge)
      return zero;
    return op == "shli" ? a.shl(b) : a.lshr(b);
  }
  if (b.isZero())
    return zero;
  if (op == "divui")
    return a.udiv(b);
  if (op == "remui")
    return a.urem(b);
  if (op == "ceildivui")
    return a.udiv(b) + (a.urem(b).isZero() ? 0 : 1);
  // Divided by 1 instead.
  APInt quotient = overflows ? a : a.sdiv(b);
  APInt rest = overflows ? zero : a.srem(b);
  bool isNegative = a.isNegative() != b.isNegative();
  if (op == "remsi")
    return rest;
  if (op == "ceildivsi")
    return quotient + (!rest.isZero() && !isNegative ? 1 : 0);
  if (op == "floordivsi")
    return quotient - (!rest.isZero() && isNegative ? 1 : 0);
  return quotient;
}

std::string number(int64_t value) { return std::to_string(value); }

/// The tensors `op` of all elements of `%a` and `%b`.
std::string elementwise(StringRef op, int64_t count, StringRef type) {
  std::string tensor = "tensor<" + number(count) + "x" + type.str() + ">";
  return "func.func @main(%a: " + tensor + ", %b: " + tensor + ") -> " +
         tensor + " {\n  %0 = arith." + op.str() + " %a, %b : " + tensor +
         "\n  return %0 : " + tensor + "\n}\n";
}

} // namespace

TEST_F(TotalTest, IntegersOfEveryWidth) {
  for (StringRef type : {"i8", "i16", "i32", "i64", "index"}) {
    std::vector<APInt> left, right, values = integersOf(type);
    for (const APInt &a : values)
      for (const APInt &b : values) {
        left.push_back(a);
        right.push_back(b);
      }
    for (StringRef op : {"divsi", "divui", "remsi", "remui", "ceildivsi",
                         "ceildivui", "floordivsi", "shli", "shrui", "shrsi"}) {
      SCOPED_TRACE((op + " of " + type).str());
      std::vector<HostTensor> inputs;
      inputs.push_back(tensorOf(type, left));
      inputs.push_back(tensorOf(type, right));
      std::vector<HostTensor> outputs =
          run(elementwise(op, int64_t(left.size()), type), std::move(inputs));
      ASSERT_EQ(outputs.size(), 1u);
      for (size_t i = 0; i < left.size(); ++i)
        ASSERT_EQ(bitsOf(outputs[0], i), expected(op, left[i], right[i]))
            << llvm::toString(left[i], 10, true) << " and "
            << llvm::toString(right[i], 10, true);
    }
  }
}

TEST_F(TotalTest, FloatsToIntegers) {
  const std::pair<StringRef, const llvm::fltSemantics *> formats[] = {
      {"f16", &APFloat::IEEEhalf()},
      {"bf16", &APFloat::BFloat()},
      {"f32", &APFloat::IEEEsingle()},
      {"f64", &APFloat::IEEEdouble()}};
  for (auto [from, format] : formats) {
    unsigned width = APFloat::semanticsSizeInBits(*format);
    std::vector<APInt> values;
    // Of wider types the same values as of bf16, their neighbours, and ends of integers.
    for (uint64_t bits = 0; bits < 65536; bits += width == 16 ? 1 : 7)
      values.push_back(width == 16 ? APInt(16, bits)
                                   : APInt(width, bits).shl(width - 16));
    if (width > 16)
      for (int power : {0, 7, 8, 15, 16, 31, 32, 63, 64})
        for (bool negative : {false, true})
          for (int step : {-1, 0, 1}) {
            APFloat value = scalbn(APFloat::getOne(*format, negative), power,
                                   APFloat::rmNearestTiesToEven);
            if (step)
              value.next(/*nextDown=*/step < 0);
            values.push_back(value.bitcastToAPInt());
          }
    for (StringRef to : {"i8", "i16", "i32", "i64"})
      for (bool isSigned : {false, true}) {
        std::string op = isSigned ? "fptosi" : "fptoui";
        SCOPED_TRACE(op + " " + from.str() + " to " + to.str());
        std::string count = number(int64_t(values.size()));
        std::string source = "tensor<" + count + "x" + from.str() + ">";
        std::string target = "tensor<" + count + "x" + to.str() + ">";
        std::vector<HostTensor> inputs;
        inputs.push_back(tensorOf(from, values));
        std::vector<HostTensor> outputs =
            run("func.func @main(%a: " + source + ") -> " + target +
                    " {\n  %0 = arith." + op + " %a : " + source + " to " +
                    target + "\n  return %0 : " + target + "\n}\n",
                std::move(inputs));
        ASSERT_EQ(outputs.size(), 1u);
        for (size_t i = 0; i < values.size(); ++i) {
          APFloat value(*format, values[i]);
          llvm::APSInt integer(widthOf(to), /*isUnsigned=*/!isSigned);
          bool isExact;
          // Saturates; NaN gives 0.
          value.convertToInteger(integer, APFloat::rmTowardZero, &isExact);
          ASSERT_EQ(bitsOf(outputs[0], i), integer) << value.convertToDouble();
        }
      }
  }
}

// Each number from -3 to 6 as a place in a tensor of 4 elements.
TEST_F(TotalTest, Places) {
  for (StringRef extent : {"4", "?"}) {
    std::string type = "tensor<" + extent.str() + "xi32>";
    std::string text =
        "func.func @main(%t: " + type +
        ", %v: i32, %at: index, %size: index) -> (tensor<1xi32>, " + type +
        ", tensor<2xi32>, tensor<2xi32>, " + type +
        ", tensor<?xi32>, index, tensor<1xi32>) {\n"
        "  %x = tensor.extract %t[%at] : " +
        type +
        "\n  %0 = tensor.from_elements %x : tensor<1xi32>\n"
        "  %1 = tensor.insert %v into %t[%at] : " +
        type + "\n  %2 = tensor.extract_slice %t[%at] [2] [1] : " + type +
        " to tensor<2xi32>\n"
        "  %3 = tensor.extract_slice %t[%at] [2] [2] : " +
        type +
        " to tensor<2xi32>\n"
        "  %4 = tensor.insert_slice %2 into %t[%at] [2] [1] : "
        "tensor<2xi32> into " +
        type + "\n  %5 = tensor.extract_slice %t[%at] [%size] [1] : " + type +
        " to tensor<?xi32>\n"
        "  %6 = tensor.extract_slice %t[%at] [1] [1] : " +
        type +
        " to tensor<1xi32>\n"
        "  %c0 = arith.constant 0 : index\n"
        "  %c1 = arith.constant 1 : index\n"
        "  %c5 = arith.constant 5 : index\n"
        "  %n = scf.for %i = %c0 to %c5 step %at iter_args(%k = "
        "%c0) -> (index) {\n"
        "    %m = arith.addi %k, %c1 : index\n"
        "    scf.yield %m : index\n  }\n"
        "  return %0, %1, %2, %3, %4, %5, %n, %6 : tensor<1xi32>, " +
        type + ", tensor<2xi32>, tensor<2xi32>, " + type +
        ", tensor<?xi32>, index, tensor<1xi32>\n}\n";
    const std::vector<int64_t> elements = {10, 11, 12, 13};
    for (int64_t at = -3; at <= 6; ++at) {
      int64_t size = at % 2 ? 3 : 1;
      SCOPED_TRACE(extent.str() + " at " + number(at) + " size " +
                   number(size));
      std::vector<HostTensor> inputs;
      std::vector<APInt> values;
      for (int64_t element : elements)
        values.emplace_back(32, element);
      inputs.push_back(tensorOf("i32", values));
      for (auto [name, scalar] :
           {std::pair("i32", int64_t(99)), {"index", at}, {"index", size}}) {
        HostTensor tensor(typeOf(name), {});
        std::memcpy(tensor.data(), &scalar, tensor.numBytes());
        inputs.push_back(std::move(tensor));
      }
      std::vector<HostTensor> outputs = run(text, std::move(inputs));
      ASSERT_EQ(outputs.size(), 8u);
      auto list = [&](int64_t index) {
        std::vector<int64_t> found;
        for (int64_t i = 0; i < outputs[index].numElements(); ++i)
          found.push_back(int64_t(outputs[index].asDouble(i)));
        return found;
      };
      auto slice = [&](int64_t count, int64_t stride) {
        int64_t first =
            std::clamp<int64_t>(at, 0, 4 - 1 - (count - 1) * stride);
        std::vector<int64_t> found;
        for (int64_t i = 0; i < count; ++i)
          found.push_back(elements[first + i * stride]);
        return found;
      };
      EXPECT_EQ(list(0), slice(1, 1));
      EXPECT_EQ(list(7), slice(1, 1));
      std::vector<int64_t> written = elements;
      if (at >= 0 && at < 4)
        written[at] = 99;
      EXPECT_EQ(list(1), written);
      EXPECT_EQ(list(2), slice(2, 1));
      EXPECT_EQ(list(3), slice(2, 2));
      // The slice goes where it was taken.
      EXPECT_EQ(list(4), elements);
      EXPECT_EQ(list(5), slice(size, 1));
      // A step that is not positive is 1.
      int64_t step = std::max<int64_t>(at, 1);
      EXPECT_EQ(list(6), (std::vector<int64_t>{(5 + step - 1) / step}));
      if (HasFailure())
        return;
    }
  }
}
