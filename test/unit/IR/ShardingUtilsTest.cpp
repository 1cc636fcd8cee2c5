//===- ShardingUtilsTest.cpp - From the IR to Geometry and back -----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/IR/ShardingUtils.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace shard;

namespace {
struct ShardingUtils : testing::Test {
  ShardingUtils() {
    DialectRegistry registry;
    registry.insert<func::FuncDialect>();
    registerShardDialect(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  ShardingAttr parse(const char *text) {
    return cast<ShardingAttr>(parseAttribute(text, &context));
  }

  GridOp grid(const char *text) {
    module = parseSourceString<ModuleOp>(text, &context);
    return *module->getOps<GridOp>().begin();
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(ShardingUtils, StaticGridNeedsSizes) {
  EXPECT_EQ(staticGrid(grid("shard.grid @g(shape = 2x4)"))->shape,
            (std::vector<int64_t>{2, 4}));
  EXPECT_TRUE(failed(staticGrid(grid("shard.grid @g(shape = 2x?)"))));
}

TEST_F(ShardingUtils, RoundTripThroughTheSSAForm) {
  grid("shard.grid @g(shape = 2x4x2)");
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  Sharding sharding{{{0}, {}, {1}, {}}, {2}, ReductionKind::Max, {}, {}};
  ShardingOp op =
      buildSharding(builder, builder.getUnknownLoc(), "g", sharding);
  EXPECT_EQ(op.getSplitAxes().size(), 3u)
      << "trailing empty lists are left out";
  EXPECT_EQ(*resolve(op, 4), sharding);
  EXPECT_TRUE(failed(resolve(op, 2))) << "dimension 2 is split";

  ShardingOp replicated = buildSharding(builder, builder.getUnknownLoc(), "g",
                                        Sharding::replicated(3));
  EXPECT_EQ(replicated.getSplitAxes().size(), 1u) << "one list must stand";
  EXPECT_TRUE(resolve(replicated, 3)->isReplicated());
}

TEST_F(ShardingUtils, ResolveNamesNumbersAndSubAxes) {
  GridOp op = grid("shard.grid @g(shape = 2x8) axes [\"x\", \"y\"]");
  auto emitError = [&] { return op.emitError(); };
  auto type = RankedTensorType::get({8, 8}, Float32Type::get(&context));
  FailureOr<ResolvedSharding> resolved = resolve(
      parse("#shard.sharding<@g, [[\"y\":(2)2, ?], [0]p1], partial = sum "
            "[\"y\":(1)2], replicated = [1:(4)2]>"),
      op, type, emitError);
  ASSERT_TRUE(succeeded(resolved));
  EXPECT_EQ(resolved->dims[0].axes[0], (AxisPart{1, 2, 2}));
  EXPECT_TRUE(resolved->dims[0].open);
  EXPECT_EQ(resolved->dims[1].axes[0], (AxisPart{0, 1, 2}));
  EXPECT_EQ(resolved->dims[1].priority, 1);
  EXPECT_EQ(resolved->partial[0], (AxisPart{1, 1, 2}));
  EXPECT_EQ(resolved->replicated[0], (AxisPart{1, 4, 2}));
  EXPECT_TRUE(resolved->hasSubAxes);
  EXPECT_TRUE(failed(toSharding(*resolved)));
}

TEST_F(ShardingUtils, NameAndNumberOfOneAxisAreOneAxis) {
  GridOp op = grid("shard.grid @g(shape = 2x8) axes [\"x\", \"y\"]");
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message = diagnostic.str();
    return success();
  });
  EXPECT_TRUE(failed(resolve(parse("#shard.sharding<@g, [[\"x\"], [0]]>"), op,
                             Type(), [&] { return op.emitError(); })));
  EXPECT_EQ(message, "dimension 1 uses axis 0, which is in use already");
}

TEST_F(ShardingUtils, AttributeOfAPlainSharding) {
  Sharding sharding{{{1, 0}, {}}, {2}, ReductionKind::Sum, {}, {}};
  auto symbol = FlatSymbolRefAttr::get(&context, "g");
  EXPECT_EQ(getShardingAttr(symbol, sharding),
            parse("#shard.sharding<@g, [[1, 0], []], partial = sum [2]>"));
}

TEST_F(ShardingUtils, LocalTypes) {
  Type f32 = Float32Type::get(&context);
  auto type = RankedTensorType::get({10, ShapedType::kDynamic, 3}, f32);
  Grid sizes{{2, 2}};
  Sharding sharding{{{0, 1}, {}, {}}, {}, ReductionKind::Sum, {}, {}};
  EXPECT_EQ(localType(type, sizes, sharding),
            RankedTensorType::get({3, ShapedType::kDynamic, 3}, f32));
  sharding = {{{}, {0}, {1}}, {}, ReductionKind::Sum, {}, {}};
  EXPECT_EQ(localType(type, sizes, sharding),
            RankedTensorType::get({10, ShapedType::kDynamic, 2}, f32));
}
} // namespace
