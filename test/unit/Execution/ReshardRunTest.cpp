//===- ReshardRunTest.cpp - Every reshard, run ----------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions whose arguments come in one sharding and go out in another: for each
// ordered pair of shardings, what the planner plans, partition emits, the
// conversion lowers and the runtime does must be the identity.
//
//===----------------------------------------------------------------------===//

#include "Shardings.h"

#include "shard/Execution/Hints.h"
#include "shard/Execution/Verify.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace shard;
using namespace shard::test;

namespace {

/// A function that takes and returns one tensor per pair.
std::string makeProgram(
    StringRef grid, StringRef type,
    llvm::ArrayRef<std::pair<const Sharding *, const Sharding *>> pairs) {
  std::string arguments, results, values, types;
  for (auto [index, pair] : llvm::enumerate(pairs)) {
    auto attribute = [&](const Sharding &sharding) {
      return type.str() + " {shard.sharding = #shard.sharding<@grid, " +
             toString(sharding) + ">}";
    };
    std::string comma = index ? ", " : "", name = "%a" + std::to_string(index);
    arguments += comma + name + ": " + attribute(*pair.first);
    results += comma + attribute(*pair.second);
    values += comma + name;
    types += comma + type.str();
  }
  return "shard.grid @grid(shape = " + grid.str() + ")\nfunc.func @main(" +
         arguments + ") -> (" + results + ") {\n  return " + values + " : " +
         types + "\n}\n";
}

void runPairs(StringRef grid, int64_t axes, int64_t rank, StringRef type,
              size_t stride) {
  DialectRegistry registry;
  registerRunDialects(registry);
  MLIRContext context(registry);
  // Remarks about uneven dimensions are no news here.
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &diagnostic) {
    return success(diagnostic.getSeverity() != DiagnosticSeverity::Error);
  });
  std::vector<Sharding> all = allShardings(rank, axes);
  std::vector<std::pair<const Sharding *, const Sharding *>> pairs;
  size_t position = 0;
  for (const Sharding &from : all)
    for (const Sharding &to : all)
      if (from != to && position++ % stride == 0)
        pairs.emplace_back(&from, &to);
  constexpr size_t batch = 40;
  for (size_t begin = 0; begin < pairs.size(); begin += batch) {
    auto some = llvm::ArrayRef(pairs).slice(
        begin, std::min(batch, pairs.size() - begin));
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(makeProgram(grid, type, some), &context);
    ASSERT_TRUE(module);
    FailureOr<func::FuncOp> entry = findEntry(*module, "main");
    ASSERT_TRUE(succeeded(entry));
    FailureOr<RunReport> report = runProgram(*module, *entry, {});
    ASSERT_TRUE(succeeded(report));
    EXPECT_TRUE(report->pass) << report->error;
    EXPECT_EQ(report->maxAbsolute, 0.0);
    for (auto [index, result] : llvm::enumerate(report->results)) {
      ASSERT_TRUE(result.comparison);
      EXPECT_TRUE(result.comparison->equal)
          << toString(*some[index].first) << " -> "
          << toString(*some[index].second);
    }
  }
}

} // namespace

TEST(ReshardRunTest, EvenMatrix) {
  runPairs("4x2", 2, 2, "tensor<16x16xf32>", 1);
}

TEST(ReshardRunTest, UnevenMatrix) {
  runPairs("4x2", 2, 2, "tensor<6x10xi16>", 1);
}

TEST(ReshardRunTest, Cube) { runPairs("2x2x2", 3, 3, "tensor<8x8x8xf32>", 53); }
