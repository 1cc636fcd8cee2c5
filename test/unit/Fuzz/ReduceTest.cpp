//===- ReduceTest.cpp - Smaller programs that fail alike ------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Fuzz/Reduce.h"

#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

#include <vector>

using namespace shard::fuzz;

namespace {

/// Whether `text` contains `part`.
testing::AssertionResult holds(const std::string &text,
                               const std::string &part) {
  if (text.find(part) != std::string::npos)
    return testing::AssertionSuccess();
  return testing::AssertionFailure() << "'" << part << "' is not in:\n" << text;
}

/// Each simplification of `program`; an empty text for one that leads to nothing.
std::vector<std::string> simplifications(const std::string &program) {
  std::unique_ptr<mlir::MLIRContext> context = makeContext();
  std::vector<std::string> result;
  while (auto text = simplify(*context, program, int64_t(result.size())))
    result.push_back(*text);
  return result;
}

/// A simplification without any of `gone`, with all of `kept`.
bool contains(const std::vector<std::string> &programs,
              const std::vector<std::string> &gone,
              const std::vector<std::string> &kept) {
  for (const std::string &program : programs) {
    bool fits = !program.empty();
    for (const std::string &text : gone)
      fits &= !holds(program, text);
    for (const std::string &text : kept)
      fits &= bool(holds(program, text));
    if (fits)
      return true;
  }
  return false;
}

const char *const program = R"(
shard.grid @grid(shape = 4)
func.func private @unused(%a: tensor<2xf32>) -> tensor<2xf32> {
  return %a : tensor<2xf32>
}
func.func @main(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}, %b: tensor<2xi32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = arith.addf %a, %a : tensor<8xf32>
  %1 = arith.negf %0 {shard.loops = #shard.sharding<@grid, [[0]]>} : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
)";

TEST(Simplify, dropsOneThingAtATime) {
  std::vector<std::string> all = simplifications(program);
  EXPECT_TRUE(contains(all, {"@unused"}, {"addf", "negf", "shape = 4"}));
  // A result; the op that led to it goes along.
  EXPECT_TRUE(contains(all, {"negf"}, {"addf", "@unused"}));
  EXPECT_TRUE(contains(all, {"addf"}, {"negf"}));
  EXPECT_TRUE(contains(all, {"shard.sharding ="}, {"shard.loops"}));
  EXPECT_TRUE(contains(all, {"shard.loops"}, {"shard.sharding =", "negf"}));
  EXPECT_TRUE(contains(all, {"tensor<2xi32>"}, {"addf", "negf"}));
  EXPECT_TRUE(contains(all, {"shape = 4"}, {"shape = 1", "addf", "negf"}));
  EXPECT_TRUE(contains(all, {"shape = 4"}, {"shape = 2", "addf", "negf"}));
  EXPECT_TRUE(contains(all, {"tensor<8xf32>"}, {"addf", "negf"}));
}

TEST(Simplify, everyProgramIsValidAndDiffers) {
  std::unique_ptr<mlir::MLIRContext> context = makeContext();
  std::vector<std::string> all = simplifications(program);
  EXPECT_GT(all.size(), 8u);
  for (const std::string &text : all) {
    if (text.empty())
      continue;
    EXPECT_NE(check(*context, text, 1, /*stability=*/true).verdict,
              Verdict::Invalid)
        << text;
    EXPECT_NE(text, program);
  }
}

TEST(Simplify, whatDoesNotParseHasNoSteps) {
  EXPECT_TRUE(simplifications("func.func @main( {").empty());
}

TEST(Simplify, calledFunctionsKeepTheirInterface) {
  std::vector<std::string> all = simplifications(R"(
func.func @callee(%a: tensor<2xf32>, %b: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  return %a, %a : tensor<2xf32>, tensor<2xf32>
}
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0:2 = call @callee(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return %0#0 : tensor<2xf32>
}
)");
  for (const std::string &text : all) {
    if (text.find("call @callee") != std::string::npos) {
      EXPECT_TRUE(holds(text, "call @callee(%arg0, %arg0)"));
    }
  }
  // Once it is no longer called, it may go.
  EXPECT_TRUE(contains(all, {"call @callee"}, {"@callee", "@main"}));
}

TEST(Reduce, whatTheFailureDoesNotNeedGoes) {
  std::string large = R"(
shard.grid @grid(shape = 4x3)
func.func @main(%a: tensor<12x9xf8E8M0FNU>, %b: tensor<12x9xf32> {shard.sharding = #shard.sharding<@grid, [[0], [1]]>}) -> (tensor<12x9xf8E8M0FNU>, tensor<12x9xf32>) {
  %0 = arith.addf %b, %b : tensor<12x9xf32>
  %1 = arith.mulf %0, %b : tensor<12x9xf32>
  return %a, %1 : tensor<12x9xf8E8M0FNU>, tensor<12x9xf32>
}
)";
  std::unique_ptr<mlir::MLIRContext> context = makeContext();
  Outcome failure = check(*context, large, 1, /*stability=*/true);
  ASSERT_EQ(failure.verdict, Verdict::Rejected);
  std::string small =
      reduce(large, failure, 1, /*stability=*/true, /*seconds=*/1000);
  EXPECT_TRUE(sameFailure(check(*context, small, 1, true), failure));
  EXPECT_TRUE(holds(small, "f8E8M0FNU"));
  for (const char *gone : {"arith", "12x9", "shard.sharding", "4x3"})
    EXPECT_FALSE(holds(small, gone)) << small;
}

TEST(Reduce, withoutTimeTheProgramStays) {
  Outcome failure{Verdict::Rejected, "no time"};
  EXPECT_EQ(reduce(program, failure, 1, true, /*seconds=*/0), program);
}

} // namespace
