//===- GridsTest.cpp - Grids that a caller gives --------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Execution/Hints.h"
#include "shard/Execution/Verify.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace shard;

namespace {

struct GridsTest : public testing::Test {
  GridsTest() : context(registry()) {}

  static DialectRegistry registry() {
    DialectRegistry registry;
    registerRunDialects(registry);
    return registry;
  }

  /// The shape of the grid of `program` after `set`; nothing where that fails. Errors and
  /// warnings are in `said`.
  std::optional<SmallVector<int64_t>>
  shapeAfter(StringRef program, function_ref<LogicalResult(ModuleOp)> set) {
    said.clear();
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      said += diagnostic.str() + "\n";
    });
    module = parseSourceString<ModuleOp>(program, &context);
    EXPECT_TRUE(module);
    if (failed(set(*module)))
      return std::nullopt;
    FailureOr<GridOp> grid = findGrid(*module);
    if (failed(grid) || !*grid)
      return std::nullopt;
    return llvm::to_vector((*grid).getShape());
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::string said;
};

} // namespace

// A run has at most 1024 devices, of all axes together.
TEST_F(GridsTest, EveryNumberOfDevices) {
  const int64_t sizes[] = {
      -1, 0, 1, 2, 31, 32, 33, 512, 513, 1023, 1024, 1025, int64_t(1) << 40};
  for (int64_t a : sizes)
    for (int64_t b : sizes) {
      SmallVector<int64_t> shape{a, b};
      bool fits = a >= 1 && b >= 1 && a <= 1024 && b <= 1024 && a * b <= 1024;
      std::string text = std::to_string(a) + "x" + std::to_string(b);
      SCOPED_TRACE(text);
      auto byText = shapeAfter(
          "", [&](ModuleOp module) { return setGrid(module, text); });
      EXPECT_EQ(byText.has_value(), fits) << said;
      auto byList = shapeAfter(
          "", [&](ModuleOp module) { return setGrid(module, shape, {}); });
      EXPECT_EQ(byList.has_value(), fits) << said;
      if (!fits) {
        EXPECT_NE(said, "");
        continue;
      }
      EXPECT_EQ(byText, shape);
      EXPECT_EQ(byList, shape);
      EXPECT_EQ(said, "");
    }
  for (const char *wrong : {"", "x", "2x", "x2", "2xx2", "2 x2", "2,2", "a"})
    EXPECT_FALSE(shapeAfter("", [&](ModuleOp module) {
      return setGrid(module, wrong);
    })) << wrong;
}

// What the program says of its axes stays where there are as many of them, its device ids
// where there are as many devices; each loss is told.
TEST_F(GridsTest, WhatStaysOfTheOldGrid) {
  const char *program = "shard.grid @g(shape = 2x3) axes [\"a\", \"b\"] "
                        "device_ids = [5, 4, 3, 2, "
                        "1, 0] {latency = array<f64: 1.0, 2.0>, bandwidth = "
                        "array<f64: 3.0, 4.0>}";
  for (StringRef text : {"2x3", "3x2", "4x2", "6", "7", "1x2x3"}) {
    SCOPED_TRACE(text.str());
    auto shape = shapeAfter(
        program, [&](ModuleOp module) { return setGrid(module, text); });
    ASSERT_TRUE(shape) << said;
    int64_t devices = 1;
    for (int64_t size : *shape)
      devices *= size;
    FailureOr<GridOp> grid = findGrid(*module);
    ASSERT_TRUE(succeeded(grid));
    bool sameAxes = shape->size() == 2, sameDevices = devices == 6;
    EXPECT_EQ((*grid).getAxisNames().has_value(), sameAxes);
    EXPECT_EQ((*grid).getLatency().has_value(), sameAxes);
    EXPECT_EQ((*grid).getBandwidth().has_value(), sameAxes);
    EXPECT_EQ((*grid).getDeviceIds().has_value(), sameDevices);
    EXPECT_EQ(StringRef(said).contains("are dropped; axes are named"),
              !sameAxes);
    EXPECT_EQ(StringRef(said).contains("device_ids do not apply"),
              !sameDevices);
  }
}

TEST_F(GridsTest, NewNamesNeedNoWarning) {
  const char *program = "shard.grid @g(shape = 2x3) axes [\"a\", \"b\"]";
  auto shape = shapeAfter(program, [&](ModuleOp module) {
    return setGrid(module, {4}, {"model"});
  });
  EXPECT_EQ(shape, (SmallVector<int64_t>{4}));
  EXPECT_EQ(said, "");
  EXPECT_EQ((*findGrid(*module)).axisName(0), "model");
  // Latencies are lost nevertheless.
  shapeAfter("shard.grid @g(shape = 2x3) {latency = array<f64: 1.0, 2.0>}",
             [&](ModuleOp module) { return setGrid(module, {4}, {"model"}); });
  EXPECT_NE(said, "");
}
