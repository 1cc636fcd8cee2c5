//===- VerifierTest.cpp - Rules that no text can break --------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rules of verifiers about what the parser cannot produce; those about texts are in
// test/IR/invalid-*.mlir. Each test carries the tag of its rule
// (test/Docs/rules.py).
//
//===----------------------------------------------------------------------===//

#include "shard/IR/ShardOps.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace shard;

namespace {
struct Verifier : testing::Test {
  Verifier()
      : handler(&context, [this](Diagnostic &diagnostic) {
          messages += diagnostic.str() + "\n";
        }) {
    DialectRegistry registry;
    registerShardDialect(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  function_ref<InFlightDiagnostic()> error() {
    emit = [this] { return emitError(UnknownLoc::get(&context)); };
    return emit;
  }

  MLIRContext context;
  std::string messages;
  ScopedDiagnosticHandler handler;
  std::function<InFlightDiagnostic()> emit;
};

// axis_ref_attr_c2
TEST_F(Verifier, AxesHaveANameOrANumber) {
  auto name = StringAttr::get(&context, "x");
  EXPECT_FALSE(AxisRefAttr::getChecked(error(), &context, name, int64_t(1),
                                       int64_t(0), int64_t(0)));
  EXPECT_EQ(messages, "expected an axis by name or by number, not both\n");
}

// dim_sharding_attr_c1
TEST_F(Verifier, PrioritiesAreNotNegative) {
  EXPECT_FALSE(DimShardingAttr::getChecked(
      error(), &context, ArrayRef<AxisRefAttr>(), true, int64_t(-2)));
  EXPECT_EQ(messages, "priority -2 is negative\n");
}

// partial_axes_attr_c4
TEST_F(Verifier, PartialAxesAreSorted) {
  SmallVector<GridAxis> axes = {1, 0};
  EXPECT_FALSE(PartialAxesAttr::getChecked(error(), &context,
                                           ReductionKind::Sum, ArrayRef(axes)));
  EXPECT_EQ(messages, "expected sorted partial axes\n");
}

// sharding_c2
TEST_F(Verifier, ShardingsHaveAListOfAxes) {
  OpBuilder builder(&context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  builder.setInsertionPointToEnd(module->getBody());
  ShardingOp op = ShardingOp::create(
      builder, module->getLoc(), FlatSymbolRefAttr::get(&context, "g"),
      ArrayRef<GridAxesAttr>(), ArrayRef<int64_t>(), ArrayRef<int64_t>(),
      PartialAxesAttr());
  EXPECT_TRUE(failed(op.verify()));
  EXPECT_EQ(messages, "'shard.sharding' op expects at least one list of axes, "
                      "[[]] if none splits\n");
}

// grid_c3
TEST_F(Verifier, AxisNumbersFit16Bits) {
  OpBuilder builder(&context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  builder.setInsertionPointToEnd(module->getBody());
  SmallVector<int64_t> shape(40000, 1);
  GridOp grid = GridOp::create(builder, module->getLoc(), "g", shape);
  EXPECT_TRUE(failed(grid.verify()));
  EXPECT_EQ(messages,
            "'shard.grid' op rank of grid is expected to fit 16 bits\n");
}

// Upstream asks about functions only.
// dialect_attr_c11
// dialect_attr_c12
TEST_F(Verifier, AttributesOfRegionsAreForFunctions) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  auto *dialect = context.getLoadedDialect<ShardDialect>();
  NamedAttribute attribute(kShardingAttrName, UnitAttr::get(&context));
  EXPECT_TRUE(
      failed(dialect->verifyRegionArgAttribute(*module, 0, 0, attribute)));
  EXPECT_TRUE(
      failed(dialect->verifyRegionResultAttribute(*module, 0, 0, attribute)));
  EXPECT_EQ(messages, "'builtin.module' op attribute \"shard.sharding\" of "
                      "argument 0 is for functions only\n"
                      "'builtin.module' op attribute \"shard.sharding\" of "
                      "result 0 is for functions only\n");
}
} // namespace
