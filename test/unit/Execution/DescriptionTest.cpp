//===- DescriptionTest.cpp - What is known of a program before it runs ----===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Execution/Hints.h"
#include "shard/Execution/PartitionedProgram.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace shard;

namespace {

/// `grid` is the shape of the grid and all behind it.
std::string program(StringRef grid) {
  return "shard.grid @grid(shape = " + grid.str() + R"mlir(
  func.func @main(
      %a: tensor<8x16xf32> {shard.sharding = #shard.sharding<@grid, [[0], [1]]>},
      %b: tensor<16x12xf32> {shard.sharding = #shard.sharding<@grid, [[1], []]>},
      %c: tensor<12x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>})
      -> (tensor<8x12xf32>, tensor<8x5xf32>) {
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<8x12xf32>
    %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x12xf32>) -> tensor<8x12xf32>
    %0 = linalg.matmul ins(%a, %b : tensor<8x16xf32>, tensor<16x12xf32>)
        outs(%init : tensor<8x12xf32>) -> tensor<8x12xf32>
    %more = tensor.empty() : tensor<8x5xf32>
    %fill = linalg.fill ins(%zero : f32) outs(%more : tensor<8x5xf32>) -> tensor<8x5xf32>
    %1 = linalg.matmul ins(%0, %c : tensor<8x12xf32>, tensor<12x5xf32>)
        outs(%fill : tensor<8x5xf32>) -> tensor<8x5xf32>
    return %0, %1 : tensor<8x12xf32>, tensor<8x5xf32>
  })mlir";
}

using Row = std::tuple<std::string, std::vector<std::string>, int64_t, int64_t,
                       std::string, std::string>;

std::multiset<Row> rowsOf(const RunReport &report) {
  std::multiset<Row> rows;
  for (const CollectiveReport &row : report.collectives) {
    EXPECT_TRUE(row.predicted);
    EXPECT_EQ(row.predictedCalls, row.calls);
    EXPECT_EQ(row.predictedBytes, row.bytesPerDevice);
    rows.insert({row.kind, row.axes, row.calls, row.bytesPerDevice,
                 row.location, row.neededBy});
  }
  return rows;
}

} // namespace

// The rows that a description predicts are those that a run measures.
TEST(DescriptionTest, AsTheRunTells) {
  DialectRegistry registry;
  registerRunDialects(registry);
  MLIRContext context(registry);
  for (StringRef grid : {"2x4)", "2x4) axes [\"rows\", \"sums\"]", "4x1)"}) {
    SCOPED_TRACE(grid.str());
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(program(grid), &context, "program.mlir");
    ASSERT_TRUE(module);
    auto made = PartitionedProgram::make(*module, *findEntry(*module, ""), {});
    ASSERT_TRUE(succeeded(made));
    OneDeviceCache cache;
    FailureOr<RunReport> report = made->verify(*module, {}, 0, cache);
    ASSERT_TRUE(succeeded(report));
    EXPECT_TRUE(report->pass) << report->error;
    const RunReport &described = made->description();
    EXPECT_GE(described.collectives.size(), 1u);
    EXPECT_EQ(rowsOf(described), rowsOf(*report));
    EXPECT_EQ(described.gridShape, report->gridShape);
    EXPECT_EQ(described.axisNames, report->axisNames);
    EXPECT_EQ(described.argumentBytes, report->argumentBytes);
    EXPECT_EQ(described.resultBytes, report->resultBytes);
    ASSERT_EQ(described.arguments.size(), report->arguments.size());
    int64_t bytes = 0;
    for (auto [before, after] :
         llvm::zip(described.arguments, report->arguments)) {
      EXPECT_EQ(before.type, after.type);
      EXPECT_EQ(before.sharding, after.sharding);
      EXPECT_EQ(before.localBytes, after.localBytes);
      bytes += before.localBytes;
    }
    EXPECT_EQ(bytes, described.argumentBytes);
  }
}
