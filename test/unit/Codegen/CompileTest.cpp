//===- CompileTest.cpp - Compiled programs compute what they say ----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Codegen/Compile.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace shard;

namespace {

struct CompileTest : public testing::Test {
  CompileTest() : context(registry()) { context.printOpOnDiagnostic(false); }

  static DialectRegistry registry() {
    DialectRegistry registry;
    registerCodegenDialects(registry);
    return registry;
  }

  std::unique_ptr<CompiledProgram> compileText(StringRef text) {
    module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return nullptr;
    auto program = compile(*module, "main");
    return succeeded(program) ? std::move(*program) : nullptr;
  }

  std::vector<HostTensor> run(const CompiledProgram &program,
                              const std::vector<HostTensor> &inputs) {
    std::vector<const HostTensor *> pointers;
    for (const HostTensor &input : inputs)
      pointers.push_back(&input);
    auto results = program.run(pointers);
    if (results)
      return std::move(*results);
    ADD_FAILURE() << llvm::toString(results.takeError());
    return {};
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

std::vector<HostTensor> randomInputs(const CompiledProgram &program) {
  std::vector<HostTensor> inputs;
  for (const TensorSpec &spec : program.inputs()) {
    inputs.emplace_back(spec.type, spec.shape);
    fillRandom(inputs.back(), 11, inputs.size());
  }
  return inputs;
}

} // namespace

TEST_F(CompileTest, MatrixProductWithDynamicSizes) {
  auto program = compileText(R"mlir(
    func.func @main(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>)
        -> tensor<?x?xf32> {
      %0 = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>)
          outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
      return %0 : tensor<?x?xf32>
    })mlir");
  ASSERT_TRUE(program);
  for (int64_t m : {1, 5, 40}) {
    int64_t n = 37, k = 19;
    std::vector<HostTensor> inputs;
    for (auto shape :
         {std::vector<int64_t>{m, k}, std::vector<int64_t>{k, n}, {m, n}}) {
      inputs.emplace_back(ElementType::F32, shape);
      fillRandom(inputs.back(), 1, inputs.size());
    }
    HostTensor before = inputs[2].clone();
    std::vector<HostTensor> results = run(*program, inputs);
    ASSERT_EQ(results.size(), 1u);
    EXPECT_EQ(results[0].shape(), (std::vector<int64_t>{m, n}));
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        double sum = before.asDouble(i * n + j);
        for (int64_t l = 0; l < k; ++l)
          sum += inputs[0].asDouble(i * k + l) * inputs[1].asDouble(l * n + j);
        ASSERT_NEAR(results[0].asDouble(i * n + j), sum, 1e-5);
      }
    // The caller's arguments are never written.
    EXPECT_EQ(std::memcmp(before.data(), inputs[2].data(), before.numBytes()),
              0);
  }
}

