//===- VerifyTest.cpp - A wrong program does not pass ---------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Execution/Verify.h"

#include "shard/Execution/Hints.h"
#include "shard/IR/ShardOps.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace shard;

namespace {

const char *const program = R"mlir(
  shard.grid @grid(shape = 4)
  func.func @main(
      %a: tensor<8x16xf32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>},
      %b: tensor<16x12xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>})
      -> tensor<8x12xf32> {
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<8x12xf32>
    %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x12xf32>) -> tensor<8x12xf32>
    %0 = linalg.matmul ins(%a, %b : tensor<8x16xf32>, tensor<16x12xf32>)
        outs(%init : tensor<8x12xf32>) -> tensor<8x12xf32>
    return %0 : tensor<8x12xf32>
  })mlir";

struct VerifyTest : public testing::Test {
  VerifyTest() : context(registry()) { context.printOpOnDiagnostic(false); }

  static DialectRegistry registry() {
    DialectRegistry registry;
    registerRunDialects(registry);
    return registry;
  }

  /// Runs the program, with `mutate` applied to its partitioned form.
  RunReport run(const std::function<void(ModuleOp)> &mutate) {
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(program, &context);
    RunOptions options;
    options.onPartitioned = mutate;
    options.keepOutputs = true;
    FailureOr<func::FuncOp> entry = findEntry(*module, "");
    FailureOr<RunReport> report =
        runProgram(*module, *entry, std::move(options));
    EXPECT_TRUE(succeeded(report));
    return succeeded(report) ? std::move(*report) : RunReport();
  }

  MLIRContext context;
};

} // namespace

TEST_F(VerifyTest, ARightProgramPasses) {
  RunReport report = run({});
  EXPECT_TRUE(report.pass) << report.error;
  EXPECT_TRUE(report.verified);
  ASSERT_EQ(report.collectives.size(), 1u);
  EXPECT_EQ(report.collectives[0].kind, "all_reduce");
  // 2 (k - 1) / k of 8 x 12 floats.
  EXPECT_EQ(report.collectives[0].bytesPerDevice, 8 * 12 * 4 * 2 * 3 / 4);
  ASSERT_EQ(report.arguments.size(), 2u);
  EXPECT_EQ(report.arguments[0].localBytes, 8 * 4 * 4);
  ASSERT_EQ(report.outputs.size(), 1u);
  EXPECT_EQ(report.outputs[0].shape(), (std::vector<int64_t>{8, 12}));
}

TEST_F(VerifyTest, AForgottenCollectiveFails) {
  RunReport report = run([](ModuleOp module) {
    module.walk([](AllReduceOp op) {
      op.getResult().replaceAllUsesWith(op.getInput());
      op.erase();
    });
  });
  EXPECT_FALSE(report.pass);
  EXPECT_NE(report.error.find("replicas differ"), std::string::npos)
      << report.error;
}

TEST_F(VerifyTest, AWrongReductionFails) {
  RunReport report = run([](ModuleOp module) {
    module.walk([](AllReduceOp op) { op.setReduction(ReductionKind::Max); });
  });
  EXPECT_FALSE(report.pass);
  ASSERT_EQ(report.results.size(), 1u);
  ASSERT_TRUE(report.results[0].comparison);
  EXPECT_FALSE(report.results[0].comparison->equal);
  EXPECT_GT(report.results[0].comparison->mismatches, 0);
}

// What one run compiled for one device serves the next ones, as far as they need nothing else.
TEST_F(VerifyTest, ProgramsOfOneDeviceAreKept) {
  OneDeviceCache cache;
  const execution::OneDevice *before = nullptr;
  auto isKept = [&](bool timed, unsigned level) {
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(program, &context);
    RunOptions options;
    options.timeOneDevice = timed;
    options.optLevel = level;
    options.oneDevice = &cache;
    FailureOr<RunReport> report =
        runProgram(*module, *findEntry(*module, ""), std::move(options));
    EXPECT_TRUE(succeeded(report) && report->pass);
    bool kept = cache.programs.get() == before;
    before = cache.programs.get();
    return kept;
  };
  EXPECT_FALSE(isKept(false, 0));
  EXPECT_TRUE(isKept(false, 0));
  // Without its time one level is as good as another.
  EXPECT_TRUE(isKept(false, 1));
  // The program of that level is new.
  EXPECT_FALSE(isKept(true, 0));
  EXPECT_TRUE(isKept(true, 0));
  EXPECT_FALSE(isKept(true, 1));
  EXPECT_TRUE(isKept(false, 0));
}

// Without a grid all is on one device; what dynamic dimensions take, the inputs tell.
TEST_F(VerifyTest, BytesOfAProgramWithoutAGrid) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      R"mlir(func.func @main(%a: tensor<?x3xf32>, %b: tensor<4xi8>, %i: index)
          -> (tensor<?x3xf32>, tensor<4xi8>) {
        %0 = arith.addf %a, %a : tensor<?x3xf32>
        return %0, %b : tensor<?x3xf32>, tensor<4xi8>
      })mlir",
      &context);
  ASSERT_TRUE(module);
  RunOptions options;
  options.inputs.emplace(0, HostTensor(ElementType::F32, {5, 3}));
  options.keepOutputs = true;
  FailureOr<RunReport> report =
      runProgram(*module, *findEntry(*module, ""), std::move(options));
  ASSERT_TRUE(succeeded(report));
  EXPECT_TRUE(report->pass) << report->error;
  std::vector<int64_t> arguments, results;
  for (const ValueReport &row : report->arguments)
    arguments.push_back(row.localBytes);
  for (const ValueReport &row : report->results)
    results.push_back(row.localBytes);
  EXPECT_EQ(arguments, (std::vector<int64_t>{60, 4, 8}));
  EXPECT_EQ(results, (std::vector<int64_t>{60, 4}));
  EXPECT_EQ(report->argumentBytes, 72);
  EXPECT_EQ(report->resultBytes, 64);
}
