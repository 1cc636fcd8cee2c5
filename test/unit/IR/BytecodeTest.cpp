//===- BytecodeTest.cpp - Bytecode of the dialect and its versions --------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/IR/ShardBytecode.h"
#include "shard/IR/ShardOps.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace shard;

namespace {
struct Bytecode : testing::Test {
  Bytecode() {
    DialectRegistry registry;
    registry.insert<func::FuncDialect>();
    registerShardDialect(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  std::string write(ModuleOp module, uint64_t version) {
    BytecodeWriterConfig config;
    config.setDialectVersion<ShardDialect>(
        std::make_unique<ShardVersion>(version));
    std::string bytes;
    llvm::raw_string_ostream stream(bytes);
    EXPECT_TRUE(succeeded(writeBytecodeToFile(module, stream, config)));
    return bytes;
  }

  std::string print(ModuleOp module) {
    std::string text;
    llvm::raw_string_ostream(text) << module;
    return text;
  }

  OwningOpRef<ModuleOp> read(StringRef bytes) {
    return parseSourceString<ModuleOp>(bytes, &context);
  }

  MLIRContext context;
};

constexpr const char *kProgram = R"mlir(
shard.grid @g(shape = 2x8) axes ["x", "y"] {latency = array<f64: 1.0, 2.0>}
func.func @f(%t: tensor<8x8xi32> {shard.sharding = #shard.sharding<@g, [["y":(2)4], [0, ?]p3], halo = [1, 1, 0, 0]>},
             %u: tensor<4x8xi32> {shard.local = #shard.local<tensor<8x8xi32>, <@g, [[0], []]>>})
    -> (tensor<8x8xi32> {shard.sharding = #shard.sharding<@g, [["x"], []], partial = umax ["y"], replicated = []>}) {
  %s = shard.sharding @g split_axes = [[0], []] partial = sum [1] : !shard.sharding
  %0 = shard.shard %t to %s : tensor<8x8xi32>
  %1 = shard.all_reduce %0 on @g grid_axes = [0] reduction = max : tensor<8x8xi32> -> tensor<8x8xi32>
  %2 = shard.constraint %1 to <@g, [["x"], [?]], offsets = [0, 3, 8]> : tensor<8x8xi32>
  return %2 : tensor<8x8xi32>
}
)mlir";

TEST_F(Bytecode, RoundTrip) {
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(kProgram, &context);
  ASSERT_TRUE(module);
  std::string bytes = write(*module, ShardVersion::kCurrent);
  EXPECT_EQ(StringRef(bytes).count("shard.sharding<"), 0u)
      << "attributes are not stored as text";
  OwningOpRef<ModuleOp> again = read(bytes);
  ASSERT_TRUE(again);
  EXPECT_EQ(print(*again), print(*module));
}

TEST_F(Bytecode, ReadsTheFirstVersion) {
  // With and without what version 0 cannot express.
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(kProgram, &context);
  std::string bytes = write(*module, 0);
  EXPECT_NE(bytes, write(*module, ShardVersion::kCurrent));
  OwningOpRef<ModuleOp> again = read(bytes);
  ASSERT_TRUE(again);
  EXPECT_EQ(print(*again), print(*module));
}

TEST_F(Bytecode, KeepsDeviceIdsFromVersion2On) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      "shard.grid @g(shape = 2x2) device_ids = [3, 1, 0, 2]", &context);
  ASSERT_TRUE(module);
  OwningOpRef<ModuleOp> again = read(write(*module, ShardVersion::kCurrent));
  ASSERT_TRUE(again);
  EXPECT_EQ(print(*again), print(*module));
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message += diagnostic.str();
    return success();
  });
  OwningOpRef<ModuleOp> old = read(write(*module, 1));
  ASSERT_TRUE(old);
  EXPECT_EQ(print(*old).find("device_ids"), std::string::npos);
  EXPECT_NE(message.find("has no device_ids: they are not written"),
            std::string::npos)
      << message;
}

TEST_F(Bytecode, KeepsUnevenDynamicFromVersion3On) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      "shard.grid @g(shape = 2x2) {uneven_dynamic}", &context);
  ASSERT_TRUE(module);
  OwningOpRef<ModuleOp> again = read(write(*module, ShardVersion::kCurrent));
  ASSERT_TRUE(again);
  EXPECT_EQ(print(*again), print(*module));
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message += diagnostic.str();
    return success();
  });
  OwningOpRef<ModuleOp> old = read(write(*module, 2));
  ASSERT_TRUE(old);
  EXPECT_EQ(print(*old).find("uneven_dynamic"), std::string::npos);
  EXPECT_NE(message.find("has no uneven_dynamic: it is not written"),
            std::string::npos)
      << message;
}

TEST_F(Bytecode, RefusesANewerVersion) {
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(kProgram, &context);
  std::string bytes = write(*module, ShardVersion::kCurrent + 1);
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message += diagnostic.str();
    return success();
  });
  EXPECT_FALSE(read(bytes));
  EXPECT_NE(message.find("bytecode of the shard dialect is of version 4, newer "
                         "than 3"),
            std::string::npos)
      << message;
}

} // namespace