TEST_F(CompileTest, NarrowSumsAreAccumulatedInF32) {
  // 4096 ones: a sum in bf16 would stop at 256, one in f16 at 2048.
  for (StringRef type : {"bf16", "f16"}) {
    std::string text = R"mlir(
      func.func @main(%a: tensor<4096xTYPE>, %m: tensor<8x4096xTYPE>,
                      %n: tensor<4096x8xTYPE>)
          -> (tensor<TYPE>, tensor<8x8xTYPE>, tensor<8xTYPE>) {
        %zero = arith.constant 0.0 : TYPE
        %e0 = tensor.empty() : tensor<TYPE>
        %f0 = linalg.fill ins(%zero : TYPE) outs(%e0 : tensor<TYPE>) -> tensor<TYPE>
        %sum = linalg.reduce { arith.addf } ins(%a : tensor<4096xTYPE>)
            outs(%f0 : tensor<TYPE>) dimensions = [0]
        %e1 = tensor.empty() : tensor<8x8xTYPE>
        %f1 = linalg.fill ins(%zero : TYPE) outs(%e1 : tensor<8x8xTYPE>) -> tensor<8x8xTYPE>
        %product = linalg.matmul ins(%m, %n : tensor<8x4096xTYPE>, tensor<4096x8xTYPE>)
            outs(%f1 : tensor<8x8xTYPE>) -> tensor<8x8xTYPE>
        %e2 = tensor.empty() : tensor<8xTYPE>
        %f2 = linalg.fill ins(%zero : TYPE) outs(%e2 : tensor<8xTYPE>) -> tensor<8xTYPE>
        %vector = linalg.matvec ins(%m, %a : tensor<8x4096xTYPE>, tensor<4096xTYPE>)
            outs(%f2 : tensor<8xTYPE>) -> tensor<8xTYPE>
        return %sum, %product, %vector : tensor<TYPE>, tensor<8x8xTYPE>, tensor<8xTYPE>
      })mlir";
    for (size_t at; (at = text.find("TYPE")) != std::string::npos;)
      text.replace(at, 4, type.str());
    auto program = compileText(text);
    ASSERT_TRUE(program);
    std::vector<HostTensor> inputs = randomInputs(*program);
    for (HostTensor &input : inputs)
      for (int64_t i = 0; i < input.numElements(); ++i) {
        uint16_t one = type == "f16" ? floatToHalf(1.0f) : floatToBfloat(1.0f);
        std::memcpy(input.data() + 2 * i, &one, 2);
      }
    std::vector<HostTensor> results = run(*program, inputs);
    ASSERT_EQ(results.size(), 3u);
    for (const HostTensor &result : results)
      for (int64_t i = 0; i < result.numElements(); ++i)
        EXPECT_EQ(result.asDouble(i), 4096.0) << type.str();
  }
}

TEST_F(CompileTest, ReductionsInEveryLoopOrder) {
  auto program = compileText(R"mlir(
    func.func @main(%a: tensor<6x7x9xf32>)
        -> (tensor<6x7xf32>, tensor<7x9xf32>, tensor<6x9xf32>, tensor<f32>) {
      %zero = arith.constant 0.0 : f32
      %e0 = tensor.empty() : tensor<6x7xf32>
      %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<6x7xf32>) -> tensor<6x7xf32>
      %0 = linalg.reduce { arith.addf } ins(%a : tensor<6x7x9xf32>)
          outs(%f0 : tensor<6x7xf32>) dimensions = [2]
      %e1 = tensor.empty() : tensor<7x9xf32>
      %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<7x9xf32>) -> tensor<7x9xf32>
      %1 = linalg.reduce { arith.addf } ins(%a : tensor<6x7x9xf32>)
          outs(%f1 : tensor<7x9xf32>) dimensions = [0]
      %e2 = tensor.empty() : tensor<6x9xf32>
      %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<6x9xf32>) -> tensor<6x9xf32>
      %2 = linalg.reduce { arith.addf } ins(%a : tensor<6x7x9xf32>)
          outs(%f2 : tensor<6x9xf32>) dimensions = [1]
      %e3 = tensor.empty() : tensor<f32>
      %f3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<f32>) -> tensor<f32>
      %3 = linalg.reduce { arith.maximumf } ins(%a : tensor<6x7x9xf32>)
          outs(%f3 : tensor<f32>) dimensions = [0, 1, 2]
      return %0, %1, %2, %3 : tensor<6x7xf32>, tensor<7x9xf32>, tensor<6x9xf32>, tensor<f32>
    })mlir");
  ASSERT_TRUE(program);
  std::vector<HostTensor> inputs = randomInputs(*program);
  std::vector<HostTensor> results = run(*program, inputs);
  ASSERT_EQ(results.size(), 4u);
  std::vector<double> sums[3] = {std::vector<double>(42),
                                 std::vector<double>(63),
                                 std::vector<double>(54)};
  double largest = 0;
  for (int64_t i = 0; i < 6; ++i)
    for (int64_t j = 0; j < 7; ++j)
      for (int64_t k = 0; k < 9; ++k) {
        double value = inputs[0].asDouble((i * 7 + j) * 9 + k);
        sums[0][i * 7 + j] += value;
        sums[1][j * 9 + k] += value;
        sums[2][i * 9 + k] += value;
        largest = std::max(largest, value);
      }
  for (int which = 0; which < 3; ++which)
    for (size_t i = 0; i < sums[which].size(); ++i)
      EXPECT_NEAR(results[which].asDouble(i), sums[which][i], 1e-5);
  EXPECT_EQ(results[3].asDouble(0), largest);
}

