//===- ExampleTest.cpp - The example of docs/Models.md --------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The page quotes the model and its registration from here;
// test/Models/page.test compares them.
//
//===----------------------------------------------------------------------===//

#include "shard/Interfaces/DescribedModel.h"
#include "shard/Pipelines/Registration.h"
#include "shard/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"

using namespace mlir;

namespace {

/// `demo.norms %x : (tensor<MxN>) -> tensor<M>`: the sum of squares of each row.
class NormsOp : public Op<NormsOp, OpTrait::ZeroRegions, OpTrait::OneOperand,
                          OpTrait::OneResult, OpTrait::ZeroSuccessors> {
public:
  using Op::Op;
  static StringRef getOperationName() { return "demo.norms"; }
  static ArrayRef<StringRef> getAttributeNames() { return {}; }
};

/// `demo.flip %x : (tensor<MxN>) -> tensor<MxN>`.
class FlipOp : public Op<FlipOp, OpTrait::ZeroRegions, OpTrait::OneOperand,
                         OpTrait::OneResult, OpTrait::ZeroSuccessors> {
public:
  using Op::Op;
  static StringRef getOperationName() { return "demo.flip"; }
  static ArrayRef<StringRef> getAttributeNames() { return {}; }
};

class DemoDialect : public Dialect {
public:
  explicit DemoDialect(MLIRContext *context)
      : Dialect(getDialectNamespace(), context, TypeID::get<DemoDialect>()) {
    addOperations<FlipOp, NormsOp>();
  }
  static StringRef getDialectNamespace() { return "demo"; }
};

/// Rows are independent: a parallel loop. Columns are summed up: a reduction
/// loop. The result has no dimension for the columns.
struct NormsModel
    : public shard::ShardingInterface::ExternalModel<NormsModel, NormsOp> {
  SmallVector<shard::Loop> getShardingLoops(Operation *op) const {
    auto type = cast<RankedTensorType>(op->getOperand(0).getType());
    return {shard::Loop::parallel(type.getDimSize(0)),
            shard::Loop::reduce(type.getDimSize(1), shard::ReductionKind::Sum)};
  }

  SmallVector<AffineMap> getShardingMaps(Operation *op) const {
    Builder builder(op->getContext());
    AffineExpr row = builder.getAffineDimExpr(0);
    AffineExpr column = builder.getAffineDimExpr(1);
    return {AffineMap::get(2, 0, {row, column}, op->getContext()), // operand 0
            AffineMap::get(2, 0, {row}, op->getContext())};        // result 0
  }
};

/// `demo.flip` reverses the columns of a matrix: rows are independent, columns
/// stay whole.
struct FlipModel : public shard::DescribedModel<FlipModel, FlipOp> {
  void describe(FlipOp op, shard::MapBuilder &maps) const {
    auto type = cast<RankedTensorType>(op->getOperand(0).getType());
    maps.operand(0)[0] = maps.result(0)[0] = maps.loop(type.getDimSize(0));
  }
  shard::PartialRule getPartialRule(Operation *) const {
    return shard::PartialRule::Movement;
  }
};

/// Norms that decide themselves: rows are split as they come, columns never.
struct WholeColumnsModel
    : public shard::ShardingInterface::ExternalModel<WholeColumnsModel,
                                                     NormsOp> {
  SmallVector<shard::Loop> getShardingLoops(Operation *op) const {
    return NormsModel().getShardingLoops(op);
  }
  SmallVector<AffineMap> getShardingMaps(Operation *op) const {
    return NormsModel().getShardingMaps(op);
  }
  bool decidesOption(Operation *) const { return true; }
  std::optional<shard::ShardingOption> getShardingOption(
      Operation *, const shard::Grid &,
      llvm::function_ref<shard::Sharding(unsigned)> operand,
      llvm::function_ref<shard::Sharding(unsigned)> result) const {
    shard::ShardingOption option;
    option.loops = {operand(0).dims[0], {}};
    return option;
  }
};

void registerDemoModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, DemoDialect *) {
    NormsOp::attachInterface<NormsModel>(*context);
  });
}

void registerDecidingModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, DemoDialect *) {
    NormsOp::attachInterface<WholeColumnsModel>(*context);
    FlipOp::attachInterface<FlipModel>(*context);
  });
}

std::string
partition(StringRef program,
          void (*registerModels)(DialectRegistry &) = registerDemoModels,
          bool propagates = false) {
  DialectRegistry registry;
  registry.insert<DemoDialect, func::FuncDialect>();
  shard::registerShard(registry);
  registerModels(registry);
  MLIRContext context(registry);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(program, &context);
  if (!module)
    return "does not parse";
  PassManager passes(&context);
  if (propagates)
    passes.addPass(shard::createShardingPropagation());
  passes.addPass(shard::createShardPartition());
  if (failed(passes.run(*module)))
    return "does not partition";
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os);
  return text;
}

std::string withSharding(StringRef sharding) {
  return ("shard.grid @grid(shape = 2)\n"
          "func.func @f(%x: tensor<8x6xf32> {shard.sharding = "
          "#shard.sharding<@grid, " +
          sharding +
          ">}) -> tensor<8xf32> {\n"
          "  %n = \"demo.norms\"(%x) : (tensor<8x6xf32>) -> tensor<8xf32>\n"
          "  return %n : tensor<8xf32>\n"
          "}\n")
      .str();
}

TEST(ModelExample, SplitRowsNeedTheResultGathered) {
  std::string text = partition(withSharding("[[0], []]"));
  EXPECT_NE(text.find("(tensor<4x6xf32>) -> tensor<4xf32>"), std::string::npos)
      << text;
  EXPECT_NE(text.find("shard.all_gather"), std::string::npos) << text;
  EXPECT_EQ(text.find("shard.all_reduce"), std::string::npos) << text;
}

TEST(ModelExample, AModelDecidesWhichLoopsAreSplit) {
  for (bool propagates : {false, true}) {
    std::string text = partition(withSharding("[[], [0]]"),
                                 registerDecidingModels, propagates);
    EXPECT_NE(text.find("(tensor<8x6xf32>) -> tensor<8xf32>"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("shard.all_gather"), std::string::npos) << text;
    EXPECT_EQ(text.find("shard.all_reduce"), std::string::npos) << text;
  }
}

TEST(ModelExample, ADescribedModelSplitsRows) {
  std::string text = partition(
      "shard.grid @grid(shape = 2)\n"
      "func.func @f(%x: tensor<8x6xf32> {shard.sharding = "
      "#shard.sharding<@grid, [[0], []]>}) -> tensor<8x6xf32> {\n"
      "  %n = \"demo.flip\"(%x) : (tensor<8x6xf32>) -> tensor<8x6xf32>\n"
      "  return %n : tensor<8x6xf32>\n"
      "}\n",
      registerDecidingModels);
  EXPECT_NE(text.find("(tensor<4x6xf32>) -> tensor<4x6xf32>"),
            std::string::npos)
      << text;
}

TEST(ModelExample, SplitColumnsNeedAReduction) {
  std::string text = partition(withSharding("[[], [0]]"));
  EXPECT_NE(text.find("(tensor<8x3xf32>) -> tensor<8xf32>"), std::string::npos)
      << text;
  EXPECT_NE(text.find("shard.all_reduce"), std::string::npos) << text;
  EXPECT_EQ(text.find("shard.all_gather"), std::string::npos) << text;
}

} // namespace
