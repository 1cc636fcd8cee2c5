//===- CoverageTest.cpp - Every op is run, or excluded for a reason -------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The programs test/Models/run-*.mlir are run on grids and compared with one
// device. Each op of the dialects that the project promises to shard stands in one
// of them, or in the list below, with the reason why it does not. An op that a new
// MLIR adds makes this test fail.
//
//===----------------------------------------------------------------------===//

#include "shard/Pipelines/Registration.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"

using namespace mlir;

namespace {

/// The dialects whose ops are all counted.
const StringRef dialects[] = {"arith", "cf",   "linalg", "math",
                              "scf",   "tosa", "tensor", "ml_program"};

/// Why an op is in no program, by the name of the op.
const llvm::StringMap<StringRef> excluded = {
    {"linalg.winograd_filter_transform",
     "its operands are gathered: no model for Winograd's transforms"},
    {"linalg.winograd_input_transform",
     "its operands are gathered: no model for Winograd's transforms"},
    {"linalg.winograd_output_transform",
     "its operands are gathered: no model for Winograd's transforms"},
    {"tosa.cast_from_block_scaled", "no lowering in MLIR"},
    {"tosa.cast_to_block_scaled", "no lowering in MLIR"},
    {"tosa.matmul_t_block_scaled", "no lowering in MLIR"},
    {"tosa.custom", "means what its backend says"},
    {"tosa.variable", "no lowering in MLIR"},
    {"tosa.variable_read", "no lowering in MLIR"},
    {"tosa.variable_write", "no lowering in MLIR"},
    {"tosa.dim", "no lowering in MLIR"},
    {"tosa.add_shape", "no lowering in MLIR"},
    {"tosa.concat_shape", "no lowering in MLIR"},
    {"tosa.div_ceil_shape", "no lowering in MLIR"},
    {"tosa.div_floor_shape", "no lowering in MLIR"},
    {"tosa.exp2_shape", "no lowering in MLIR"},
    {"tosa.log2_ceil_shape", "no lowering in MLIR"},
    {"tosa.log2_floor_shape", "no lowering in MLIR"},
    {"tosa.max_shape", "no lowering in MLIR"},
    {"tosa.min_shape", "no lowering in MLIR"},
    {"tosa.mod_shape", "no lowering in MLIR"},
    {"tosa.mul_shape", "no lowering in MLIR"},
    {"tosa.slice_shape", "no lowering in MLIR"},
    {"tosa.sub_shape", "no lowering in MLIR"},
    {"ml_program.func", "programs have functions of func"},
    {"ml_program.return", "ends ml_program.func"},
    {"ml_program.subgraph", "a graph region has no order of loads and stores"},
    {"ml_program.output", "ends ml_program.subgraph"},
    {"ml_program.token", "stands in subgraphs"},
    {"ml_program.global_load_graph", "stands in subgraphs"},
    {"ml_program.global_store_graph", "stands in subgraphs"},
};

/// Every word of `text` that has the form of an op's name.
void collectNames(StringRef text, llvm::StringSet<> &names) {
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  auto isPart = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; };
  for (StringRef line : lines) {
    line = line.split("//").first;
    while (!line.empty()) {
      StringRef word = line.take_while(isPart);
      if (word.contains('.'))
        names.insert(word);
      line = line.drop_front(std::max<size_t>(word.size(), 1));
    }
  }
}

TEST(Coverage, EveryOpIsRunOrExcludedForAReason) {
  llvm::StringSet<> run;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(SHARD_MODEL_PROGRAMS, error), end;
       it != end && !error; it.increment(error)) {
    StringRef name = llvm::sys::path::filename(it->path());
    if (!name.starts_with("run-") || !name.ends_with(".mlir"))
      continue;
    auto file = llvm::MemoryBuffer::getFile(it->path(), /*IsText=*/true);
    ASSERT_TRUE(bool(file)) << it->path();
    collectNames((*file)->getBuffer(), run);
  }
  ASSERT_FALSE(run.empty());

  DialectRegistry registry;
  shard::registerUpstreamDialects(registry);
  shard::registerShard(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  unsigned counted = 0;
  for (RegisteredOperationName op : context.getRegisteredOperations()) {
    StringRef name = op.getStringRef();
    if (!llvm::is_contained(dialects, op.getDialectNamespace()))
      continue;
    ++counted;
    EXPECT_TRUE(run.contains(name) || excluded.contains(name))
        << name.str() << " stands in no test/Models/run-*.mlir";
    EXPECT_FALSE(run.contains(name) && excluded.contains(name))
        << name.str() << " is run: it needs no exclusion";
  }
  EXPECT_GT(counted, 300u);
}

} // namespace