TEST_F(CompileTest, ElementwiseBfloatRoundsAfterEachOp) {
  auto program = compileText(R"mlir(
    func.func @main(%a: tensor<33xbf16>, %b: tensor<33xbf16>) -> tensor<33xbf16> {
      %0 = arith.mulf %a, %b : tensor<33xbf16>
      %1 = arith.addf %0, %a : tensor<33xbf16>
      %2 = math.exp %1 : tensor<33xbf16>
      return %2 : tensor<33xbf16>
    })mlir");
  ASSERT_TRUE(program);
  std::vector<HostTensor> inputs = randomInputs(*program);
  std::vector<HostTensor> results = run(*program, inputs);
  ASSERT_EQ(results.size(), 1u);
  auto round = [](double value) {
    return bfloatToFloat(floatToBfloat(static_cast<float>(value)));
  };
  for (int64_t i = 0; i < 33; ++i) {
    float a = static_cast<float>(inputs[0].asDouble(i));
    float b = static_cast<float>(inputs[1].asDouble(i));
    EXPECT_EQ(results[0].asDouble(i), round(std::exp(round(round(a * b) + a))));
  }
}

TEST_F(CompileTest, UndefinedCasesHaveAValue) {
  auto program = compileText(R"mlir(
    func.func @main(%a: tensor<4xi32>, %b: tensor<4xi32>, %at: index)
        -> (tensor<4xi32>, tensor<4xi32>, i32) {
      %0 = arith.divsi %a, %b : tensor<4xi32>
      %1 = arith.remsi %a, %b : tensor<4xi32>
      %2 = tensor.extract %a[%at] : tensor<4xi32>
      return %0, %1, %2 : tensor<4xi32>, tensor<4xi32>, i32
    })mlir");
  ASSERT_TRUE(program);
  std::vector<HostTensor> inputs = randomInputs(*program);
  const int32_t a[4] = {7, INT32_MIN, -7, 5}, b[4] = {0, -1, 2, 5};
  const int64_t at = 1000;
  std::memcpy(inputs[0].data(), a, sizeof(a));
  std::memcpy(inputs[1].data(), b, sizeof(b));
  std::memcpy(inputs[2].data(), &at, sizeof(at));
  std::vector<HostTensor> results = run(*program, inputs);
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(results[0].asDouble(0), 0);
  EXPECT_EQ(results[0].asDouble(2), -3);
  EXPECT_EQ(results[1].asDouble(2), -1);
  EXPECT_EQ(results[0].asDouble(3), 1);
  EXPECT_EQ(results[2].asDouble(0), 5);
}

TEST_F(CompileTest, AUsersFunctionNamedLikeALibrarysIsItsOwn) {
  auto program = compileText(R"mlir(
    func.func private @exp(%a: tensor<2xf64>) -> tensor<2xf64> {
      return %a : tensor<2xf64>
    }
    func.func @main(%a: tensor<2xf64>) -> tensor<2xf64> {
      %0 = call @exp(%a) : (tensor<2xf64>) -> tensor<2xf64>
      %1 = math.exp %0 : tensor<2xf64>
      return %1 : tensor<2xf64>
    })mlir");
  ASSERT_TRUE(program);
  std::vector<HostTensor> inputs = randomInputs(*program);
  std::vector<HostTensor> results = run(*program, inputs);
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].asDouble(1), std::exp(inputs[0].asDouble(1)));
}

TEST_F(CompileTest, LargeConstantsKeepTheirElements) {
  std::string values;
  for (int i = 0; i < 2000; ++i)
    values += (i ? ", " : "") + std::to_string(i * 3) + ".0";
  auto program =
      compileText("func.func @main(%a: tensor<2000xf32>) -> "
                  "tensor<2000xf32> {\n%0 = arith.constant dense<[" +
                  values +
                  "]> : tensor<2000xf32>\n%1 = arith.addf %0, %a : "
                  "tensor<2000xf32>\nreturn %1 : tensor<2000xf32>\n}");
  ASSERT_TRUE(program);
  module = nullptr;
  std::vector<HostTensor> inputs = randomInputs(*program);
  std::vector<HostTensor> results = run(*program, inputs);
  ASSERT_EQ(results.size(), 1u);
  for (int64_t i = 0; i < 2000; ++i)
    ASSERT_EQ(results[0].asDouble(i),
              static_cast<float>(3.0f * i +
                                 static_cast<float>(inputs[0].asDouble(i))));
}

