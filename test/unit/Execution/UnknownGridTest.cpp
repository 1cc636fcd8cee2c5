//===- UnknownGridTest.cpp - Programs for grids of unknown sizes, run -----===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions are partitioned for a grid with axes of unknown size, and the partitioned program
// then runs on a grid of which it knew nothing. Every ordered pair of shardings occurs, and an op that
// needs to know where the block of a device begins.
//
//===----------------------------------------------------------------------===//

#include "Shardings.h"

#include "shard/Execution/Hints.h"
#include "shard/Execution/Verify.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace shard;
using namespace shard::test;

namespace {

/// An op on argument `number` that adds 100 * i + j to the element at [i, j], and a constant.
std::string addition(StringRef number) {
  return llvm::formatv(R"(
  %s{0} = arith.addi %a{0}, %seven : tensor<16x8xi32>
  %r{0} = linalg.generic {{indexing_maps = [#id, #id],
                           iterator_types = ["parallel", "parallel"]}
      ins(%s{0} : tensor<16x8xi32>) outs(%e : tensor<16x8xi32>) {{
  ^bb0(%x: i32, %y: i32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %row = arith.muli %i, %hundred : index
    %place = arith.addi %row, %j : index
    %number = arith.index_cast %place : index to i32
    %sum = arith.addi %x, %number : i32
    linalg.yield %sum : i32
  } -> tensor<16x8xi32>
)",
                       number);
}

/// A function for each sharding: its arguments have it, and each result has another one.
std::string makeProgram(StringRef grid, llvm::ArrayRef<Sharding> all) {
  std::string text = "#id = affine_map<(i, j) -> (i, j)>\n"
                     "shard.grid @grid(shape = " +
                     grid.str() + ")\n";
  const std::string type = "tensor<16x8xi32>";
  auto hinted = [&](const Sharding &sharding) {
    return type + " {shard.sharding = #shard.sharding<@grid, " +
           toString(sharding) + ">}";
  };
  for (auto [index, from] : llvm::enumerate(all)) {
    std::string arguments, results, values, types, body;
    for (auto [number, to] : llvm::enumerate(all)) {
      std::string comma = number ? ", " : "", name = std::to_string(number);
      arguments += comma + "%a" + name + ": " + hinted(from);
      results += comma + hinted(to);
      values += comma + "%r" + name;
      types += comma + type;
      body += addition(name);
    }
    text += "func.func @f" + std::to_string(index) + "(" + arguments +
            ") -> (" + results + ") {\n" +
            "  %seven = arith.constant dense<7> : tensor<16x8xi32>\n"
            "  %hundred = arith.constant 100 : index\n"
            "  %e = tensor.empty() : tensor<16x8xi32>" +
            body + "  return " + values + " : " + types + "\n}\n";
  }
  return text;
}

void runUnknown(StringRef unknown, StringRef known) {
  DialectRegistry registry;
  registerRunDialects(registry);
  MLIRContext context(registry);
  std::vector<Sharding> all = allShardings(/*rank=*/2, /*axes=*/2);
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(makeProgram(unknown, all), &context);
  ASSERT_TRUE(module);
  PassManager passes(&context);
  buildSpmdPipeline(passes);
  ASSERT_TRUE(succeeded(passes.run(*module)));
  ASSERT_TRUE(succeeded(setGrid(*module, known)));
  for (auto [index, from] : llvm::enumerate(all)) {
    RunOptions options;
    options.verify = false;
    options.keepOutputs = true;
    options.optLevel = 0;
    for (unsigned number = 0; number < all.size(); ++number)
      options.inputs.emplace(number, HostTensor(ElementType::I32, {16, 8}));
    FailureOr<func::FuncOp> entry =
        findEntry(*module, "f" + std::to_string(index));
    ASSERT_TRUE(succeeded(entry));
    FailureOr<RunReport> report =
        runProgram(*module, *entry, std::move(options));
    ASSERT_TRUE(succeeded(report));
    ASSERT_TRUE(report->pass) << report->error;
    ASSERT_EQ(report->outputs.size(), all.size());
    for (auto [to, output] : llvm::zip_equal(all, report->outputs))
      for (int64_t i = 0; i < output.numElements(); ++i)
        ASSERT_EQ(output.asDouble(i), 7 + 100 * (i / 8) + i % 8)
            << unknown.str() << " as " << known.str() << ": " << toString(from)
            << " -> " << toString(to) << ", element " << i;
  }
}

} // namespace

TEST(UnknownGridTest, OneAxis) {
  runUnknown("?x2", "4x2");
  runUnknown("4x?", "4x2");
}

TEST(UnknownGridTest, BothAxes) { runUnknown("?x?", "2x4"); }
