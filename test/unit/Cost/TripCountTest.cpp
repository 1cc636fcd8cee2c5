//===- TripCountTest.cpp - How often loops run ----------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops with all small bounds and steps, compared with the same loops in C++.
//
//===----------------------------------------------------------------------===//

#include "shard/Cost/Ops.h"
#include "shard/Pipelines/Registration.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace shard;

namespace {

int64_t count(int64_t low, int64_t high, int64_t step) {
  int64_t trips = 0;
  for (int64_t i = low; i < high; i += step)
    ++trips;
  return trips;
}

struct TripCountTest : public testing::Test {
  TripCountTest() : context(registry()) {}

  static DialectRegistry registry() {
    DialectRegistry registry;
    registerUpstreamDialects(registry);
    registerShard(registry);
    return registry;
  }

  /// Of the first loop of a function with this body.
  std::optional<int64_t> trips(const std::string &body) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
        "func.func @f(%n: index) {\n" + body + "\n  return\n}\n", &context);
    EXPECT_TRUE(module);
    std::optional<int64_t> result;
    if (module)
      module->walk([&](LoopLikeOpInterface loop) { result = tripCount(loop); });
    return result;
  }

  MLIRContext context;
};

std::string constant(const std::string &name, int64_t value) {
  return "  " + name + " = arith.constant " + std::to_string(value) +
         " : index\n";
}

} // namespace

TEST_F(TripCountTest, OneLoop) {
  for (int64_t low = -2; low < 4; ++low)
    for (int64_t high = -3; high < 7; ++high)
      for (int64_t step = 1; step < 5; ++step)
        EXPECT_EQ(trips(constant("%l", low) + constant("%h", high) +
                        constant("%s", step) +
                        "  scf.for %i = %l to %h step %s {}"),
                  count(low, high, step))
            << low << " to " << high << " step " << step;
}

// A loop with two dimensions runs for each pair.
TEST_F(TripCountTest, TwoDimensions) {
  for (int64_t low = 0; low < 3; ++low)
    for (int64_t high = 0; high < 6; ++high)
      for (int64_t step = 1; step < 4; ++step) {
        std::string text = std::to_string(low) + ", 1) to (" +
                           std::to_string(high) + ", 6) step (" +
                           std::to_string(step) + ", 2)";
        EXPECT_EQ(trips("  scf.forall (%i, %j) = (" + text + " {}"),
                  count(low, high, step) * 3)
            << text;
        EXPECT_EQ(trips(constant("%l", low) + constant("%h", high) +
                        constant("%s", step) + constant("%one", 1) +
                        constant("%two", 2) + constant("%six", 6) +
                        "  scf.parallel (%i, %j) = (%l, %one) to (%h, %six) "
                        "step (%s, %two) {}"),
                  count(low, high, step) * 3)
            << text;
      }
}

TEST_F(TripCountTest, WhatIsNotKnown) {
  std::string numbers = constant("%z", 0) + constant("%one", 1);
  EXPECT_EQ(trips(numbers + "  scf.for %i = %z to %n step %one {}"),
            std::nullopt);
  EXPECT_EQ(trips(numbers + "  scf.for %i = %n to %one step %one {}"),
            std::nullopt);
  EXPECT_EQ(trips("  scf.forall (%i, %j) = (0, 0) to (%n, 3) step (1, 1) {}"),
            std::nullopt);
  EXPECT_EQ(trips("  scf.forall (%i, %j) = (0, 0) to (3, 3) step (%n, 1) {}"),
            std::nullopt);
  // More iterations than int64_t counts.
  EXPECT_EQ(trips("  scf.forall (%i, %j) = (0, 0) to (4294967296, 4294967296) "
                  "step (1, 1) {}"),
            std::nullopt);
}