TEST_F(CompileTest, ArgumentsAreChecked) {
  auto program = compileText(R"mlir(
    func.func @main(%a: tensor<?x4xf32>) -> tensor<?x4xf32> {
      return %a : tensor<?x4xf32>
    })mlir");
  ASSERT_TRUE(program);
  auto errorOf = [&](const HostTensor &argument) {
    auto results = program->run({&argument});
    return results ? std::string() : llvm::toString(results.takeError());
  };
  EXPECT_EQ(errorOf(HostTensor(ElementType::F32, {3, 4})), "");
  EXPECT_EQ(errorOf(HostTensor(ElementType::F32, {3, 5})),
            "argument 0 is 3x5xf32, but the program takes ?x4xf32");
  EXPECT_EQ(errorOf(HostTensor(ElementType::F64, {3, 4})),
            "argument 0 is 3x4xf64, but the program takes ?x4xf32");
  auto none = program->run({});
  EXPECT_EQ(llvm::toString(none.takeError()),
            "the program takes 1 arguments, not 0");
}

TEST_F(CompileTest, WhatCannotBeCompiledIsReportedWhereItStands) {
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (message.empty())
      message = diagnostic.str();
    return success();
  });
  EXPECT_FALSE(compileText(R"mlir(
    func.func private @elsewhere(%a: tensor<4xf32>) -> tensor<4xf32>
    func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
      %0 = call @elsewhere(%a) : (tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    })mlir"));
  EXPECT_NE(message.find("'elsewhere'"), std::string::npos) << message;
  message.clear();
  EXPECT_FALSE(compileText(R"mlir(
    func.func @main(%a: tensor<4xi4>) -> tensor<4xi4> {
      return %a : tensor<4xi4>
    })mlir"));
  EXPECT_NE(message.find("tensor<4xi4>"), std::string::npos) << message;
}

// Results take their buffers along. Two results in one buffer, an argument and a constant
// are copied: each result can be written.
TEST_F(CompileTest, ResultsHaveMemoryOfTheirOwn) {
  auto program = compileText(R"mlir(
    func.func @main(%x: tensor<4xf32>)
        -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2xf32>, tensor<4xf32>) {
      %sum = arith.addf %x, %x : tensor<4xf32>
      %part = tensor.extract_slice %sum[2] [2] [1] : tensor<4xf32> to tensor<2xf32>
      %constant = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
      return %x, %sum, %sum, %part, %constant
        : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2xf32>, tensor<4xf32>
    })mlir");
  ASSERT_TRUE(program);
  std::vector<HostTensor> inputs = randomInputs(*program);
  HostTensor before = inputs[0].clone();
  std::vector<HostTensor> first = run(*program, inputs);
  ASSERT_EQ(first.size(), 5u);
  std::vector<std::vector<double>> values;
  for (const HostTensor &result : first)
    for (auto &list = values.emplace_back();
         int64_t(list.size()) < result.numElements();)
      list.push_back(result.asDouble(list.size()));
  for (HostTensor &result : first)
    std::memset(result.data(), 0x55, result.numBytes());
  EXPECT_EQ(std::memcmp(inputs[0].data(), before.data(), before.numBytes()), 0);
  std::vector<HostTensor> second = run(*program, inputs);
  for (size_t i = 0; i < second.size(); ++i)
    for (int64_t j = 0; j < second[i].numElements(); ++j)
      EXPECT_EQ(second[i].asDouble(j), values[i][j]) << i;
  for (size_t i = 0; i < first.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      EXPECT_TRUE(first[i].data() >= first[j].data() + first[j].numBytes() ||
                  first[j].data() >= first[i].data() + first[i].numBytes());
}
